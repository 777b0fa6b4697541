# SPDX-License-Identifier: Apache-2.0
"""The state that a class keeps outside of its objects: found where a program has several objects of
it, or one where another one was."""

from __future__ import annotations

import pytest

from patience import assert_clean, failures_of, reports_of
from program import PLUGINS, Program

PLUGIN = PLUGINS / "several_objects.so"
FORM = "objects=several"


@pytest.mark.parametrize("engine", ["sim", "real"])
@pytest.mark.parametrize(
    "lock", ["depth_of_object", "node_for_each", "bed_wakes_all", "known_by_number"]
)
def test_a_correct_lock_is_clean_in_both_forms(lockbench: Program, lock: str, engine: str) -> None:
    reports = assert_clean(lockbench, PLUGIN, lock, "--engine", engine)
    assert [name.endswith(FORM) for name in reports] == [False, True], reports


@pytest.mark.parametrize(
    ("lock", "oracles"),
    [
        ("depth_of_thread", ["exclusion"]),
        ("node_for_all", ["progress", "cycle", "exclusion", "residue"]),
        ("bed_wakes_one", ["progress", "independence"]),
        ("known_by_address", ["progress"]),
    ],
)
def test_the_broken_lock_beside_it_fails_in_one(
    lockbench: Program, lock: str, oracles: list[str]
) -> None:
    failed = failures_of(lockbench, PLUGIN, lock, "--engine", "sim")
    assert [name.endswith(FORM) for name in failed] == [True], failed
    (report,) = failed.values()
    assert report["oracle"] in oracles, report


def test_a_thread_that_takes_a_new_lock_for_the_old_one_shows_where_it_was_made(
    lockbench: Program,
) -> None:
    words = ["--engine", "sim", "--program", "L0 U Z L0 R4000000 U | L0 U Z L0 U"]
    (broken,) = failures_of(lockbench, PLUGIN, "known_by_address", *words).values()
    assert broken["oracle"] == "progress", broken
    for engine in ("sim", "real"):
        words[1] = engine
        assert_clean(lockbench, PLUGIN, "known_by_number", *words)


# Its programs have more keys than their acts name. Of the broken one, two of these share a lock,
# which one object shows, and not one object for each key.
@pytest.mark.parametrize("engine", ["sim", "real"])
def test_a_lock_has_an_object_for_each_key_of_a_program(lockbench: Program, engine: str) -> None:
    for lock in ("small_table", f"small_table:{FORM}"):
        words = ["--engine", engine, "--program", "N15 L0 U | L0 U"]
        (report,) = reports_of(lockbench, PLUGIN, lock, *words, seconds=0.4).values()
        assert report["lock"] == lock and report["verdict"] != "failed", report
        words[3] = "N16 L0 U | L0 U"
        done = lockbench.run("stress", lock, "--plugin", str(PLUGIN), *words)
        assert done.returncode == 2, done.stdout + done.stderr
    failed = failures_of(lockbench, PLUGIN, "small_table_short", "--engine", engine)
    assert list(failed) == ["small_table_short"], failed


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("L0 Z U | Z", "has a Z while it holds a key; let the U come before it"),
        ("L0 U Z | L0 U", "thread 1: has another number of Z than thread 0"),
        ("Z A1 | Z", "leave out A and X"),
    ],
)
def test_a_program_whose_threads_would_not_meet_is_refused(
    lockbench: Program, program: str, why: str
) -> None:
    words = ["--plugin", str(PLUGIN), "--engine", "sim", "--program", program, "--budget", "1s"]
    done = lockbench.run("stress", "known_by_number", *words)
    assert done.returncode == 2, done.stdout
    assert why in done.stderr
