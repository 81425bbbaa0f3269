"""The server: listens, and keeps what the connections share.
"""
from __future__ import annotations

import collections
import itertools
import socket
import socketserver
import sys
import threading

from slowserver.connection import Connection
from slowserver.log import Record, RequestLog
from slowserver.request import Request


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

    def turns_before(self, request: Request) -> int:
        """How many requests with this method and target have had their turn."""
        with self.lock:
            return self.turns[request.method, request.target]

    def take_turns(self, request: Request) -> tuple[int, int]:
        """How many requests with this method and target came before this one, and how many of
        them asked for a range."""
        with self.lock:
            every, ranged = (request.method, request.target), (request.method, request.target, "-")
            before = self.turns[every], self.turns[ranged]
            self.turns[every] += 1
            self.turns[ranged] += request.get("range") is not None
            return before

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
