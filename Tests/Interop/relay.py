"""Stands between a client and a server, to stop a transfer at an exact place.

    relay.py PORT BYTES [TIMES]

Prints its own address. The first answer (or the first TIMES) with more than BYTES body bytes
stands still after them until its client leaves; every other byte passes as it comes.
"""
import socket
import sys
import threading

PIECE = 1 << 20
held = threading.Semaphore(int((sys.argv[3:] or ["1"])[0]))


def pump(source, target):
    try:
        while piece := source.recv(PIECE):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def answer(server, client, limit, client_left):
    head = b""
    while b"\r\n\r\n" not in head:
        piece = server.recv(65536)
        if not piece:
            client.sendall(head)
            return
        head += piece
    end = head.index(b"\r\n\r\n") + 4
    left = limit - (len(head) - end)
    client.sendall(head if left >= 0 else head[:left])
    piece = bytearray(PIECE)
    while left > 0:
        count = server.recv_into(piece, min(left, PIECE))
        if not count:
            return
        client.sendall(memoryview(piece)[:count])
        left -= count
    if held.acquire(blocking=False):
        client_left()
        return
    pump(server, client)


def serve(client, port, limit):
    with client, socket.create_connection(("127.0.0.1", port)) as server:
        upward = threading.Thread(target=pump, args=(client, server), daemon=True)
        upward.start()
        try:
            answer(server, client, limit, upward.join)
        except OSError:
            pass


to, most = map(int, sys.argv[1:3])
listener = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
while True:
    connection, _ = listener.accept()
    threading.Thread(target=serve, args=(connection, to, most), daemon=True).start()
