"""Tests of Scripts/slow_server.py, from the client's side of a socket.

The client here is a bare one on purpose: it shows the bytes as they came, two lengths and
broken chunks included, where an HTTP library would repair or refuse them.
"""
from __future__ import annotations

import base64
import calendar
import email.utils
import gzip
import hashlib
import http.client
import json
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "Scripts" / "slow_server.py"
sys.path.insert(0, str(SCRIPT.parent))

from slowserver.answer import location  # noqa: E402
from slowserver.content import content  # noqa: E402
from slowserver.log import RequestLog  # noqa: E402
from slowserver.request import Request  # noqa: E402
from slowserver.server import SlowServer  # noqa: E402

PATIENCE = 5


class Lines:
    """A log to read while it is being written."""

    def __init__(self):
        self.lines = []

    def write(self, data):
        self.lines.append(data)

    @property
    def entries(self):
        return [json.loads(line) for line in list(self.lines)]

    def events(self, name):
        return [entry for entry in self.entries if entry["event"] == name]


class Reply:
    """One answer from a connection that the server closed after it."""

    def __init__(self, data, was_reset=False):
        self.was_reset = was_reset
        self.informational = 0
        while data.startswith(b"HTTP/1.1 100"):
            self.informational += 1
            data = data.partition(b"\r\n\r\n")[2]
        head, _, self.raw = data.partition(b"\r\n\r\n")
        self.lines = head.decode("latin-1").split("\r\n")
        self.status = int(self.lines[0].split()[1]) if head else None
        self.fields = [tuple(line.split(": ", 1)) for line in self.lines[1:]]

    def all(self, name):
        return [value for key, value in self.fields if key.lower() == name.lower()]

    def __getitem__(self, name):
        values = self.all(name)
        return values[0] if values else None

    @property
    def body(self):
        return self.unchunked()[0] if self["Transfer-Encoding"] else self.raw

    def unchunked(self):
        """The payload, and whether the last chunk came."""
        rest, payload = self.raw, b""
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            if size == b"0":
                return payload, rest == b"\r\n"
            payload += rest[:int(size, 16)]
            rest = rest[int(size, 16) + 2:]
        return payload, False

    @property
    def seconds_since_modification(self):
        first, second = (calendar.timegm(email.utils.parsedate(self[name]))
                         for name in ("Last-Modified", "Date"))
        return second - first


class ServerCase(unittest.TestCase):
    chunk, interval = 1_000_000, 0

    def setUp(self):
        self.log = Lines()
        self.server = SlowServer(log=RequestLog(self.log), chunk=self.chunk,
                                 interval=self.interval)
        self.server.start()
        self.addCleanup(self.server.stop)
        self.port = self.server.server_address[1]

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        self.addCleanup(connection.close)
        return connection

    def head(self, method, target, fields):
        lines = [f"{method} {target} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        lines += [f"{name}: {value}" for name, value in fields.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def begin(self, method, target, body=b"", **fields):
        """Sends a request and returns its connection; a _ in a field's name stands for -."""
        connection = self.connect()
        fields = {name.replace("_", "-"): value for name, value in fields.items()}
        if body:
            fields.setdefault("Content-Length", len(body))
        connection.sendall(self.head(method, target, fields) + body)
        return connection

    def ask(self, method, target, body=b"", **fields):
        return self.finish(self.begin(method, target, body, Connection="close", **fields))

    def get(self, target, **fields):
        return self.ask("GET", target, **fields)

    @staticmethod
    def finish(connection, data=b""):
        """Everything to the end of the connection, after the `data` that came already."""
        try:
            while True:
                piece = connection.recv(1 << 20)
                if not piece:
                    return Reply(data)
                data += piece
        except ConnectionResetError:
            return Reply(data, was_reset=True)

    @staticmethod
    def receive(connection, count):
        """The head and `count` bytes of the body, or a few more."""
        data = b""
        while b"\r\n\r\n" not in data or len(Reply(data).raw) < count:
            piece = connection.recv(4096)
            if not piece:
                raise AssertionError("the connection ended")
            data += piece
        return data

    def eventually(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, "it did not happen")
            time.sleep(0.005)

    def ends(self, count=1):
        """The log's end lines, once there are `count`."""
        self.eventually(lambda: len(self.log.events("end")) >= count)
        return self.log.events("end")


class ContentTests(unittest.TestCase):
    def test_slices_agree_with_the_whole(self):
        whole = content("/bytes/300000", 0, 300_000)
        self.assertEqual(len(whole), 300_000)
        for start, length in ((0, 1), (65_520, 3), (65_521, 65_521), (1, 299_999), (131_042, 0)):
            self.assertEqual(content("/bytes/300000", start, length),
                             whole[start:start + length])

    def test_is_the_documented_function(self):
        pattern = b"".join(hashlib.sha256(f"/a 3 {n}".encode()).digest() for n in range(2048))
        block = (7).to_bytes(8, "big") + pattern[:65_513]
        self.assertEqual(content("/a", 7 * 65_521, 65_521, version=3), block)

    def test_differs_by_path_version_and_place(self):
        first = content("/a", 0, 1000)
        self.assertNotEqual(first, content("/b", 0, 1000))
        self.assertNotEqual(first, content("/a", 0, 1000, version=2))
        for shift in (1, 4096, 65_536, 1 << 20, 65_521):
            self.assertNotEqual(first, content("/a", shift, 1000))

    def test_far_away(self):
        far = 10 << 30
        self.assertEqual(content("/a", far, 100)[50:], content("/a", far + 50, 50))

    def test_is_fast_enough_to_check_against(self):
        best = min(self.seconds_for(20_000_000) for _ in range(3))
        self.assertLess(best, 0.2)

    @staticmethod
    def seconds_for(length):
        begun = time.perf_counter()
        for start in range(0, length, 1_000_000):
            content("/a", start, 1_000_000)
        return time.perf_counter() - begun


class PlainTests(ServerCase):
    def test_audiobook(self):
        reply = self.get("/audiobook")
        self.assertEqual(reply.status, 200)
        self.assertEqual(reply["Content-Length"], "2000000")
        self.assertEqual(reply["Accept-Ranges"], "bytes")
        self.assertRegex(reply["ETag"], '^"[^"]+"$')
        self.assertGreater(reply.seconds_since_modification, 86_400)
        self.assertEqual(reply.body, content("/audiobook", 0, 2_000_000))

    def test_any_size_and_name(self):
        for target, size in (("/bytes/0", 0), ("/bytes/1", 1), ("/bytes/70000/a/b.zip", 70_000)):
            self.assertEqual(self.get(target).body, content(target, 0, size))

    def test_several_gib_are_there_to_the_last_byte(self):
        size = 6 << 30
        reply = self.get(f"/bytes/{size}", Range="bytes=-10")
        self.assertEqual(reply["Content-Range"], f"bytes {size - 10}-{size - 1}/{size}")
        self.assertEqual(reply.body, content(f"/bytes/{size}", size - 10, 10))

    def test_head(self):
        reply = self.ask("HEAD", "/audiobook", Range="bytes=5-")
        self.assertEqual((reply.status, reply.raw), (200, b""))
        self.assertEqual(reply["Content-Length"], "2000000")
        self.assertIsNone(reply["Content-Range"])

    def test_index_and_unknown(self):
        self.assertIn(b"/audiobook", self.get("/").body)
        self.assertIn(b"status416=", self.get("/").body)
        reply = self.get("/nothing")
        self.assertEqual((reply.status, reply.body), (404, b"404 nothing at /nothing\n"))

    def test_other_methods(self):
        reply = self.ask("DELETE", "/audiobook")
        self.assertEqual((reply.status, reply["Allow"]), (405, "GET, HEAD, POST, PUT"))

    def test_keep_alive(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        sockets = set()
        for method, target, body in (("GET", "/bytes/10", None), ("HEAD", "/bytes/10", None),
                                     ("POST", "/uploads", b"abc"), ("GET", "/nothing", None),
                                     ("GET", "/bytes/10?length=chunked", None),
                                     ("GET", "/bytes/10?status=204", None),
                                     ("GET", "/bytes/10", None)):
            connection.request(method, target, body)
            answer = connection.getresponse()
            data = answer.read()
            sockets.add(connection.sock)
        self.assertEqual(data, content("/bytes/10", 0, 10))
        self.assertEqual(len(sockets), 1)

    def test_http_1_0_is_closed_and_never_chunked(self):
        connection = self.connect()
        connection.sendall(b"GET /bytes/10?length=chunked HTTP/1.0\r\n\r\n")
        reply = self.finish(connection)
        self.assertIsNone(reply["Transfer-Encoding"])
        self.assertEqual(reply.raw, content("/bytes/10", 0, 10))

    def test_absolute_target(self):
        self.assertEqual(self.get("http://127.0.0.1/bytes/3").body, content("/bytes/3", 0, 3))

    def test_what_is_not_http(self):
        for data in (b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nbroken\r\n\r\n",
                     b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"):
            connection = self.connect()
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            self.assertEqual(self.finish(connection).status, 400)

    def test_a_slip_in_a_parameter_is_told(self):
        for query in ("drop=x", "etag=string", "chunk=0", "gzip=yes", "status=99", "interval=-1"):
            reply = self.get("/audiobook?" + query)
            self.assertEqual(reply.status, 400)
            self.assertIn(query.encode(), reply.body)

    def test_unknown_parameters_mean_nothing(self):
        self.assertEqual(self.get("/bytes/3?X-Signature=a%2Bb+c/=").status, 200)


class RangeTests(ServerCase):
    target = "/bytes/1000"

    def check(self, asked, first, last):
        reply = self.get(self.target, Range=asked)
        self.assertEqual(reply.status, 206)
        self.assertEqual(reply["Content-Range"], f"bytes {first}-{last}/1000")
        self.assertEqual(reply["Content-Length"], str(last - first + 1))
        self.assertEqual(reply.body, content(self.target, first, last - first + 1))

    def test_single(self):
        self.check("bytes=0-0", 0, 0)
        self.check("bytes=100-199", 100, 199)
        self.check("bytes=100-", 100, 999)
        self.check("bytes=999-", 999, 999)
        self.check("bytes=900-5000", 900, 999)
        self.check("bytes=-100", 900, 999)
        self.check("bytes=-5000", 0, 999)
        self.check("Bytes=1-2", 1, 2)

    def test_ignored(self):
        for asked in ("bytes=0-1,5-6", "bytes=5-4", "bytes=-", "bytes=a-b", "items=0-1", "0-1"):
            reply = self.get(self.target, Range=asked)
            self.assertEqual((reply.status, len(reply.body)), (200, 1000), asked)

    def test_unsatisfiable(self):
        for asked in ("bytes=1000-", "bytes=1000-2000", "bytes=-0"):
            reply = self.get(self.target, Range=asked)
            self.assertEqual((reply.status, reply["Content-Range"]), (416, "bytes */1000"))
        self.assertEqual(self.get("/bytes/0", Range="bytes=0-").status, 416)

    def test_suffix_of_nothing(self):
        self.assertEqual(self.get("/bytes/0", Range="bytes=-5").status, 200)

    def status_if(self, condition, query=""):
        return self.get(self.target + query, Range="bytes=500-", If_Range=condition).status

    def test_if_range(self):
        reply = self.get(self.target)
        self.assertEqual(self.status_if(reply["ETag"]), 206)
        self.assertEqual(self.status_if(reply["Last-Modified"]), 206)
        self.assertEqual(self.status_if('"other"'), 200)
        self.assertEqual(self.status_if("W/" + reply["ETag"]), 200)
        self.assertEqual(self.status_if("Tue, 02 Jan 2035 00:00:00 GMT"), 200)
        self.assertEqual(self.status_if(reply["ETag"], "?version=2"), 200)
        self.assertEqual(self.status_if(reply["Last-Modified"], "?version=2"), 200)

    def test_a_weak_validator_never_holds(self):
        weak = self.get(self.target + "?etag=weak")["ETag"]
        self.assertTrue(weak.startswith('W/"'))
        self.assertEqual(self.status_if(weak, "?etag=weak"), 200)
        recent = self.get(self.target + "?lastmodified=recent")["Last-Modified"]
        self.assertEqual(self.status_if(recent, "?lastmodified=recent"), 200)

    def test_not_offered(self):
        for query, offered in (("?ranges=ignore", "bytes"), ("?ranges=none", "none")):
            reply = self.get(self.target + query, Range="bytes=500-")
            self.assertEqual((reply.status, reply["Accept-Ranges"]), (200, offered))
            self.assertEqual(reply.body, content(self.target, 0, 1000))


class RangeFaultTests(ServerCase):
    def ranged(self, query, asked="bytes=500-"):
        return self.get("/bytes/1000?" + query, Range=asked)

    def test_content_range(self):
        for fault, expected in (("missing", None), ("wrongstart", "bytes 499-999/1000"),
                                ("wrongtotal", "bytes 500-999/1001"),
                                ("wrongunit", "items 500-999/1000"),
                                ("garbage", "bytes nonsense"), ("star", "bytes 500-999/*"),
                                ("reversed", "bytes 500-499/1000"),
                                ("beyond", "bytes 500-1000/1000")):
            reply = self.ranged("contentrange=" + fault)
            self.assertEqual((reply.status, reply["Content-Range"]), (206, expected))
            first = 499 if fault == "wrongstart" else 500
            self.assertEqual(reply.body, content("/bytes/1000", first, 1000 - first))
            self.assertEqual(self.get("/bytes/1000?contentrange=" + fault).status, 200)
        self.assertEqual(self.ranged("contentrange=wrongstart", "bytes=0-")["Content-Range"],
                         "bytes 1-999/1000")

    def test_short(self):
        reply = self.ranged("short206=100")
        self.assertEqual(reply["Content-Range"], "bytes 500-599/1000")
        self.assertEqual(reply.body, content("/bytes/1000", 500, 100))
        self.assertEqual(self.ranged("short206=100", "bytes=950-")["Content-Range"],
                         "bytes 950-999/1000")

    def test_long(self):
        reply = self.ranged("long206=7")
        self.assertEqual(reply["Content-Range"], "bytes 500-999/1000")
        self.assertEqual((reply["Content-Length"], len(reply.body)), ("507", 507))

    def test_thin(self):
        reply = self.ranged("thin206=7")
        self.assertEqual(reply["Content-Range"], "bytes 500-999/1000")
        self.assertEqual((reply["Content-Length"], len(reply.body)), ("493", 493))

    def test_compressed_part(self):
        reply = self.ranged("gzip206=1")
        self.assertEqual((reply["Content-Range"], reply["Content-Encoding"]),
                         ("bytes 500-999/1000", "gzip"))
        self.assertEqual(gzip.decompress(reply.body), content("/bytes/1000", 500, 500))
        self.assertIsNone(self.get("/bytes/1000?gzip206=1")["Content-Encoding"])

    def test_if_range_ignored(self):
        first = self.get("/bytes/1000?ifrange=ignore&flip=1")
        reply = self.get("/bytes/1000?ifrange=ignore&flip=1", Range="bytes=500-",
                         If_Range=first["ETag"])
        self.assertEqual(reply.status, 206)
        self.assertNotEqual(reply["ETag"], first["ETag"])
        self.assertEqual(reply.body, content("/bytes/1000", 500, 500, version=2))

    def test_status_for_ranges(self):
        target = "/bytes/1000?rangestatus=503&rangetimes=1&retry=1"
        self.assertEqual(self.get(target).status, 200)
        reply = self.get(target, Range="bytes=500-")
        self.assertEqual((reply.status, reply["Retry-After"]), (503, "1"))
        self.assertEqual(self.get(target, Range="bytes=500-").status, 206)
        for _ in range(2):
            self.assertEqual(self.ranged("rangestatus=404").status, 404)

    def test_multipart(self):
        reply = self.ranged("multipart=1")
        kind, _, boundary = reply["Content-Type"].partition("; boundary=")
        self.assertEqual((reply.status, kind), (206, "multipart/byteranges"))
        self.assertIsNone(reply["Content-Range"])
        self.assertEqual(int(reply["Content-Length"]), len(reply.body))
        self.assertTrue(reply.body.startswith(b"--" + boundary.encode()))
        self.assertIn(b"Content-Range: bytes 500-999/1000\r\n\r\n"
                      + content("/bytes/1000", 500, 500), reply.body)

    def test_whole(self):
        reply = self.ranged("whole206=1")
        self.assertEqual((reply.status, reply["Content-Range"]), (206, "bytes 0-999/1000"))
        self.assertEqual(reply.body, content("/bytes/1000", 0, 1000))

    def test_other_etag(self):
        query = "etag206=other"
        self.assertNotEqual(self.ranged(query)["ETag"], self.get("/bytes/1000?" + query)["ETag"])
        self.assertIsNone(self.ranged("etag206=none")["ETag"])

    def test_416(self):
        for fault, expected in (("star", "bytes */1000"), ("nototal", "bytes */*"),
                                ("wrong", "bytes */1001"), ("bare", None)):
            reply = self.ranged("status416=" + fault)
            self.assertEqual((reply.status, reply["Content-Range"]), (416, expected))
            self.assertTrue(reply.body)
            self.assertEqual(self.get("/bytes/1000?status416=" + fault).status, 200)


class ResourceTests(ServerCase):
    def test_version(self):
        first, second = self.get("/bytes/99"), self.get("/bytes/99?version=2")
        self.assertEqual(second.body, content("/bytes/99", 0, 99, version=2))
        for name in ("ETag", "Last-Modified"):
            self.assertNotEqual(first[name], second[name])

    def test_flip(self):
        replies = [self.get("/bytes/99?flip=2") for _ in range(3)]
        self.assertEqual([reply.body for reply in replies],
                         [content("/bytes/99", 0, 99, version) for version in (1, 1, 2)])
        self.assertEqual(replies[0]["ETag"], replies[1]["ETag"])
        self.assertNotEqual(replies[1]["ETag"], replies[2]["ETag"])

    def test_grow(self):
        self.assertEqual([len(self.get("/bytes/99?grow=5").body) for _ in range(3)],
                         [99, 104, 109])

    def test_gzip(self):
        reply = self.get("/bytes/5000?gzip=1")
        self.assertEqual(reply["Content-Encoding"], "gzip")
        self.assertEqual(int(reply["Content-Length"]), len(reply.body))
        self.assertEqual(gzip.decompress(reply.body), content("/bytes/5000", 0, 5000))
        self.assertNotEqual(reply["ETag"], self.get("/bytes/5000")["ETag"])
        part = self.get("/bytes/5000?gzip=1", Range="bytes=100-", If_Range=reply["ETag"])
        self.assertEqual((part.status, part.body), (206, reply.body[100:]))

    def test_validators(self):
        def names(query):
            return [name for name in ("ETag", "Last-Modified", "Date")
                    if self.get("/bytes/9?" + query)[name]]
        self.assertEqual(names(""), ["ETag", "Last-Modified", "Date"])
        self.assertEqual(names("validators=none"), ["Date"])
        self.assertEqual(names("etag=none"), ["Last-Modified", "Date"])
        self.assertEqual(names("lastmodified=none"), ["ETag", "Date"])
        self.assertEqual(names("date=none"), ["ETag", "Last-Modified"])

    def test_changing_etag(self):
        etags = [self.get("/bytes/9?etag=changing")["ETag"] for _ in range(3)]
        self.assertEqual(len(set(etags)), 3)
        reply = self.get("/bytes/9?etag=changing", Range="bytes=3-", If_Range=etags[-1])
        self.assertEqual(reply.status, 200)

    def test_recent_date_is_not_strong(self):
        age = self.get("/bytes/9?lastmodified=recent").seconds_since_modification
        self.assertTrue(0 <= age < 60)


class FramingTests(ServerCase):
    def test_chunked(self):
        reply = self.get("/bytes/100000?length=chunked&chunk=30000")
        self.assertIsNone(reply["Content-Length"])
        self.assertEqual(reply.unchunked(), (content("/bytes/100000", 0, 100_000), True))

    def test_truncated_chunked(self):
        reply = self.get("/bytes/1000?truncatechunked=1")
        self.assertEqual(reply.unchunked(), (content("/bytes/1000", 0, 1000), False))
        target = "/bytes/1000?truncatechunked=1&times=1&length=chunked"
        self.assertEqual([self.get(target).unchunked()[1] for _ in range(2)], [False, True])

    def test_dropped_chunked(self):
        reply = self.get("/bytes/1000?length=chunked&drop=400")
        self.assertEqual(reply.unchunked(), (content("/bytes/1000", 0, 400), False))

    def test_until_close(self):
        reply = self.finish(self.begin("GET", "/bytes/1000?length=close"))
        self.assertIsNone(reply["Content-Length"])
        self.assertIsNone(reply["Transfer-Encoding"])
        self.assertEqual(reply["Connection"], "close")
        self.assertEqual(reply.raw, content("/bytes/1000", 0, 1000))

    def test_two_lengths(self):
        self.assertEqual(self.get("/bytes/10?duplength=same").all("Content-Length"), ["10", "10"])
        self.assertEqual(self.get("/bytes/10?duplength=different").all("Content-Length"),
                         ["10", "11"])

    def test_slow_head(self):
        begun = time.monotonic()
        connection = self.begin("GET", "/bytes/10?slowheaders=0.3", Connection="close")
        self.assertEqual(self.finish(connection).body, content("/bytes/10", 0, 10))
        self.assertGreater(time.monotonic() - begun, 0.29)

    def test_further_fields(self):
        reply = self.get("/bytes/1?header=Content-Disposition:attachment;%20filename=../a+b"
                         "&header=X-Two:%202")
        self.assertEqual(reply["Content-Disposition"], "attachment; filename=../a+b")
        self.assertEqual(reply["X-Two"], "2")


class BreakingOffTests(ServerCase):
    def test_drop_once(self):
        first, second = (self.get("/bytes/1000?drop=300") for _ in range(2))
        self.assertEqual(first["Content-Length"], "1000")
        self.assertEqual(first.body, content("/bytes/1000", 0, 300))
        self.assertFalse(first.was_reset)
        self.assertEqual(len(second.body), 1000)
        self.assertEqual([end["sent"] for end in self.ends(2)], [300, 1000])

    def test_drop_counts_for_each_address_and_method(self):
        self.assertEqual(self.ask("HEAD", "/bytes/1000?drop=300").status, 200)
        self.assertEqual(len(self.get("/bytes/1000?drop=300").body), 300)
        self.assertEqual(len(self.get("/bytes/1000?drop=300&again").body), 300)

    def test_drop_times(self):
        replies = [self.get("/bytes/1000?drop=300&times=2", Range="bytes=500-")
                   for _ in range(3)]
        self.assertEqual([len(reply.body) for reply in replies], [300, 300, 500])
        self.assertEqual(replies[1].body, content("/bytes/1000", 500, 300))

    def test_drop_before_and_at_the_end(self):
        self.assertEqual(self.get("/bytes/1000?drop=0").body, b"")
        self.assertEqual(len(self.get("/bytes/1000?drop=1000").body), 1000)
        connection = self.begin("GET", "/bytes/1000?drop=1000&kept")  # closed all the same
        self.assertEqual(len(self.finish(connection).body), 1000)

    def test_reset(self):
        reply = self.get("/bytes/1000?drop=300&rst=1")
        self.assertTrue(reply.was_reset)
        self.assertEqual(self.ends()[0]["sent"], 300)

    def test_random_drops(self):
        for seed in range(20):
            reply = self.get(f"/bytes/100000?maxdrops=1&dropwithin=5&seed={seed}")
            self.assertIn(len(reply.body), range(1, 6))
        self.log.lines.clear()
        target = "/bytes/100000?maxdrops=3&seed=7"
        sizes = [len(self.get(target).body) for _ in range(4)]
        self.assertEqual(sizes[3], 100_000)
        self.assertTrue(all(0 < size < 100_000 for size in sizes[:3]))
        self.assertEqual(len(set(sizes)), 4)
        self.server.turns.clear()
        self.assertEqual([len(self.get(target).body) for _ in range(4)], sizes)

    def test_stall_once(self):
        for stalls in (True, False):
            begun = time.monotonic()
            self.assertEqual(len(self.get("/bytes/1000?stall=300&stallfor=0.8").body), 1000)
            self.assertEqual(time.monotonic() - begun > 0.79, stalls)

    def test_stall_sends_what_comes_before(self):
        connection = self.begin("GET", "/bytes/1000?stall=300")
        self.receive(connection, 300)
        connection.settimeout(0.1)
        with self.assertRaises(socket.timeout):
            connection.recv(1)
        connection.close()
        self.assertEqual(self.ends()[0]["sent"], 300)  # noticed long before the stall is over

    def test_dropped_upload(self):
        connection = self.begin("POST", "/uploads?drop=300", b"x" * 1000)
        self.assertIsNone(self.finish(connection).status)
        self.assertEqual(self.ends()[0]["received"], 300)
        self.assertEqual(self.ask("POST", "/uploads?drop=300", b"x" * 1000).status, 200)

    def test_a_client_that_leaves(self):
        connection = self.begin("GET", "/audiobook?chunk=1000&interval=0.05")
        self.receive(connection, 1000)
        connection.close()
        end = self.ends()[0]
        self.assertEqual(end["status"], 200)
        self.assertTrue(1000 <= end["sent"] < 50_000)

    def test_a_client_that_leaves_its_upload(self):
        connection = self.begin("POST", "/uploads", b"x" * 700, Content_Length=1000)
        connection.close()
        self.assertEqual(self.ends()[0]["received"], 700)
        self.assertIsNone(self.ends()[0]["status"])

    def test_the_end_of_the_server_ends_stalls_holds_and_idle_connections(self):
        self.begin("GET", "/bytes/1000?stall=300")
        self.begin("GET", "/bytes/1000?hold=never")
        self.begin("POST", "/uploads", Content_Length=10)
        self.connect()
        self.eventually(lambda: len(self.log.events("start")) == 3)
        begun = time.monotonic()
        self.server.stop()
        self.assertLess(time.monotonic() - begun, 1.9)
        self.assertEqual(len(self.log.events("end")), 3)


class OtherAnswerTests(ServerCase):
    def test_status(self):
        for _ in range(2):
            reply = self.get("/audiobook?status=503&retry=120")
            self.assertEqual((reply.status, reply["Retry-After"]), (503, "120"))
            self.assertEqual(reply.body, b"503 Service Unavailable\n")
            self.assertIsNone(reply["ETag"])

    def test_status_times(self):
        self.assertEqual([self.get("/bytes/9?status=500&times=2").status for _ in range(3)],
                         [500, 500, 200])

    def test_status_without_a_body(self):
        reply = self.get("/bytes/9?status=204")
        self.assertEqual((reply.status, reply.raw, reply["Content-Length"]), (204, b"", None))

    def test_status_of_an_upload_comes_after_its_body(self):
        self.assertEqual(self.ask("POST", "/uploads?status=507", b"abc").status, 507)
        self.assertEqual(self.ends()[0]["received"], 3)

    def test_redirect(self):
        reply = self.get("/audiobook?redirect=/bytes/10%3Fsignature%3Da%252Bb+c")
        self.assertEqual((reply.status, reply["Location"]), (302, "/bytes/10?signature=a%2Bb+c"))
        self.assertEqual(self.get("/a?redirect=/b&code=308").status, 308)

    def test_redirect_to_the_other_origin(self):
        target = "/bytes/10?a=%2B&redirect=other&code=307&drop=5"
        reply = self.get(target)
        self.assertEqual(reply.status, 307)
        self.assertEqual(reply["Location"],
                         f"http://localhost:{self.port}/bytes/10?a=%2B&drop=5")
        request = Request("GET", target, "HTTP/1.1", [("host", "localhost:80")])
        self.assertEqual(location(request, "other"),
                         "http://127.0.0.1:80/bytes/10?a=%2B&drop=5")

    def test_authorization(self):
        target = "/bytes/10?auth=me:a%3Ab&drop=3"
        for fields in ({}, {"Authorization": "Basic bm86bm8="}, {"Authorization": "Bearer x"}):
            reply = self.get(target, **fields)
            self.assertEqual((reply.status, reply["WWW-Authenticate"]),
                             (401, 'Basic realm="slow"'))
        right = "basic " + base64.b64encode(b"me:a:b").decode()
        # A refusal has not used up the one drop.
        self.assertEqual(len(self.get(target, Authorization=right).body), 3)
        self.assertEqual(len(self.get(target, Authorization=right).body), 10)

    def test_tokens(self):
        target = "/bytes/10?tokens=old,new"
        statuses = [self.get(target, Authorization=f"Bearer {token}").status
                    for token in ("new", "old", "old", "new", "new")]
        self.assertEqual(statuses, [401, 200, 401, 200, 200])
        self.assertEqual(self.get(target)["WWW-Authenticate"], 'Bearer realm="slow"')

    def test_head_refused(self):
        self.assertEqual(self.ask("HEAD", "/bytes/10?headrefused=1").status, 405)
        self.assertEqual(self.get("/bytes/10?headrefused=1").status, 200)


class UploadTests(ServerCase):
    data = content("/upload", 0, 100_000)
    sha256 = hashlib.sha256(data).hexdigest()

    def test_answer(self):
        for method, status in (("POST", 200), ("PUT", 201)):
            reply = self.ask(method, "/uploads?x", self.data)
            self.assertEqual(reply.status, status)
            self.assertEqual(reply.body.decode(), f"{method} /uploads 100000 bytes\n")
            self.assertEqual(reply["X-SHA256"], self.sha256)

    def test_empty(self):
        self.assertEqual(self.ask("POST", "/u").body, b"POST /u 0 bytes\n")
        self.assertEqual(self.ask("POST", "/u", Content_Length=0).body, b"POST /u 0 bytes\n")

    def test_chunked(self):
        connection = self.begin("POST", "/u", Transfer_Encoding="chunked", Connection="close")
        connection.sendall(b"5;a=b\r\nhello\r\nA\r\n, world...\r\n0\r\nTrailer: x\r\n\r\n")
        reply = self.finish(connection)
        self.assertEqual(reply.body, b"POST /u 15 bytes\n")
        self.assertEqual(reply["X-SHA256"], hashlib.sha256(b"hello, world...").hexdigest())

    def test_broken_chunks(self):
        for data in (b"x\r\n", b"-1\r\n", b"2\r\nabc\r\n"):
            connection = self.begin("POST", "/u", Transfer_Encoding="chunked")
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            self.assertEqual(self.finish(connection).status, 400)
        self.assertEqual({end["status"] for end in self.ends(3)}, {400})

    def test_continue(self):
        connection = self.begin("PUT", "/u", Content_Length=3, Expect="100-continue",
                                Connection="close")
        data = connection.recv(4096)
        self.assertEqual(data, b"HTTP/1.1 100 Continue\r\n\r\n")
        connection.sendall(b"abc")
        self.assertEqual(self.finish(connection).body, b"PUT /u 3 bytes\n")

    def test_silent(self):
        connection = self.begin("PUT", "/u?silent100=1", Content_Length=3,
                                Expect="100-continue", Connection="close")
        connection.settimeout(0.1)
        with self.assertRaises(socket.timeout):
            connection.recv(1)
        connection.settimeout(PATIENCE)
        connection.sendall(b"abc")
        self.assertEqual(self.finish(connection).informational, 0)

    def test_no_continue_for_a_refusal(self):
        connection = self.begin("PUT", "/u?auth=a:b", Content_Length=3, Expect="100-continue")
        reply = self.finish(connection)
        self.assertEqual((reply.status, reply.informational), (401, 0))
        self.assertEqual(reply["Connection"], "close")

    def test_early(self):
        for code in (413, 401):
            connection = self.begin("POST", f"/u?early={code}", self.data,
                                    Content_Length=10_000_000)
            reply = Reply(connection.recv(4096))
            self.assertEqual(reply.status, code)
            self.assertEqual(reply["Connection"], "close")
            self.assertEqual(bool(reply["WWW-Authenticate"]), code == 401)
            connection.close()
        self.assertEqual([end["received"] for end in self.ends(2)], [0, 0])
        self.assertEqual([start["status"] for start in self.log.events("start")], [413, 401])

    def test_early_and_reset(self):
        connection = self.begin("POST", "/u?early=413&rst=1", b"abc", Content_Length=10)
        self.assertTrue(self.finish(connection).was_reset)

    def test_early_once(self):
        self.assertEqual([self.ask("POST", "/u?early=401&times=1", b"abc").status
                          for _ in range(2)], [401, 200])

    def received(self):
        return json.loads(self.get("/-/received").body)

    def test_received_so_far(self):
        self.assertEqual(self.received(), {})
        first = self.begin("POST", "/u?x", b"a" * 300, Content_Length=1000)
        second = self.begin("PUT", "/u", b"a" * 50, Content_Length=100)
        self.eventually(lambda: self.received() == {"/u": 350})
        second.sendall(b"a" * 50)
        self.eventually(lambda: self.received() == {"/u": 400})
        self.ends(1)
        first.sendall(b"a" * 700)
        self.ends(2)
        self.assertEqual(self.received(), {"/u": 1100})
        self.ask("POST", "/u", b"abc")
        self.assertEqual(self.received(), {"/u": 3})
        self.assertEqual(len(self.log.events("start")), 3)

    def test_body_of_a_get_is_passed_over(self):
        self.assertEqual(self.ask("GET", "/bytes/3", b"abc").body, content("/bytes/3", 0, 3))


class PaceTests(ServerCase):
    chunk, interval = 1000, 0.1

    def check(self, seconds, method, target, body=b""):
        begun = time.monotonic()
        self.assertEqual(self.ask(method, target, body).status, 200)
        self.assertTrue(seconds - 0.01 < time.monotonic() - begun < seconds + 1)

    def test_the_first_chunk_goes_at_once(self):
        self.check(0, "GET", "/bytes/1000?interval=60")
        self.check(0, "POST", "/u?interval=60", b"x" * 1000)

    def test_download(self):
        self.check(0.4, "GET", "/bytes/5000")

    def test_upload(self):
        self.check(0.4, "POST", "/u", b"x" * 5000)

    def test_override(self):
        self.check(0, "GET", "/bytes/5000?chunk=5000&interval=60")
        self.check(0, "GET", "/bytes/100000?interval=0")
        self.check(0.2, "GET", "/bytes/5000?chunk=2500&interval=.2")

    def test_an_upload_is_read_no_faster(self):
        self.begin("POST", "/u?interval=60", b"x" * 20_000)
        self.eventually(lambda: self.server.received() == {"/u": 1000})
        time.sleep(0.05)
        self.assertEqual(self.server.received(), {"/u": 1000})


class HoldTests(ServerCase):
    def release(self, name):
        self.assertEqual(self.ask("POST", "/-/release/" + name).status, 200)

    def held(self, connection, bytes_before):
        """What comes before the hold, once it is clear that no more does."""
        data = self.receive(connection, bytes_before)
        connection.settimeout(0.1)
        with self.assertRaises(socket.timeout):
            connection.recv(1)
        connection.settimeout(PATIENCE)
        return data

    def test_until_released(self):
        connection = self.begin("GET", "/bytes/1000?hold=a%20b", Connection="close")
        data = self.held(connection, 0)
        self.release("other")
        self.assertEqual(Reply(data).raw, b"")
        self.release("a%20b")
        self.assertEqual(self.finish(connection, data).raw, content("/bytes/1000", 0, 1000))

    def test_after_some_bytes(self):
        connection = self.begin("GET", "/bytes/1000?hold=x&holdat=400", Connection="close")
        data = self.held(connection, 400)
        self.assertEqual(Reply(data).raw, content("/bytes/1000", 0, 400))
        self.release("x")
        self.assertEqual(self.finish(connection, data).raw, content("/bytes/1000", 0, 1000))

    def test_a_release_comes_never_too_early(self):
        self.release("x")
        self.assertEqual(len(self.get("/bytes/1000?hold=x").body), 1000)

    def test_upload(self):
        connection = self.begin("POST", "/u?hold=x", b"abc", Connection="close")
        self.eventually(lambda: self.server.received() == {"/u": 3})
        data = self.held(connection, 0)
        self.release("x")
        self.assertEqual(self.finish(connection, data).body, b"POST /u 3 bytes\n")

    def test_a_held_client_that_leaves(self):
        self.begin("GET", "/bytes/1000?hold=x").close()
        self.assertEqual(self.ends()[0]["sent"], 0)

    def test_unknown_control(self):
        self.assertEqual(self.get("/-/nothing").status, 404)
        self.assertEqual(self.get("/-/release/x").status, 404)


class LogTests(ServerCase):
    keys = ["event", "id", "method", "path", "range", "ifRange", "status", "sent", "received",
            "time"]

    def test_download(self):
        begun = time.time()
        target = "/bytes/1000?a=%2B%40+x&chunk=500&&b=//../\xe9"
        self.get(target, Range="bytes=100-", If_Range='"x"', Cookie="a=b", Authorization="Basic x")
        end = self.ends()[0]
        start, = self.log.events("start")
        self.assertEqual(set(start) - set(self.keys),
                         {"acceptEncoding", "authorization", "contentType", "cookie", "expect",
                          "host", "ifNoneMatch"})
        self.assertEqual(sorted(end), sorted(self.keys))
        self.assertEqual(start["host"], f"127.0.0.1:{self.port}")
        self.assertEqual((start["authorization"], start["cookie"]), (True, "a=b"))
        for entry in (start, end):
            self.assertEqual((entry["id"], entry["method"], entry["path"], entry["range"],
                              entry["ifRange"], entry["status"], entry["received"]),
                             (1, "GET", target, "bytes=100-", '"x"', 200, 0))
        self.assertEqual((start["sent"], end["sent"]), (0, 1000))
        self.assertTrue(begun <= start["time"] <= end["time"] <= time.time())

    def test_upload(self):
        self.ask("POST", "/uploads", b"abc")
        end = self.ends()[0]
        start, = self.log.events("start")
        self.assertEqual((start["status"], start["received"], start["range"], start["ifRange"]),
                         (None, 0, None, None))
        self.assertEqual((start["cookie"], start["authorization"]), (None, False))
        self.assertEqual((end["status"], end["received"], end["sent"]),
                         (200, 3, len("POST /uploads 3 bytes\n")))
        self.assertEqual(end["sha256"], hashlib.sha256(b"abc").hexdigest())

    def test_start_is_written_at_the_start(self):
        connection = self.begin("GET", "/bytes/1000?hold=x")
        self.eventually(lambda: len(self.log.entries) == 1)
        self.assertEqual(self.log.entries[0]["status"], 200)
        connection.close()
        self.ends()

    def test_chunked_framing_is_not_counted(self):
        self.get("/bytes/1000?length=chunked&chunk=100&interval=0")
        self.assertEqual(self.ends()[0]["sent"], 1000)

    def test_two_lines_each_whatever_happens(self):
        for target in ("/bytes/9", "/bytes/9?drop=3", "/nothing", "/bytes/9?status=500",
                       "/bytes/9?drop=x", "/bytes/9?truncatechunked=1", "/"):
            self.get(target)
        ends = self.ends(7)
        self.assertEqual(sorted(end["id"] for end in ends), list(range(1, 8)))
        self.assertEqual(len(self.log.events("start")), 7)


class CrowdTests(ServerCase):
    def test_hundreds_at_once(self):
        connections = [self.begin("GET", "/bytes/2000?hold=all", Connection="close")
                       for _ in range(300)]
        self.eventually(lambda: len(self.log.events("start")) == 300)
        self.server.release("all")
        for connection in connections:
            self.assertEqual(self.finish(connection).body, content("/bytes/2000", 0, 2000))
        self.assertEqual({end["sent"] for end in self.ends(300)}, {2000})


class CommandTests(unittest.TestCase):
    def launch(self, *arguments):
        process = subprocess.Popen([sys.executable, str(SCRIPT), "--port", "0", *arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        watchdog = threading.Timer(PATIENCE, process.kill)
        watchdog.start()
        self.addCleanup(watchdog.cancel)
        ready = process.stdout.readline()
        self.assertRegex(ready, r"^listening on http://127\.0\.0\.1:[0-9]+\n$")
        return process, int(ready.rpartition(":")[2])

    @staticmethod
    def fetch(port, target):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            connection.request("GET", target)
            return connection.getresponse().read()
        finally:
            connection.close()

    def test_ends_cleanly_and_logs_to_standard_output(self):
        for ending in (signal.SIGTERM, signal.SIGINT):
            process, port = self.launch()
            self.fetch(port, "/bytes/10")
            with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
                connection.sendall(b"GET /bytes/10?stall=3 HTTP/1.1\r\n\r\n")
                ServerCase.receive(connection, 3)
                process.send_signal(ending)
                output, errors = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, errors), (0, ""))
            entries = [json.loads(line) for line in output.splitlines()]
            self.assertEqual([entry["sent"] for entry in entries if entry["event"] == "end"],
                             [10, 3])

    def test_leaves_with_the_process_that_is_named_as_its_parent(self):
        parent = subprocess.Popen(["sleep", "60"])
        self.addCleanup(parent.wait)
        process, port = self.launch("--parent", str(parent.pid))
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
            connection.sendall(b"GET /bytes/10?stall=3 HTTP/1.1\r\n\r\n")
            ServerCase.receive(connection, 3)
            self.assertIsNone(process.poll())
            parent.kill()
            output, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, errors), (0, ""))
        self.assertEqual(json.loads(output.splitlines()[-1])["event"], "end")

    def test_does_not_stay_for_a_parent_that_has_ended(self):
        parent = subprocess.Popen(["true"])
        parent.wait()
        self.assertEqual(self.run_script("--port", "0", "--parent", str(parent.pid)).returncode, 0)

    def test_log_file_and_pace(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "log"
            log.write_text("old\n")
            process, port = self.launch("--log", str(log), "--chunk", "5", "--interval", "0.05")
            begun = time.monotonic()
            self.fetch(port, "/bytes/25")
            self.assertGreater(time.monotonic() - begun, 0.19)
            process.terminate()
            output, _ = process.communicate(timeout=PATIENCE)
            events = [json.loads(line)["event"] for line in log.read_text().splitlines()]
        self.assertEqual((output, events), ("", ["start", "end"]))

    def test_an_occupied_port_is_said_in_one_line(self):
        _, port = self.launch()
        second = subprocess.run([sys.executable, str(SCRIPT), "--port", str(port)],
                                capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((second.returncode, second.stdout), (1, ""))
        self.assertEqual(second.stderr.count("\n"), 1)

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, str(SCRIPT), *arguments],
                              capture_output=True, text=True, timeout=PATIENCE)

    def test_digest(self):
        for target, path, size, version in (("/audiobook", "/audiobook", 2_000_000, 1),
                                            ("/bytes/99?version=2", "/bytes/99", 99, 2)):
            expected = hashlib.sha256(content(path, 0, size, version)).hexdigest()
            self.assertEqual(self.run_script("--digest", target).stdout, expected + "\n")
        self.assertEqual(self.run_script("--digest", "/nothing").returncode, 2)

    def test_help(self):
        text = self.run_script("--help").stdout
        for parameter in ("/audiobook", "--interval", "contentrange=", "silent100="):
            self.assertIn(parameter, text)


if __name__ == "__main__":
    unittest.main()
