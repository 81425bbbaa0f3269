"""The service of one home, seen through /proc and its socket; and the programs that use it."""
from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from pathlib import Path

from measuring import fail, measure, process_cpu, run, wait_for

CONFIGURATION = {
    "timeoutForRequest": 3600, "timeoutForResource": 604800, "maximumConnectionsPerHost": 6,
    "isDiscretionary": False, "sendsLaunchEvents": True, "allowsCellularAccess": True,
    "allowsExpensiveNetworkAccess": True, "allowsConstrainedNetworkAccess": True,
    "additionalHeaders": [], "proxies": {},
}


class Service:
    """Started by the first who asks, as always; `fresh` begins with an empty home."""

    def __init__(self, programs: Path, home: Path) -> None:
        self.programs = programs
        self.home = home
        self.pid = 0
        os.environ["URLSESSIOND_HOME"] = str(home)
        os.environ["URLSESSIOND_PATH"] = str(programs / "urlsessiond")
        os.environ["URLSESSIOND_IDLE_SECONDS"] = "3600"

    # Programs

    def bgtool(self, *arguments) -> str:
        return run(self.programs / "bgtool", *arguments)

    def client(self, *arguments) -> str:
        return run(self.programs / "bench-client", *arguments)

    def own(self, session: str) -> subprocess.Popen:
        """A process that owns the session until its input ends."""
        owner = subprocess.Popen(
            [self.programs / "bench-client", "own", session], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        if owner.stdout.readline() != "attached\n":
            fail(f"nobody came to own {session}.")
        return owner

    # Its life

    def start(self) -> None:
        self.bgtool("service", "start")
        self.pid = self._find()

    def stop(self) -> None:
        if self.pid:
            self.bgtool("service", "stop")
            pid, self.pid = self.pid, 0
            wait_for("the service to leave", lambda: not Path(f"/proc/{pid}").exists())

    def fresh(self) -> None:
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)
        self.start()

    def _find(self) -> int:
        """Whoever has the instance lock open."""
        for link in Path("/proc").glob("[0-9]*/fd/*"):
            try:
                if os.readlink(link) == str(self.home / "service.lock"):
                    return int(link.parts[2])
            except OSError:
                pass
        fail(f"no process holds {self.home}/service.lock after 'bgtool service start'.")

    # What it uses

    def measure(self, work) -> dict[str, float]:
        """Wall and CPU of the work, the service's CPU included."""
        return measure(work, self.cpu)

    def cpu(self) -> float:
        return process_cpu(self.pid)

    def resident(self) -> int:
        """Bytes of memory now."""
        return self._status("VmRSS") * 1024

    def peak(self) -> int:
        return self._status("VmHWM") * 1024

    def forget_peak(self) -> None:
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def switches(self) -> dict[str, int]:
        """Voluntary context switches of each thread: one that ends must not count as fewer."""
        threads = os.listdir(f"/proc/{self.pid}/task")
        return {t: self._status("voluntary_ctxt_switches", f"task/{t}/status") for t in threads}

    def switches_since(self, before: dict[str, int]) -> int:
        return sum(count - before.get(t, 0) for t, count in self.switches().items())

    def _status(self, key: str, path: str = "status") -> int:
        for line in Path(f"/proc/{self.pid}/{path}").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1])
        fail(f"no {key} in /proc/{self.pid}/{path}")

    # Its socket

    def connect(self, name: str = "bench-client") -> Line:
        return Line(self.home / "socket", name)


class Line:
    """A connection that speaks the protocol by hand."""

    def __init__(self, path: Path, name: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.lines = self.socket.makefile("rb")
        self.last = 0
        self.call("hello", version=1, client=name)

    def call(self, method: str, **params) -> dict:
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        self.socket.sendall(json.dumps(message).encode() + b"\n")
        while line := self.lines.readline():
            answer = json.loads(line)
            if answer.get("id") == self.last and "method" not in answer:
                if "error" in answer:
                    fail(f"{method}: {answer['error']}")
                return answer["result"]
        fail(f"{method}: the service ended the connection")

    def attach(self, session: str, connections: int = 6, purpose: str = "own") -> dict:
        configuration = CONFIGURATION | {"maximumConnectionsPerHost": connections}
        return self.call("session.attach", identifier=session, purpose=purpose, patience=10,
                         configuration=configuration)

    def close(self) -> None:
        self.lines.close()
        self.socket.close()
