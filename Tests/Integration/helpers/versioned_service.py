"""A service of another version of the protocol: knows the two calls that are frozen for ever, and
writes down what it was asked.

    versioned_service.py HOME VERSION

It holds start.lock while it leaves, as every service does.
"""
import fcntl
import json
import os
import socket
import sys

home, version = sys.argv[1], int(sys.argv[2])
os.makedirs(home, 0o700, exist_ok=True)
path = os.path.join(home, "socket")
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen(16)
print("listening", flush=True)


def serve(client):
    """True when it is to leave."""
    for line in client.makefile("rb"):
        message = json.loads(line)
        method = message["method"]
        print(method, message.get("params", {}).get("version"), flush=True)
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        if method == "shutdown":
            answer["result"] = {}
        else:
            answer["error"] = {
                "code": -32000, "message": f"this service speaks version {version}",
                "data": {"reason": "versionMismatch", "version": version},
            }
        client.sendall(json.dumps(answer).encode() + b"\n")
        if method == "shutdown":
            return True
    return False


while True:
    client, _ = listener.accept()
    if serve(client):
        with open(os.path.join(home, "start.lock"), "a", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            os.unlink(path)
            client.close()
            listener.close()
        break
