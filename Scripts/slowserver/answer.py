"""What is answered. Decisions only: nothing here touches a socket.
"""
from __future__ import annotations

import base64
import email.utils
import http
import random
from dataclasses import dataclass, field
from typing import Callable, NamedTuple

from slowserver.behaviour import Behaviour
from slowserver.request import Request, without


BODILESS = (204, 304)


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


def retry_after(behaviour: Behaviour) -> list[tuple[str, str]]:
    return [("Retry-After", behaviour.retry)] if behaviour.retry else []


def http_date(when: float) -> str:
    return email.utils.formatdate(when, usegmt=True)


def is_authorized(request: Request, behaviour: Behaviour, turn: int) -> bool:
    scheme, _, credentials = (request.get("authorization") or "").partition(" ")
    if behaviour.tokens is not None:
        tokens = behaviour.tokens.split(",")
        return (scheme.lower(), credentials) == ("bearer", tokens[min(turn, len(tokens) - 1)])
    if behaviour.auth is None:
        return True
    expected = base64.b64encode(behaviour.auth.encode("latin-1")).decode()
    return scheme.lower() == "basic" and credentials.strip() == expected


def unauthorized(behaviour: Behaviour) -> Answer:
    scheme = "Bearer" if behaviour.tokens else "Basic"
    return page(401, "", ("WWW-Authenticate", f'{scheme} realm="slow"'))


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
        within = min(length, behaviour.dropwithin or length)
        found.append((dice.randrange(1, within + (within < length)), "drop"))
    return sorted(found, key=lambda mark: mark[0])


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
