"""Measures the service beside what people would use instead, and writes down what came of it."""
from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import report
from busy import busy
from growth import growth
from measuring import QUICK, ROOT, fail
from queueing import queueing
from service import Service
from starting import starting
from transfers import LARGE, large, many
from web import Web

#: A quick run is for a look: what is kept comes from a whole one.
DOCS = ROOT / ".build" / "benchmarks" if QUICK else ROOT / "docs"
PARTS = {"large": large, "many": many, "queueing": queueing, "starting": starting, "busy": busy,
         "growth": growth}


def main() -> int:
    options = arguments()
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            del os.environ[name]
    about = {"machine": report.machine(), "versions": report.versions()}
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="bgbench.") as name:
        rows, curves = run(Path(name).resolve(), options)
    about["seconds"] = time.monotonic() - begun
    report.print_table(rows)
    if not options.only:
        report.write(options.docs, rows, curves, about)
    return 1 if options.strict and not all(row.met for row in rows) else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append",
                        help="run this part alone, and write nothing; may be repeated")
    parser.add_argument("--docs", type=Path, default=DOCS,
                        help="where benchmarks.md, .json and the plot go"
                             " (default: docs; of a quick run .build/benchmarks)")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a row is not met")
    return parser.parse_args()


def run(folder: Path, options: argparse.Namespace) -> tuple[list, dict]:
    programs = os.environ.get("BIN")
    if not programs:
        fail("BIN is not set; run 'make bench', which builds and says where.")
    # Source, body and copies at once, and some air.
    if shutil.disk_usage(folder).free < 5 * LARGE:
        fail(f"{folder.parent} has no room for {5 * LARGE / 1e9:g} GB; set TMPDIR or QUICK=1.")
    web = Web(folder)
    service = Service(Path(programs), folder / "home")
    rows, curves = [], {}
    try:
        for name in options.only or PARTS:
            begun = time.monotonic()
            found = PARTS[name](service, web, folder)
            if name == "growth":
                found, curves = found
            rows += found
            print(f"{name}: {time.monotonic() - begun:.0f} s", file=sys.stderr)
    finally:
        service.stop()
        web.stop()
    return rows, curves


if __name__ == "__main__":
    sys.exit(main())
