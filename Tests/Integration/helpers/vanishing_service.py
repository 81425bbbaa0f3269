"""A service that has two results waiting for their owner, and is gone before it hands them over.

    vanishing_service.py HOME

It leaves when it has been asked what it holds (admin.tasks), and takes its socket with it.
"""
import json
import os
import socket
import sys
import threading

home = sys.argv[1]
os.makedirs(home, 0o700, exist_ok=True)
path = os.path.join(home, "socket")
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen(16)
print("listening", flush=True)

RESULTS = {
    "hello": {"version": 1, "product": "vanishing", "pid": os.getpid()},
    "session.attach": {"nextTaskIdentifier": 3, "waitingEvents": 2},
}


def serve(client):
    for line in client.makefile("rb"):
        message = json.loads(line)
        if "id" not in message:
            continue
        result = RESULTS.get(message["method"], {"tasks": []})
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        client.sendall(json.dumps(answer).encode() + b"\n")
        if message["method"] == "admin.tasks":
            os.unlink(path)
            os._exit(0)


while True:
    connection, _ = listener.accept()
    threading.Thread(target=serve, args=(connection,)).start()
