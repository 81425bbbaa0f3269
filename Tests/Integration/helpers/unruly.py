"""Clients that read slowly, write half lines or come in hundreds, while another one works beside
them: it must get every answer it asks for, and the service's memory stays bounded.

    unruly.py SOCKET SERVICE-PID SCENARIO
"""
import sys

from rpc import Client

# What the service may need at its peak, in kB, its own few dozen MB included (a debug build).
MOST_MEMORY = 300_000


def memory(pid, key):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(key))


class Neighbour:
    """A well-behaved client; every answer it is owed is counted."""

    def __init__(self, path):
        self.client = Client(path, name="neighbour")
        self.client.answer(self.client.attach("neighbour"))
        self.tasks = 0

    def work(self, times=1):
        for _ in range(times):
            self.tasks += 1
            self.client.task(self.tasks, "http://127.0.0.1:9/")
            listed = self.client.call("task.list", after=0, limit=500)["tasks"]
            # Never resumed, and so stored only.
            if len(listed) != self.tasks:
                sys.exit(f"{len(listed)} tasks listed, {self.tasks} made")


def sip(path):
    """Asks for far more than it reads: one byte for each whole round of the neighbour's."""
    slow, neighbour = Client(path), Neighbour(path)
    slow.answer(slow.attach("slow", purpose="own"))
    neighbour.work(20)
    for _ in range(100):
        slow.socket.setblocking(False)
        try:
            for _ in range(200):
                slow.ask("admin.tasks", after=0, limit=500)
            slow.socket.setblocking(True)
            slow.socket.recv(1)
        except (BlockingIOError, BrokenPipeError, ConnectionResetError):
            pass
        neighbour.work()


def half_lines(path):
    """Lines without an end, nearly as long as a line may be, on more connections than fit."""
    neighbour = Neighbour(path)
    stuck = []
    for _ in range(600):
        client = Client(path)
        client.socket.settimeout(20)
        try:
            client.socket.sendall(b'{"jsonrpc":"2.0","id":2,"method":"' + b"x" * 1_000_000)
        except (BrokenPipeError, ConnectionResetError):
            pass
        stuck.append(client)
        if len(stuck) % 10 == 0:
            neighbour.work()


def five_hundred(path):
    """Five hundred at once, each with a session of its own, and all of them are served."""
    neighbour = Neighbour(path)
    clients = []
    for number in range(500):
        client = Client(path)
        client.ask(
            "session.attach", identifier=f"s{number}", purpose="own", patience=0,
            configuration={})
        clients.append(client)
        if number % 10 == 0:
            neighbour.work()
    for client in clients:
        if "error" in client.answer(client.last):
            sys.exit("one of the five hundred was refused")
    neighbour.work(10)


if __name__ == "__main__":
    socket_path, service, scenario = sys.argv[1:]
    scenarios = {"sip": sip, "half-lines": half_lines, "five-hundred": five_hundred}
    scenarios[scenario](socket_path)
    peak = memory(service, "VmHWM")
    if peak > MOST_MEMORY:
        sys.exit(f"{peak} kB at the peak")
