"""A seeded campaign: kills everything at random moments, many times over, and looks for losses.

Each round has a home and a server of its own. Wishes are made in several sessions, up and down,
some by processes that are killed while they make them; for a while service, owners and server are
killed, stopped and started again at moments that the seed decides; then the owners come once more
in peace.
"""
from __future__ import annotations

import argparse
import collections
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

import verdict
import world
from calls import Caller
from verdict import Lost
from wishes import Download, Upload

SESSIONS = ["one", "two", "three"]
# Where an owner may die by itself: in each callback, and before it says that a file is placed.
CALLBACKS = ["didResume", "didWrite", "didFinish", "afterPlacing", "didSend", "didReceive",
             "didComplete", "didFinishEvents"]
# What the owners of a campaign may end with, besides success: a failure that is looked at later, a
# session in use, a service that died too often, SIGKILL and Ctrl-C.
ENDS = (0, 1, 69, 75, -signal.SIGKILL, 130)


class Campaign:
    """One round."""

    def __init__(self, seed: int, seconds: float) -> None:
        self.dice = random.Random(seed)
        self.seconds = seconds
        self.world = world.World(world.binaries())
        self.owners: list[subprocess.Popen] = []
        self.lines: dict[str, list[str]] = collections.defaultdict(list)
        self.removed: set[tuple[str, int]] = set()
        self.counts: collections.Counter = collections.Counter()

    def run(self) -> collections.Counter:
        keep = True
        self.caller = Caller(self)
        try:
            wishes = [self.make_wish(number) for number in range(self.dice.randint(8, 20))]
            self.play()
            self.finish()
            self.judge(wishes)
            self.counts["transfers right"] = len(wishes) + len(self.caller.calls)
            keep = False
            return self.counts
        finally:
            for owner in self.owners:
                owner.kill()
            if keep:
                heard = {**self.lines, "calls": self.caller.lines}
                (self.world.folder / "heard").write_text(json.dumps(heard, indent=1))
            self.world.end(keep)

    # --- wishes

    def make_wish(self, number: int):
        """Makes sure that it is with the service; some who make it are killed while they do."""
        kind = self.dice.choice([Download, Download, Upload])
        wish = kind(self.world, self.dice, number, self.dice.choice(SESSIONS))
        if self.dice.random() < 0.5 and self.is_made_by_a_victim(wish):
            return wish
        for _ in range(20):
            status, _, errors = self.world.run(*wish.words)
            if status == 0:
                break
            if status == 64 and "exists already" in errors:
                break  # the killed starter's wish has come true meanwhile
            if status != 75:  # an owner has the session: later
                raise Lost(f"{' '.join(wish.words)} ended with {status}: {errors}")
        else:
            raise Lost(f"{wish.name}: the session was never free")
        if self.dice.random() < 0.2:
            self.kill_service()
        return wish

    def is_made_by_a_victim(self, wish) -> bool:
        """One dies on the line after `resume()`, which loses nothing; another at any time."""
        if self.dice.random() < 0.4:
            self.counts["starter killed after resume()"] += 1
            status, output, errors = self.world.run(*wish.words, crash="afterResume")
            if status not in (0, -signal.SIGKILL):
                raise Lost(f"{' '.join(wish.words)} ended with {status}: {output}{errors}")
            return True
        starter = self.world.bgtool(*wish.words)
        try:
            starter.communicate(timeout=self.dice.uniform(0.005, 0.15))
        except subprocess.TimeoutExpired:
            self.counts["starter killed"] += 1
            starter.kill()
            output, _ = starter.communicate()
            return "started" in output
        return False

    # --- what may happen

    def play(self) -> None:
        moves = {
            self.kill_service: 4, self.end_service: 1, self.freeze_service: 1, self.start_owner: 6,
            self.kill_owner: 5, self.freeze_owner: 1, self.kill_both: 2, self.restart_server: 1,
            self.step_clock: 1, self.look: 1, self.caller.start: 5, self.caller.kill: 3}
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            self.dice.choices(list(moves), list(moves.values()))[0]()
            time.sleep(self.dice.uniform(0, 0.3))
        while self.owners:
            self.kill_owner()

    def kill_service(self) -> None:
        if self.world.signal_service(signal.SIGKILL):
            self.counts["service killed"] += 1

    def end_service(self) -> None:
        if self.world.signal_service(signal.SIGTERM):
            self.counts["service ended politely"] += 1

    def freeze_service(self) -> None:
        pid = self.world.signal_service(signal.SIGSTOP)
        if pid:
            self.counts["service stopped for a while"] += 1
            time.sleep(self.dice.uniform(0.05, 0.4))
            world.send(pid, signal.SIGCONT)

    def start_owner(self) -> None:
        session = self.dice.choice(SESSIONS)
        crash = self.dice.choice(CALLBACKS) if self.dice.random() < 0.5 else ""
        owner = self.world.bgtool("resume", "--session", session, crash=crash)
        owner.session, owner.crash = session, crash
        self.owners.append(owner)

    def kill_owner(self) -> None:
        if not self.owners:
            return
        owner = self.owners.pop(self.dice.randrange(len(self.owners)))
        if owner.poll() is None:
            self.counts["owner killed"] += 1
        elif owner.returncode == -signal.SIGKILL:
            self.counts[f"owner killed at {owner.crash}"] += 1
        owner.kill()
        self.collect(owner)

    def freeze_owner(self) -> None:
        if self.owners:
            owner = self.dice.choice(self.owners)
            self.counts["owner stopped for a while"] += 1
            world.send(owner.pid, signal.SIGSTOP)
            time.sleep(self.dice.uniform(0.05, 0.3))
            world.send(owner.pid, signal.SIGCONT)

    def kill_both(self) -> None:
        self.kill_service()
        self.kill_owner()

    def restart_server(self) -> None:
        self.world.server.stop()
        time.sleep(self.dice.uniform(0, 0.2))
        self.world.server.start()
        self.counts["server restarted"] += 1

    def step_clock(self) -> None:
        # Not by a week: what is set while no service lives has passed, for all the next one knows.
        self.world.set_clock(self.dice.choice([-86400, -3600, 0, 3600, 86400]))
        self.counts["clock set"] += 1

    def look(self) -> None:
        self.world.run("status", "--all")

    def collect(self, owner: subprocess.Popen) -> int:
        output, errors = owner.communicate(timeout=world.PATIENCE)
        self.lines[owner.session] += output.splitlines()
        if owner.returncode not in ENDS:
            raise Lost(f"resume ended with {owner.returncode}: {errors}")
        return owner.returncode

    # --- the end

    def finish(self) -> None:
        """The owners come once more, in peace, until nothing is left to hear."""
        for session in SESSIONS:
            for _ in range(3):
                owner = self.world.bgtool(
                    "resume", "--session", session, "--timeout", str(world.PATIENCE))
                owner.session = session
                if self.collect(owner) == 75:
                    raise Lost(f"session {session} does not come to its end")
        self.caller.finish()
        rest = [line for line in self.world.run("status", "--all")[1].splitlines()
                if not self.is_unborn(line)]
        if rest:
            raise Lost(f"tasks are left: {rest}")

    def is_unborn(self, line: str) -> bool:
        """Its maker was killed before it could resume it: kept, shown, for a person to remove."""
        unborn = re.match(r"(\d+) \S+ suspended .*session=(\S+)", line)
        if not unborn or self.world.run("cancel", unborn[1], "--session", unborn[2])[0] != 0:
            return False
        self.removed.add((unborn[2], int(unborn[1])))
        return True

    def judge(self, wishes: list) -> None:
        for wish in wishes:
            wish.check(self.world, self.lines[wish.session])
        self.caller.judge()
        verdict.no_file_was_refused(self.lines)
        verdict.nothing_is_left(self.world)
        verdict.every_task_was_heard(self.world, self.lines, self.removed)
        verdict.only_these_files(
            self.world, {wish.name for wish in wishes if isinstance(wish, Download)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("ROUNDS") or 20))
    parser.add_argument("--seconds", type=float, default=6, help="of killing in each round")
    options = parser.parse_args()
    print(f"torture: seed {options.seed}, {options.rounds} rounds", flush=True)
    total: collections.Counter = collections.Counter()
    failed = 0
    for number in range(options.rounds):
        seed = options.seed + number
        begun = time.monotonic()
        try:
            total += Campaign(seed, options.seconds).run()
            took = time.monotonic() - begun
            print(f"ok   round {number + 1} (seed {seed}), {took:.0f} s", flush=True)
        except (Lost, subprocess.TimeoutExpired) as lost:
            failed += 1
            print(f"LOST round {number + 1} (seed {seed}): {lost}", flush=True)
    for what, count in sorted(total.items()):
        print(f"  {count:5} {what}")
    print(f"torture: {options.rounds - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
