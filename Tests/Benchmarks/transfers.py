"""Bytes: one large file down and up, and many small and middle ones."""
from __future__ import annotations

import os
import shutil
from pathlib import Path

from measuring import (
    QUICK, alternating, check_file, digest, fail, make_file, measure, run,
)
from row import Row

LARGE = 200_000_000 if QUICK else 2_000_000_000
SMALL = (500 if QUICK else 5000, 16 << 10)
MIDDLE = (10 if QUICK else 100, 20_000_000)
ROUNDS = 3 if QUICK else 5


def size_of(count: int) -> str:
    return f"{count / 1e9:g} GB"


def large(service, web, folder: Path) -> list[Row]:
    """One large file: down, down over TLS, up."""
    service.fresh()
    wanted = make_file(web.www / "large", LARGE)
    rows = []
    for tls, limits in ((False, (1.0, 0.9)), (True, (1.0, 1.0))):
        rows += down(service, web, folder, wanted, tls, limits)
    rows += up(service, web, folder, wanted)
    (web.www / "large").unlink()
    return rows


def wall_and_cpu(work: str, against: str, limits: tuple, taken: dict) -> list[Row]:
    return [
        Row.ratio(f"{work}: {word}", against, limit, "s", [one[key] for one in taken["ours"]],
                  [one[key] for one in taken["theirs"]])
        for word, key, limit in zip(("wall", "CPU"), ("wall", "cpu"), limits)]


def down(service, web, folder: Path, wanted: str, tls: bool, limits: tuple) -> list[Row]:
    target = folder / "target"
    address = web.address("large", tls)
    session = "tls" if tls else "plain"
    os.environ["CURL_CA_BUNDLE"] = str(web.certificate)

    def ours() -> dict:
        def work() -> None:
            service.bgtool("start", address, "-o", target, "--session", session)
            service.bgtool("resume", "--session", session)
        taken = service.measure(work)
        check_file(target, wanted)
        return taken

    def theirs() -> dict:
        taken = measure(lambda: run("curl", "-sSf", "-o", target, address))
        check_file(target, wanted)
        return taken

    def wget() -> dict:
        taken = measure(lambda: run("wget", "-q", "-O", target, address))
        check_file(target, wanted)
        return taken

    sides = {"ours": ours, "theirs": theirs} | ({} if tls else {"wget": wget})
    # What the last one wrote is on disk before the next one is timed.
    taken = alternating(sides, ROUNDS, os.sync)
    name = f"one {size_of(LARGE)} download" + (" over TLS" if tls else "")
    rows = wall_and_cpu(name, "curl -o", limits, taken)
    if not tls:
        rows += wall_and_cpu(name, "wget -O", (None, None), {**taken, "theirs": taken["wget"]})
    return rows


def up(service, web, folder: Path, wanted: str) -> list[Row]:
    source, arrived = web.www / "large", web.www / "put" / "arrived"
    address = web.address("put/arrived")

    def ours() -> dict:
        def work() -> None:
            service.bgtool("upload", source, address, "--method", "PUT", "--session", "up")
            service.bgtool("resume", "--session", "up")
        taken = service.measure(work)
        check_file(arrived, wanted)
        return taken

    def theirs() -> dict:
        # As much as nginx asks for: an answer to Expect costs curl a round trip, and no more.
        taken = measure(lambda: run("curl", "-sSf", "-T", source, address))
        check_file(arrived, wanted)
        return taken

    taken = alternating({"ours": ours, "theirs": theirs}, ROUNDS, os.sync)
    return wall_and_cpu(f"one {size_of(LARGE)} upload (PUT)", "curl -T", (1.0, 1.0), taken)


def many(service, web, folder: Path) -> list[Row]:
    """Many files through six connections, every one in its place at the end."""
    rows = []
    count, size = SMALL
    files = Files(web, folder, "small", count, size)
    name = f"{count:,} files of {size >> 10} KiB"
    taken = alternating(
        {"ours": lambda: files.ours(service), "aria2": files.aria2, "curl": files.curl}, 3, os.sync)
    rows.append(files.row(name, "aria2c -j6 -i", 0.4, taken, "aria2"))
    rows.append(files.row(name, "curl -Z --parallel-max 6", 4.0, taken, "curl"))
    files.remove()
    count, size = MIDDLE
    files = Files(web, folder, "middle", count, size)
    taken = alternating({"ours": lambda: files.ours(service), "aria2": files.aria2}, 3, os.sync)
    rows.append(files.row(f"{count} files of {size // 1_000_000} MB", "aria2c -j6", 0.8, taken,
                          "aria2"))
    files.remove()
    return rows


class Files:
    def __init__(self, web, folder: Path, kind: str, count: int, size: int) -> None:
        self.served = web.www / kind
        self.served.mkdir()
        self.folder = folder / f"{kind}-targets"
        self.folder.mkdir()
        # Removed only at the end: where many files were just removed, ext4 searches long for a new
        # one's place, and the next round would pay for the last one's.
        self.target = self.folder / "target"
        self.rounds = 0
        self.keeps = size < 1_000_000
        self.names = [f"{number:05}" for number in range(count)]
        self.wanted = {name: make_file(self.served / name, size) for name in self.names}
        self.lists = folder / f"{kind}-lists"
        self.lists.mkdir()
        addresses = {name: web.address(f"{kind}/{name}") for name in self.names}
        self._list("ours", "".join(f"{url} {name}\n" for name, url in addresses.items()))
        self._list("aria2", "".join(
            f"{url}\n  out={name}\n" for name, url in addresses.items()))
        self._list("curl", "".join(
            f'url = "{url}"\noutput = "{self.target}/{name}"\n'
            for name, url in addresses.items()))

    def _list(self, side: str, text: str) -> None:
        (self.lists / side).write_text(text)

    def ours(self, service) -> dict:
        service.fresh()
        return self._measured(lambda: service.client(
            "fetch", self.served.name, self.lists / "ours", self.target), service.measure)

    def aria2(self) -> dict:
        return self._measured(lambda: run(
            "aria2c", "--no-conf", "-j6", "-i", self.lists / "aria2", "-d", self.target, "-q"))

    def curl(self) -> dict:
        return self._measured(lambda: run(
            "curl", "-sSf", "-Z", "--parallel-max", "6", "-K", self.lists / "curl"))

    def _measured(self, work, how=measure) -> dict:
        self.target.mkdir()
        taken = how(work)
        for name, wanted in self.wanted.items():
            if digest(self.target / name) != wanted:
                fail(f"{self.target / name} is not the file that was asked for.")
        if self.keeps:
            self.rounds += 1
            self.target.rename(self.folder / str(self.rounds))
        else:
            shutil.rmtree(self.target)
        return taken

    def row(self, name: str, against: str, limit: float, taken: dict, other: str) -> Row:
        return Row.ratio(f"{name}, six connections", against, limit, "s",
                         [one["wall"] for one in taken["ours"]],
                         [one["wall"] for one in taken[other]])

    def remove(self) -> None:
        shutil.rmtree(self.served)
        shutil.rmtree(self.folder)
