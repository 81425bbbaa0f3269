"""What must be true when everything has come to its end, whatever was killed on the way."""
from __future__ import annotations

import sqlite3
import time

from world import World


class Lost(Exception):
    """Something that must never happen has happened."""


def nothing_is_left(world: World) -> None:
    """No file, no row, no process. Ends the service."""
    world.run("service", "stop")
    for place in ("bodies", "Downloads", "incoming", "wishes"):
        files = [path for path in (world.home / place).rglob("*") if path.is_file()]
        left = [str(path) for path in files if not path.name.endswith("lock")]
        if left:
            raise Lost(f"left behind: {left}")
    for table in ("task", "outbox", "partial", "quarantine"):
        count = ask(world, f"SELECT count(*) FROM {table}")[0][0]
        if count:
            raise Lost(f"{count} rows left in {table}")
    end = time.monotonic() + 20
    while world.processes():
        if time.monotonic() > end:
            raise Lost(f"processes left: {world.processes()}")
        time.sleep(0.05)


def ask(world: World, query: str) -> list[tuple]:
    """Of a database that no service uses any more."""
    database = sqlite3.connect(world.home / "transfers.sqlite")
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def only_these_files(world: World, names: set[str]) -> None:
    strangers = sorted({path.name for path in world.here.iterdir()} - names)
    if strangers:
        raise Lost(f"files nobody asked for: {strangers}")


def every_task_was_heard(world: World, lines: dict[str, list[str]], removed: set) -> None:
    """Each task that a session of bgtool's ever had has been told its end, and only one end.

    `lines`: what the owners of each session have printed; `removed`: (session, identifier) of
    those that were never resumed and that a person has removed.
    """
    for session, next_identifier in ask(
            world, "SELECT identifier, next_task_identifier FROM session WHERE client = 'bgtool'"):
        ends: dict[int, set[str]] = {}
        for line in lines.get(session, []):
            if line.startswith("complete "):
                _, task, outcome = line.split(" ", 2)
                ends.setdefault(int(task), set()).add(outcome)
        for task in range(1, next_identifier):
            # An owner whose service died may find that another has taken over and heard it.
            outcomes = {end for end in ends.get(task, set()) if " -997 " not in end}
            if (session, task) not in removed and outcomes != {"nil"}:
                raise Lost(f"task {task} of session {session} ended with {outcomes or 'nothing'}")


def no_file_was_refused(lines: dict[str, list[str]]) -> None:
    """A file that arrives twice must be recognised, not reported as kept."""
    kept = [line for heard in lines.values() for line in heard if line.startswith("kept")]
    if kept:
        raise Lost(f"a file was placed twice, or not at all: {kept}")
