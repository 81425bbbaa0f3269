"""Programs that come and go: what a person waits for at a prompt."""
from __future__ import annotations

import statistics
from pathlib import Path

from measuring import QUICK, alternating, measure, run, wait_for
from row import Row

ROUNDS = 5 if QUICK else 9
#: A start is too short to be measured one at a time.
EACH = 10


def starting(service, web, folder: Path) -> list[Row]:
    service.fresh()
    (web.www / "tiny").write_bytes(b"x" * 1000)
    target = folder / "tiny-target"
    target.mkdir()
    started = 0

    def start() -> None:
        nonlocal started
        started += 1
        service.bgtool("start", web.address("tiny"), "--name", f"tiny-{started}", "-o",
                       target / str(started), "--session", "start")

    # A result that waits for its owner, in a session of one.
    service.client("queue", "first", web.address("tiny"), 1)
    wait_for("a result", lambda: "finished" in service.bgtool("status", "--all"))
    sides = {
        "baseline": lambda: run(service.programs / "bench-baseline"),
        "status": lambda: service.bgtool("status"),
        "start": start,
        "first": lambda: service.client("first", "first"),
    }
    for side in sides.values():
        side()
    taken = alternating({name: lambda side=side: several(side) for name, side in sides.items()},
                        ROUNDS)
    service.bgtool("resume", "--session", "start")
    return [
        Row.ratio("bgtool status, warm", "a program that links Foundation", 1.5, "ms",
                  taken["status"], taken["baseline"]),
        Row.ratio("bgtool start to its exit, warm", "a program that links Foundation", 3.0, "ms",
                  taken["start"], taken["baseline"]),
        Row.ratio("a new process to its first event", "bgtool status", 1.5, "ms",
                  taken["first"], taken["status"]),
    ]


def several(side) -> float:
    """The median of a few, in milliseconds."""
    return statistics.median(measure(side)["wall"] * 1000 for _ in range(EACH))
