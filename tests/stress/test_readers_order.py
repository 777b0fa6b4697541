# SPDX-License-Identifier: Apache-2.0
"""The promises of locks about the order of readers and writers, and about a reader's try."""

from __future__ import annotations

import json
from typing import Any

import pytest

from program import PLUGINS, Program

PLUGIN = str(PLUGINS / "readers_order.so")


def report_of(lockbench: Program, lock: str) -> dict[str, Any]:
    form = f"global:lock={lock},readers=apart"
    done = lockbench.run(
        *("stress", form, "--plugin", PLUGIN, "--engine", "sim", "--budget", "2s"),
        *("--format", "json"),
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("lock", ["task_fair", "phase_fair", "writers_first"])
def test_a_lock_that_keeps_its_order_is_clean_and_was_asked_for_it(
    lockbench: Program, lock: str
) -> None:
    report = report_of(lockbench, lock)
    assert report["verdict"] == "clean", report
    assert report["evaluations"]["fairness"] > 0, report


# Whose turn it was depends on which of two unordered events came first.
def test_every_interleaving_alone_says_nothing_of_the_order(lockbench: Program) -> None:
    done = lockbench.run(
        *("stress", "global:lock=phase_fair_roll,readers=apart", "--plugin", PLUGIN),
        *("--engine", "sim", "--memory", "c11", "--budget", "2s", "--format", "json"),
        *("--exhaustive", "--program", "L0 U | L1 U | L2 U"),
    )
    report = json.loads(done.stdout)
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
    report = report_of(lockbench, lock)
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
    words = ["--plugin", PLUGIN, "--engine", "sim", "--budget", "2s", "--format", "json"]
    report = json.loads(lockbench.run("stress", form, *words).stdout.splitlines()[0])
    assert (report["lock"], report["verdict"]) == (form, "clean"), report
    assert report["evaluations"]["fairness"] > 0, report


def test_a_readers_try_that_fails_beside_readers_is_found(lockbench: Program) -> None:
    assert report_of(lockbench, "tries_beside")["verdict"] == "clean"
    report = report_of(lockbench, "tries_alone")
    assert report["oracle"] == "model", report
    assert "to read, though no writer held the lock during the call" in report["what"], report
