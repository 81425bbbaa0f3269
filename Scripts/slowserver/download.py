"""The answers to a GET: the whole, a part, or what a broken server sends in its place.
"""
from __future__ import annotations

import gzip
import hashlib
import re

from slowserver.answer import Answer, Body, bytes_body, http_date, marks, page, retry_after
from slowserver.behaviour import Behaviour
from slowserver.content import compressed, content, resource_size
from slowserver.request import Request


LAST_MODIFIED = 1_704_067_200  # 1 January 2024; a version is one hour younger than the last
RECENT = 30  # seconds; under the 60 that make a date strong (RFC 9110, 8.8.2.2)
BOUNDARY = "slow-server-boundary"


def download(request: Request, behaviour: Behaviour, turn: int, now: float,
             range_turn: int = 0) -> Answer:
    """`turn` counts the requests of this method and address before this one, and `range_turn`
    those of them that asked for a range."""
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

    if behaviour.rangestatus and request.get("range") is not None \
            and range_turn < (float("inf") if behaviour.rangetimes is None
                              else behaviour.rangetimes):
        return page(behaviour.rangestatus, "", *retry_after(behaviour))
    answer = whole_or_part(request, behaviour, whole, etag,
                           None if behaviour.lastmodified == "recent" else modified)
    if answer.status == 206 and behaviour.etag206:
        etag = '"another"' if behaviour.etag206 == "other" else None
    if answer.status != 416:
        entity = [("ETag", etag), ("Last-Modified", modified),
                  ("Accept-Ranges", "none" if behaviour.ranges == "none" else "bytes"),
                  ("Content-Encoding", "gzip" if behaviour.gzip else None)]
        if answer.status == 206 and behaviour.gzip206:
            answer.body = bytes_body(gzip.compress(answer.body.read(0, answer.body.length)))
            entity.append(("Content-Encoding", "gzip"))
        answer.fields += [(name, value) for name, value in entity if value is not None]
        answer.framing = behaviour.length or "length"
        if behaviour.truncatechunked and behaviour.strikes(turn, unless_given=float("inf")):
            answer.framing, answer.truncated = "chunked", True
        answer.marks = marks(request, behaviour, turn, answer.body.length)
    return answer


def whole_or_part(request: Request, behaviour: Behaviour, whole: Body,
                  etag: str | None, strong_date: str | None) -> Answer:
    """200, 206 or 416, and the range's faults. Ranges are defined for GET only. A condition on
    the tag comes first (RFC 9110, 13.2.2): 304 or 412."""
    if not tag_listed(request.get("if-match"), etag, unless_given=True):
        return page(412)
    if tag_listed(request.get("if-none-match"), etag, unless_given=False):
        return Answer(304, [], bytes_body(b""))
    asked = request.get("range") if request.method == "GET" else None
    if asked and behaviour.status416:
        value = {"star": f"bytes */{whole.length}", "nototal": "bytes */*",
                 "wrong": f"bytes */{whole.length + 1}", "bare": None}[behaviour.status416]
        return page(416, "", *([("Content-Range", value)] if value else []))
    condition = None if behaviour.ifrange == "ignore" else request.get("if-range")
    if asked and not behaviour.ranges and if_range_holds(condition, etag, strong_date):
        selected = select_range(asked, whole.length)
        if selected == UNSATISFIABLE:
            return page(416, "", ("Content-Range", f"bytes */{whole.length}"))
        if selected is not None:
            return part(behaviour, whole, *selected)
    return Answer(200, [("Content-Type", "application/octet-stream")], whole)


def tag_listed(value: str | None, etag: str | None, unless_given: bool) -> bool:
    """Whether the tag is one of a list as a client of tests writes it: no commas inside a tag."""
    if value is None:
        return unless_given
    listed = [part.strip() for part in value.split(",")]
    return etag is not None and (value == "*" or etag in listed)


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
    body = whole.slice(first, last - first + 1 + behaviour.long206 - behaviour.thin206)
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
             "reversed": f"bytes {first}-{first - 1}/{size}",
             "beyond": f"bytes {first}-{size}/{size}",
             "star": f"bytes {first}-{last}/*"}[behaviour.contentrange]
    return Answer(206, [("Content-Type", "application/octet-stream"),
                        *([("Content-Range", label)] if label else [])], body)
