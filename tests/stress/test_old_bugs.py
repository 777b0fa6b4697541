# SPDX-License-Identifier: Apache-2.0
"""Algorithms as they were published first are found, and are clean as they were corrected."""

from __future__ import annotations

import pytest

from patience import assert_clean, failures_of
from program import PLUGINS, Program

PLUGIN = PLUGINS / "old_bugs.so"


@pytest.mark.parametrize("lock", ["fair_queue", "grouped"])
def test_as_it_was_corrected_it_is_clean(lockbench: Program, lock: str) -> None:
    assert_clean(lockbench, PLUGIN, lock, "--engine", "sim")


# The second one is found in 17 of 20 runs of ten seconds; with this program, in each.
FOUR_IN_A_HURRY = ("--memory", "c11", "--program", "M16 L0 U | L0 U | L0 U | L0 U")


@pytest.mark.parametrize(
    ("lock", "words", "oracles"),
    [
        ("fair_queue_printed", (), {"exclusion", "ordering"}),
        ("grouped_25847", FOUR_IN_A_HURRY, {"progress"}),
    ],
)
def test_as_it_was_published_it_fails(
    lockbench: Program, lock: str, words: tuple[str, ...], oracles: set[str]
) -> None:
    failed = failures_of(lockbench, PLUGIN, lock, "--engine", "sim", *words)
    assert failed and {one["oracle"] for one in failed.values()} <= oracles, failed
