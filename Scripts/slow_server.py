#!/usr/bin/env python3
"""A web server that is slow on purpose, and wrong on request.

A transfer that ends in a millisecond teaches nothing about transfers. This server hands
out its bytes at a walking pace, 50,000 every 0.25 s unless told otherwise, takes uploads
at the same pace, and writes down every request, so that a person or a test can see what
a client did while nobody watched it.

    slow_server.py                          serve on http://127.0.0.1:8765, log to the terminal
    slow_server.py --port 0 --log requests  serve on a free port, log to a file
    slow_server.py --digest /audiobook      print the SHA-256 that a download must have

Resources
    GET  /audiobook           2,000,000 bytes
    GET  /bytes/N             N bytes; also /bytes/N/any/name
    POST, PUT  any path, such as /uploads
                              answered "POST /uploads 1000 bytes", with the body's SHA-256
                              in the field X-SHA256
    GET  /                    this description

By default the server is a good one: strong ETag, Last-Modified, single ranges, If-Range,
HEAD, 100 Continue, keep-alive. Every departure from that is asked for in the query of the
request that should suffer it, as in /audiobook?drop=500000&etag=weak, and they combine.
A parameter that is not listed means nothing here, so a signed address passes unharmed.

The log has two lines of JSON for each request, "start" and "end", sharing an id. `path` is
the request target byte for byte (one character a byte), `sent` and `received` count body
bytes. The end line is written too when the client leaves or the server breaks off.

For tests there are two controls, which are not logged:
    GET  /-/received          body bytes received so far, as {"/uploads": 1000}, of the
                              uploads in progress at each path, or of the last one there
    POST /-/release/NAME      lets the requests with hold=NAME go on, present and future

The bytes of a resource depend on its path, its version and the offset alone: `content`
says how. Import it to check any slice without having the rest.
"""
from __future__ import annotations

import argparse
import base64
import collections
import email.utils
import functools
import gzip
import hashlib
import http
import itertools
import json
import random
import re
import select
import signal
import socket
import socketserver
import struct
import sys
import threading
import time
import types
import urllib.parse
from dataclasses import dataclass, field
from typing import Callable, NamedTuple

AUDIOBOOK_SIZE = 2_000_000
LAST_MODIFIED = 1_704_067_200  # 1 January 2024; a version is one hour younger than the last
RECENT = 30  # seconds; under the 60 that make a date strong (RFC 9110, 8.8.2.2)
PIECE = 256 * 1024  # the most that is made, sent or read in one go
BODILESS = (204, 304)
BOUNDARY = "slow-server-boundary"


# What the bytes are

BLOCK = 65_521  # a prime: a slice taken from the wrong place never looks right by alignment
MARK = 8


@functools.lru_cache(maxsize=64)
def pattern(path: str, version: int) -> bytes:
    """What all blocks of a resource share: SHA-256 of "PATH VERSION 0", "PATH VERSION 1", ..."""
    rounds = range(-(-(BLOCK - MARK) // 32))
    digests = (hashlib.sha256(f"{path} {version} {n}".encode()).digest() for n in rounds)
    return b"".join(digests)[:BLOCK - MARK]


def content(path: str, start: int, length: int, version: int = 1) -> bytes:
    """The bytes [start, start + length) of the resource at `path` (without its query).

    Blocks of 65,521 bytes: the block's number as 8 bytes, big-endian, then the pattern.
    There is no end to it; how much of it a resource has is for its path to say.
    """
    if length <= 0:
        return b""
    shared = pattern(path, version)
    number, skipped = divmod(start, BLOCK)
    numbers = range(number, (start + length - 1) // BLOCK + 1)
    blocks = b"".join(part for n in numbers for part in (n.to_bytes(MARK, "big"), shared))
    return blocks[skipped:skipped + length]


def resource_size(path: str) -> int | None:
    """How long the resource at this path is, or None when there is none."""
    if path == "/audiobook":
        return AUDIOBOOK_SIZE
    match = re.fullmatch(r"/bytes/([0-9]+)(/.*)?", path)
    return int(match.group(1)) if match else None


def digest(target: str) -> str:
    """SHA-256 of what a GET of `target` yields; of its query only version= counts."""
    path, query = split_target(target)
    size = resource_size(path)
    if size is None:
        raise ValueError(f"no resource at {path}")
    version = Behaviour.from_query(query).version
    sha = hashlib.sha256()
    for at in range(0, size, PIECE):
        sha.update(content(path, at, min(PIECE, size - at), version))
    return sha.hexdigest()


@functools.lru_cache(maxsize=2)
def compressed(path: str, version: int, size: int) -> bytes:
    # Held in memory: a length is needed before the first byte, and a range may begin anywhere.
    return gzip.compress(content(path, 0, size, version), compresslevel=1, mtime=0)


# What a request asks for

def natural(text: str) -> int:
    if not re.fullmatch("[0-9]+", text):
        raise ValueError("not a whole number")
    return int(text)


def positive(text: str) -> int:
    if natural(text) == 0:
        raise ValueError("not above 0")
    return int(text)


def seconds(text: str) -> float:
    if not re.fullmatch(r"[0-9]+(\.[0-9]*)?|\.[0-9]+", text):
        raise ValueError("not a number of seconds")
    return float(text)


def status_code(text: str) -> int:
    if not re.fullmatch("[2-5][0-9][0-9]", text):
        raise ValueError("not a final status")
    return int(text)


def flag(text: str) -> bool:
    return one_of("1", "0")(text) == "1"


def one_of(*choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError("not one of " + ", ".join(choices))
        return text
    return parse


class Parameter(NamedTuple):
    name: str
    parse: Callable
    default: object
    help: str


PARAMETERS = {
    "Pace": [
        Parameter("chunk", positive, None, "bytes that pass at a time, either way"),
        Parameter("interval", seconds, None, "seconds from one chunk to the next"),
        Parameter("hold", str, None, "NAME: wait before the answer's body for its release"),
        Parameter("holdat", natural, None, "hold after this many body bytes (an upload's too)"),
    ],
    "Resource": [
        Parameter("version", natural, 1, "other bytes, another ETag, another date"),
        Parameter("flip", natural, None, "N: the next version after the first N requests"),
        Parameter("grow", natural, 0, "N: each request finds N bytes more than the one before"),
        Parameter("gzip", flag, False, "1: compressed, whatever was accepted (small sizes only)"),
    ],
    "Validators": [
        Parameter("validators", one_of("none"), None, "none: neither ETag nor Last-Modified"),
        Parameter("etag", one_of("weak", "changing", "none"), None, "weak, changing, none"),
        Parameter("lastmodified", one_of("none", "recent"), None,
                  "none; recent: too close to Date to be strong"),
        Parameter("date", one_of("none"), None, "none: no Date"),
    ],
    "Ranges": [
        Parameter("ranges", one_of("ignore", "none"), None,
                  "ignore: always 200; none: the same, and says so in Accept-Ranges"),
        Parameter("contentrange",
                  one_of("missing", "wrongstart", "wrongtotal", "wrongunit", "garbage", "star"),
                  None, "in a 206: missing, wrongstart (another range than asked, truly "
                  "labelled), wrongtotal, wrongunit, garbage, star (total unknown; legal)"),
        Parameter("short206", positive, None, "N: at most N bytes of the range (legal)"),
        Parameter("long206", natural, 0, "N: a body N bytes longer than its Content-Range"),
        Parameter("multipart", flag, False, "1: a single range as multipart/byteranges"),
        Parameter("whole206", flag, False, "1: the whole from 0, whatever range was asked for"),
        Parameter("etag206", one_of("other"), None, "other: a 206 with another ETag"),
        Parameter("status416", one_of("star", "nototal", "wrong", "bare"), None,
                  "416 to any range, its Content-Range: star (bytes */SIZE), nototal "
                  "(bytes */*), wrong (another size), bare (absent)"),
    ],
    "Framing": [
        Parameter("length", one_of("chunked", "close"), None, "chunked; close: ends with the "
                  "connection"),
        Parameter("duplength", one_of("same", "different"), None, "a second Content-Length"),
        Parameter("truncatechunked", flag, False, "1: chunked without its last chunk, then close"),
        Parameter("slowheaders", seconds, 0, "S: the head takes S seconds"),
        Parameter("header", str, None, "NAME:VALUE: one more field (may be repeated)"),
    ],
    "Breaking off": [
        Parameter("drop", natural, None, "N: close after N body bytes (an upload's too)"),
        Parameter("rst", flag, False, "1: with drop or early, reset instead of close"),
        Parameter("stall", natural, None, "N: stop after N body bytes (an upload's too)"),
        Parameter("stallfor", seconds, 86_400, "S: a stall's length"),
        Parameter("times", natural, None, "K: drop, stall, status, redirect and early for the "
                  "first K requests of this method and address only; if absent, drop and stall "
                  "once, the others always"),
        Parameter("maxdrops", natural, 0, "K: the first K requests dropped at a random byte"),
        Parameter("seed", str, "", "S: which random bytes"),
    ],
    "Other answers": [
        Parameter("status", status_code, None, "CODE and a short page"),
        Parameter("retry", str, None, "VALUE: with status, Retry-After"),
        Parameter("redirect", str, None, "Location; other: same address, minus this, at localhost "
                  "if asked as 127.0.0.1 and the reverse"),
        Parameter("code", status_code, 302, "CODE: the redirect's status"),
        Parameter("auth", str, None, "USER:PASSWORD: 401 without them (Basic)"),
        Parameter("headrefused", flag, False, "1: HEAD is not allowed"),
    ],
    "Uploads": [
        Parameter("early", status_code, None, "CODE: answer before the body is read, then close"),
        Parameter("silent100", flag, False, "1: no 100 Continue"),
    ],
}


def parameter_text() -> str:
    lines = []
    for title, group in PARAMETERS.items():
        lines += ["", title]
        for parameter in group:
            words = parameter.help.split()
            line = f"    {parameter.name + '=':17}"
            for word in words:
                if len(line) + len(word) > 95:
                    lines.append(line.rstrip())
                    line = " " * 21
                line += word + " "
            lines.append(line.rstrip())
    return "Query parameters\n" + "\n".join(lines) + "\n"


class Behaviour(types.SimpleNamespace):
    """The query as attributes, one for each known parameter."""

    @classmethod
    def from_query(cls, query: list[tuple[str, str]]) -> Behaviour:
        given = dict(query)
        values = {}
        for parameter in itertools.chain(*PARAMETERS.values()):
            try:
                text = given.get(parameter.name)
                values[parameter.name] = parameter.default if text is None \
                    else parameter.parse(text)
            except ValueError as error:
                # Silence here would let a test with a slip of the pen prove nothing.
                raise ValueError(f"{parameter.name}={text}: {error}") from None
        behaviour = cls(**values)
        behaviour.headers = [tuple(value.partition(":")[::2])
                             for name, value in query if name == "header"]
        if behaviour.validators == "none":
            behaviour.etag = behaviour.lastmodified = "none"
        return behaviour

    def strikes(self, turn: int, unless_given: float) -> bool:
        """Whether a fault that `times` limits befalls request number `turn`, from 0."""
        return turn < (unless_given if self.times is None else self.times)


def split_target(target: str) -> tuple[str, list[tuple[str, str]]]:
    """Path and query of a request target. Latin-1 throughout: one character is one byte."""
    path, _, query = re.sub("^https?://[^/?]*", "", target, flags=re.I).partition("?")
    pairs = (item.partition("=") for item in query.split("&") if item)
    unquote = functools.partial(urllib.parse.unquote, encoding="latin-1")
    return path or "/", [(unquote(name), unquote(value)) for name, _, value in pairs]


def without(target: str, *names: str) -> str:
    """The target less these parameters, every other byte as it was."""
    path, _, query = target.partition("?")
    kept = [item for item in query.split("&") if item.partition("=")[0] not in names]
    return path + ("?" + "&".join(kept) if any(kept) else "")


class BadRequest(Exception):
    """What came is not HTTP."""


@dataclass
class Request:
    method: str
    target: str
    version: str
    fields: list[tuple[str, str]]

    def __post_init__(self) -> None:
        self.path, self.query = split_target(self.target)
        self.chunked = self.has_token("transfer-encoding", "chunked")
        try:  # None: only the end of the body will tell
            self.length = None if self.chunked else natural(self.get("content-length") or "0")
        except ValueError:
            raise BadRequest("unusable Content-Length") from None

    def get(self, name: str) -> str | None:
        values = [value for key, value in self.fields if key == name]
        return ", ".join(values) if values else None

    def has_token(self, name: str, token: str) -> bool:
        return token in [part.strip().lower() for part in (self.get(name) or "").split(",")]

    @property
    def keeps_alive(self) -> bool:
        return self.version == "HTTP/1.1" and not self.has_token("connection", "close")

    @property
    def is_upload(self) -> bool:
        return self.method in ("POST", "PUT")

    @property
    def expects_continue(self) -> bool:
        return self.version == "HTTP/1.1" and self.has_token("expect", "100-continue")

    @property
    def has_body(self) -> bool:
        return self.length != 0


def read_line(reader) -> str:
    line = reader.readline(65_536)
    if not line:
        raise ConnectionResetError("the client left")
    if not line.endswith(b"\n"):
        raise BadRequest("line too long")
    return line.rstrip(b"\r\n").decode("latin-1")


def read_request(reader) -> Request:
    """The head of the next request; the body stays where it is."""
    line = read_line(reader) or read_line(reader)  # an empty line may precede it
    match = re.fullmatch(r"([!-~]+) ([^ ]+) (HTTP/1\.[01])", line)
    if not match:
        raise BadRequest("not a request line")
    fields = []
    while True:
        line = read_line(reader)
        if not line:
            break
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise BadRequest("not a header field")
        fields.append((name.lower(), value.strip()))
    return Request(*match.groups(), fields)


class RequestBody:
    """Reads a body of either framing, never beyond its end."""

    def __init__(self, reader, request: Request) -> None:
        self.reader = reader
        self.chunked = request.chunked
        self.left = request.length or 0  # of the body, or of the present chunk
        self.ended = not request.has_body

    def read(self, limit: int) -> bytes:
        """Between 1 and `limit` bytes, or none at the end."""
        if self.chunked and not self.ended and self.left == 0:
            self.begin_chunk()
        if self.ended:
            return b""
        data = self.reader.read1(min(limit, self.left))
        if not data:
            raise ConnectionResetError("the client left")
        self.left -= len(data)
        if self.left == 0:
            self.ended = not self.chunked
            if self.chunked and read_line(self.reader):
                raise BadRequest("chunk longer than its size")
        return data

    def begin_chunk(self) -> None:
        size = read_line(self.reader).partition(";")[0].strip()
        if not re.fullmatch("[0-9a-fA-F]+", size):
            raise BadRequest("not a chunk size")
        self.left = int(size, 16)
        if self.left == 0:
            while read_line(self.reader):
                pass
            self.ended = True


# What is answered: decisions only, nothing here touches a socket

class Body(NamedTuple):
    """A run of bytes that is made as it is needed."""
    length: int
    read: Callable[[int, int], bytes]  # offset and count; count 0 or more

    def slice(self, first: int, length: int) -> Body:
        return Body(length, lambda at, count: self.read(first + at, count))


def bytes_body(data: bytes) -> Body:
    # Padded, since long206 asks for more than there is.
    return Body(len(data), lambda at, count: data[at:at + count].ljust(count, b"\0"))


@dataclass
class Answer:
    status: int
    fields: list[tuple[str, str]]
    body: Body
    framing: str = "length"  # or "chunked", "close"
    marks: list[tuple[int, str]] = field(default_factory=list)  # what happens at which byte
    closes: bool = False
    truncated: bool = False


def reason(status: int) -> str:
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return "Unassigned"


def page(status: int, text: str = "", *fields: tuple[str, str]) -> Answer:
    """A short answer in plain text."""
    data = (text or f"{status} {reason(status)}\n").encode("latin-1")
    return Answer(status, [("Content-Type", "text/plain; charset=iso-8859-1"), *fields],
                  bytes_body(data))


def http_date(when: float) -> str:
    return email.utils.formatdate(when, usegmt=True)


def is_authorized(request: Request, behaviour: Behaviour) -> bool:
    if behaviour.auth is None:
        return True
    scheme, _, credentials = (request.get("authorization") or "").partition(" ")
    expected = base64.b64encode(behaviour.auth.encode("latin-1")).decode()
    return scheme.lower() == "basic" and credentials.strip() == expected


def unauthorized() -> Answer:
    return page(401, "", ("WWW-Authenticate", 'Basic realm="slow"'))


def decide(request: Request, behaviour: Behaviour, turn: int, now: float) -> Answer | None:
    """The answer to request number `turn` of its kind, or None when it depends on the body."""
    if not is_authorized(request, behaviour):
        return unauthorized()
    if request.method == "HEAD" and behaviour.headrefused:
        return page(405, "", ("Allow", "GET"))
    if request.method not in ("GET", "HEAD", "POST", "PUT"):
        return page(405, "", ("Allow", "GET, HEAD, POST, PUT"))
    if behaviour.strikes(turn, unless_given=float("inf")):
        if request.is_upload and behaviour.early:
            return unauthorized() if behaviour.early == 401 else page(behaviour.early)
        if behaviour.status:
            retry = [("Retry-After", behaviour.retry)] if behaviour.retry else []
            return page(behaviour.status, "", *retry)
        if behaviour.redirect:
            return page(behaviour.code, "", ("Location", location(request, behaviour.redirect)))
    if request.is_upload:
        return None
    if request.path == "/":
        return page(200, __doc__ + "\n" + parameter_text())
    return download(request, behaviour, turn, now)


def location(request: Request, wanted: str) -> str:
    if wanted != "other":
        return wanted
    name, _, port = (request.get("host") or "").partition(":")
    other = "127.0.0.1" if name == "localhost" else "localhost"
    origin = f"http://{other}:{port}" if port else f"http://{other}"
    return origin + without(request.target, "redirect", "code")


def answers_early(request: Request, behaviour: Behaviour, answer: Answer | None) -> bool:
    """Whether the body stays unread. One that waits for 100 Continue is not sent for a no."""
    if answer is None or not request.has_body:
        return False
    waits = request.expects_continue and not behaviour.silent100
    return waits or (request.is_upload and answer.status == behaviour.early)


def receipt(request: Request, behaviour: Behaviour, count: int, sha256: str) -> Answer:
    answer = page(201 if request.method == "PUT" else 200,
                  f"{request.method} {request.path} {count} bytes\n", ("X-SHA256", sha256))
    if behaviour.hold is not None and behaviour.holdat is None:
        answer.marks = [(0, "hold")]
    return answer


def marks(request: Request, behaviour: Behaviour, turn: int, length: int | None) \
        -> list[tuple[int, str]]:
    """What is to happen at which body byte, in order. `length` None: not known."""
    found = []
    if behaviour.hold is not None and (behaviour.holdat is not None or not request.is_upload):
        found.append((behaviour.holdat or 0, "hold"))
    if behaviour.strikes(turn, unless_given=1):
        found += [(at, name) for at, name in ((behaviour.stall, "stall"), (behaviour.drop, "drop"))
                  if at is not None]
    if turn < behaviour.maxdrops and length is not None and length > 1:
        dice = random.Random(f"{behaviour.seed} {request.target} {turn}")
        found.append((dice.randrange(1, length), "drop"))
    return sorted(found, key=lambda mark: mark[0])


def download(request: Request, behaviour: Behaviour, turn: int, now: float) -> Answer:
    size = resource_size(request.path)
    if size is None:
        return page(404, f"404 nothing at {request.path}\n")
    size += behaviour.grow * turn
    flipped = behaviour.flip is not None and turn >= behaviour.flip
    version = behaviour.version + flipped
    name = f"{request.path} {version} {size}"
    etag = hashlib.sha256(name.encode()).hexdigest()[:16]
    if behaviour.gzip:
        whole = bytes_body(compressed(request.path, version, size))
        etag += "-gzip"
    else:
        whole = Body(size, lambda at, count: content(request.path, at, count, version))
    etag = {None: f'"{etag}"', "weak": f'W/"{etag}"',
            "changing": f'"{etag}-{turn}"', "none": None}[behaviour.etag]
    modified = {None: http_date(LAST_MODIFIED + 3600 * version),
                "recent": http_date(now - RECENT), "none": None}[behaviour.lastmodified]

    answer = whole_or_part(request, behaviour, whole, etag,
                           None if behaviour.lastmodified == "recent" else modified)
    if answer.status == 206 and behaviour.etag206:
        etag = '"another"'
    if answer.status != 416:
        entity = [("ETag", etag), ("Last-Modified", modified),
                  ("Accept-Ranges", "none" if behaviour.ranges == "none" else "bytes"),
                  ("Content-Encoding", "gzip" if behaviour.gzip else None)]
        answer.fields += [(name, value) for name, value in entity if value is not None]
        answer.framing = behaviour.length or "length"
        if behaviour.truncatechunked:
            answer.framing, answer.truncated = "chunked", True
        answer.marks = marks(request, behaviour, turn, answer.body.length)
    return answer


def whole_or_part(request: Request, behaviour: Behaviour, whole: Body,
                  etag: str | None, strong_date: str | None) -> Answer:
    """200, 206 or 416, and the range's faults. Ranges are defined for GET only."""
    asked = request.get("range") if request.method == "GET" else None
    if asked and behaviour.status416:
        value = {"star": f"bytes */{whole.length}", "nototal": "bytes */*",
                 "wrong": f"bytes */{whole.length + 1}", "bare": None}[behaviour.status416]
        return page(416, "", *([("Content-Range", value)] if value else []))
    if asked and not behaviour.ranges and if_range_holds(request.get("if-range"), etag,
                                                         strong_date):
        selected = select_range(asked, whole.length)
        if selected == UNSATISFIABLE:
            return page(416, "", ("Content-Range", f"bytes */{whole.length}"))
        if selected is not None:
            return part(behaviour, whole, *selected)
    return Answer(200, [("Content-Type", "application/octet-stream")], whole)


def if_range_holds(condition: str | None, etag: str | None, strong_date: str | None) -> bool:
    """RFC 9110, 13.1.5: entity tags by strong comparison, dates by exact match."""
    if condition is None:
        return True
    if condition.startswith(('"', "W/")):
        return condition == etag and not condition.startswith("W/")
    return condition == strong_date


UNSATISFIABLE = (0, -1)


def select_range(text: str, size: int) -> tuple[int, int] | None:
    """First and last byte to send, or UNSATISFIABLE, or None when the whole is the answer.

    RFC 9110, 14.1.2 and 14.2. The whole is a permitted answer to several ranges, and the only
    one to a field that makes no sense or to a suffix of nothing.
    """
    match = re.fullmatch(r"bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*", text, flags=re.I)
    if not match or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if first == "":
        if int(last) == 0:
            return UNSATISFIABLE
        return (max(0, size - int(last)), size - 1) if size else None
    if last and int(last) < int(first):
        return None
    if int(first) >= size:
        return UNSATISFIABLE
    return int(first), min(int(last), size - 1) if last else size - 1


def part(behaviour: Behaviour, whole: Body, first: int, last: int) -> Answer:
    """A 206 with this range, or with what a broken server would send in its place."""
    size = whole.length
    if behaviour.whole206:
        first, last = 0, size - 1
    if behaviour.contentrange == "wrongstart":
        # The bytes match the label: who does not read it ends up with a broken file.
        first = first - 1 if first else min(1, last)
    if behaviour.short206:
        last = min(last, first + behaviour.short206 - 1)
    label = f"bytes {first}-{last}/{size}"
    body = whole.slice(first, last - first + 1 + behaviour.long206)
    if behaviour.multipart:
        head = f"--{BOUNDARY}\r\nContent-Type: application/octet-stream\r\n" \
               f"Content-Range: {label}\r\n\r\n"
        data = head.encode() + body.read(0, body.length) + f"\r\n--{BOUNDARY}--\r\n".encode()
        return Answer(206, [("Content-Type", f"multipart/byteranges; boundary={BOUNDARY}")],
                      bytes_body(data))
    label = {None: label, "wrongstart": label, "missing": None,
             "wrongtotal": f"bytes {first}-{last}/{size + 1}",
             "wrongunit": f"items {first}-{last}/{size}",
             "garbage": "bytes nonsense",
             "star": f"bytes {first}-{last}/*"}[behaviour.contentrange]
    return Answer(206, [("Content-Type", "application/octet-stream"),
                        *([("Content-Range", label)] if label else [])], body)


def settle_framing(answer: Answer, request: Request, behaviour: Behaviour) -> None:
    """Decides how the body's end is told and whether the connection outlives it."""
    if answer.framing == "chunked" and request.version == "HTTP/1.0":
        answer.framing = "close"
    if answer.framing == "length" and answer.status not in BODILESS:
        answer.fields.append(("Content-Length", str(answer.body.length)))
        if behaviour.duplength == "different":
            answer.closes = True
        if behaviour.duplength:
            wrong = behaviour.duplength == "different"
            answer.fields.append(("Content-Length", str(answer.body.length + wrong)))
    elif answer.framing == "chunked":
        answer.fields.append(("Transfer-Encoding", "chunked"))
    if answer.framing == "close" or not request.keeps_alive:
        answer.closes = True


def head_bytes(answer: Answer, behaviour: Behaviour, now: float) -> bytes:
    fields = [] if behaviour.date == "none" else [("Date", http_date(now))]
    fields += answer.fields + behaviour.headers
    if answer.closes:
        fields.append(("Connection", "close"))
    lines = [f"HTTP/1.1 {answer.status} {reason(answer.status)}"]
    lines += [f"{name}: {value.strip()}" for name, value in fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


# What is done

@dataclass
class Record:
    """One request as the log and the controls see it."""
    id: int
    request: Request
    status: int | None = None
    sent: int = 0
    received: int = 0
    ended: bool = False


class RequestLog:
    """One JSON object a line. The stream is unbuffered, so a line is there once written."""

    def __init__(self, stream) -> None:
        self.stream = stream
        self.lock = threading.Lock()

    def write(self, event: str, record: Record) -> None:
        request = record.request
        entry = {"event": event, "id": record.id, "method": request.method,
                 "path": request.target, "range": request.get("range"),
                 "ifRange": request.get("if-range"), "status": record.status,
                 "sent": record.sent, "received": record.received}
        if event == "start":
            entry.update(host=request.get("host"), cookie=request.get("cookie"),
                         authorization=request.get("authorization") is not None)
        with self.lock:
            entry["time"] = time.time()  # taken here, so that the lines are in order of time
            try:
                self.stream.write(json.dumps(entry).encode() + b"\n")
            except BrokenPipeError:
                pass  # whoever read the log has left; the clients have not


class Pace:
    """Lets so many bytes pass for each interval and acts on the marks on the way."""

    def __init__(self, chunk: int, interval: float, marks: list[tuple[int, str]],
                 pause: Callable[[float], None], act: Callable[[str], None]) -> None:
        self.chunk, self.interval = chunk, interval
        self.marks = collections.deque(marks)
        self.pause, self.act = pause, act
        self.opened_at = 0  # the byte with which the present chunk began
        self.next_opens = time.monotonic() + interval

    def reach(self, done: int) -> None:
        while self.marks and self.marks[0][0] <= done:
            self.act(self.marks.popleft()[1])

    def allow(self, done: int) -> int:
        """How many bytes may follow the `done` ones now; waits until it is at least one."""
        self.reach(done)
        if done - self.opened_at >= self.chunk:
            self.pause(self.next_opens - time.monotonic())
            self.opened_at = done
            # From now if late: a client that slept gets no flood to make up for it.
            self.next_opens = max(self.next_opens, time.monotonic()) + self.interval
        most = min(self.opened_at + self.chunk - done, PIECE)
        return min(most, self.marks[0][0] - done) if self.marks else most


class Connection(socketserver.BaseRequestHandler):
    """One client's connection, with one request after another."""
    server: SlowServer

    def setup(self) -> None:
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A small buffer: what it holds beyond a head counts as unread, but the client is rid
        # of it, and a test that compares the two counts should not see a difference.
        self.reader = self.request.makefile("rb", buffering=4096)
        self.resets = False  # end with RST instead of FIN
        self.unread = False  # part of the last request's body was left on purpose

    def handle(self) -> None:
        try:
            while self.exchange():
                pass
        except BadRequest as problem:
            self.refuse(f"400 {problem}\n")
        except (ConnectionError, TimeoutError):
            pass  # the client left, or a behaviour said to

    def refuse(self, text: str) -> None:
        answer = page(400, text)
        answer.fields.append(("Content-Length", str(answer.body.length)))
        answer.closes = self.unread = True
        behaviour = Behaviour.from_query([])
        try:
            self.send(head_bytes(answer, behaviour, time.time()) + text.encode("latin-1"))
        except ConnectionError:
            pass

    def finish(self) -> None:
        if self.resets:
            self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif self.unread:
            self.drain()
        self.reader.close()  # it shares the descriptor, which closes with the last of the two
        self.request.close()

    def drain(self, at_most: float = 2) -> None:
        """Lets the answer arrive: closing on unread bytes would reset the connection and might
        take the answer with it (RFC 9112, 9.6)."""
        end = time.monotonic() + at_most
        try:
            self.request.shutdown(socket.SHUT_WR)
            while time.monotonic() < end:
                self.request.settimeout(max(0.01, end - time.monotonic()))
                if not self.request.recv(65_536):
                    break
        except OSError:
            pass

    def exchange(self) -> bool:
        """One request and its answer; whether another may follow."""
        request = read_request(self.reader)
        if request.path.startswith("/-/"):
            return self.control(request)
        try:
            behaviour, problem = Behaviour.from_query(request.query), None
        except ValueError as error:
            behaviour, problem = Behaviour.from_query([]), page(400, f"400 {error}\n")
        # Who is asked for a password has not had his turn.
        turn = self.server.take_turn(request) if is_authorized(request, behaviour) else 0
        answer = problem or decide(request, behaviour, turn, time.time())
        early = answers_early(request, behaviour, answer)

        record = self.server.begin(request)
        if answer and (early or not request.has_body):
            record.status = answer.status
        self.server.log.write("start", record)
        try:
            if early:
                answer.closes = self.unread = True
                self.resets = behaviour.rst
            else:
                sha256 = self.receive(request, behaviour, turn, record)
                answer = answer or receipt(request, behaviour, record.received, sha256)
            record.status = answer.status
            settle_framing(answer, request, behaviour)
            self.transmit(answer, request, behaviour, record)
        except BadRequest:
            record.status = 400
            raise
        finally:
            record.ended = True
            self.server.log.write("end", record)
        return not answer.closes

    def receive(self, request: Request, behaviour: Behaviour, turn: int, record: Record) -> str:
        """Reads the body at the pace and returns its SHA-256."""
        body = RequestBody(self.reader, request)
        sha = hashlib.sha256()
        if not body.ended and request.expects_continue and not behaviour.silent100:
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        events = marks(request, behaviour, turn, request.length) if request.is_upload else []
        # A client that left may still have bytes on the way: they are read to the end.
        pace = self.pace(behaviour, events, functools.partial(self.pause, until_it_leaves=False))
        while not body.ended:
            data = body.read(pace.allow(record.received))
            sha.update(data)
            record.received += len(data)
        pace.reach(record.received)
        return sha.hexdigest()

    def transmit(self, answer: Answer, request: Request, behaviour: Behaviour,
                 record: Record) -> None:
        self.send_slowly(head_bytes(answer, behaviour, time.time()), behaviour.slowheaders)
        if request.method == "HEAD" or answer.status in BODILESS:
            return
        pace = self.pace(behaviour, answer.marks, self.pause)
        chunked = answer.framing == "chunked"
        done = 0
        while done < answer.body.length:
            count = min(pace.allow(done), answer.body.length - done)
            if chunked:
                self.send(b"%x\r\n" % count)
            self.send(answer.body.read(done, count), record)
            if chunked:
                self.send(b"\r\n")
            done += count
        pace.reach(done)
        if answer.truncated:
            raise ConnectionAbortedError("without its last chunk")
        if chunked:
            self.send(b"0\r\n\r\n")

    def pace(self, behaviour: Behaviour, events: list[tuple[int, str]],
             pause: Callable[[float], None]) -> Pace:
        chunk = behaviour.chunk or self.server.chunk
        interval = self.server.interval if behaviour.interval is None else behaviour.interval
        return Pace(chunk, interval, events, pause, functools.partial(self.act, behaviour))

    def act(self, behaviour: Behaviour, mark: str) -> None:
        if mark == "stall":
            self.pause(behaviour.stallfor)
        elif mark == "hold":
            while not self.server.is_released(behaviour.hold):
                self.pause(0.02)
        elif mark == "drop":
            self.resets = behaviour.rst
            raise ConnectionAbortedError("dropped")

    def pause(self, duration: float, until_it_leaves: bool = True) -> None:
        """Waits, but not for a connection that is over; the end of the server ends it too.

        A client that closed its side counts as gone. It might be one that only stopped
        sending, but the clients here never do that, and writing to one that left would count
        bytes as sent that nobody had.
        """
        if duration <= 0:
            return
        watch = select.poll()
        watch.register(self.request, select.POLLRDHUP if until_it_leaves else 0)
        if watch.poll(duration * 1000):
            raise ConnectionAbortedError("the client left")

    def send(self, data: bytes, record: Record | None = None) -> None:
        rest = memoryview(data)
        while rest:
            count = self.request.send(rest)
            rest = rest[count:]
            if record:
                record.sent += count

    def send_slowly(self, data: bytes, duration: float, steps: int = 20) -> None:
        if not duration:
            self.send(data)
            return
        step = -(-len(data) // steps)
        for at in range(0, len(data), step):
            self.pause(duration / steps)
            self.send(data[at:at + step])

    def control(self, request: Request) -> bool:
        body = RequestBody(self.reader, request)
        while not body.ended:
            body.read(PIECE)
        name = request.path[len("/-/release/"):]
        if request.method == "GET" and request.path == "/-/received":
            answer = page(200, json.dumps(self.server.received()) + "\n")
            answer.fields = [("Content-Type", "application/json")]
        elif request.method == "POST" and request.path.startswith("/-/release/") and name:
            self.server.release(urllib.parse.unquote(name, encoding="latin-1"))
            answer = page(200, f"released {name}\n")
        else:
            answer = page(404)
        plain = Behaviour.from_query([])
        settle_framing(answer, request, plain)
        self.transmit(answer, request, plain, Record(0, request))
        return not answer.closes


class SlowServer(socketserver.ThreadingTCPServer):
    """Listens, and keeps what the connections share."""
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 512

    def __init__(self, host: str = "127.0.0.1", port: int = 0, log: RequestLog | None = None,
                 chunk: int = 50_000, interval: float = 0.25) -> None:
        self.log = log or RequestLog(sys.stdout.buffer)
        self.chunk, self.interval = chunk, interval
        self.lock = threading.Lock()
        self.ids = itertools.count(1)
        self.turns: collections.Counter = collections.Counter()
        self.released: set[str] = set()
        self.uploads: dict[str, list[Record]] = {}
        self.departure = threading.Condition()
        self.connections: set[socket.socket] = set()
        super().__init__((host, port), Connection)

    @property
    def origin(self) -> str:
        return "http://%s:%d" % self.server_address[:2]

    def take_turn(self, request: Request) -> int:
        """How many requests with this method and target came before this one."""
        with self.lock:
            key = request.method, request.target
            self.turns[key] += 1
            return self.turns[key] - 1

    def begin(self, request: Request) -> Record:
        with self.lock:
            record = Record(next(self.ids), request)
            if request.is_upload:
                others = self.uploads.get(request.path, [])
                self.uploads[request.path] = [r for r in others if not r.ended] + [record]
            return record

    def received(self) -> dict[str, int]:
        with self.lock:
            return {path: sum(record.received for record in records)
                    for path, records in self.uploads.items()}

    def release(self, name: str) -> None:
        with self.lock:
            self.released.add(name)

    def is_released(self, name: str) -> bool:
        with self.lock:
            return name in self.released

    def process_request(self, request, client_address) -> None:
        with self.departure:
            self.connections.add(request)
        super().process_request(request, client_address)

    def close_request(self, request) -> None:
        super().close_request(request)
        with self.departure:
            self.connections.discard(request)
            self.departure.notify_all()

    def start(self) -> None:
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self, patience: float = 2) -> None:
        """Ends the connections, each with its line in the log. All that their threads ever
        wait for is their socket, so shutting it down wakes every one of them."""
        self.shutdown()
        self.server_close()
        with self.departure:
            for connection in self.connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # it ended by itself
            self.departure.wait_for(lambda: not self.connections, timeout=patience)


def argument(parse: Callable) -> Callable:
    def convert(text: str):
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"{text}: {error}") from None
    return convert


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=parameter_text(),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    parser.add_argument("--port", type=argument(natural), default=8765,
                        help="port to listen on; 0 picks a free one (%(default)s)")
    parser.add_argument("--log", metavar="FILE",
                        help="write the log there, anew, instead of to standard output")
    parser.add_argument("--chunk", type=argument(positive), default=50_000, metavar="BYTES",
                        help="bytes that pass at a time, either way (%(default)s)")
    parser.add_argument("--interval", type=argument(seconds), default=0.25, metavar="SECONDS",
                        help="from one chunk to the next (%(default)s)")
    parser.add_argument("--digest", metavar="PATH",
                        help="print the SHA-256 of the resource at PATH and exit; "
                        "PATH may have ?version=N")
    options = parser.parse_args(arguments)
    if options.digest:
        try:
            options.digest = digest(options.digest)
        except ValueError as error:
            parser.error(str(error))
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse_arguments(arguments)
    if options.digest:
        print(options.digest)
        return 0
    # Blocked before the first thread starts, so that none but the wait below takes them.
    endings = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, endings)
    try:
        stream = open(options.log or 1, "wb", buffering=0, closefd=bool(options.log))
        server = SlowServer(options.host, options.port, RequestLog(stream),
                            options.chunk, options.interval)
    except (OSError, OverflowError) as error:
        print(f"slow_server.py: {error}", file=sys.stderr)
        return 1
    server.start()
    print(f"listening on {server.origin}", flush=True)
    signal.sigwait(endings)
    server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
