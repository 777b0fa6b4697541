# SPDX-License-Identifier: Apache-2.0
"""Locks with shared holds: the form that reads before it writes finds what holds alone do not."""

from __future__ import annotations

import pytest

from patience import assert_clean, failures_of, reports_of
from program import PLUGINS, Program

SHARING = PLUGINS / "sharing.so"


SOUND = ["shared_word", "shared_tickets", "shared_timed", "shared_rows", "shared_names_string"]


@pytest.mark.parametrize("engine", ["sim", "real"])
@pytest.mark.parametrize("lock", SOUND)
def test_a_correct_lock_is_clean_in_all_forms(lockbench: Program, lock: str, engine: str) -> None:
    reports = assert_clean(lockbench, SHARING, lock, "--engine", engine)
    forms = {name.partition("readers=")[2] for name in reports}
    # Names are no numbers, of which the form `apart` has one for the writers.
    assert forms == ({"", "first"} if lock.endswith("_string") else {"", "first", "apart"})


FAULTS = {
    "shared_reader_enters": ("exclusion", "sim real"),
    "shared_writer_enters": ("exclusion", "sim real"),
    "shared_relaxed": ("ordering", "sim"),  # x86 orders it
    "shared_rows_reader_enters": ("exclusion", "sim real"),
    "shared_names_reader_enters_string": ("exclusion", "sim real"),
}


@pytest.mark.parametrize("lock", FAULTS)
def test_a_fault_of_shared_holds_is_found(lockbench: Program, lock: str) -> None:
    oracle, engines = FAULTS[lock]
    for engine in engines.split():
        failed = failures_of(
            *(lockbench, SHARING, lock, "--engine", engine),
            enough=lambda seen: any(name.endswith("readers=first") for name in seen),
        )
        assert any(name.endswith("readers=first") for name in failed), failed
        assert all("readers=" in name for name in failed), failed
        assert {one["oracle"] for one in failed.values()} == {oracle}, failed


def test_readers_and_a_writer_are_explored_in_every_interleaving(lockbench: Program) -> None:
    form = "global:lock=shared_tickets,readers=apart"
    words = (
        "--engine",
        "sim",
        "--memory",
        "c11",
        "--exhaustive",
        "--program",
        "L0 U | L1 U | L2 U",
    )
    report = reports_of(lockbench, SHARING, form, *words, seconds=20)[form]
    assert report["verdict"] == "clean", report
    (explored,) = report["explored"]
    assert explored["whole"], report
    assert explored["bound"] == "in every interleaving under c11", report


@pytest.mark.parametrize("engine", ["sim", "real"])
def test_a_lock_whose_readers_become_writers_has_a_form_for_it(
    lockbench: Program, engine: str
) -> None:
    reports = assert_clean(lockbench, SHARING, "changing", "--engine", engine)
    forms = [name.partition("readers=")[2] for name in reports]
    assert forms.count("upgraded") == 1, reports


@pytest.mark.parametrize(
    ("lock", "oracle"),
    [
        ("changing_lets_go", "exclusion"),
        ("changing_two", "exclusion"),
        ("changing_lets_go_at_the_end", "exclusion"),
        ("changing_keeps", "progress"),
    ],
)
def test_a_fault_of_becoming_a_writer_is_found_in_that_form(
    lockbench: Program, lock: str, oracle: str
) -> None:
    for engine in ("sim", "real"):
        failed = failures_of(lockbench, SHARING, lock, "--engine", engine)
        assert list(failed) == [f"global:lock={lock},readers=upgraded"], failed
        assert {one["oracle"] for one in failed.values()} == {oracle}, failed


def test_readers_that_bring_a_node_are_seen(lockbench: Program) -> None:
    failed = failures_of(lockbench, SHARING, "shared_tickets_leave_early", "--engine", "sim")
    assert any(name.endswith("readers=apart") for name in failed), failed
    assert all("readers=" in name for name in failed), failed


def test_a_program_is_for_the_form_that_is_named(lockbench: Program) -> None:
    program = ("--engine", "sim", "--program", "L0 U | W0:1000 U")
    looked = reports_of(lockbench, SHARING, "shared_timed", *program, seconds=0.4)
    assert list(looked) == ["global:lock=shared_timed"]
    form = "global:lock=shared_timed,readers=first"
    assert list(reports_of(lockbench, SHARING, form, *program, seconds=0.4)) == [form]


def test_only_who_can_read_with_a_timeout_reads_first_with_one(lockbench: Program) -> None:
    program = ("--engine", "sim", "--program", "W0:1000 U")
    form = "global:lock=shared_timed_writers,readers=first"
    done = lockbench.run("stress", form, "--plugin", str(SHARING), *program)
    assert done.returncode == 2, done.stdout
    assert f"program `W0:1000 U`, of `{form}`: W needs timeouts" in done.stderr
