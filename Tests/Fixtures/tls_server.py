"""A TLS server for tests, with an authority of its own: FOLDER gets ca.pem, key.pem,
client.pem, client.p12 (password "secret"), server.pem and pin, its
key as libcurl pins it; the port is printed. Answers every request with "hello". It leaves when
the process PARENT ends.

    tls_server.py FOLDER PARENT [--client] [--expired]

--client: only for who shows the client's certificate; --expired: its own ran out yesterday.
"""
import base64
import hashlib
import http.server
import pathlib
import socket
import ssl
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Scripts"))
from slowserver.parent import leave_with  # noqa: E402

FOLDER = sys.argv[1]
CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]


def openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=FOLDER, check=True, stderr=subprocess.DEVNULL)


def certify(name: str, subject: str, extension: str, days: int = 2) -> None:
    openssl("req", *CURVE, "-subj", f"/CN={subject}", "-keyout", f"{name}.key", "-out", "request")
    with open(f"{FOLDER}/extension", "w", encoding="utf-8") as file:
        file.write(extension)
    openssl("x509", "-req", "-in", "request", "-CA", "ca.pem", "-CAkey", "key.pem",
            "-CAcreateserial", "-days", str(days), "-extfile", "extension", "-out", f"{name}.crt")
    with open(f"{FOLDER}/{name}.pem", "w", encoding="utf-8") as whole:
        for part in ("crt", "key"):
            with open(f"{FOLDER}/{name}.{part}", encoding="utf-8") as file:
                whole.write(file.read())


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_: object) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    def finish_request(self, request: ssl.SSLSocket, client_address: object) -> None:
        try:
            request.do_handshake()
        except ssl.SSLError:
            # What the client has sent must be read: closing on it would reset the connection, and
            # the alert that says why would be lost.
            raw = socket.socket(fileno=request.detach())
            raw.settimeout(5)
            while raw.recv(4096):
                pass
            return raw.close()
        super().finish_request(request, client_address)

    def handle_error(self, *_: object) -> None:
        """A handshake that fails is what half of the tests want."""


leave_with(int(sys.argv[2]))
openssl("req", "-x509", *CURVE, "-subj", "/CN=A test's authority", "-keyout", "key.pem",
        "-out", "ca.pem")
certify("server", "127.0.0.1", "subjectAltName=IP:127.0.0.1",
        days=-1 if "--expired" in sys.argv else 2)
certify("client", "somebody", "extendedKeyUsage=clientAuth")
openssl("pkcs12", "-export", "-in", "client.pem", "-out", "client.p12", "-passout", "pass:secret")

openssl("x509", "-in", "server.crt", "-pubkey", "-noout", "-out", "server.pub")
openssl("pkey", "-pubin", "-in", "server.pub", "-outform", "der", "-out", "server.der")
with open(f"{FOLDER}/server.der", "rb") as key, open(f"{FOLDER}/pin", "w", encoding="utf-8") as pin:
    pin.write("sha256//" + base64.b64encode(hashlib.sha256(key.read()).digest()).decode())


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(f"{FOLDER}/server.pem")
if "--client" in sys.argv:
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(f"{FOLDER}/ca.pem")
server = Server(("127.0.0.1", 0), Handler)
# The handshake belongs to the connection's own thread.
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_port, flush=True)
server.serve_forever()
