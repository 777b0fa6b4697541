#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what a build and its tests spent most time on, and how many tests passed.

usage: slowest.py BUILD [JUNIT]

BUILD is a folder that ninja built in, JUNIT the file that `ctest --output-junit` wrote. Times are
wall-clock times of commands that ran beside others.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

MOST = 20


def compile_times(log: Path) -> list[tuple[float, str]]:
    """Seconds and path of each object that ninja compiled, the last time that it did."""
    times = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        fields = line.split("\t")
        if len(fields) == 5 and fields[3].endswith((".o", ".gch")):
            times[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    return [(seconds, path) for path, seconds in times.items()]


def print_slowest(title: str, times: list[tuple[float, str]]) -> None:
    total = sum(seconds for seconds, _ in times)
    print(f"\n{title}: {len(times)}, {total:.0f} s in all; the {min(MOST, len(times))} slowest:")
    for seconds, name in sorted(times, reverse=True)[:MOST]:
        print(f"{seconds:8.1f} s  {name}")


def main(argv: list[str]) -> int:
    if len(argv) not in (2, 3):
        print(
            f"slowest.py: wants a build folder and a file of ctest, not {argv[1:]}", file=sys.stderr
        )
        return 2
    log = Path(argv[1]) / ".ninja_log"
    if log.exists():
        print_slowest("Compiled", compile_times(log))
    if len(argv) == 3:
        suite = ElementTree.parse(argv[2]).getroot()
        cases = suite.findall("testcase")
        print_slowest(
            "Tests", [(float(case.get("time", 0)), str(case.get("name"))) for case in cases]
        )
        failed = sum(case.get("status") == "fail" for case in cases)
        left_out = sum(case.get("status") not in ("run", "fail") for case in cases)
        print(f"\n{len(cases) - failed - left_out} passed, {failed} failed, {left_out} skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
