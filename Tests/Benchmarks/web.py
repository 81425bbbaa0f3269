"""The servers that are asked: nginx for speed, and one that answers only when it is told to."""
from __future__ import annotations

import queue
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

from measuring import fail, run, wait_for

NGINX = """
daemon off;
master_process off;
{user}
pid {folder}/nginx/pid;
error_log stderr error;
worker_rlimit_nofile 8192;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    sendfile on;
    keepalive_requests 100000;
    client_max_body_size 0;
    client_body_temp_path {folder}/nginx/body; proxy_temp_path {folder}/nginx/proxy;
    fastcgi_temp_path {folder}/nginx/fastcgi; uwsgi_temp_path {folder}/nginx/uwsgi;
    scgi_temp_path {folder}/nginx/scgi;
    ssl_certificate {folder}/tls.crt;
    ssl_certificate_key {folder}/tls.key;
    server {{
        listen 127.0.0.1:{port};
        listen 127.0.0.1:{tls_port} ssl;
        root {folder}/www;
        location /put/ {{ dav_methods PUT; }}
        location /slow/ {{ alias {folder}/www/; limit_rate {slow}; }}
        location /paced/ {{ alias {folder}/www/; limit_rate 20m; }}
    }}
}}
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Web:
    """A local nginx with a configuration, pid file, ports and certificate of its own."""

    #: Bytes a second of each answer under /slow/.
    SLOW = 16 << 10

    def __init__(self, folder: Path) -> None:
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        self.port, self.tls_port = free_port(), free_port()
        self.www = folder / "www"
        self.certificate = folder / "tls.crt"
        (self.www / "put").mkdir(parents=True)
        (folder / "nginx").mkdir()
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
            "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
            folder / "tls.key", "-out", self.certificate)
        configuration = folder / "nginx.conf"
        configuration.write_text(NGINX.format(
            folder=folder, port=self.port, tls_port=self.tls_port, slow=self.SLOW,
            user="user root;" if folder.owner() == "root" else ""))
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM",
             program, "-p", folder, "-e", "stderr", "-c", configuration])
        wait_for("nginx", self.answers)

    def answers(self) -> bool:
        if self.process.poll() is not None:
            fail("nginx did not start; its message is above.")
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def address(self, name: str, tls: bool = False) -> str:
        if tls:
            return f"https://127.0.0.1:{self.tls_port}/{name}"
        return f"http://127.0.0.1:{self.port}/{name}"

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)


class Holder:
    """Takes requests and keeps them, until it is told to answer one."""

    ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: \"1\"\r\n\r\nbody"

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.requests: queue.Queue = queue.Queue()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/held"

    def _accept(self) -> None:
        while True:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._read, args=(connection,), daemon=True).start()

    def _read(self, connection: socket.socket) -> None:
        with connection.makefile("rb") as lines:
            try:
                while line := lines.readline():
                    if line == b"\r\n":
                        self.requests.put((time.monotonic(), connection))
            except OSError:
                pass

    def take(self, seconds: float = 60) -> tuple[float, socket.socket]:
        """The next request that came, and when."""
        try:
            return self.requests.get(timeout=seconds)
        except queue.Empty:
            fail(f"waited {seconds:g} s for a request.")

    def answer(self, connection: socket.socket) -> float:
        begun = time.monotonic()
        connection.sendall(self.ANSWER)
        return begun

    def forget(self) -> None:
        """Drops what was taken: of a client that has ended."""
        while not self.requests.empty():
            self.requests.get()
