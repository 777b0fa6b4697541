# SPDX-License-Identifier: Apache-2.0
"""Kinds of cores: what threads on the slowest kind of core got beside those on the fastest. Pure.

Only of rows whose threads were bound to several kinds. A lock may serve both alike, or let the slow
cores starve; and a hold on a slow core makes all wait. The interval of a share is that of
sequential.py over its blocks, corrected for all shares of the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis import cells, sequential, units
from analysis.loader import Run

_COUNT = re.compile(r"(\w+) (\d+)")
_LEAST_SHARE = 1e-6  # a share of nothing has no logarithm


def percent(share: float) -> str:
    """0.123 -> 12 %."""
    return f"{100 * share:.0f} %"


def median(figures: pd.Series) -> float | None:
    """None if none is known."""
    return None if figures.isna().all() else float(figures.median())


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
    of_equal_low: float | None = None  # the interval of `of_equal`; None below 3 blocks
    of_equal_high: float | None = None

    @property
    def significantly_less(self) -> bool:
        """True if the blocks bear out that slow cores got less than an equal share."""
        return self.of_equal_high is not None and self.of_equal_high < 1

    @property
    def of_equal(self) -> float:
        """The work of a thread on a slow core, as a part of an equal share."""
        return self.slow_share / self.equal_share

    def words(self) -> str:
        kinds = kinds_of(self.threads)
        said = (
            f"{self.primitive}: the {kinds[-1]} cores had {percent(self.slow_share)} of the"
            f" operations, where an equal share is {percent(self.equal_share)}"
        )
        if self.fast_p99_ns is None or self.slow_p99_ns is None:
            return said
        slow, fast = units.nanoseconds(self.slow_p99_ns), units.nanoseconds(self.fast_p99_ns)
        return f"{said}, and a p99 wait of {slow}, against {fast} on the {kinds[0]} ones"

    def record(self) -> dict[str, Any]:
        return {**self.__dict__, "of_equal": self.of_equal}


def of(run: Run) -> list[Shares]:
    """By group in the order of the plan; the primitive that serves slow cores worst comes first."""
    rows = run.valid[run.valid["slow_operations_share"].notna()]
    groups = cells.groups(rows)
    own = [(index, group, *one) for index, group in enumerate(groups) for one in _by_label(group)]
    ends = _intervals([its for *_, its in own])
    found = [
        (index, _shares(group, str(label), its, *interval))
        for (index, group, label, its), interval in zip(own, ends)
    ]
    return [one for _, one in sorted(found, key=lambda pair: (pair[0], pair[1].of_equal))]


def equal_share(threads: str) -> float:
    """The slowest kind's share of the operations if all threads did as many: a third for `fast 2,
    slow 1`."""
    counts = list(counts_of(threads).values())
    return counts[-1] / sum(counts)


def counts_of(threads: str) -> dict[str, int]:
    """The threads on each kind of core, the fastest first, of `fast 2, slow 1`."""
    return {name: int(count) for name, count in _COUNT.findall(threads)}


def kinds_of(threads: str) -> list[str]:
    """`fast` and `slow` for `fast 2, slow 1`."""
    return list(counts_of(threads))


def of_threads(rows: pd.DataFrame) -> str:
    """The threads of a cell on each kind of core, as `fast 2, slow 1`; empty: there is one kind, or
    they were not bound."""
    found = rows["threads_by_kind"].dropna()
    return str(found.iloc[0]) if len(found) else ""


def where(threads: str) -> str:
    """The sentence for `fast 2, slow 1`; empty if nothing is known."""
    counts = counts_of(threads)
    if not counts:
        return ""
    if len(counts) == 1:
        return f"All threads ran on {next(iter(counts))} cores."
    parts = [f"{count} on {kind} ones" for kind, count in counts.items()]
    return f"The threads ran on several kinds of cores: {', '.join(parts)}."


def unbound(run: Run) -> str:
    """The note on threads that were not bound though the usable cores are of several kinds; empty:
    there are none."""
    kinds = run.meta.get("machine", {}).get("core_kinds", [])
    usable = [one for one in kinds if one.get("usable_threads", 0) > 0]
    trials = int((run.final["pinning"] == "none").sum())
    if len(usable) < 2 or trials == 0:
        return ""
    return (
        f"{units.plural(trials, 'trial')} with threads that were not bound, on cores of several"
        " kinds: the kernel chose the kind anew in each, and a difference between blocks may be"
        " that; without --pinning none they are bound"
    )


def _by_label(group: cells.Group) -> Iterable[tuple[Any, pd.DataFrame]]:
    return group.rows.groupby("label")


def _intervals(found: list[pd.DataFrame]) -> list[tuple[float | None, float | None]]:
    """Of each cell's part of an equal share."""
    if not found:
        return []
    logs = pd.DataFrame([_log_parts(rows) for rows in found]).to_numpy(dtype=float)
    every = np.ones(len(logs), dtype=bool)
    evidence = sequential.moderated(sequential.paired(logs), every)
    corrected = sequential.holm(sequential.p_at_any_look(evidence), every.astype(float))
    half = sequential.half_width(evidence, corrected.alpha)
    ends = np.exp([evidence.center - half, evidence.center + half])
    return [(None, None) if np.isnan(low) else (low, high) for low, high in ends.T.tolist()]


def _log_parts(rows: pd.DataFrame) -> pd.Series:
    """By block."""
    shares = rows.groupby("block")["slow_operations_share"].median().clip(lower=_LEAST_SHARE)
    return np.log(shares / equal_share(str(rows["threads_by_kind"].iloc[0])))


def _shares(
    group: cells.Group, label: str, rows: pd.DataFrame, low: float | None, high: float | None
) -> Shares:
    threads = str(rows["threads_by_kind"].iloc[0])
    return Shares(
        group=cells.describe(group.key),
        primitive=label,
        threads=threads,
        slow_share=float(rows["slow_operations_share"].median()),
        equal_share=equal_share(threads),
        fast_p99_ns=median(rows["fast_wait_p99_ns"]),
        slow_p99_ns=median(rows["slow_wait_p99_ns"]),
        of_equal_low=low,
        of_equal_high=high,
    )
