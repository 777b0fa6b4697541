# SPDX-License-Identifier: Apache-2.0
"""What `stress` says of the locks of a plug-in, and how long to look for it.

Real threads meet when the scheduler lets them, and some checks need all threads of an epoch to have
been seen waiting. So a test looks for a short time, which suffices on a quiet machine; before it
fails, it looks again, with another seed and more time. What has to be seen stays the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from program import Program

from tiers import LONG

Seen = TypeVar("Seen")
Reports = dict[str, dict[str, Any]]  # by the form of the lock, in the order of the output

LOOKS_S = (2.0, 4.0, 8.0, 16.0, 30.0) if LONG else (0.4, 2.0, 8.0, 30.0)


def look_until(enough: Callable[[Seen], bool], look: Callable[[float, int], Seen]) -> Seen:
    """The first result of `look(seconds, seed)` that is enough; else the last one."""
    for seed, seconds in enumerate(LOOKS_S, start=1):
        seen = look(seconds, seed)
        if enough(seen):
            break
    return seen


def reports_of(
    lockbench: Program, plugin: Path, lock: str, *words: str, seconds: float, seed: int = 1
) -> Reports:
    """One look at the lock and its forms. `words`: more options of `stress`."""
    done = lockbench.run(
        *("stress", lock, "--plugin", str(plugin), "--budget", f"{seconds}s"),
        *("--seed", str(seed), "--format", "json", *words),
    )
    assert done.returncode in (0, 3, 4, 5), done.stderr
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    return {report["lock"]: report for report in reports}


def reports_of_correct(lockbench: Program, plugin: Path, lock: str, *words: str) -> Reports:
    """The reports once each oracle was asked, which a clean verdict wants, or one failed."""
    return look_until(
        lambda reports: all(one["verdict"] != "inconclusive" for one in reports.values()),
        lambda seconds, seed: reports_of(
            lockbench, plugin, lock, *words, seconds=seconds, seed=seed
        ),
    )


def assert_clean(lockbench: Program, plugin: Path, lock: str, *words: str) -> Reports:
    """The lock is clean in each of its forms."""
    reports = reports_of_correct(lockbench, plugin, lock, *words)
    assert reports and {one["verdict"] for one in reports.values()} == {"clean"}, reports
    return reports


def failures_of(
    lockbench: Program,
    plugin: Path,
    lock: str,
    *words: str,
    enough: Callable[[Reports], bool] = bool,
) -> Reports:
    """The reports of the forms that failed in a look, once they are `enough`: without it, one."""

    def look(seconds: float, seed: int) -> Reports:
        reports = reports_of(lockbench, plugin, lock, *words, seconds=seconds, seed=seed)
        return {form: one for form, one in reports.items() if one["verdict"] == "failed"}

    return look_until(enough, look)
