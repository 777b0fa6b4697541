# SPDX-License-Identifier: Apache-2.0
"""Counts that are too narrow: native threads read or sleep as a crowd, and hold a lock a million
times."""

from __future__ import annotations

import pytest

from patience import assert_clean, failures_of
from program import PLUGINS, Program

PLUGIN = PLUGINS / "widths.so"


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
    failed = failures_of(lockbench, PLUGIN, lock, "--engine", "real")
    assert failed and {report["oracle"] for report in failed.values()} <= set(oracles), failed
    assert all(what in report["what"] for report in failed.values()), failed


@pytest.mark.parametrize(
    "lock",
    [
        "global:lock=readers_in_16_bits,readers=apart",
        "global:lock=holds_in_40_bits",
        "global:lock=sleepers_in_16_bits",
    ],
)
def test_a_count_that_is_wide_enough_is_clean(lockbench: Program, lock: str) -> None:
    assert_clean(lockbench, PLUGIN, lock, "--engine", "real")
