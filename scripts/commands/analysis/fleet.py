# SPDX-License-Identifier: Apache-2.0
"""Several machines side by side: each compared within itself (verdict.py), and common results.

Ratios        A ratio compares a primitive with the baseline of the same machine in the same cell.
              Rates of different machines are never combined.
Error rate    It holds for the table of each machine: of the machines without any difference, at
              most 5 % have a verdict faster or slower.
Pooled        Only on request (pooling.py): the mean of the machines' ratios, with Holm's correction
              over all of them, and I². Its samples are machines, not blocks.
The choice    The cost of one primitive for all machines. In each cell it is the ratio to the
              fastest of that machine; over the cells of a machine the geometric mean is used, and
              over the machines the worst value. The primitive with the best worst value has the
              least regret.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from analysis import cells, pooling, sequential, units, verdict
from analysis.machines import Machine
from analysis.verdict import FASTER, SLOWER, Comparison, Table


@dataclass(frozen=True)
class PooledRatio:
    """The mean of the machines' ratios, with the interval that its verdict rests on."""

    ratio: float
    low: float
    high: float
    confidence: float
    p_corrected: float
    heterogeneity: float  # I², from 0 to 1
    machines: int
    verdict: str


@dataclass(frozen=True)
class Row:
    """One primitive in one cell, on each machine."""

    cell: str
    key: dict[str, Any]  # by the columns of cells.GROUP
    primitive: str
    baseline: str
    by_machine: dict[int, Comparison]  # by the machine's position; the machines that measured it
    pooled: PooledRatio | None = None

    @property
    def least(self) -> float:
        return min(one.ratio for one in self.by_machine.values())

    @property
    def disagree(self) -> bool:
        """True if it is significantly faster on one machine and significantly slower on another."""
        return {FASTER, SLOWER} <= {one.verdict for one in self.by_machine.values()}


@dataclass(frozen=True)
class Choice:
    """The cost of one primitive for all machines, in the cells of one workload."""

    primitive: str
    kept: dict[int, float]  # by the machine's index: geometric mean of its ratios to the fastest
    best_on: int  # machines on which no other primitive has a higher mean
    worst_cell: tuple[int, str, float]  # machine, cell and ratio

    @property
    def least(self) -> float:
        return min(self.kept.values())

    @property
    def worst_machine(self) -> int:
        return min(self.kept, key=lambda index: self.kept[index])


@dataclass(frozen=True)
class Workload:
    """The cells that one choice is about."""

    name: str
    groups: dict[int, list[int]]  # by machine, the groups of its table
    choices: list[Choice]  # measured in all of these cells; the least regret first
    partly: list[str]  # primitives that some cell lacks


class Fleet:
    """Machines with their tables. Each table has verdicts of its own."""

    def __init__(
        self,
        members: Sequence[Machine],
        baseline: str | None = None,
        same_within: float = verdict.SAME_WITHIN,
        pool: bool = False,
    ) -> None:
        self.machines = list(members)
        self.same_within = same_within
        self.tables: list[Table] = [
            verdict.of_run(one.run, baseline, same_within) for one in self.machines
        ]
        self.pool = pool

    @property
    def preset(self) -> str:
        """The preset of the runs of all machines; empty if they have none in common."""
        presets = {one.run.preset for one in self.machines}
        return presets.pop() if len(presets) == 1 else ""

    @cached_property
    def rows(self) -> list[Row]:
        """Cells in the order of their keys; within a cell, the row with the best minimum ratio
        first."""
        found: dict[tuple[str, str, str], Row] = {}
        for index, table in enumerate(self.tables):
            for one in table.comparisons:
                group = table.groups[one.group]
                key = (repr(group.key), one.primitive, one.baseline)
                if key not in found:
                    found[key] = Row(one.cell, group.key, one.primitive, one.baseline, {})
                found[key].by_machine[index] = one
        rows = sorted(found.values(), key=lambda row: (cells.order(row.key), -row.least))
        return self._pooled(rows) if self.pool else rows

    def _pooled(self, rows: list[Row]) -> list[Row]:
        """With a pooled ratio if at least two machines have three blocks."""
        asked, found = [], []
        for row in rows:
            known = [one for one in row.by_machine.values() if one.error is not None]
            logs = np.array([math.log(one.ratio) for one in known])
            errors = np.array([one.error for one in known], dtype=float)
            one = pooling.random_effects(logs, errors**2)
            asked.append(one is not None)
            if one is not None:
                found.append(one)
        p = np.array([one.p for one in found])
        corrected = sequential.holm(p, np.ones(len(found)))
        pooled = iter(
            _pooled_ratio(one, float(alpha), float(own), self.same_within)
            for one, alpha, own in zip(found, corrected.alpha, corrected.p)
        )
        return [replace(row, pooled=next(pooled)) if has else row for row, has in zip(rows, asked)]

    @cached_property
    def workloads(self) -> list[Workload]:
        """The cost of each choice, for every workload and mode in which primitives
        compete."""
        indices: dict[str, dict[int, list[int]]] = {}
        for machine, table in enumerate(self.tables):
            for index, group in enumerate(table.groups):
                if len(group.competitors) > 1 and group.key["workload"] != "limit":
                    name = cells.describe({name: group.key[name] for name in _KIND})
                    indices.setdefault(name, {}).setdefault(machine, []).append(index)
        return [self._workload(name, own) for name, own in indices.items()]

    def _workload(self, name: str, indices: dict[int, list[int]]) -> Workload:
        every = [(machine, index) for machine, own in indices.items() for index in own]
        ratios = pd.DataFrame(
            [
                (label, machine, self.tables[machine].groups[index].name, ratio)
                for machine, index in every
                for label, ratio in to_fastest(self.tables[machine], index).items()
            ],
            columns=["primitive", "machine", "cell", "ratio"],
        )
        counts = ratios["primitive"].value_counts()
        labels = [
            label for at, index in every for label in self.tables[at].groups[index].competitors
        ]
        partly = [label for label in dict.fromkeys(labels) if counts.get(label, 0) < len(every)]
        return Workload(name, indices, _choices(ratios[~ratios["primitive"].isin(partly)]), partly)


_KIND = ("workload", "scenario", "mode")
_AXES = ("threads", "keys", "operations_planned", "sample_every")


def alike(fleet: Fleet, workload: Workload) -> dict[int, list[int]]:
    """For each machine, the groups that differ only by threads and keys; of these sets, the one
    with the most groups over all machines."""
    found: dict[str, dict[int, list[int]]] = {}
    for machine, indices in workload.groups.items():
        for index in indices:
            kind = repr(shared(fleet.tables[machine].groups[index].key))
            found.setdefault(kind, {}).setdefault(machine, []).append(index)
    return max(found.values(), key=lambda one: sum(map(len, one.values())))


def shared(key: dict[str, Any]) -> dict[str, Any]:
    """The values that groups that are alike have in common."""
    return {name: value for name, value in key.items() if name not in _AXES}


def fewest_keys(fleet: Fleet, scope: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    """Those of these groups with the fewest keys, where threads meet most."""
    keys = {
        (machine, index): fleet.tables[machine].groups[index].key["keys"]
        for machine, indices in scope.items()
        for index in indices
    }
    least = min((count for count in keys.values() if count is not None), default=None)
    return {
        machine: [index for index in indices if keys[machine, index] == least]
        for machine, indices in scope.items()
    }


def to_fastest(table: Table, index: int) -> dict[str, float]:
    """The ratio of each competitor of a group to the fastest; the fastest has 1. A competitor
    that shares no block with the fastest by the medians is missing. The ratios are paired by block,
    so another primitive may have a ratio above 1."""
    ranked = table.groups[index].competitors
    found = {ranked[0]: 1.0}
    for label in ranked[1:]:
        ratio = table.ratio_between(index, label, ranked[0])
        if ratio is not None:
            found[label] = ratio
    best = max(found.values())
    return {label: ratio / best for label, ratio in found.items()}


def _choices(ratios: pd.DataFrame) -> list[Choice]:
    """The choices by the ratios of each primitive to the fastest one, by machine and cell."""
    if ratios.empty:
        return []
    logs = ratios.assign(log=np.log(ratios["ratio"]))
    kept = np.exp(logs.pivot_table("log", "primitive", "machine"))
    best_on = (kept >= kept.max()).sum(axis=1)
    worst = ratios.loc[ratios.groupby("primitive")["ratio"].idxmin()]
    choices = [
        Choice(label, kept.loc[label].to_dict(), int(best_on[label]), (machine, cell, ratio))
        for label, machine, cell, ratio in worst.itertuples(index=False, name=None)
    ]
    return sorted(choices, key=lambda one: (-one.least, one.primitive))


def _pooled_ratio(
    one: pooling.Pooled, alpha: float, p_corrected: float, same_within: float
) -> PooledRatio:
    half = one.half_width(alpha)
    low, high = one.center - half, one.center + half
    return PooledRatio(
        ratio=math.exp(one.center),
        low=math.exp(low),
        high=math.exp(high),
        confidence=1 - alpha,
        p_corrected=p_corrected,
        heterogeneity=one.heterogeneity,
        machines=one.machines,
        verdict=verdict.word(low, high, math.log1p(same_within)),
    )


def words(row: Row, names: Sequence[str], most_named: int = 4) -> str:
    """`machines disagree: faster on a, b; slower on c`, or `faster on all 3`."""
    found: dict[str, list[str]] = {}
    for index, one in row.by_machine.items():
        found.setdefault(one.verdict, []).append(names[index])
    whole = len(row.by_machine)
    if len(found) == 1:
        (word,) = found
        return f"{word} on all {whole}" if whole > 1 else f"{word} on {found[word][0]}"
    parts = [
        f"{word} on {', '.join(found[word]) if whole <= most_named else len(found[word])}"
        for word in verdict.WORDS
        if word in found
    ]
    parts[-1] += "" if whole <= most_named else f" of {whole}"
    return ("machines disagree: " if row.disagree else "") + "; ".join(parts)


def contradictions(fleet: Fleet) -> list[Row]:
    """The rows on which machines disagree, the largest difference first."""

    def size(row: Row) -> float:
        ratios = [one.ratio for one in row.by_machine.values() if one.significant]
        return -max(ratios) / min(ratios)

    return sorted((row for row in fleet.rows if row.disagree), key=size)


@dataclass(frozen=True)
class Entry:
    """One primitive on one machine, over the cells of a workload."""

    ratio: float  # to the baseline: geometric mean over the cells
    counts: dict[str, int]  # cells by their verdict

    @property
    def verdict(self) -> str:
        """The verdict of all cells, or empty where they differ."""
        return next(iter(self.counts)) if len(self.counts) == 1 else ""

    @property
    def words(self) -> str:
        said = ", ".join(f"{word} in {n}" for word, n in self.counts.items())
        return f"{said} of {units.plural(sum(self.counts.values()), 'cell')}"


def matrix(fleet: Fleet, workload: Workload) -> dict[str, dict[int, Entry]]:
    """By primitive and machine; against each machine's own baseline."""
    found: dict[str, dict[int, list[Comparison]]] = {}
    for machine, indices in workload.groups.items():
        for index in indices:
            for one in fleet.tables[machine].comparisons_of(index):
                found.setdefault(one.primitive, {}).setdefault(machine, []).append(one)
    return {
        label: {machine: _entry(own) for machine, own in by_machine.items()}
        for label, by_machine in found.items()
    }


def _entry(own: list[Comparison]) -> Entry:
    logs = [math.log(one.ratio) for one in own]
    return Entry(math.exp(float(np.mean(logs))), verdict.count(own))
