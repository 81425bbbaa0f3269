"""Starts the service as systemd does: with a listening socket that stays systemd's.

    activate.py PROGRAM SOCKET
"""
import os
import socket
import sys

os.makedirs(os.path.dirname(sys.argv[2]), 0o700, exist_ok=True)
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[2])
listener.listen(64)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
os.dup2(listener.fileno(), 3)
os.set_inheritable(3, True)
os.execv(sys.argv[1], ["urlsessiond"])
