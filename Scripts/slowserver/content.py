"""What the bytes are: they depend on a resource's path, its version and the offset alone.
"""
from __future__ import annotations

import functools
import gzip
import hashlib
import re


AUDIOBOOK_SIZE = 2_000_000

PIECE = 256 * 1024  # the most that is made, sent or read in one go
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


@functools.lru_cache(maxsize=2)
def compressed(path: str, version: int, size: int) -> bytes:
    # Held in memory: a length is needed before the first byte, and a range may begin anywhere.
    return gzip.compress(content(path, 0, size, version), compresslevel=1, mtime=0)
