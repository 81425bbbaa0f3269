"""Files that a program wants by `DownloadService`, and that program, killed and started again.

It runs beside the campaign's other owners, as a client of its own with one session.
"""
from __future__ import annotations

import signal
import subprocess

import world
from verdict import Lost
from wishes import Download

# What the caller may end with: every file is there, some are to be asked for again, killed.
ENDS = (0, 1, -signal.SIGKILL)
# It passes this many points or more at which it can be told to die, all in the use of its records.
DEATH_POINTS = 60


class Caller:
    def __init__(self, campaign) -> None:
        self.world = campaign.world
        self.dice = campaign.dice
        self.counts = campaign.counts
        self.folder = self.world.folder / "called"
        self.folder.mkdir()
        self.calls = [Call(self.world, self.dice, number, self.folder)
                      for number in range(self.dice.randint(1, 4))]
        self.process: subprocess.Popen | None = None
        self.lines: list[str] = []
        self.deaths = 0

    def start(self) -> None:
        """Again, if it has ended. The dice may choose a moment at which it dies by itself."""
        if self.process and self.process.poll() is None:
            return
        self.collect()
        chosen = self.dice.randint(1, DEATH_POINTS) if self.dice.random() < 0.6 else None
        self.process = self.launch(chosen)

    def kill(self) -> None:
        if self.process and self.process.poll() is None:
            self.counts["caller killed"] += 1
            self.process.kill()
        self.collect()

    def launch(self, death_point: int | None = None) -> subprocess.Popen:
        environment = dict(self.world.environment)
        if death_point:
            environment["DOWNLOADS_CRASH_AT"] = str(death_point)
        return subprocess.Popen(
            [self.world.binaries / "torture-caller", self.folder,
             *(call.word for call in self.calls)],
            cwd=self.world.here, text=True, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def collect(self) -> int | None:
        process, self.process = self.process, None
        if not process:
            return None
        try:
            output, errors = process.communicate(timeout=world.PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            said = self.lines + process.communicate()[0].splitlines()
            raise Lost(f"the caller does not end: {said}") from None
        self.lines += output.splitlines() + [f"({process.returncode})"]
        if process.returncode not in ENDS:
            raise Lost(f"the caller ended with {process.returncode}: {errors}")
        if process.returncode == -signal.SIGKILL:
            self.counts["caller died"] += 1
        return process.returncode

    def finish(self) -> None:
        """In peace, until it has everything; and once more, which changes nothing."""
        self.kill()
        for _ in range(3):
            self.process = self.launch()
            if self.collect() == 0:
                break
        else:
            raise Lost(f"the caller does not get what it wants: {self.lines}")
        self.process = self.launch()
        if self.collect() != 0:
            raise Lost(f"the caller does not find what it got: {self.lines}")

    def judge(self) -> None:
        for call in self.calls:
            call.check(self.world, self.lines)
        strangers = {path.name for path in self.folder.iterdir()}
        strangers -= {call.name for call in self.calls}
        if strangers:
            raise Lost(f"the caller has files nobody asked for: {sorted(strangers)}")


class Call(Download):
    def __init__(self, world: world.World, dice, number: int, folder) -> None:
        super().__init__(world, dice, 1000 + number, "calls")
        self.name = f"call-{number}"
        self.word = f"{self.name}={world.server.address}{self.target}"
        self.folder = folder
