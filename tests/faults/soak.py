#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs lockbench for a long time and checks that it uses no more and more of anything: memory,
descriptors, child processes, temporary files. Run by hand; needs a machine for itself.

Usage: soak.py [--minutes 30] [--threads 512] [--keys 1000000] LOCKBENCH

Prints a line for each minute and exits with 3 if something grew.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

MEASURES = ("memory_kib", "descriptors", "children", "temporary_files")


def descendants(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text(encoding="ascii").split():
            yield int(child)
            yield from descendants(int(child))


def memory_kib(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


def sample(pid: int, temporary: Path) -> dict[str, int]:
    """The process's resources now; its children, which measure, count by their number alone."""
    return {
        "memory_kib": memory_kib(pid),
        "descriptors": len(list(Path(f"/proc/{pid}/fd").iterdir())),
        "children": len(list(descendants(pid))),
        "temporary_files": sum(1 for _ in temporary.rglob("*")),
    }


def grown(samples: list[dict[str, int]]) -> list[str]:
    """Measures that grew in the last quarter beyond the second one: by more than a tenth and
    ten."""
    quarter = len(samples) // 4
    found = []
    for name in MEASURES:
        early = max(one[name] for one in samples[quarter : 2 * quarter])
        late = max(one[name] for one in samples[3 * quarter :])
        if late > early * 1.1 + 10:
            found.append(f"{name}: {early} in the second quarter, {late} in the last")
    return found


def samples_of(
    process: subprocess.Popen[bytes], temporary: Path, end: float
) -> list[dict[str, int]]:
    samples: list[dict[str, int]] = []
    while time.monotonic() < end and process.poll() is None:
        try:
            samples.append(sample(process.pid, temporary))
        except (FileNotFoundError, ProcessLookupError):
            continue  # a child ended while it was looked at
        if len(samples) % 60 == 0:
            print(samples[-1], flush=True)
        time.sleep(1)
    return samples


def main(argv: Sequence[str] | None = None) -> int:
    made = argparse.ArgumentParser(description="Checks that lockbench uses no more and more.")
    made.add_argument("--minutes", type=float, default=30)
    made.add_argument("--threads", type=int, default=512)
    made.add_argument("--keys", type=int, default=1_000_000)
    made.add_argument("lockbench", type=Path)
    given = made.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder) / "temporary"
        temporary.mkdir()
        words = f"run --primitive keyed --primitive striped --threads {given.threads}"
        words += f" --keys {given.keys} --window 1s --blocks 10000 --progress off --out out"
        with subprocess.Popen(
            [str(given.lockbench.resolve()), *words.split()],
            cwd=folder,
            env={**os.environ, "TMPDIR": str(temporary)},
        ) as process:
            samples = samples_of(process, temporary, time.monotonic() + given.minutes * 60)
            process.send_signal(signal.SIGINT)
            code = process.wait()
        left = list(temporary.iterdir())
    if code != 130 or left or len(samples) < 8:
        print(f"ended with {code} after {len(samples)} samples, left {left}", file=sys.stderr)
        return 1
    found = grown(samples)
    print("\n".join(found) or f"nothing grew in {len(samples)} samples")
    return 3 if found else 0


if __name__ == "__main__":
    sys.exit(main())
