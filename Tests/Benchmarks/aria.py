"""aria2 as a service: its RPC over one kept connection."""
from __future__ import annotations

import http.client
import json
import subprocess
from pathlib import Path

from measuring import fail, wait_for
from web import free_port

#: A fresh client that lists what waits, every key of it, as one would write it.
LIST = """
import json, http.client
connection = http.client.HTTPConnection("127.0.0.1", {port})
body = json.dumps({{"jsonrpc": "2.0", "id": 1, "method": "aria2.tellWaiting",
                    "params": [0, {count}]}})
connection.request("POST", "/jsonrpc", body)
tasks = json.load(connection.getresponse())["result"]
print(len([task for task in tasks if task["status"] and task["files"]]))
"""


class Aria:
    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "aria2c", "--no-conf", "--enable-rpc",
             f"--rpc-listen-port={self.port}", "-j6",
             "--quiet", f"--dir={folder}", "--rpc-max-request-size=100M"])
        wait_for("aria2's RPC", self._answers)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port)

    def _answers(self) -> bool:
        if self.process.poll() is not None:
            fail("aria2c did not start.")
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port)
            connection.request("GET", "/")
            connection.getresponse().read()
        except OSError:
            return False
        return True

    def call(self, method: str, *params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        self.connection.request("POST", "/jsonrpc", body)
        answer = json.load(self.connection.getresponse())
        if "result" not in answer:
            fail(f"{method}: {answer}")
        return answer["result"]

    def resident(self) -> int:
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        fail("aria2c has no memory")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
