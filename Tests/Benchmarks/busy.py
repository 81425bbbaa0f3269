"""Idle and busy: what is used when nothing is to be done, and who suffers when somebody is slow."""
from __future__ import annotations

import select
import time
from pathlib import Path

from hanging import HangingSource
from measuring import QUICK, alternating, check_file, make_file, measure, wait_for
from row import Row
from web import Holder

IDLE_SECONDS = 5 if QUICK else 10
#: The last client's leaving is news, and idle worker threads end after 5 s.
SETTLE_SECONDS = 10
STORED = 1000 if QUICK else 10_000
TRANSFERS = 100 if QUICK else 500
WATCHED_SECONDS = 3 if QUICK else 8
BIG = 100_000_000 if QUICK else 500_000_000


def busy(service, web, folder: Path) -> list[Row]:
    return [idle(service, web), *crowd(service, web), *chatter(service, web),
            *beside(service, web, folder)]


def idle(service, web) -> Row:
    """Wake-ups with tasks stored that wait for a server which does not answer."""
    service.fresh()
    holder = Holder()
    service.client("queue", "idle", holder.address, STORED)
    time.sleep(SETTLE_SECONDS)
    before = service.switches()
    time.sleep(IDLE_SECONDS)
    woken = service.switches_since(before)
    service.stop()
    return Row.plain(f"wake-ups in {IDLE_SECONDS} s with {STORED:,} stored tasks", 0, "", [woken])


def crowd(service, web) -> list[Row]:
    """Many slow transfers at once."""
    make_file(web.www / "slowly", 50_000_000)
    service.fresh()
    line = service.connect()
    line.attach("none")
    before = service.resident()
    service.client("queue", "crowd", web.address("slow/slowly"), TRANSFERS, TRANSFERS)
    wait_for(f"{TRANSFERS} transfers",
             lambda: line.call("admin.service")["running"] >= TRANSFERS)
    time.sleep(2)
    used, begun = service.cpu(), time.monotonic()
    time.sleep(WATCHED_SECONDS)
    share = (service.cpu() - used) / (time.monotonic() - begun)
    each = (service.resident() - before) / TRANSFERS
    line.close()
    service.stop()
    name = f"{TRANSFERS} transfers at once from a slow server"
    return [Row.plain(f"{name}: CPU, of one core", 0.10, "", [share]),
            Row.plain(f"{name}: memory of each", 100, "kB", [each / 1000])]


def chatter(service, web) -> list[Row]:
    """Messages that an attached client gets in a second of a fast transfer."""
    service.fresh()
    make_file(web.www / "paced.bin", BIG)
    line = service.connect("bench-client")
    service.client("queue", "chatter", web.address("paced/paced.bin"), 6)
    line.attach("chatter")
    end = time.monotonic() + WATCHED_SECONDS
    count = 0
    descriptor = line.socket.fileno()
    while (left := end - time.monotonic()) > 0:
        if select.select([descriptor], [], [], left)[0]:
            count += line.socket.recv(1 << 16).count(b"\n")
    line.close()
    service.stop()
    return [Row.plain("messages a second to a client, six fast transfers", 6, "",
                      [count / WATCHED_SECONDS])]


def beside(service, web, folder: Path) -> list[Row]:
    """One transfer beside somebody who is slow, and the same alone."""
    wanted = make_file(web.www / "beside", BIG)
    target = folder / "beside-target"

    def fetch() -> float:
        def work() -> None:
            service.bgtool("start", web.address("beside"), "-o", target)
            service.bgtool("resume")
        taken = measure(work)["wall"]
        check_file(target, wanted)
        return taken

    def deaf() -> float:
        service.client("queue", "deaf", web.address("slow/slowly"), 20, 20)
        line = service.connect("bench-client")
        line.attach("deaf", connections=20)
        try:
            return fetch()
        finally:
            line.close()
            service.fresh()

    def hung() -> float:
        source = HangingSource(folder / "hang")
        try:
            service.bgtool("upload", source.file, web.address("put/hung"), "--session", "hung")
            source.wait_for_read()
            return fetch()
        finally:
            source.stop()
            service.fresh()

    rows = []
    for name, slow in (("an owner that reads nothing", deaf),
                       ("an upload source that hangs", hung)):
        if slow is hung and not can_hang(folder):
            continue
        service.fresh()
        taken = alternating({"beside": slow, "alone": fetch}, 3)
        rows.append(Row.ratio(f"a transfer beside {name}", "the same alone", 1.1, "s",
                              taken["beside"], taken["alone"]))
    service.stop()
    return rows


def can_hang(folder: Path) -> bool:
    source = HangingSource(folder / "hang")
    source.stop()
    return source.is_there
