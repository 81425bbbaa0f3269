"""How a request wants to be treated: the parameters of its query.
"""
from __future__ import annotations

import itertools
import re
import types
from typing import Callable, NamedTuple

from slowserver.request import natural


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
        Parameter("ifrange", one_of("ignore"), None,
                  "ignore: the range is served whatever If-Range says"),
        Parameter("contentrange",
                  one_of("missing", "wrongstart", "wrongtotal", "wrongunit", "garbage", "reversed",
                         "beyond", "star"),
                  None, "in a 206: missing, wrongstart (another range than asked, truly "
                  "labelled), wrongtotal, wrongunit, garbage, reversed (last before first), "
                  "beyond (last after the end), star (total unknown; legal)"),
        Parameter("short206", positive, None, "N: at most N bytes of the range (legal)"),
        Parameter("long206", natural, 0, "N: a body N bytes longer than its Content-Range"),
        Parameter("thin206", natural, 0, "N: a body N bytes shorter than its Content-Range"),
        Parameter("multipart", flag, False, "1: a single range as multipart/byteranges"),
        Parameter("whole206", flag, False, "1: the whole from 0, whatever range was asked for"),
        Parameter("etag206", one_of("other", "none"), None, "other: a 206 with another ETag; "
                  "none: without one"),
        Parameter("gzip206", flag, False, "1: a 206 whose body is compressed, and says so; its "
                  "Content-Range is of the bytes before that"),
        Parameter("status416", one_of("star", "nototal", "wrong", "bare"), None,
                  "416 to any range, its Content-Range: star (bytes */SIZE), nototal "
                  "(bytes */*), wrong (another size), bare (absent)"),
        Parameter("rangestatus", status_code, None, "CODE and a short page to any range"),
        Parameter("rangetimes", natural, None, "K: rangestatus for the first K requests with a "
                  "range only; if absent, always"),
    ],
    "Framing": [
        Parameter("length", one_of("chunked", "close"), None, "chunked; close: ends with the "
                  "connection"),
        Parameter("duplength", one_of("same", "different"), None, "a second Content-Length"),
        Parameter("truncatechunked", flag, False, "1: chunked without its last chunk, then close; "
                  "always, unless times= says how often"),
        Parameter("slowheaders", seconds, 0, "S: the head takes S seconds"),
        Parameter("header", str, None, "NAME:VALUE: one more field (may be repeated)"),
    ],
    "Breaking off": [
        Parameter("drop", natural, None, "N: close after N body bytes (an upload's too)"),
        Parameter("rst", flag, False, "1: with drop or early, reset instead of close"),
        Parameter("stall", natural, None, "N: stop after N body bytes (an upload's too)"),
        Parameter("stallfor", seconds, 86_400, "S: a stall's length"),
        Parameter("times", natural, None, "K: drop, stall, status, redirect, early and "
                  "truncatechunked for the first K requests of this method and address only; if "
                  "absent, drop and stall once, the others always"),
        Parameter("maxdrops", natural, 0, "K: the first K requests dropped at a random byte"),
        Parameter("dropwithin", positive, None, "N: that byte is one of the first N"),
        Parameter("seed", str, "", "S: which random bytes"),
    ],
    "Other answers": [
        Parameter("status", status_code, None, "CODE and a short page"),
        Parameter("retry", str, None, "VALUE: with status and rangestatus, Retry-After"),
        Parameter("redirect", str, None, "Location; other: same address, minus this, at localhost "
                  "if asked as 127.0.0.1 and the reverse"),
        Parameter("code", status_code, 302, "CODE: the redirect's status"),
        Parameter("auth", str, None, "USER:PASSWORD: 401 without them (Basic)"),
        Parameter("tokens", str, None, "A,B: 401 unless the first request has the field "
                  "Authorization: Bearer A, and every later one B"),
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
