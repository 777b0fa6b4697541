# SPDX-License-Identifier: Apache-2.0
"""Correct locks that a checker easily reports, each beside one that is broken at the same point."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from patience import assert_clean
from program import PLUGINS, Program

PLUGIN = PLUGINS / "easily_misjudged.so"
UNPORTED = PLUGINS / "unported.so"


def look(lockbench: Program, lock: str, *more: str, plugin: Path = PLUGIN) -> tuple[int, str]:
    # The first failure ends it; some of these locks fail late on a busy machine.
    words = ["--plugin", str(plugin), "--engine", "sim", "--budget", "2s", *more]
    done = lockbench.run("stress", lock, *words)
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    "lock",
    [
        *("own_node_last", "combining", "two_sizes", "spins_in_order", "tagged_pool"),
        *("under_two", "under_two_ported", "yielding_try", "aggregate_pool"),
        "polling",
    ],
)
def test_a_correct_lock_is_clean(lockbench: Program, lock: str) -> None:
    assert_clean(lockbench, PLUGIN, lock, "--engine", "sim")


@pytest.mark.parametrize(
    ("lock", "oracle"),
    [
        ("other_node_last", "lifetime"),
        ("combining_all", "residue"),
        ("two_sizes_relaxed", "ordering"),
        ("compiler_unfenced", "ordering"),
        ("aggregate_pool_frees", "lease"),
        ("polling_32_bits", "model"),
        ("polling_half", "model"),
    ],
)
def test_the_broken_lock_beside_it_fails(lockbench: Program, lock: str, oracle: str) -> None:
    code, said = look(lockbench, lock, "--memory", "tso")
    assert code == 3, said
    assert f"oracle {oracle}" in said


@pytest.mark.parametrize(
    ("lock", "what"),
    [
        ("under_two_crossed", "deadlock inside of the lock: threads wait for each other's mutexes"),
        ("under_two_ported_crossed", "threads wait for each other's mutexes in a cycle: thread "),
        ("under_two_twice", "self-deadlock inside of the lock: thread 0 waits for a mutex that it"),
    ],
)
def test_a_cycle_of_mutexes_inside_of_a_lock_is_no_lost_wake_up(
    lockbench: Program, lock: str, what: str
) -> None:
    code, said = look(lockbench, lock)
    assert code == 3, said
    assert "oracle cycle" in said and what in said, said


# The remains of such holders are found first; the cause, in the second after that, nearly always.
def test_a_broken_pool_is_shown_as_two_holders_of_one_lease(lockbench: Program) -> None:
    found = []
    for seed in ("1", "2", "3"):
        code, said = look(lockbench, "untagged_pool", "--memory", "tso", "--seed", seed)
        assert code == 3, said
        found += re.findall(r"oracle (\w+)", said)
    assert "lease" in found, found


# Thousands of calls before the program, each of which yields and returns.
@pytest.mark.parametrize("program", ["D2000 L0 U", "D254 L0 U | T0 U T0 U"])
def test_a_try_that_yields_and_returns_makes_progress(lockbench: Program, program: str) -> None:
    code, said = look(lockbench, "yielding_try", "--program", program)
    assert code != 3, said
    code, said = look(lockbench, "yielding_try_stays", "--program", program)
    assert code == 3, said
    assert "oracle progress" in said or "oracle model" in said


def test_the_steps_of_a_failure_name_lines_of_the_lock(lockbench: Program) -> None:
    _, said = look(lockbench, "polling_half")
    lines = re.findall(r"lock\+0: .*\[(\S+):\d+\]", said)
    assert set(lines) == {"easily_misjudged.cc"}, said


def test_fences_for_the_compiler_order_what_x86_orders_and_nothing_under_c11(
    lockbench: Program,
) -> None:
    code, said = look(lockbench, "compiler_fenced", "--memory", "tso")
    assert code == 0, said
    code, said = look(lockbench, "compiler_fenced", "--memory", "c11")
    assert code == 3, said
    assert "oracle ordering" in said


# The first two fail in executions that data races do not end, and the next two by a free that
# nothing orders, which only those show in which they do.
@pytest.mark.parametrize(
    "lock",
    ["raw_flag_two_steps", "raw_owned_stays", "raw_quiet_late", "raw_replaced_plain"],
)
def test_the_command_of_a_failure_shows_the_same_failure(lockbench: Program, lock: str) -> None:
    code, said = look(lockbench, lock, plugin=UNPORTED)
    assert code == 3, said
    assert "It happens each time:" in said
    (command,) = re.findall(r"\n    lockbench (stress .*)\n", said)
    again = lockbench.run(*shlex.split(command))
    assert again.returncode == 3, again.stdout + again.stderr
    oracle = re.compile(r"oracle (\w+)")
    assert oracle.findall(again.stdout)[0] == oracle.findall(said)[0]


def test_a_program_that_no_lock_could_serve_is_refused(lockbench: Program) -> None:
    words = ["--program", "L0 A1 U | L0 U", "--engine", "sim", "--budget", "1s"]
    done = lockbench.run("stress", "global", *words)
    assert done.returncode == 2
    assert "thread 1 may wait for key 0 for ever: thread 0 holds key 0" in done.stderr
