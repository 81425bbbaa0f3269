"""The table on the terminal, docs/benchmarks.md with its plot, and docs/benchmarks.json."""
from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from datetime import datetime, timezone
from pathlib import Path

from measuring import QUICK
from row import Row

#: Why a row is not met is a person's to write: a section for each, its title the row's work with
#: `#` for numbers, which a quick run has others of.
REASONS = Path(__file__).with_name("reasons.md")
HEADS = ("work", "against", "ours", "theirs", "figure (least–most)", "at most", "")


def number(value: float, unit: str = "") -> str:
    text = f"{value:.0f}" if abs(value) >= 100 else f"{value:.2f}"
    return f"{text} {unit}".rstrip()


def cells(row: Row) -> tuple[str, ...]:
    figure = row.figure
    shown = number(figure["median"])
    if figure["min"] != figure["max"]:
        shown += f" ({number(figure['min'])}–{number(figure['max'])})"
    limit = "" if row.limit is None else number(row.limit)
    theirs = number(row.theirs["median"], row.unit) if row.theirs else ""
    return (row.work, row.against, number(row.ours["median"], row.unit), theirs, shown, limit,
            "" if row.met else "not met")


def print_table(rows: list[Row]) -> None:
    table = [HEADS] + [cells(row) for row in rows]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEADS))]
    for line in table:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())


def machine() -> dict[str, str]:
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    memory = re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text())
    return {
        "processor": f"{os.cpu_count()} × {cpu.group(1) if cpu else platform.machine()}",
        "memory": f"{int(memory.group(1)) / 1e6:.0f} GB" if memory else "unknown",
        "kernel": platform.release(),
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", platform.system()),
        "load before": f"{os.getloadavg()[0]:.1f} (1 min), {os.getloadavg()[2]:.1f} (15 min)",
    }


def versions() -> dict[str, str]:
    found = {}
    for program, flag in (("curl", "--version"), ("aria2c", "--version"), ("wget", "--version"),
                          ("nginx", "-v"), ("swift", "--version")):
        path = shutil.which(program) or f"/usr/sbin/{program}"
        done = subprocess.run([path, flag], capture_output=True, text=True)
        match = re.search(r"(\d+\.\d+(?:\.\d+)?)", done.stdout + done.stderr)
        found[program] = match.group(1) if match else "unknown"
    return found


def write(docs: Path, rows: list[Row], curves: dict, about: dict) -> None:
    docs.mkdir(parents=True, exist_ok=True)
    about["date"] = datetime.now(timezone.utc).strftime("%Y-%m-%d")
    results = {"quick": QUICK, **about, "rows": [row.as_json() for row in rows], "growth": curves}
    (docs / "benchmarks.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    plot(docs / "benchmarks-growth.svg", curves)
    (docs / "benchmarks.md").write_text(text(rows, curves, about) + "\n".join(not_met(rows)))


def not_met(rows: list[Row]) -> list[str]:
    """The last part: each row that is missed, once, with its reason. One that has none yet is left
    empty, which check-benchmarks refuses."""
    reasons = {}
    for section in REASONS.read_text(encoding="utf-8").split("\n### ")[1:]:
        title, _, body = section.partition("\n")
        reasons[title] = body.strip()
    lines = ["## Rows not met", ""]
    for work in dict.fromkeys(row.work for row in rows if not row.met):
        lines += [f"### {work}", reasons.get(re.sub(r"[\d.,]*\d", "#", work), ""), ""]
    return lines


def text(rows: list[Row], curves: dict, about: dict) -> str:
    lines = [
        "# Benchmarks", "",
        "Written by `make bench`, in one run on one machine, everything over loopback. Every "
        "figure with a peer is a ratio: the median of alternating rounds by the other side's, with "
        "the least and the most that single rounds gave. The client and the service are counted "
        "together, and every file that arrived was compared by its SHA-256."
        + (" A quick run: files, tasks and rounds are a tenth of a whole one's." if QUICK else ""),
        "",
        f"{about['date']}, after {about['seconds']:.0f} s. "
        + "; ".join(f"{key}: {value}" for key, value in about["machine"].items()) + ". "
        + ", ".join(f"{key} {value}" for key, value in about["versions"].items()) + ".", "",
        "| " + " | ".join(HEADS) + " |", "|---|---|--:|--:|--:|--:|---|"]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    lines += ["", "## Growth", "", "![What each costs over the number of waiting tasks]"
              "(benchmarks-growth.svg)", "",
              "| waiting tasks | " + " | ".join(f"{size:,}" for size in curves["sizes"]) + " |",
              "|---|" + "--:|" * len(curves["sizes"])]
    for name, values in curves["series"].items():
        scale, unit = (1e-3, "kB") if name.startswith("memory") else (1e3, "ms")
        lines.append(f"| {name} | "
                     + " | ".join(number(value * scale, unit) for value in values) + " |")
    return "\n".join(lines) + "\n\n"


def plot(path: Path, curves: dict) -> None:
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "benchmarks"
    from matplotlib import pyplot
    figure, (times, memory) = pyplot.subplots(1, 2, figsize=(10, 4))
    for name, values in curves["series"].items():
        if name.startswith("memory"):
            axes, scale = memory, 1e-3
        else:
            axes, scale = times, 1e3
        axes.plot(curves["sizes"], [value * scale for value in values], marker="o", label=name)
    for axes, unit in ((times, "ms"), (memory, "kB")):
        axes.set(xscale="log", yscale="log", xlabel="waiting tasks", ylabel=unit)
        axes.grid(True, which="major", alpha=0.3)
        axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
