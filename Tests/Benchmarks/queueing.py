"""Many tasks that wait: queueing them, listing them, and what they weigh."""
from __future__ import annotations

import sys
import time
from pathlib import Path

from aria import LIST, Aria
from measuring import QUICK, alternating, fail, measure, run
from row import Row
from web import Holder

COUNT = 1000 if QUICK else 10_000
ROUNDS = 3
LISTINGS = 5
#: Memory is compared while tasks wait, not while they come.
SETTLE_SECONDS = 1


def queueing(service, web, folder: Path) -> list[Row]:
    """Six hang, all the others wait: on both sides the same."""
    taken: dict[str, list] = {"memory": [], "their memory": []}
    listing: dict[str, list] = {}
    holder = Holder()

    def ours() -> dict:
        service.fresh()
        holder.forget()
        once = measure(lambda: service.client("queue", "queue", holder.address, COUNT))
        time.sleep(SETTLE_SECONDS)
        taken["memory"].append(service.resident())
        return once

    def theirs() -> dict:
        aria = Aria(folder / "aria")
        try:
            once = measure(lambda: [
                aria.call("aria2.addUri", [f"{holder.address}?{number}"], {"out": str(number)})
                for number in range(COUNT)])
            time.sleep(SETTLE_SECONDS)
            taken["their memory"].append(aria.resident())
            if not listing:
                listing.update(lists(service, aria))
        finally:
            aria.stop()
        return once

    # Ours first, so that there is something to list beside theirs.
    ours()
    taken["memory"].clear()
    walls = alternating({"ours": ours, "theirs": theirs}, ROUNDS)
    service.stop()
    return [
        Row.ratio(f"queue {COUNT:,} tasks from one process, each durable",
                  f"{COUNT:,} aria2.addUri over one connection", 0.5, "s",
                  [one["wall"] for one in walls["ours"]],
                  [one["wall"] for one in walls["theirs"]]),
        Row.ratio(f"a fresh process lists {COUNT:,} waiting tasks",
                  "a fresh Python client's aria2.tellWaiting", 1.0, "s",
                  [one["wall"] for one in listing["ours"]],
                  [one["wall"] for one in listing["theirs"]]),
        Row.ratio(f"the service's memory with {COUNT:,} waiting", "aria2's", 0.25, "MB",
                  [size / 1e6 for size in taken["memory"]],
                  [size / 1e6 for size in taken["their memory"]]),
    ]


def lists(service, aria) -> dict:
    def ours() -> dict:
        listed = []
        once = measure(lambda: listed.append(service.client("list", "queue")))
        if int(listed[0]) != COUNT:
            fail(f"{listed[0].strip()} of {COUNT} tasks were listed.")
        return once

    def theirs() -> dict:
        listed = []
        script = LIST.format(port=aria.port, count=COUNT)
        once = measure(lambda: listed.append(run(sys.executable, "-c", script)))
        if int(listed[0]) < COUNT - 6:
            fail(f"aria2 listed {listed[0].strip()} of {COUNT} tasks.")
        return once

    return alternating({"ours": ours, "theirs": theirs}, LISTINGS)
