"""Makes up transfers that go wrong at random, and judges how they ended.

    random_faults.py make SEED COUNT         a line a transfer: NAME get|put SIZE TARGET VERSION
    random_faults.py judge PLAN LOG FOLDER   those that did not end as they should, a line each

A seed gives the same transfers each time. Every one of them can end well, and must.
"""
import hashlib
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Scripts"))
from slowserver.content import content  # noqa: E402

# Each of these is either combined rightly, or not combined and asked for whole, once.
ANSWERS = [
    "", "", "", "contentrange=star", "contentrange=missing", "contentrange=wrongstart",
    "contentrange=wrongtotal", "contentrange=garbage", "contentrange=reversed", "multipart=1",
    "whole206=1", "etag206=other", "etag206=none", "gzip206=1", "long206=9", "thin206=9",
    "status416=star", "status416=bare", "ranges=ignore", "ranges=none", "short206=150000",
    "rangestatus=503&rangetimes=1", "ifrange=ignore&flip=1", "flip=1",
]
RESOURCES = [
    "", "", "", "etag=weak", "etag=none", "etag=changing", "validators=none", "gzip=1",
    "lastmodified=none", "length=chunked", "slowheaders=.2",
]


def download(dice, number):
    size = dice.randrange(1, 400_000)
    drop = dice.randrange(0, size + 1)
    parts = [f"drop={drop}", dice.choice(["", "", "rst=1"]), dice.choice(ANSWERS),
             dice.choice(RESOURCES)]
    query = "&".join(part for part in parts if part)
    version = 2 if "flip=1" in query else 1
    return f"get-{number} get {size} /bytes/{size}/get-{number}?{query} {version}"


def upload(dice, number):
    size = dice.randrange(0, 400_000)
    fault = dice.choice(["", "silent100=1", f"drop={dice.randrange(0, size + 1)}",
                         f"drop={dice.randrange(0, size + 1)}&rst=1"])
    return f"put-{number} put {size} /put-{number}?{fault} 1"


def make(seed, count):
    dice = random.Random(seed)
    for number in range(int(count)):
        print((upload if number % 6 == 5 else download)(dice, number))


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def judge(plan, log, folder):
    entries = [json.loads(line) for line in open(log, encoding="utf-8")]
    for line in open(plan, encoding="utf-8"):
        name, kind, size, target, version = line.split()
        path, file = target.partition("?")[0], pathlib.Path(folder) / name
        ends = [entry for entry in entries
                if entry["event"] == "end" and entry["path"].partition("?")[0] == path]
        if kind == "put":
            arrived = {entry["sha256"] for entry in ends if entry["status"] in (200, 201)}
            right = arrived - {None} == {sha256(file.read_bytes())}
        else:
            # A drop beyond the last byte is none: then the first version was all there was.
            versions = [1, int(version)] if len(ends) == 1 else [int(version)]
            wanted = {sha256(content(path, 0, int(size), each)) for each in versions}
            right = file.is_file() and sha256(file.read_bytes()) in wanted
        if not right:
            print(line.strip(), "after", [(end["range"], end["status"], end["sent"])
                                          for end in ends])


{"make": make, "judge": judge}[sys.argv[1]](*sys.argv[2:])
