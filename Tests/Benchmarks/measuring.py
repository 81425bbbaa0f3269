"""Wall, CPU and their ratios: what is measured, and how two sides take turns."""
from __future__ import annotations

import hashlib
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
QUICK = os.environ.get("QUICK") == "1"
TICK = os.sysconf("SC_CLK_TCK")


def fail(text: str) -> None:
    sys.exit(f"bench: {text}")


def wait_for(what: str, ready, seconds: float = 60, pause: float = 0.02):
    """Polls until `ready` gives something true, and returns that."""
    end = time.monotonic() + seconds
    while True:
        if seen := ready():
            return seen
        if time.monotonic() > end:
            fail(f"waited {seconds:g} s for {what}.")
        time.sleep(pause)


def run(*command, **more) -> str:
    """Standard output of a command that must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode:
        said = (done.stdout + done.stderr)[-2000:]
        fail(f"'{' '.join(map(str, command))}' ended with {done.returncode}: {said}")
    return done.stdout


def process_cpu(pid: int) -> float:
    """Seconds of CPU that a running process has used, of itself and of all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(work, cpu=lambda: 0.0) -> dict[str, float]:
    """Wall and CPU seconds of the work: of the children it waits for, and of what `cpu` counts."""
    used, begun = children_cpu() + cpu(), time.monotonic()
    work()
    wall = time.monotonic() - begun
    return {"wall": wall, "cpu": children_cpu() + cpu() - used}


def alternating(sides: dict, rounds: int, prepare=lambda: None) -> dict[str, list]:
    """Each side's measurements. Who goes first changes, so that neither meets the other's leavings
    each time."""
    taken = {name: [] for name in sides}
    for number in range(rounds):
        for name in (list(sides) if number % 2 else reversed(list(sides))):
            prepare()
            taken[name].append(sides[name]())
    return taken


def spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def make_file(path: Path, size: int) -> str:
    """A file of random bytes; gives its digest."""
    with path.open("wb") as file:
        while size > 0:
            file.write(os.urandom(min(size, 1 << 20)))
            size -= 1 << 20
    return digest(path)


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_file(path: Path, wanted: str) -> None:
    if not path.exists() or digest(path) != wanted:
        fail(f"{path} is not the file that was asked for.")
    path.unlink()
