# SPDX-License-Identifier: Apache-2.0
"""Kinds of cores: what threads on the slowest kind of core got beside those on the fastest. Pure.

Only of rows whose threads were bound to several kinds. A lock may serve both alike, or let the slow
cores starve; and a hold on a slow core makes all wait.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis import cells, units
from analysis.loader import Run

_COUNT = re.compile(r"(\w+) (\d+)")
_FIGURES = ["slow_operations_share", "fast_wait_p99_ns", "slow_wait_p99_ns"]


def percent(share: float) -> str:
    """0.123 -> 12 %."""
    return f"{100 * share:.0f} %"


@dataclass(frozen=True)
class Shares:
    """A primitive in a group of cells: medians of its valid rows."""

    group: str
    primitive: str
    threads: str  # `fast 2, slow 1`: the fastest kind first
    slow_share: float  # of the operations
    equal_share: float  # what it would be if each thread had completed as many
    fast_p99_ns: float | None  # None: no wait was timed
    slow_p99_ns: float | None

    @property
    def of_equal(self) -> float:
        """The work of a thread on a slow core, as a part of an equal share."""
        return self.slow_share / self.equal_share

    def words(self) -> str:
        said = (
            f"{self.primitive}: the {self._kinds[-1]} cores had {percent(self.slow_share)} of the"
            f" operations, where an equal share is {percent(self.equal_share)}"
        )
        if self.fast_p99_ns is None or self.slow_p99_ns is None:
            return said
        slow, fast = units.nanoseconds(self.slow_p99_ns), units.nanoseconds(self.fast_p99_ns)
        return f"{said}, and a p99 wait of {slow}, against {fast} on the {self._kinds[0]} ones"

    @property
    def _kinds(self) -> list[str]:
        return [name for name, _ in _COUNT.findall(self.threads)]

    def record(self) -> dict[str, Any]:
        return {**self.__dict__, "of_equal": self.of_equal}


def of(run: Run) -> list[Shares]:
    """By group in the order of the plan; the primitive that serves slow cores worst comes first."""
    rows = run.valid[run.valid["slow_operations_share"].notna()]
    found = []
    for group in cells.groups(rows):
        own = [_shares(group, str(label), its) for label, its in group.rows.groupby("label")]
        found += sorted(own, key=lambda one: one.of_equal)
    return found


def _shares(group: cells.Group, label: str, rows: pd.DataFrame) -> Shares:
    share, fast, slow = (rows[name].median() for name in _FIGURES)
    threads = str(rows["threads_by_kind"].iloc[0])
    return Shares(
        group=cells.describe(group.key),
        primitive=label,
        threads=threads,
        slow_share=float(share),
        equal_share=_share_of_last(threads),
        fast_p99_ns=None if pd.isna(fast) else float(fast),
        slow_p99_ns=None if pd.isna(slow) else float(slow),
    )


def _share_of_last(threads: str) -> float:
    """A third for `fast 2, slow 1`."""
    counts = [int(count) for _, count in _COUNT.findall(threads)]
    return counts[-1] / sum(counts)
