"""Reading requests: their heads, and bodies of either framing. Latin-1 throughout, so that one
character is one byte.
"""
from __future__ import annotations

import functools
import re
import urllib.parse
from dataclasses import dataclass


def natural(text: str) -> int:
    if not re.fullmatch("[0-9]+", text):
        raise ValueError("not a whole number")
    return int(text)


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
