"""What is written down of each request.
"""
from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass

from slowserver.request import Request


@dataclass
class Record:
    """One request as the log and the controls see it."""
    id: int
    request: Request
    status: int | None = None
    sent: int = 0
    received: int = 0
    ended: bool = False
    sha256: str | None = None  # of an upload's body, once all of it is here


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
                         authorization=request.get("authorization") is not None,
                         acceptEncoding=request.get("accept-encoding"),
                         contentType=request.get("content-type"), expect=request.get("expect"),
                         ifNoneMatch=request.get("if-none-match"))
        elif request.is_upload:
            entry["sha256"] = record.sha256
        with self.lock:
            entry["time"] = time.time()  # taken here, so that the lines are in order of time
            try:
                self.stream.write(json.dumps(entry).encode() + b"\n")
            except BrokenPipeError:
                pass  # whoever read the log has left; the clients have not
