#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy on the sources and headers that differ from the main branch.

Usage: tidy.py [--all | --within SECONDS] [FILE ...]

On the main branch itself: on those that differ from the commit before. Compiles without precompiled
headers, which would hide an include that is missing; a header is compiled by itself. With --all: on
every source and the headers that it includes, up to eight sources at a time, which takes a third of
the time and an hour on two cores. Exits with 1 when clang-tidy finds anything, with 4 when nothing
could be checked.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "tidy"
CLANG_TIDY = "clang-tidy-19"  # other versions have other checks
LEFT_OUT = 4  # the exit code if nothing could be checked
FILE_TIMEOUT_S = 900


def output_of(*command: str) -> str:
    """The output of the command; empty when it fails."""
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else ""


def base_commit() -> str:
    """The commit that the working tree is compared with."""
    head = output_of("git", "rev-parse", "HEAD")
    for main in ("origin/main", "main"):
        base = output_of("git", "merge-base", "HEAD", main)
        if base and base != head:
            return base
    return output_of("git", "rev-parse", "HEAD~1") or head


def files_that_differ() -> list[str]:
    """Paths below ROOT. Examples are left out: they are projects of their own."""
    command = ("git", "diff", "--name-only", "--diff-filter=d", base_commit(), "--")
    return output_of(*command, "*.cc", "*.h", ":!examples").splitlines()


def every_source(build: Path) -> list[str]:
    """The sources that the build compiles."""
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    return sorted({command["file"] for command in commands if command["file"][-2:] != ".c"})


def configure(build: Path) -> bool:
    """Writes the compile commands and the headers that the build makes. False: it could not."""
    options = (
        "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON",
        "-DLOCKBENCH_UNITY=OFF",
        "-DBUILD_TESTING=ON",
    )
    for command in (
        ("cmake", "--preset", "release", "-B", str(build), *options),
        ("cmake", "--build", str(build), "--target", "lockbench_commit"),
    ):
        try:
            subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        except subprocess.CalledProcessError as error:
            print(f"tidy.py: {' '.join(command)} failed: {error.stderr.strip()}")
            return False
    return True


def findings_in(file: str, build: Path, deadline: float) -> str | None:
    """The findings of clang-tidy; empty if none, None when there is no time for the file."""
    if time.monotonic() > deadline:
        return None
    # A header is a main file here: its `#pragma once` is no mistake.
    options = ("--quiet", "-p", str(build), "--extra-arg=-Wno-pragma-once-outside-header")
    try:
        result = subprocess.run(
            (CLANG_TIDY, *options, file),
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=FILE_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{file}: clang-tidy took longer than {FILE_TIMEOUT_S} s\n"
    return "" if result.returncode == 0 else result.stdout or result.stderr


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", action="store_true", help="every source, not what differs")
    parser.add_argument("--within", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("files", nargs="*", metavar="FILE")
    options = parser.parse_args(argv)
    files = options.files or ([] if options.all else files_that_differ())
    if not files and not options.all:
        print("clang-tidy: no source differs")
        return 0
    if shutil.which(CLANG_TIDY) is None:
        print(f"tidy.py: {CLANG_TIDY} is not installed")
        return LEFT_OUT
    if not configure(BUILD):
        return LEFT_OUT
    if options.all:
        files = every_source(BUILD)
    deadline = time.monotonic() + options.within
    found = False
    unchecked = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda file: findings_in(file, BUILD, deadline), files)
        for number, text in enumerate(results, 1):
            print(text or "", end="", flush=True)
            found = found or bool(text)
            unchecked += text is None
            if options.all and number % 20 == 0:
                print(f"clang-tidy: {number} of {len(files)} files", file=sys.stderr)
    if unchecked:
        print(f"clang-tidy: {unchecked} of {len(files)} files left out after {options.within:g} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
