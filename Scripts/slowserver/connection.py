"""One client's connection: reads its requests and sends the answers, at the pace and with the
accidents that were asked for.
"""
from __future__ import annotations

import collections
import functools
import hashlib
import json
import select
import socket
import socketserver
import struct
import time
import typing
import urllib.parse
from typing import Callable

from slowserver.answer import (BODILESS, Answer, answers_early, head_bytes, is_authorized, marks,
                               page, receipt, settle_framing, unauthorized)
from slowserver.behaviour import Behaviour
from slowserver.content import PIECE
from slowserver.decide import decide
from slowserver.log import Record
from slowserver.request import BadRequest, Request, RequestBody, read_request

if typing.TYPE_CHECKING:
    from slowserver.server import SlowServer


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
        if is_authorized(request, behaviour, self.server.turns_before(request)):
            turn, range_turn = self.server.take_turns(request)
            answer = problem or decide(request, behaviour, turn, time.time(), range_turn)
        else:
            turn, answer = 0, problem or unauthorized(behaviour)
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
                record.sha256 = sha256 if request.is_upload else None
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
