"""What somebody wants: a file from the server, or one on it. The dice say how the server errs."""
from __future__ import annotations

import hashlib
import random

from verdict import Lost
from world import World, content

SIZES = [0, 1, 999, 50_000, 300_000, 1_500_000, 4_000_000]


class Download:
    def __init__(self, world: World, dice: random.Random, number: int, session: str) -> None:
        self.session = session
        self.name = f"wish-{number}"
        self.folder = world.here
        self.size = dice.choice(SIZES)
        self.path = f"/bytes/{self.size}/{number}"
        faults = dice.choice(
            ["", "", f"drop={max(1, self.size // 3)}&times=2",
             f"drop={max(1, self.size // 2)}&rst=1", "validators=none",
             "ranges=ignore", "length=chunked", "etag=weak", "flip=1"])
        self.target = self.path + ("?" + faults if faults else "")
        self.versions = 2 if faults == "flip=1" else 1
        self.words = ["start", world.server.address + self.target, "--name", self.name,
                      "--session", session, "-o", self.name]

    def check(self, world: World, lines: list[str]) -> None:
        file = self.folder / self.name
        if not file.exists():
            raise Lost(f"{self.name} ({self.target}) has no file")
        actual = hashlib.sha256(file.read_bytes()).digest()
        if not any(actual == hashlib.sha256(content(self.path, 0, self.size, version)).digest()
                   for version in range(1, self.versions + 1)):
            raise Lost(f"{self.name} ({self.target}) has other bytes than the server")


class Upload:
    def __init__(self, world: World, dice: random.Random, number: int, session: str) -> None:
        self.session = session
        self.name = f"gift-{number}"
        self.size = dice.choice(SIZES)
        self.path = f"/uploads/{number}"
        faults = dice.choice(
            ["", "", f"drop={max(1, self.size // 3)}&times=2",
             f"drop={max(1, self.size // 2)}&rst=1"])
        self.target = self.path + ("?" + faults if faults else "")
        self.source = world.folder / self.name
        self.source.write_bytes(dice.randbytes(self.size))
        self.words = ["upload", str(self.source), world.server.address + self.target,
                      "--name", self.name, "--session", session]

    def check(self, world: World, lines: list[str]) -> None:
        wanted = hashlib.sha256(self.source.read_bytes()).hexdigest()
        whole = [entry for entry in world.server.requests(self.path) if entry["status"] == 200]
        torn = [entry for entry in whole if entry.get("sha256") != wanted]
        if torn or not whole:
            raise Lost(f"{self.name} ({self.target}) did not arrive whole: {torn or 'nothing'}")
        answer = f"{self.name} status=200 POST {self.path} {self.size} bytes"
        if not any(line.startswith("answer ") and line.endswith(answer) for line in lines):
            raise Lost(f"{self.name} ({self.target}): nobody has heard the answer '{answer}'")
