# SPDX-License-Identifier: Apache-2.0
"""Counts that are too narrow: native threads read or sleep as a crowd, and hold a lock a million
times."""

from __future__ import annotations

import json
from typing import Any

import pytest

from patience import look_until
from program import PLUGINS, Program

PLUGIN = str(PLUGINS / "widths.so")


def reports_of(lockbench: Program, lock: str, seconds: int, seed: int) -> list[dict[str, Any]]:
    words = ["--engine", "real", "--budget", f"{seconds}s", "--seed", str(seed)]
    done = lockbench.run("stress", lock, "--plugin", PLUGIN, "--format", "json", *words)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("lock", "oracles", "what"),
    [
        (
            "global:lock=readers_in_8_bits,readers=apart",
            ["exclusion"],
            "a try_lock() acquired the lock to write while 256 threads read",
        ),
        ("holds_in_20_bits", ["model", "progress", "residue"], ""),
        ("sleepers_in_5_bits", ["progress"], ""),
    ],
)
def test_a_narrow_count_is_found(
    lockbench: Program, lock: str, oracles: list[str], what: str
) -> None:
    reports = look_until(
        lambda seen: any(report["verdict"] == "failed" for report in seen),
        lambda seconds, seed: reports_of(lockbench, lock, seconds, seed),
    )
    failed = [report for report in reports if report["verdict"] == "failed"]
    assert failed and {report["oracle"] for report in failed} <= set(oracles), reports
    assert all(what in report["what"] for report in failed), failed


@pytest.mark.parametrize(
    "lock",
    [
        "global:lock=readers_in_16_bits,readers=apart",
        "global:lock=holds_in_40_bits",
        "global:lock=sleepers_in_16_bits",
    ],
)
def test_a_count_that_is_wide_enough_is_clean(lockbench: Program, lock: str) -> None:
    for report in reports_of(lockbench, lock, 4, 1):
        assert report["verdict"] == "clean", report
