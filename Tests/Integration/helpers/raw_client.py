"""Sends what no client of ours would send to the service's socket, and waits for its end.

    raw_client.py SOCKET garbage|wrong-json|wrong-version|half|binary|huge

Exit status 0: the service ended the connection, or answered and stayed, where that is its right.
"""
import socket
import sys

path, what = sys.argv[1:]
client = socket.socket(socket.AF_UNIX)
client.settimeout(20)
client.connect(path)

LINES = {
    "garbage": b"GET / HTTP/1.1\r\nHost: nobody\r\n\r\n",
    "wrong-json": b'{"jsonrpc": "2.0", "id": 1, "method": "hello", "params": [[[[[[[[\n',
    "wrong-version": b'{"jsonrpc": "1.0", "id": {}, "method": 7}\n',
    "binary": bytes(range(256)) * 64 + b"\n",
}

try:
    if what == "half":
        client.sendall(b'{"jsonrpc": "2.0", "id": 1, "me')
        client.shutdown(socket.SHUT_WR)
    elif what == "huge":
        # Longer than any line may be, and without an end.
        for _ in range(256):
            client.sendall(b"x" * (1 << 20))
        sys.exit("256 MiB without a newline were taken")
    else:
        client.sendall(LINES[what])
    while client.recv(65536):
        pass
except (BrokenPipeError, ConnectionResetError):
    pass
except socket.timeout:
    sys.exit("nothing happened for 20 s")
