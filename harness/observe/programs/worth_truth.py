#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what `lockbench whatif` says against the truth: programs whose holds are really shorter.

Each mode of worths.c runs under whatif; then it runs in pairs, with the usual holds and with holds
that are shorter by a fifth, and the median of the ratios is the truth. Writes a line for each mode
to standard output, as CSV. Needs gcc and a quiet machine for a quarter of an hour.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LOCKBENCH = os.environ.get("LOCKBENCH_BINARY", str(ROOT / "build/release/lockbench"))
sys.path[1:1] = [str(HERE.parent / "python"), str(ROOT / "scripts/commands")]

import worth  # noqa: E402

# The mode, and the function whose locks are looked at.
MODES = {
    "alone": "hold",
    "bursts": "hold",
    "crowded": "hold",
    "crowded_moves": "hold",
    "crowded_nested": "hold",
    "crowded_reads": "reads",
    "long_pipeline": "pipeline",
    "looked_into": "hold",
    "looked_into_often": "hold",
    "looked_into_seldom": "hold",
    "merged": "hold",
    "moves": "hold",
    "nested": "hold",
    "off_path": "off_path",
    "outer": "outer",
    "phases": "hold",
    "pipeline": "pipeline",
    "rare": "hold",
    "reads": "reads",
    "saturated": "hold",
    "skewed": "skewed",
    "striped": "striped",
    "told": "hold",
    "tries": "tries",
    "turns": "turns",
    "two_locks": "hold",
    "uneven": "hold",
}

COLUMNS = [
    "mode",
    "holds",
    "time_s",
    "truth",
    "truth_low",
    "truth_high",
    "said",
    "low",
    "high",
    "low_of_runs",
    "high_of_runs",
    "blocks",
    "within",
    "close",
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modes", nargs="*", default=list(MODES), metavar="MODE")
    parser.add_argument("--pairs", type=int, default=25, help="of the truth [25]")
    parser.add_argument("--blocks", type=int, default=30, help="of whatif, at most [30]")
    parser.add_argument("--longer", type=int, default=20, help="percent [20]")
    arguments = parser.parse_args()
    out = csv.writer(sys.stdout)
    out.writerow(COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "worths"
        build = [
            "gcc",
            "-g",
            "-O2",
            "-fno-optimize-sibling-calls",
            "-pthread",
            str(HERE / "worths.c"),
            "-o",
            str(program),
        ]
        subprocess.run(build, check=True)
        for mode in arguments.modes:
            out.writerow(line(program, mode, arguments))
            sys.stdout.flush()
    return 0


def line(program: Path, mode: str, arguments: argparse.Namespace) -> list[object]:
    said = what_is_said(program, mode, arguments)
    assert said.gain_low is not None and said.gain_high is not None
    low, truth, high = gains(program, mode, arguments.pairs)
    within = said.gain_low <= truth <= said.gain_high
    close = abs(said.gain - truth) <= max(0.2 * abs(truth), 0.01)
    of_runs = [worth.FIFTH * (share or 0.0) for share in (said.low_of_runs, said.high_of_runs)]
    figures = [truth, low, high, said.gain, said.gain_low, said.gain_high, *of_runs]
    seconds = seconds_of(program, mode, 100)
    holds = "look shorter" if said.looks_shorter else "longer"
    return [
        mode,
        holds,
        f"{seconds:.2f}",
        *(f"{one:.4f}" for one in figures),
        said.blocks,
        within,
        close,
    ]


def what_is_said(program: Path, mode: str, arguments: argparse.Namespace) -> worth.Worth:
    folder = program.parent / mode
    done = subprocess.run(
        [LOCKBENCH, "whatif", "--out", str(folder), "--place", f"^{MODES[mode]}"]
        + ["--places", "1", "--blocks", str(arguments.blocks), "--longer", str(arguments.longer)]
        + ["--", str(program), mode, "100"],
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode not in (0, 4):  # 4: more blocks would say more
        raise SystemExit(f"{mode}: {done.stderr}")
    if not (folder / "whatif.json").exists():
        raise SystemExit(f"{mode}: {json.dumps(MODES[mode])} names no place with holds")
    return worth.load(folder, "wall", True).places[0]


def seconds_of(program: Path, mode: str, percent: int) -> float:
    begin = time.monotonic()
    subprocess.run([program, mode, str(percent)], check=True)
    return time.monotonic() - begin


def gains(program: Path, mode: str, pairs: int) -> tuple[float, float, float]:
    """The median, and an interval of about 95 % by ranks: shares of the time."""
    found = []
    for pair in range(pairs):
        percents = (100, 80) if pair % 2 == 0 else (80, 100)
        times = {percent: seconds_of(program, mode, percent) for percent in percents}
        found.append(1 - times[80] / times[100])
    found.sort()
    reach = round(0.98 * pairs**0.5)
    low, high = max(0, pairs // 2 - reach), min(pairs - 1, pairs // 2 + reach)
    return found[low], statistics.median(found), found[high]


if __name__ == "__main__":
    sys.exit(main())
