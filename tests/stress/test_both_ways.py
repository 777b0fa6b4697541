# SPDX-License-Identifier: Apache-2.0
"""Our locks and the broken ones have one verdict: on the simulated platform, and instrumented."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

BUILD = Path(os.environ.get("LOCKBENCH_BUILD", "build/release")).resolve()
FOLDER = BUILD / "tests" / "mutants"

pytestmark = pytest.mark.skipif(
    not (FOLDER / "some_as_they_are.sim.so").exists(), reason="wants the build with its tests"
)

# Not compared, with the reason.
ONE_WAY = {
    "flags": "has a flag for each thread by its number, which native threads have not",
}
# These need hundreds of holds or thousands of polls in one execution, so they have more time.
LONG_WAY = ["ticket_serves_16", "refusals_8_bits", "spin_gives_up", "told_leases_tells_no_other"]
LONG_WAY_S = dict.fromkeys(LONG_WAY, 4.0)


# The order to an engine, beside what a test says.
ORDER: dict[str, object] = {
    "seed": 1,
    "program": "",
    "schedule": "",
    "weaken": False,
    "exhaustive": False,
    "preemptions": 3,
    "mode": "",
    "faults": "",
    "network": "",
    "ignore_tokens": False,
    "threads": 4,
    "reruns": 10,
    "net": "",
}
SHIPPED = (BUILD / "lockbench-sim",)
MUTANTS = (BUILD / "lockbench-sim-mutants",)
SOME = (BUILD / "lockbench-sim", "--plugin", FOLDER / "some_as_they_are.sim.so")
ALL = (BUILD / "lockbench-sim", "--plugin", FOLDER / "as_they_are.sim.so")


@pytest.fixture(scope="module")
def every_lock() -> tuple[str | Path, ...]:
    """The engine with all of them, instrumented."""
    subprocess.run(["cmake", "--build", BUILD, "--target", "as_they_are"], check=True)
    return ALL


def engine(*words: str | Path, order: dict[str, object] | None = None) -> tuple[int, str, str]:
    done = subprocess.run(
        [str(word) for word in words],
        input=json.dumps(order) if order else "",
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def names(*words: str | Path) -> list[str]:
    """The names of the locks that an engine knows; none where it was not built."""
    if not Path(words[0]).exists():
        return []
    return [line.partition("\t")[0] for line in engine(*words, "list")[1].splitlines()]


def verdict(words: tuple[str | Path, ...], lock: str, memory: str, seconds: float) -> str:
    order = {**ORDER, "lock": lock, "budget_ns": int(seconds * 1e9), "memory": memory}
    code, out, err = engine(*words, order=order)
    if code < 0:
        return "failed"  # a lock that takes the engine with it, as `lockbench stress` has it
    assert code == 0, err
    report: dict[str, Any] = json.loads(out.splitlines()[-1])
    return str(report["verdict"])


def agree(
    words: tuple[str | Path, ...],
    instrumented: tuple[str | Path, ...],
    lock: str,
    memory: str,
    seconds: float,
) -> None:
    simulated = verdict(words, lock, memory, seconds)
    # Its plain accesses are steps, too: as many executions take longer.
    other = verdict(instrumented, lock, memory, 4 * seconds)
    assert (lock, other) == (lock, simulated)


# `reentrant`: each simulated thread has an identity of its own there, too.
@pytest.mark.parametrize("lock", ["keyed", "parking", "reentrant"])
def test_a_shipped_lock_has_one_verdict(lock: str) -> None:
    agree(SHIPPED, SOME, lock, "tso", 0.1)


@pytest.mark.long
def test_all_locks_are_instrumented(every_lock: tuple[str | Path, ...]) -> None:
    assert sorted(names(*every_lock)) == sorted(names(*SHIPPED) + names(*MUTANTS))


@pytest.mark.long
@pytest.mark.parametrize("lock", names(*SHIPPED))
@pytest.mark.parametrize("memory", ["tso", "c11"])
def test_each_shipped_lock_has_one_verdict(
    every_lock: tuple[str | Path, ...], lock: str, memory: str
) -> None:
    agree(SHIPPED, every_lock, lock, memory, 1)


@pytest.mark.long
@pytest.mark.parametrize("lock", [name for name in names(*MUTANTS) if name not in ONE_WAY])
def test_each_mutant_has_one_verdict(every_lock: tuple[str | Path, ...], lock: str) -> None:
    agree(MUTANTS, every_lock, lock, "", LONG_WAY_S.get(lock, 1.0))
