# SPDX-License-Identifier: Apache-2.0
"""Algorithms as they were published first are found, and are clean as they were corrected."""

from __future__ import annotations

import json
from typing import Any

import pytest

from patience import look_until
from program import PLUGINS, Program

PLUGIN = str(PLUGINS / "old_bugs.so")


def reports_of(lockbench: Program, lock: str, *words: str) -> list[dict[str, Any]]:
    done = lockbench.run(
        *("stress", lock, "--plugin", PLUGIN, "--engine", "sim", "--format", "json", *words)
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("lock", ["fair_queue", "grouped"])
def test_as_it_was_corrected_it_is_clean(lockbench: Program, lock: str) -> None:
    for report in reports_of(lockbench, lock, "--budget", "4s"):
        assert report["verdict"] == "clean", report


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
    failed: list[str] = []

    def look(seconds: int, seed: int) -> None:
        budget = ("--budget", f"{seconds}s", "--seed", str(seed))
        for report in reports_of(lockbench, lock, *words, *budget):
            if report["verdict"] == "failed":
                failed.append(report["oracle"])

    look_until(lambda _: bool(failed), look)
    assert failed and set(failed) <= oracles, failed
