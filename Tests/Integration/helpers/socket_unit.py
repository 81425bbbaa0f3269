"""What systemd does for a socket unit: holds the listening socket, starts the service whenever
somebody has connected and no service runs, and never a second one beside it.

    socket_unit.py URLSESSIOND SOCKET
"""
import os
import select
import socket
import sys

program, path = sys.argv[1:]
os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen(512)
print("listening", flush=True)

while True:
    select.select([listener], [], [])
    child = os.fork()
    if child == 0:
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
        os.dup2(listener.fileno(), 3)
        os.set_inheritable(3, True)
        os.execv(program, ["urlsessiond"])
    print("started", child, flush=True)
    os.waitpid(child, 0)
