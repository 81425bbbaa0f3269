#!/usr/bin/env python3
"""Starts the slow server; `slowserver/` is what it is, and its own help says what it does."""
from __future__ import annotations

import argparse
import hashlib
import signal
import sys
from typing import Callable

import slowserver
from slowserver.behaviour import Behaviour, natural, parameter_text, positive, seconds
from slowserver.content import PIECE, content, resource_size
from slowserver.log import RequestLog
from slowserver.parent import leave_with
from slowserver.request import split_target
from slowserver.server import SlowServer


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


def argument(parse: Callable) -> Callable:
    def convert(text: str):
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"{text}: {error}") from None
    return convert


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=slowserver.__doc__, epilog=parameter_text(),
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
    parser.add_argument("--parent", type=argument(positive), metavar="PID",
                        help="leave when that process ends, however it ends")
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
    if options.parent:
        leave_with(options.parent)
    print(f"listening on {server.origin}", flush=True)
    signal.sigwait(endings)
    server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
