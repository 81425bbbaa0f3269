"""Leaving with whoever started it. A test that is killed ends nothing any more: what it began has
to see for itself.
"""
from __future__ import annotations

import os
import select
import signal
import threading


def leave_with(pid: int) -> None:
    """From now on the end of the process `pid`, also one that ended before, is a SIGTERM to this
    one and, should that not be enough, its end. The number is the parent's own word: os.getppid()
    of one whose parent is gone already names another."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        os._exit(0)
    threading.Thread(target=_wait, args=(descriptor,), daemon=True).start()


def _wait(descriptor: int, patience: float = 3) -> None:
    watch = select.poll()
    watch.register(descriptor, select.POLLIN)
    watch.poll()
    threading.Timer(patience, os._exit, [0]).start()
    os.kill(os.getpid(), signal.SIGTERM)
