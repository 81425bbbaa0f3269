"""Counts what the service does and uses, from outside.

    counts.py queue SOCKET URL COUNT SESSION   makes and resumes so many downloads
    counts.py queue SOCKET URL COUNT SESSION   makes and resumes downloads
    counts.py messages SOCKET SECONDS SESSION  owns it so long; how many messages came a second
"""
import os
import select
import sys
import time
import uuid

from rpc import Client

#: Two seconds without any wake-up must come within this time.
PATIENCE = 60


def queue(path, url, count, session):
    client = Client(path)
    first = client.answer(client.attach(session))["result"]["nextTaskIdentifier"]
    for identifier in range(first, first + int(count)):
        client.ask("task.create", identifier=identifier, token=str(uuid.uuid4()).upper(),
                   kind="download", request={"url": url, "method": "GET", "headers": []})
        client.call("task.resume", identifier=identifier)
    client.call("flush")


def switches(pid):
    """Voluntary context switches of each thread: one that has ended must not count as fewer."""
    found = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status", encoding="ascii") as status:
            found[thread] = next(
                int(line.split()[1]) for line in status if line.startswith("voluntary"))
    return found


def wakes(before, after):
    return sum(count - before.get(thread, 0) for thread, count in after.items())


def sleep(pid):
    end = time.monotonic() + PATIENCE
    while True:
        before = switches(pid)
        time.sleep(2)
        woken = wakes(before, switches(pid))
        if woken == 0:
            return
        if time.monotonic() > end:
            sys.exit(f"it never slept for two seconds; {woken} wake-ups in the last two")


def messages(path, seconds, session):
    client = Client(path)
    client.answer(client.attach(session, purpose="own"))
    begun = time.monotonic()
    end = begun + float(seconds)
    count = 0
    while (left := end - time.monotonic()) > 0:
        if select.select([client.socket], [], [], left)[0]:
            count += client.socket.recv(1 << 16).count(b"\n")
    print(round(count / (time.monotonic() - begun)))


WORK = {"queue": queue, "sleep": sleep, "messages": messages}
WORK[sys.argv[1]](*sys.argv[2:])
