# SPDX-License-Identifier: Apache-2.0
"""Locks that ask on which processor or NUMA node a thread runs: `sim` moves threads between two."""

from __future__ import annotations

import json
from typing import Any

import pytest

from patience import look_until
from program import PLUGINS, Program

PLUGIN = str(PLUGINS / "nodes.so")


def reports_of(
    lockbench: Program, lock: str, *words: str, budget: str = "2s"
) -> list[dict[str, Any]]:
    done = lockbench.run(
        *("stress", lock, "--plugin", PLUGIN, "--engine", "sim"),
        *("--budget", budget, "--format", "json", *words),
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("lock", ["cohort", "cohort_by_call", "cohort_by_library"])
def test_a_lock_that_keeps_the_node_in_mind_is_clean(lockbench: Program, lock: str) -> None:
    for report in reports_of(lockbench, lock):
        assert report["verdict"] == "clean", report


def test_a_thread_that_was_moved_since_it_locked_is_found(lockbench: Program) -> None:
    failed: list[dict[str, Any]] = []

    def look(seconds: int, seed: int) -> None:
        words = ("--seed", str(seed))
        reports = reports_of(lockbench, "cohort_asks_again", *words, budget=f"{seconds}s")
        failed.extend(report for report in reports if report["verdict"] == "failed")

    look_until(lambda _: bool(failed), look)
    assert failed
    told = [step["text"] for step in failed[0]["steps"]]
    assert any("is told that it runs on processor" in text for text in told), told


# It is no event of C++, so what every interleaving would show is not known.
def test_every_interleaving_is_not_claimed_of_it(lockbench: Program) -> None:
    words = ("--memory", "c11", "--exhaustive", "--program", "L0 U | L0 U")
    (report,) = reports_of(lockbench, "global:lock=cohort", *words)
    assert not any("every interleaving" in one["bound"] for one in report["explored"]), report
    assert any("asks on which processor it runs" in text for text in report["remarks"]), report
