"""A home, a server, and the programs that run against each other in them.

Nothing here decides what happens or judges what has happened. A world ends only processes that
carry its folder in their environment, or that it has started itself.
"""
from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent.parent / "Scripts"
SLOW_SERVER = SCRIPTS / "slow_server.py"
sys.path.insert(0, str(SCRIPTS))
from slowserver.content import content  # noqa: E402, F401: what a resource holds

PROGRAMS = ("bgtool", "torture-caller", "urlsessiond")
PATIENCE = 90  # seconds in which anything that is not disturbed any more must come to its end


def binaries() -> Path:
    folder = Path(os.environ.get("BIN", ""))
    if not (folder / "bgtool").exists():
        sys.exit("BIN must name the folder with bgtool and urlsessiond")
    return folder.resolve()


class Server:
    """The slow server; it keeps its port when it is started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self.starts = 0
        self.process = None
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.starts += 1
        said = self.folder / "server.out"
        with said.open("w") as out:
            self.process = subprocess.Popen(
                [sys.executable, SLOW_SERVER, "--port", str(self.port), "--interval", "0.02",
                 "--parent", str(os.getpid()), "--log", self.folder / f"server.{self.starts}.log"],
                stdout=out, stderr=out, stdin=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while "listening on" not in said.read_text():
            if time.monotonic() > end:
                raise RuntimeError(f"the server does not start: {said.read_text()}")
            time.sleep(0.02)
        self.port = int(said.read_text().strip().rsplit(":", 1)[1])

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()

    def requests(self, path: str, event: str = "end") -> list[dict]:
        """What the log says of the requests at a path, in all of the server's lives."""
        found = []
        for log in sorted(self.folder.glob("server.*.log")):
            for line in log.read_text().splitlines():
                try:
                    entry = json.loads(line)
                except ValueError:
                    continue  # its last line, when it was killed
                if entry["event"] == event and entry["path"].partition("?")[0] == path:
                    found.append(entry)
        return found


class World:
    def __init__(self, binaries: Path, server: Server | None = None) -> None:
        self.binaries = binaries
        self.folder = Path(tempfile.mkdtemp(prefix="bgt.", dir="/tmp"))
        self.home = self.folder / "home"
        self.here = self.folder / "here"
        self.here.mkdir()
        self.crashes = self.folder / "crashes"
        self.clock = self.folder / "clock"
        self.environment = dict(
            os.environ, URLSESSIOND_HOME=str(self.home), URLSESSIOND_CRASHES_FILE=str(self.crashes),
            URLSESSIOND_CLOCK_FILE=str(self.clock))
        for name in ("http_proxy", "all_proxy", "XDG_STATE_HOME", "URLSESSIOND_PATH"):
            self.environment.pop(name, None)
        self.owns_server = server is None
        self.server = server or Server(self.folder)

    def bgtool(self, *words: str, crash: str = "") -> subprocess.Popen:
        """Starts it; with `crash`, the point at which it is to die."""
        return subprocess.Popen(
            [self.binaries / "bgtool", *words], cwd=self.here, text=True,
            env=dict(self.environment, BGTOOL_CRASH_POINT=crash),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *words: str, crash: str = "") -> tuple[int, str, str]:
        """Its exit status, and what it said on both outputs."""
        process = self.bgtool(*words, crash=crash)
        try:
            output, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            errors += f"\n(killed after {PATIENCE} s)"
        return process.returncode, output, errors

    # --- the service

    def crash_at(self, *points: str) -> None:
        """Where the service's next lives end, one each."""
        self.crashes.write_text("".join(point + "\n" for point in points))

    def set_clock(self, seconds: float) -> None:
        """So far from the machine's is the service's wall clock from now on."""
        new = self.clock.with_name("clock.new")
        new.write_text(str(seconds))
        new.rename(self.clock)

    def crashed_at(self) -> list[str]:
        reached = self.crashes.with_name(self.crashes.name + ".reached")
        return reached.read_text().split() if reached.exists() else []

    def service(self) -> int | None:
        """Whoever has the instance lock open, which is the service's own rule."""
        lock = str(self.home / "service.lock")
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                for descriptor in (entry / "fd").iterdir():
                    if os.readlink(descriptor) == lock:
                        return int(entry.name)
            except OSError:
                continue
        return None

    def signal_service(self, number: int) -> int | None:
        pid = self.service()
        return pid if pid and send(pid, number) else None

    def processes(self) -> list[int]:
        mark = f"URLSESSIOND_HOME={self.folder}/".encode()
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (entry / "environ").read_bytes() and (entry / "exe").exists():
                    if Path(os.readlink(entry / "exe")).name.startswith(PROGRAMS):
                        found.append(int(entry.name))
            except OSError:
                continue
        return found

    def end(self, keep: bool) -> None:
        for pid in self.processes():
            send(pid, signal.SIGKILL)
        if self.owns_server:
            self.server.stop()
        if keep:
            print(f"kept for a look: {self.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def send(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False
