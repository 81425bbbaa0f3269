"""Ends the service at each commit of a transfer's life, one life at a time, and looks what is left.

    BIN=FOLDER lives.py download|upload|pause|hand-over|recovery

A life is told to die at its first commit, then another at its second, and so on until one comes to
its end; each of them before the commit and behind it. The programs that use the service must not
notice: it is started again under them. Prints how many lives there were and how many ended early.
"""
from __future__ import annotations

import concurrent.futures
import itertools
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import verdict
import world
from verdict import Lost
from world import content

SIZE = 100_000
AT_ONCE = 4
NUMBERS = itertools.count(1)  # each life has resources of its own at the one server
COUNTING = threading.Lock()


class Life(world.World):
    def __init__(self, server: world.Server) -> None:
        super().__init__(world.binaries(), server)
        with COUNTING:
            self.number = next(NUMBERS)

    def url(self, path: str, query: str = "") -> str:
        return f"{self.server.address}{path}{'?' + query if query else ''}"

    def do(self, *words: str) -> list[str]:
        """What a program prints that must end well."""
        status, output, errors = self.run(*words)
        if status != 0:
            raise Lost(f"bgtool {' '.join(words)} ended with {status}: {output}{errors}")
        return output.splitlines()

    def expect(self, lines: list[str], *patterns: str) -> None:
        """Each once, in this order."""
        at = -1
        for pattern in patterns:
            found = [n for n, line in enumerate(lines) if re.fullmatch(pattern, line)]
            if len(found) != 1 or found[0] <= at:
                raise Lost(f"'{pattern}' should stand once in its place in {lines}")
            at = found[0]

    def ends(self) -> None:
        """Nobody hears anything again, and nothing is left."""
        self.expect(self.do("resume"), r"relaunch sees: \[\]")
        verdict.nothing_is_left(self)


def download(life: Life) -> None:
    path = f"/bytes/{SIZE}/{life.number}"
    life.do("start", life.url(path), "--name", "moon", "-o", "moon")
    life.expect(life.do("resume"), f"finished 1 moon {SIZE}", "saved 1 .*/moon", "complete 1 nil")
    has_bytes(life, path)


def upload(life: Life) -> None:
    source = life.folder / "gift"
    source.write_bytes(content("/gift", 0, SIZE))
    path = f"/uploads/{life.number}"
    life.do("upload", str(source), life.url(path), "--name", "gift")
    life.expect(
        life.do("resume"), f"answer 1 gift status=200 POST {path} {SIZE} bytes", "complete 1 nil")
    # Sent again at most once, by the life that does not know of the first one's answer.
    count = len(life.server.requests(path, "start"))
    if count > 2:
        raise Lost(f"sent {count} times")
    if source.read_bytes() != content("/gift", 0, SIZE):
        raise Lost("the user's file was touched")


def pause(life: Life) -> None:
    path = f"/bytes/{SIZE}/{life.number}"
    # A request for the rest is held too, so that the transfer does not overtake its pause.
    wish = ["start", life.url(path, f"hold=gate{life.number}&holdat=30000"),
            "--name", "moon", "-o", "moon"]
    life.do(*wish)
    end = time.monotonic() + world.PATIENCE
    while not re.search("received=[369]0000", " ".join(life.do("status"))):
        if time.monotonic() > end:
            raise Lost(f"the half does not come: {life.do('status')}")
        time.sleep(0.02)
    life.do("cancel", "moon", "--keep")
    release(life)
    life.expect(life.do(*wish), "started 2 moon", "start process exiting")
    lines = life.do("resume")
    life.expect(
        lines, r"resumed 2 moon offset=[369]0000", f"finished 2 moon {SIZE}", "complete 2 nil")
    life.expect(lines, "complete 1 NSURLErrorDomain -999 cancelled")
    has_bytes(life, path)


def recovery(life: Life) -> None:
    """Dies twice while it takes up what the life before has left."""
    path = f"/bytes/{SIZE}/{life.number}"
    query = f"hold=gate{life.number}&holdat=50000"
    life.do("start", life.url(path, query), "--name", "moon", "-o", "moon")
    deaths = ["inRecovery:1", "inRecovery:1", "beforeCommit:1", "afterCommit:1"]
    # Two and two: a client takes three deaths in a row for a service that cannot live.
    for pair in deaths[:2], deaths[2:]:
        life.signal_service(signal.SIGKILL)
        life.crash_at(*pair)
        life.do("service", "start")
    release(life)
    life.expect(life.do("resume"), f"finished 1 moon {SIZE}", "saved 1 .*/moon", "complete 1 nil")
    has_bytes(life, path)
    if life.crashed_at() != deaths:
        raise Lost(f"it died at {life.crashed_at()} only")


def release(life: Life) -> None:
    address = life.url(f"/-/release/gate{life.number}")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    opener.open(urllib.request.Request(address, method="POST"))


def has_bytes(life: Life, path: str) -> None:
    if (life.here / "moon").read_bytes() != content(path, 0, SIZE):
        raise Lost("the file has other bytes than the server")
    verdict.only_these_files(life, {"moon"})


def live(server: world.Server, scenario, point: str, must_die: bool = False) -> list[str]:
    """One life; where it died."""
    life = Life(server)
    is_well = False
    try:
        if point:
            life.crash_at(point)
        scenario(life)
        life.ends()
        deaths = life.crashed_at()
        if must_die and not deaths:
            raise Lost(f"{scenario.__name__} never came there; see {life.folder}")
        is_well = True
        return deaths
    except Lost as lost:
        raise Lost(f"with a crash at {point}: {lost}") from None
    finally:
        life.end(keep=not is_well)


def every_pass(server: world.Server, scenario, point: str) -> int:
    """A life for each time that the point is passed; how many died."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as lives:
        for first in itertools.count(1, AT_ONCE):
            names = [f"{point}:{first + more}" for more in range(AT_ONCE)]
            reached = list(lives.map(lambda name: live(server, scenario, name), names))
            if not all(reached):
                return first - 1 + sum(map(bool, reached))
    raise AssertionError


# Where each scenario dies, and how often at least: a life with fewer commits than that was none.
CAMPAIGNS = {
    "download": (download, [("beforeCommit", 4), ("afterCommit", 4)]),
    "upload": (upload, [("beforeCommit", 4), ("afterCommit", 4)]),
    "pause": (pause, [("beforeCommit", 7), ("afterCommit", 7)]),
}


def main(name: str) -> None:
    folder = Path(tempfile.mkdtemp(prefix="bgt.", dir="/tmp"))
    server = world.Server(folder)
    try:
        if name == "recovery":
            live(server, recovery, "")
        elif name == "hand-over":
            for scenario in (download, upload):
                live(server, scenario, "betweenLinkAndAcknowledgement", must_die=True)
        else:
            scenario, points = CAMPAIGNS[name]
            for point, least in points:
                deaths = every_pass(server, scenario, point)
                print(f"{name}: {deaths} deaths, {point}", flush=True)
                if deaths < least:
                    raise Lost(f"only {deaths} commits in the life of a {name}")
    except Lost as lost:
        sys.exit(f"LOST: {name} {lost}")
    finally:
        server.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(sys.argv[1])
