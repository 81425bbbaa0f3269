"""Speaks the service's protocol, one scenario a call; says what it saw when that is wrong.

    rpc.py SOCKET SCENARIO [ARGUMENT…]
"""
import base64
import json
import os
import resource
import signal
import socket
import sys
import time
import uuid


class Client:
    def __init__(self, path, name="rpc", hello=True):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")
        self.last = 0
        if hello:
            self.call("hello", version=1, client=name)

    def line(self, method, **params):
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        return json.dumps(message).encode() + b"\n"

    def ask(self, method, **params):
        """Writes and does not read."""
        self.socket.sendall(self.line(method, **params))
        return self.last

    def answer(self, number):
        while True:
            line = self.file.readline()
            if not line:
                sys.exit("the service ended the connection")
            message = json.loads(line)
            if message.get("id") == number and "method" not in message:
                return message

    def call(self, method, **params):
        message = self.answer(self.ask(method, **params))
        if "error" in message:
            sys.exit(f"{method}: {message['error']}")
        return message["result"]

    def attach(self, session, patience=0.0, purpose="queue", **more):
        return self.ask(
            "session.attach", identifier=session, purpose=purpose, patience=patience,
            configuration={**CONFIGURATION, **more})

    def task(self, identifier, url, **more):
        self.call(
            "task.create", identifier=identifier, token=str(uuid.uuid4()).upper(), kind="download",
            request={"url": url, "method": "GET", "headers": []}, **more)

    def notify(self, method, **params):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def event(self, number):
        """The parameters of the next event; `number` says which one that is."""
        while True:
            line = self.file.readline()
            if not line:
                sys.exit(f"the service ended the connection before event {number}")
            message = json.loads(line)
            if message.get("method") == "event":
                return message["params"]

    def close(self):
        self.file.close()
        self.socket.close()


CONFIGURATION = {
    "timeoutForRequest": 60, "timeoutForResource": 604800, "maximumConnectionsPerHost": 6,
    "isDiscretionary": False, "sendsLaunchEvents": True, "allowsCellularAccess": True,
    "allowsExpensiveNetworkAccess": True, "allowsConstrainedNetworkAccess": True,
    "additionalHeaders": [], "proxies": {},
}


def processor_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def two_claims(path):
    """A connection that claims two sessions frees whatever it came to own."""
    holders = [Client(path), Client(path)]
    for holder, session in zip(holders, "ab"):
        holder.answer(holder.attach(session, purpose="own"))
    greedy = Client(path)
    first, second = greedy.attach("a", patience=20), greedy.attach("b", patience=20)
    refusal = greedy.answer(second)
    if "error" not in refusal:
        sys.exit(f"the second claim was not refused: {refusal}")
    for holder in holders:
        holder.close()
    greedy.answer(first)
    greedy.close()
    for session in "ab":
        late = Client(path)
        result = late.answer(late.attach(session, patience=2, purpose="own"))
        if "error" in result:
            sys.exit(f"session {session} is held by nobody and in use: {result['error']}")


def deaf(path, pid):
    """A client that asks and asks and reads nothing is cut off, and costs little until then."""
    client = Client(path)
    client.socket.settimeout(2)
    line = client.line("admin.sessions", padding="x" * 100)
    client.answer(client.attach("s" * 1000))
    try:
        for _ in range(4_000_000):
            client.socket.sendall(line)
    except (BrokenPipeError, ConnectionResetError):
        pass
    except socket.timeout:
        sys.exit("the service neither reads nor hangs up")
    else:
        sys.exit("the service took it all")
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    if peak > 200_000:
        sys.exit(f"{peak} kB at the peak")


def flood(path):
    """An owner that writes without end does not keep another from being refused its session."""
    owner = Client(path)
    owner.answer(owner.attach("a", purpose="own"))
    child = os.fork()
    if child == 0:
        line = b'{"jsonrpc": "2.0", "method": "nothing", "params": {}}\n' * 1000
        try:
            while True:
                owner.socket.sendall(line)
        except OSError:
            pass
        os._exit(0)
    try:
        begun = time.monotonic()
        other = Client(path)
        answer = other.answer(other.attach("a"))
        if "error" not in answer:
            sys.exit(f"two owners: {answer}")
        if time.monotonic() - begun > 10:
            sys.exit(f"{time.monotonic() - begun:.1f} s for an answer")
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def crowd(path, pid):
    """More clients than it takes: the others wait, and the service sleeps meanwhile."""
    clients = []
    for _ in range(1100):
        client = socket.socket(socket.AF_UNIX)
        client.connect(path)
        clients.append(client)
    time.sleep(1)
    before = processor_ticks(pid)
    time.sleep(2)
    busy = processor_ticks(pid) - before
    if busy > 60:
        sys.exit(f"busy for {busy} ticks in 2 s")
    for client in clients[:200]:
        client.close()
    clients[-1].settimeout(20)
    params = {"version": 1, "client": "last"}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "hello", "params": params}
    clients[-1].sendall(json.dumps(hello).encode() + b"\n")
    if b"result" not in clients[-1].recv(4096):
        sys.exit("the last in the backlog is not served")


def wish_and_die(path, pid, url):
    """Creates and resumes a task and is gone; a service that is to leave has read nothing of it."""
    client = Client(path)
    client.answer(client.attach("s"))
    os.kill(int(pid), signal.SIGSTOP)
    lines = client.line(
        "task.create", identifier=1, token=str(uuid.uuid4()).upper(), kind="download",
        request={"url": url, "method": "GET", "headers": []}, description="wish",
    )
    client.socket.sendall(lines + client.line("task.resume", identifier=1))
    client.close()
    os.kill(int(pid), signal.SIGTERM)
    os.kill(int(pid), signal.SIGCONT)


def forged_resume_data(path, victim):
    """A path in resume data is not a file of the service's."""
    description = {
        "format": "background-urlsession-resume-1", "token": "x", "received": 1,
        "request": {"url": "ftp://nowhere/", "method": "GET", "headers": [], "bodyFile": victim},
        "held": {"response": {"url": "ftp://nowhere/", "status": 200, "version": "HTTP/1.1",
                              "headers": []}},
    }
    client = Client(path)
    client.answer(client.attach("s"))
    data = base64.b64encode(json.dumps(description).encode()).decode()
    client.task(1, "http://127.0.0.1:9/", resumeData=data)
    client.call("task.resume", identifier=1)
    client.call("flush")
    if not os.path.exists(victim):
        sys.exit(f"{victim} was removed")


def refused_owner(path, url):
    """Whoever is refused a session has no part in what its owner asks for."""
    owner, other = Client(path), Client(path)
    owner.answer(owner.attach("a", purpose="own"))
    answer = other.answer(other.attach(
        "a", additionalHeaders=[{"name": "Authorization", "value": "Basic c3RyYW5nZXI6eA=="}]))
    if "error" not in answer:
        sys.exit(f"two owners: {answer}")
    owner.task(1, url)
    owner.call("task.resume", identifier=1)
    owner.event(1)


def full_disk(path, pid, log, url):
    """What an owner acknowledges while nothing can be written is settled when there is room."""
    owner = Client(path)
    owner.answer(owner.attach("a", purpose="own"))
    owner.task(1, url)
    owner.call("task.resume", identifier=1)
    sequences = [owner.event(number)["sequence"] for number in (1, 2)]
    journal = os.stat(os.path.join(os.path.dirname(path), "transfers.sqlite-wal")).st_size
    limits = resource.prlimit(int(pid), resource.RLIMIT_FSIZE)
    resource.prlimit(int(pid), resource.RLIMIT_FSIZE, (journal, limits[1]))
    for sequence in sequences:
        owner.notify("event.acknowledge", sequence=sequence)
    until(lambda: "could not write" in open(log, encoding="utf-8").read(), "a write that fails")
    resource.prlimit(int(pid), resource.RLIMIT_FSIZE, limits)
    until(lambda: not owner.call("task.list", after=0, limit=10)["tasks"], "the task's row to go")
    owner.close()
    late = Client(path)
    result = late.answer(late.attach("a", patience=10, purpose="own"))["result"]
    if result["waitingEvents"]:
        sys.exit(f"what was acknowledged waits again: {result}")


def until(condition, what):
    deadline = time.monotonic() + 30
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"30 s have passed without {what}")
        time.sleep(0.05)


def discard(path, url):
    """What an owner is about to hear of nobody takes away; when it has left, a person may."""
    owner = Client(path)
    owner.answer(owner.attach("s", purpose="own"))
    owner.task(1, url)
    owner.task(2, url)
    owner.call("task.resume", identifier=1)
    # Told, and not acknowledged: this is an owner inside its delegate.
    file = owner.event(1)["event"]["downloaded"]["path"]
    person = Client(path)
    keys = [task["key"] for task in person.call("admin.tasks", after=0, limit=9)["tasks"]]
    for key in keys:
        answer = person.answer(person.ask("admin.discard", key=key))
        data = answer.get("error", {}).get("data", {})
        if data != {"reason": "sessionInUse", "pid": os.getpid()}:
            sys.exit(f"task {key}, whose owner is there: {answer}")
    if not os.path.exists(file):
        sys.exit(f"the owner's file was taken away: {file}")
    owner.close()
    for key in keys:
        person.call("admin.discard", key=key)
    if os.path.exists(file) or person.call("admin.tasks", after=0, limit=9)["tasks"]:
        sys.exit("something is left of what was discarded")


def upload_of_nothing(path):
    """An upload that names no file is refused: it would send an empty body and succeed."""
    client = Client(path)
    client.answer(client.ask(
        "session.attach", identifier="s", purpose="queue", patience=0, configuration={}))
    request = {"url": "http://127.0.0.1:9/", "method": "POST", "headers": []}
    answer = client.answer(client.ask(
        "task.create", identifier=1, token=str(uuid.uuid4()), kind="upload", request=request))
    if answer.get("error", {}).get("code") != -32602:
        sys.exit(f"it was not refused: {answer}")


def launch(path, session, url, *command):
    """Leaves a download behind, and says which program is to be started when it has ended."""
    client = Client(path)
    environment = {"PATH": os.environ["PATH"], "HOME": "/"}
    client.answer(client.attach(session, launchCommand={
        "arguments": list(command), "folder": "/", "environment": environment}))
    client.task(1, url, description="film")
    client.call("task.resume", identifier=1)


def person(path, session):
    """Attaches as a program does that a person started, and keeps the session's program."""
    client = Client(path)
    client.answer(client.attach(session, patience=10, launchCommand={
        "arguments": ["/bin/false"], "folder": "/", "environment": {}}))


def hand_over(path):
    """A session is free at once when its owner's connection has ended, or its owner was killed."""
    for number in range(300):
        owner = Client(path)
        owner.answer(owner.attach("s", purpose="own"))
        successor = Client(path)
        if number % 3 == 2:
            # The owner is another process, and its last words are still on their way.
            child = os.fork()
            if child == 0:
                owner.socket.sendall(b'{"jsonrpc":"2.0","method":"nothing","params":{}}\n' * 1000)
                os.kill(os.getpid(), signal.SIGKILL)
            owner.close()
            os.waitpid(child, 0)
        else:
            owner.ask("task.list", after=0, limit=200)
            owner.close()
        result = successor.answer(successor.attach("s", purpose="own"))
        if "error" in result:
            sys.exit(f"round {number}: {result['error']}")
        successor.close()


def version(path, number, then=None):
    """A client of another version hears ours, typed; `then` is what it calls after that."""
    client = Client(path, hello=False)
    answer = client.answer(client.ask("hello", version=int(number), client="other"))
    data = answer.get("error", {}).get("data", {})
    if data.get("reason") != "versionMismatch" or data.get("version") != 1:
        sys.exit(f"no mismatch: {answer}")
    remedy = "leave" if int(number) > 1 else "update"
    if remedy not in answer["error"]["message"]:
        sys.exit(f"no remedy: {answer}")
    if "error" not in client.answer(client.ask("session.attach", identifier="s")):
        sys.exit("it may attach all the same")
    if then:
        client.call(then)
        while client.file.readline():
            pass


def golden(path, lines):
    """Each call of version 1 is sent as it was written down, byte for byte."""
    with open(lines, "rb") as file:
        calls = [line for line in file if {"id", "method"} <= json.loads(line).keys()]
    # The one that ends the service comes last.
    calls.sort(key=lambda line: b'"shutdown"' in line)
    for number, line in enumerate(calls):
        message = json.loads(line)
        method = message["method"]
        client = Client(path, hello=method not in ("hello", "shutdown"))
        if method.startswith("task.") or method == "flush":
            client.answer(client.attach(f"golden-{number}"))
        if method == "shutdown":
            return
        client.socket.sendall(line)
        answer = client.answer(message["id"])
        error = answer.get("error", {})
        is_foreign = error.get("code") in (-32700, -32600, -32601)
        if is_foreign or "parameters" in error.get("message", ""):
            sys.exit(f"{line.decode()}is not understood: {error}")
        client.close()
    if len(calls) < 15:
        sys.exit(f"only {len(calls)} calls in {lines}")


SCENARIOS = {
    "launch": launch, "person": person,
    "hand-over": hand_over, "version": version, "golden": golden,
    "discard": discard, "upload-of-nothing": upload_of_nothing,
    "refused-owner": refused_owner, "full-disk": full_disk,
    "two-claims": two_claims, "deaf": deaf, "flood": flood, "crowd": crowd,
    "wish-and-die": wish_and_die, "forged-resume-data": forged_resume_data,
}
if __name__ == "__main__":
    SCENARIOS[sys.argv[2]](sys.argv[1], *sys.argv[3:])
