#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Observes programs of others, asks for advice, and runs each with other locks.

Writes program-loads.csv (a line for each place that matters) and program-locks.csv (a line for each
lock), from which docs/laboratory/programs.md has its tables, into docs/data or --out. Needs
Debian's packages git, libsqlite3-dev, memcached, pbzip2, pigz, x264 and zstd, and a quiet machine
for ten minutes.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LOCKBENCH = os.environ.get("LOCKBENCH_BINARY", str(ROOT / "build/release/lockbench"))
LOCKS = ("std", "adaptive", "futex", "tbb_spin")
MOST_PLACES = 3

# The command, the callers that make up a place, and what compare-program measures.
PROGRAMS: dict[str, tuple[list[str], int, list[str]]] = {
    "memcached": (["./memcached_load"], 1, ["--metric", "second: ([0-9]+)"]),
    "sqlite": (["./sqlite_threads"], 2, []),
    "pigz": (["pigz", "-kf", "-p", "4", "text"], 2, []),
    "pbzip2": (["pbzip2", "-kfq", "-p4", "text"], 1, []),
    "zstd": (["zstd", "-qkf", "-T4", "-12", "text"], 1, []),
    "x264": (["x264", "--quiet", "--threads", "4", "-o", "out.264", "video.y4m"], 1, []),
    "git": (["git", "index-pack", "--threads=4", "-o", "out.idx", "repository.pack"], 2, []),
}


def prepare(folder: Path) -> None:
    """The inputs and the two loads of ours."""
    for name, library in (("memcached_load", "pthread"), ("sqlite_threads", "sqlite3")):
        command = ["gcc", "-O2", "-g", str(HERE / f"{name}.c"), "-o", name, f"-l{library}"]
        subprocess.run(command, cwd=folder, check=True)
    source = random.Random(1)
    words = [f"{source.randrange(9999):x}" for _ in range(4_000_000)]
    (folder / "text").write_text(" ".join(words), encoding="utf-8")
    width, height = 320, 192
    with (folder / "video.y4m").open("wb") as video:
        video.write(f"YUV4MPEG2 W{width} H{height} F25:1\n".encode())
        frame = bytearray(source.randbytes(width * height * 3 // 2))
        for i in range(80):
            frame = frame[i % 7 :] + frame[: i % 7]
            video.write(b"FRAME\n" + frame)
    packs = sorted((ROOT / ".git/objects/pack").glob("*.pack"), key=lambda one: one.stat().st_size)
    if packs:
        shutil.copy(packs[-1], folder / "repository.pack")


def lockbench(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([LOCKBENCH, *words], cwd=folder, capture_output=True, text=True)


def loads_of(program: str, found: dict[str, Any]) -> list[dict[str, Any]]:
    process = found["processes"][0]
    wall_s = process["wall_s"]
    chosen = sorted(process["places"], key=lambda place: -place["acquisitions"])[:MOST_PLACES]
    return [
        {
            "program": program,
            "gain_at_most": f"{process['greatest_gain']:.4f}",
            "place": place["name"],
            "kind": place["kind"],
            "threads": place["threads"],
            "locks": place["locks"],
            "acquisitions_per_s": round(place["acquisitions"] / wall_s),
            "contended": f"{place['contended'] / max(1, place['acquisitions']):.5f}",
            **{
                f"{what}_{at}_ns": round(place[what][f"{at}_ns"]) if place[what]["samples"] else ""
                for what in ("wait", "hold", "think")
                for at in ("p50", "p99")
            },
        }
        for place in chosen
    ]


def advice_for(folder: Path) -> str:
    """Returns what observe says, if that is the answer; else what advise says."""
    found = json.loads((folder / "seen/observed.json").read_text(encoding="utf-8"))
    if found["verdict"]["kind"] == "not_the_problem":
        return "locks are not the problem"
    done = lockbench(folder, "advise", "--observed", "seen", "--budget", "20s", "--format", "json")
    answer = json.loads(done.stdout) if done.returncode == 0 else {}
    return str(answer.get("primitive") or done.stderr.strip().splitlines()[-1])


def locks_of(folder: Path, program: str, blocks: int) -> list[dict[str, Any]]:
    command, callers, metric = PROGRAMS[program]
    checked = lockbench(folder, "observe", "--check", "seen")
    factors = re.findall(r"(\d+\.\d+)$", checked.stderr, re.MULTILINE)
    advice = advice_for(folder)
    chosen = [word for lock in LOCKS for word in ("--lock", lock)]
    out = folder / f"compared-{program}"
    words = [*chosen, *metric, "--blocks", str(blocks), "--out", str(out), "--", *command]
    compared = lockbench(folder, "compare-program", *words)
    sys.stderr.write(compared.stdout + compared.stderr)
    script = [
        sys.executable,
        str(ROOT / "harness/observe/python/compare_program.py"),
        str(out),
        "--format",
        "csv",
    ]
    script += ["--baseline", LOCKS[0], "--metric", "printed" if metric else "wall"]
    table = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    rows = list(csv.DictReader(table.splitlines()))
    return [
        {
            "program": program,
            "advised": advice,
            "contention_within": max(map(float, factors), default=""),
            "lock": row["primitive"],
            **{name: f"{float(row[name]):.4f}" for name in ("ratio", "low", "high")},
            "verdict": row["verdict"],
        }
        for row in rows
    ]


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """Rows of other programs stay."""
    measured = {row["program"] for row in rows}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as lines:
            rows = [row for row in csv.DictReader(lines) if row["program"] not in measured] + rows
    order = list(PROGRAMS)
    rows.sort(key=lambda row: order.index(row["program"]))
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"of {', '.join(PROGRAMS)}")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/data", help="folder of the files")
    parser.add_argument("--blocks", type=int, default=7, help="runs with each lock (7)")
    given = parser.parse_args()
    loads: list[dict[str, Any]] = []
    locks: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        for program in given.programs or PROGRAMS:
            command, callers, _ = PROGRAMS[program]
            shutil.rmtree(folder / "seen", ignore_errors=True)
            flags = ["--out", "seen", "--callers", str(callers)]
            observed = lockbench(folder, "observe", *flags, "--", *command)
            sys.stderr.write(f"{program}\n{observed.stderr}")
            found = json.loads((folder / "seen/observed.json").read_text(encoding="utf-8"))
            loads += loads_of(program, found)
            locks += locks_of(folder, program, given.blocks)
    write(given.out / "program-loads.csv", loads)
    write(given.out / "program-locks.csv", locks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
