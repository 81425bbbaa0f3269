"""A server that asks who is there: prints its port, and writes a line for each request to LOG:
METHOD PATH STATUS COOKIE AUTHORIZATION-SCHEME.

    dialogue_server.py LOG [PROXY]

/basic/…   Basic, realm "basic", user me, password secret
/digest/…  Digest with SHA-256, the same
/both/…    either of them
/set/NAME/VALUE[/MAX-AGE]   gives a cookie for /
/away/PATH redirects to localhost (another host) of the same port
anything else answers at once. With PROXY every request needs a Basic Proxy-Authorization of me and
secret, and is answered as if this were its server.
"""
import base64
import hashlib
import http.server
import re
import sys
import urllib.parse

USER, PASSWORD, NONCE = "me", "secret", "an-old-nonce"
BASIC = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = urllib.parse.urlsplit(self.path).path
        kind = path.split("/")[1]
        fields: list[tuple[str, str]] = []
        status = 200
        if PROXY and self.headers.get("Proxy-Authorization") != BASIC:
            status, fields = 407, [("Proxy-Authenticate", 'Basic realm="proxy"')]
        elif kind in ("basic", "digest", "both") and not self.is_known(kind):
            status = 401
            if kind != "basic":
                fields.append(
                    ("WWW-Authenticate",
                     f'Digest realm="digest", nonce="{NONCE}", qop="auth", algorithm=SHA-256'))
            if kind != "digest":
                fields.append(("WWW-Authenticate", 'Basic realm="basic"'))
        elif kind == "set":
            name, value, *age = path.split("/")[2:]
            end = f"; Max-Age={age[0]}" if age else ""
            fields = [("Set-Cookie", f"{name}={value}; Path=/{end}")]
        elif kind == "away":
            port = self.server.server_port
            status, fields = 302, [("Location", f"http://localhost:{port}{path[5:]}")]
        text = f"{status} {len(body)}\n".encode()
        self.send_response(status)
        for name, value in fields + [("Content-Length", str(len(text)))]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)
        scheme = self.headers.get("Authorization", "-").split(" ")[0]
        with open(LOG, "a", encoding="utf-8") as log:
            cookie = self.headers.get("Cookie", "-")
            log.write(f"{self.command} {path} {status} {cookie} {scheme}\n")

    do_GET = do_POST = do_PUT = answer

    def is_known(self, kind: str) -> bool:
        given = self.headers.get("Authorization", "")
        if kind != "digest" and given == BASIC:
            return True
        part = {name: quoted or plain for name, quoted, plain
                in re.findall(r'(\w+)=(?:"([^"]*)"|([^\s,]+))', given)}
        if kind == "basic" or part.get("username") != USER:
            return False
        one = sha(f"{USER}:digest:{PASSWORD}")
        two = sha(f"{self.command}:{self.path}")
        whole = ":".join([one, NONCE, part.get("nc", ""), part.get("cnonce", ""), "auth", two])
        return part.get("response") == sha(whole)

    def log_message(self, *_: object) -> None:
        pass


LOG, PROXY = sys.argv[1], "PROXY" in sys.argv[2:]
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
