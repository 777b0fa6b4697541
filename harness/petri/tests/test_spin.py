# SPDX-License-Identifier: Apache-2.0
"""SPIN finds the same verdicts and the same numbers of states in the exported nets."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from tiers import rest_long

BINARY = Path(os.environ.get("LOCKBENCH_BINARY", "build/release/lockbench")).resolve()

CORRECT = [
    "none",
    "global",
    "keyed",
    "keyed --threads 4 --keys 3",
    "keyed --nested",
    "striped",
    "striped --nested",
    "striped --nested --stripes 1",
    "reentrant --depth 3",
    "lease --threads 4",
    "random_mutexes_as_published",
    "file",
    "timed_hold",
    "test_then_set",
]
DEADLOCKED = [
    "keyed --nested --order opposite",
    "striped --nested --order opposite",
    "striped --nested --order twice --stripes 1",
    "lease --threads 3 --leases 3 --nested",
    "lease --threads 4 --leases 2 --nested",
    "random_mutexes_as_published --nested",
    "global --nested",
    "file_as_published",
]


def model(flags: str, *more: str) -> str:
    """The result for a model, without symmetry reduction."""
    words = [str(BINARY), "model", *flags.split(), "--no-symmetry", *more]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 3) and done.stderr == "", done.stderr
    return done.stdout


def markings_of(summary: str) -> int:
    match = re.search(r"^States +([\d,]+) explored: complete$", summary, re.MULTILINE)
    assert match, summary
    return int(match[1].replace(",", ""))


def dead_of(summary: str) -> int:
    match = re.search(r"^Deadlocks +([\d,]+); the first", summary, re.MULTILINE)
    return int(match[1].replace(",", "")) if match else 0


def spin(folder: Path, name: str) -> tuple[int, int]:
    """Stored states and invalid end states, as SPIN counts them."""

    def run(*words: str) -> str:
        done = subprocess.run(
            words, cwd=folder, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("spin", "-a", name)
    run("gcc", "-O1", "-w", "-DSAFETY", "-DNOREDUCE", "-DVECTORSZ=4096", "-o", "pan", "pan.c")
    said = run("./pan", "-m1000000", "-c0", "-n")
    assert "max search depth too small" not in said
    states = re.search(r"^ *([\d.e+]+) states, stored", said, re.MULTILINE)
    errors = re.search(r"errors: (\d+)", said)
    assert states and errors, said
    return int(float(states[1])), int(errors[1])


@pytest.mark.parametrize("flags", rest_long(CORRECT, 1) + rest_long(DEADLOCKED, 1))
def test_spin_agrees(tmp_path: Path, flags: str) -> None:
    summary = model(flags, "--promela", str(tmp_path / "net.pml"))
    states, errors = spin(tmp_path, "net.pml")
    assert states == markings_of(summary)
    assert errors == dead_of(summary)
    assert (errors > 0) == (flags in DEADLOCKED)
