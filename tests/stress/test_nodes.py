# SPDX-License-Identifier: Apache-2.0
"""Locks that ask on which processor or NUMA node a thread runs: `sim` moves threads between two."""

from __future__ import annotations

import pytest

from patience import assert_clean, failures_of, reports_of
from program import PLUGINS, Program

PLUGIN = PLUGINS / "nodes.so"


@pytest.mark.parametrize("lock", ["cohort", "cohort_by_call", "cohort_by_library"])
def test_a_lock_that_keeps_the_node_in_mind_is_clean(lockbench: Program, lock: str) -> None:
    assert_clean(lockbench, PLUGIN, lock, "--engine", "sim")


def test_a_thread_that_was_moved_since_it_locked_is_found(lockbench: Program) -> None:
    failed = failures_of(lockbench, PLUGIN, "cohort_asks_again", "--engine", "sim")
    assert failed
    told = [step["text"] for step in next(iter(failed.values()))["steps"]]
    assert any("is told that it runs on processor" in text for text in told), told


# It is no event of C++, so what every interleaving would show is not known.
def test_every_interleaving_is_not_claimed_of_it(lockbench: Program) -> None:
    words = ("--engine", "sim", "--memory", "c11", "--exhaustive", "--program", "L0 U | L0 U")
    (report,) = reports_of(lockbench, PLUGIN, "global:lock=cohort", *words, seconds=2).values()
    assert not any("every interleaving" in one["bound"] for one in report["explored"]), report
    assert any("asks on which processor it runs" in text for text in report["remarks"]), report
