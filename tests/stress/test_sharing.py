# SPDX-License-Identifier: Apache-2.0
"""Locks with shared holds: the form that reads before it writes finds what holds alone do not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from patience import look_until
from program import PLUGINS, Program

SHARING = str(PLUGINS / "sharing.so")


def reports_of(
    lockbench: Program, lock: str, *words: str, budget: str = "2s"
) -> Mapping[str, Mapping[str, Any]]:
    done = lockbench.run(
        *("stress", lock, "--plugin", SHARING, "--budget", budget, "--format", "json", *words)
    )
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    return {report["lock"]: report for report in reports}


SOUND = ["shared_word", "shared_tickets", "shared_timed", "shared_rows", "shared_names_string"]


@pytest.mark.parametrize("engine", ["sim", "real"])
@pytest.mark.parametrize("lock", SOUND)
def test_a_correct_lock_is_clean_in_all_forms(lockbench: Program, lock: str, engine: str) -> None:
    reports = reports_of(lockbench, lock, "--engine", engine)
    forms = {name.partition("readers=")[2] for name in reports}
    # Names are no numbers, of which the form `apart` has one for the writers.
    assert forms == ({"", "first"} if lock.endswith("_string") else {"", "first", "apart"})
    for report in reports.values():
        assert report["verdict"] == "clean", report


FAULTS = {
    "shared_reader_enters": ("exclusion", "sim real"),
    "shared_writer_enters": ("exclusion", "sim real"),
    "shared_relaxed": ("ordering", "sim"),  # x86 orders it
    "shared_rows_reader_enters": ("exclusion", "sim real"),
    "shared_names_reader_enters_string": ("exclusion", "sim real"),
}


def failures_of(
    lockbench: Program, lock: str, engine: str, seconds: int, seed: int
) -> Mapping[str, Mapping[str, Any]]:
    words = ("--engine", engine, "--seed", str(seed))
    reports = reports_of(lockbench, lock, *words, budget=f"{seconds}s")
    return {name: one for name, one in reports.items() if one["verdict"] == "failed"}


@pytest.mark.parametrize("lock", FAULTS)
def test_a_fault_of_shared_holds_is_found(lockbench: Program, lock: str) -> None:
    oracle, engines = FAULTS[lock]
    for engine in engines.split():
        failed = look_until(
            lambda seen: any(name.endswith("readers=first") for name in seen),
            lambda seconds, seed: failures_of(lockbench, lock, engine, seconds, seed),
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
    report = reports_of(lockbench, form, *words, budget="20s")[form]
    assert report["verdict"] == "clean", report
    (explored,) = report["explored"]
    assert explored["whole"], report
    assert explored["bound"] == "in every interleaving under c11", report


@pytest.mark.parametrize("engine", ["sim", "real"])
def test_a_lock_whose_readers_become_writers_has_a_form_for_it(
    lockbench: Program, engine: str
) -> None:
    reports = reports_of(lockbench, "changing", "--engine", engine, budget="4s")
    forms = [name.partition("readers=")[2] for name in reports]
    assert forms.count("upgraded") == 1, reports
    for report in reports.values():
        assert report["verdict"] == "clean", report


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
        failed = look_until(
            lambda seen: bool(seen),
            lambda seconds, seed: failures_of(lockbench, lock, engine, seconds, seed),
        )
        assert list(failed) == [f"global:lock={lock},readers=upgraded"], failed
        assert {one["oracle"] for one in failed.values()} == {oracle}, failed


def test_readers_that_bring_a_node_are_seen(lockbench: Program) -> None:
    failed = failures_of(lockbench, "shared_tickets_leave_early", "sim", 2, 1)
    assert any(name.endswith("readers=apart") for name in failed), failed
    assert all("readers=" in name for name in failed), failed


def test_a_program_is_for_the_form_that_is_named(lockbench: Program) -> None:
    program = ("--engine", "sim", "--program", "L0 U | W0:1000 U")
    assert list(reports_of(lockbench, "shared_timed", *program)) == ["global:lock=shared_timed"]
    form = "global:lock=shared_timed,readers=first"
    assert list(reports_of(lockbench, form, *program)) == [form]


def test_only_who_can_read_with_a_timeout_reads_first_with_one(lockbench: Program) -> None:
    program = ("--engine", "sim", "--program", "W0:1000 U")
    form = "global:lock=shared_timed_writers,readers=first"
    done = lockbench.run("stress", form, "--plugin", SHARING, *program)
    assert done.returncode == 2, done.stdout
    assert f"program `W0:1000 U`, of `{form}`: W needs timeouts" in done.stderr
