# SPDX-License-Identifier: Apache-2.0
"""The promises of locks about the order of readers and writers, and about a reader's try."""

from __future__ import annotations

import pytest

from patience import assert_clean, failures_of, reports_of
from program import PLUGINS, Program

PLUGIN = PLUGINS / "readers_order.so"
SIM = ("--engine", "sim")


def apart(lock: str) -> str:
    return f"global:lock={lock},readers=apart"


@pytest.mark.parametrize("lock", ["task_fair", "phase_fair", "writers_first"])
def test_a_lock_that_keeps_its_order_is_clean_and_was_asked_for_it(
    lockbench: Program, lock: str
) -> None:
    (report,) = assert_clean(lockbench, PLUGIN, apart(lock), *SIM).values()
    assert report["evaluations"]["fairness"] > 0, report


# Whose turn it was depends on which of two unordered events came first.
def test_every_interleaving_alone_says_nothing_of_the_order(lockbench: Program) -> None:
    program = ("--memory", "c11", "--exhaustive", "--program", "L0 U | L1 U | L2 U")
    looked = reports_of(lockbench, PLUGIN, apart("phase_fair_roll"), *SIM, *program, seconds=2)
    (report,) = looked.values()
    bounds = [one["bound"] for one in report["explored"] if one["whole"]]
    assert report["verdict"] == "failed" or "in every interleaving under c11" in bounds, report
    assert report["verdict"] != "clean", report


@pytest.mark.parametrize(
    ("lock", "why"),
    [
        ("task_fair_joins", "to read before thread 1, which was waiting to write already"),
        ("phase_fair_joins", "to read before thread 1, which was waiting to write already"),
        ("phase_fair_roll", "to write before thread 2, which was waiting to read already"),
        ("writers_last", "to read before thread 1, which was waiting to write already"),
    ],
)
def test_a_lock_that_breaks_it_is_found(lockbench: Program, lock: str, why: str) -> None:
    (report,) = failures_of(lockbench, PLUGIN, apart(lock), *SIM).values()
    assert report["oracle"] == "fairness", report
    assert why in report["what"], report


# Where readers come first of all, no order is promised: a lock() waits twice.
@pytest.mark.parametrize(
    "form",
    [
        "global:lock=task_fair",
        "global:lock=task_fair,objects=several",
        "global:lock=task_fair,readers=apart",
        "striped:lock=task_fair",
    ],
)
def test_each_form_that_keeps_the_promise_was_asked_for_it(lockbench: Program, form: str) -> None:
    report = assert_clean(lockbench, PLUGIN, form, *SIM)[form]
    assert report["evaluations"]["fairness"] > 0, report


def test_a_readers_try_that_fails_beside_readers_is_found(lockbench: Program) -> None:
    assert_clean(lockbench, PLUGIN, apart("tries_beside"), *SIM)
    (report,) = failures_of(lockbench, PLUGIN, apart("tries_alone"), *SIM).values()
    assert report["oracle"] == "model", report
    assert "to read, though no writer held the lock during the call" in report["what"], report
