"""What more waiting tasks cost: each figure over their number, and the exponent it grows with."""
from __future__ import annotations

import math
import statistics
import time
from pathlib import Path

from measuring import QUICK, measure
from row import Row
from web import Holder

SIZES = (100, 1000) if QUICK else (100, 1000, 10_000, 100_000)
SAMPLES = 10 if QUICK else 30
#: Seconds that a figure may be off by chance on a busy machine; below it nothing grows.
NOISE = {"queue one more": 1e-3, "admit the next": 1e-3, "finish one": 1e-3,
         "list a page": 2e-3}


def growth(service, web, folder: Path) -> tuple[list[Row], dict]:
    service.fresh()
    empty = service.resident()
    holder = Holder()
    series: dict[str, list[float]] = {}
    queued = 0
    for size in SIZES:
        service.client("queue", "growth", holder.address, size - queued)
        queued = size
        for name, value in measured(service, holder).items():
            series.setdefault(name, []).append(value)
        series.setdefault("memory of each task", []).append(
            max(0, service.resident() - empty) / size)
    answer = first_answer(service)
    service.stop()
    curves = {"sizes": list(SIZES), "series": series}
    return rows(series, answer), curves


def measured(service, holder: Holder) -> dict[str, float]:
    taken: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        taken.setdefault(name, []).append(value)

    held = [holder.take() for _ in range(6)]
    line = service.connect()
    first = line.attach("growth", purpose="queue")["nextTaskIdentifier"]
    for number in range(SAMPLES):
        note("queue one more", measure(
            lambda: queue_one(line, first + number, holder.address))["wall"])
        note("list a page", measure(lambda: line.call("admin.tasks", after=0, limit=100))["wall"])
    line.close()
    owner = service.own("growth")
    for _ in range(SAMPLES):
        connection = held.pop(0)[1]
        begun = holder.answer(connection)
        held.append(holder.take())
        note("admit the next", held[-1][0] - begun)
        owner.stdout.readline()
        note("finish one", time.monotonic() - begun)
    owner.stdin.close()
    owner.wait()
    for item in held:
        holder.requests.put(item)
    return {name: statistics.median(values) for name, values in taken.items()}


def queue_one(line, identifier: int, address: str) -> None:
    token = f"00000000-0000-4000-8000-{identifier:012}"
    line.call("task.create", identifier=identifier, token=token, kind="download",
              request={"url": address, "method": "GET", "headers": []})
    line.call("task.resume", identifier=identifier)


def first_answer(service) -> float:
    """Seconds from the start of a service with all those tasks to its first answer."""
    service.stop()
    took = measure(service.start)["wall"]
    return took


def exponent(name: str, values: list[float]) -> float:
    """The slope over the last factor of a hundred (of ten, when short), in powers of the number of
    tasks; what is within the noise of a busy machine does not grow."""
    first = max(0, len(values) - 3)
    noise = NOISE.get(name, 0)
    start, end = max(values[first], noise), max(values[-1], noise)
    if start <= 0:
        return 0.0
    return math.log(end / start) / math.log(SIZES[-1] / SIZES[first])


def rows(series: dict, answer: float) -> list[Row]:
    found = [
        Row.plain(f"growth, exponent: {name}", 0.1, "", [exponent(name, values)])
        for name, values in series.items()]
    found.append(Row.plain(
        f"the service's start with {SIZES[-1]:,} stored tasks, to its first answer", 1.0, "s",
        [answer]))
    return found
