"""A file whose reads never return, on a file system of its own."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from measuring import ROOT, run

PROGRAM = ROOT / "Tests" / "Integration" / "helpers" / "hanging_fs.py"


class HangingSource:
    """Mounted until `stop`; `is_there` is False where nobody may mount."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [sys.executable, PROGRAM, folder, "1000000"], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.is_there = self.process.stdout.readline() == "mounted\n"
        self.file = folder / "source"

    def wait_for_read(self) -> None:
        """Somebody has begun to read, and waits."""
        self.process.stdout.readline()

    def stop(self) -> None:
        if self.is_there:
            # The connection's end lets go of whoever waits for it; nothing else would.
            self.process.kill()
            self.process.wait()
            run("umount", "-l", self.folder)
        else:
            print(f"bench: no hanging source: {self.process.communicate()[1].strip()}",
                  file=sys.stderr)
        os.rmdir(self.folder)
