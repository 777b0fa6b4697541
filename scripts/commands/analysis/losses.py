# SPDX-License-Identifier: Apache-2.0
"""The loss of each primitive against the fastest one, cell by cell: a table of primitives × cells
for all cells that differ by threads and load (or by keys and load) only. Pure.

A loss of up to verdict.SAME_WITHIN does not matter, whichever primitive it is. A greater one is
certain if the comparison (verdict.py) calls the primitive slower than the fastest by the medians.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis import cells, locking_cost, units, verdict

NEGLIGIBLE = f"≤ {units.percent(verdict.SAME_WITHIN)}"
# Losses from these shares on have a colour each.
STEPS = (verdict.SAME_WITHIN, 0.2, 0.5)
EXPLAINED = (
    f"loss: how much less an operation rate than that of the fastest primitive of the cell;"
    f" {NEGLIGIBLE}: does not matter; ?: not significant, more blocks may decide it"
)

# A column: the number of threads or keys, and the load; None: it has no load.
Column = tuple[float, float | None]


@dataclass(frozen=True)
class Loss:
    share: float  # 0: nothing
    certain: bool
    unfair: str

    @property
    def step(self) -> int | None:
        """0 if it does not matter, then one more from each of STEPS on; None: it is not certain."""
        if self.share <= STEPS[0]:
            return 0
        return sum(self.share > step for step in STEPS) if self.certain else None

    @property
    def words(self) -> str:
        if self.step == 0:
            return NEGLIGIBLE
        # Rounded, what is above the limit still reads as above it.
        said = f"{max(100 * self.share, 100 * STEPS[0] + 1):.0f} %"
        return said if self.certain else f"{said} ?"


@dataclass(frozen=True)
class Panel:
    key: dict[str, Any]  # what its cells have in common
    across: str  # `threads` or `keys`
    columns: list[Column]
    rows: dict[str, dict[Column, Loss]]  # by primitive: the least loss in its worst cell first

    def thinned(self, most: int) -> list[Column]:
        """At most so many columns, from the first on."""
        return self.columns[:: -(-len(self.columns) // most)]

    def head(self, column: Column) -> str:
        """The head of a column: its load if there are several, else the threads or keys."""
        count, load = column
        if self.by_load:
            return locking_cost.load_words(load) if load else "–"
        return units.number(count)

    @property
    def by_load(self) -> bool:
        return len({load for _, load in self.columns}) > 1

    def spans(self, columns: Sequence[Column]) -> list[tuple[str, int]]:
        """Above the loads, and over how many columns each; none where there is one load."""
        return list(Counter(map(self.span, columns)).items()) if self.by_load else []

    def span(self, column: Column) -> str:
        """Above the loads: the number of threads or keys."""
        return units.plural(int(column[0]), self.across.removesuffix("s"))


def panels(table: verdict.Table) -> list[Panel]:
    """The panels of groups in which several primitives compete for throughput."""
    indices = [
        index
        for index, group in enumerate(table.groups)
        if len(group.competitors) > 1 and group.key["mode"] in ("timed", "fixed")
    ]
    found = [panel for panel in _divided(table, indices, "threads")]
    if all(len({count for count, _ in panel.columns}) == 1 for panel in found):
        found = _divided(table, indices, "keys")
    return sorted(found, key=lambda panel: -len(panel.columns))


def _divided(table: verdict.Table, indices: Sequence[int], across: str) -> list[Panel]:
    shared: dict[str, list[int]] = {}
    for index in indices:
        shared.setdefault(str(_key(table.groups[index], across)), []).append(index)
    return [_panel(table, own, across) for own in shared.values()]


def load_of(group: verdict.Group) -> float | None:
    load = float(group.rows["load"].iloc[0])
    return load if load == load else None


def _key(group: verdict.Group, across: str) -> dict[str, Any]:
    """The group's key without what varies along the columns."""
    apart = cells.apart(across, *(["load"] if load_of(group) is not None else []))
    return {name: value for name, value in group.key.items() if name not in apart}


def _panel(table: verdict.Table, indices: Sequence[int], across: str) -> Panel:
    at: dict[Column, int] = {}
    for index in indices:
        group = table.groups[index]
        column = (group.key[across] or 0, load_of(group))
        # Groups at one column differ by what was sampled only.
        if column not in at or len(group.competitors) > len(table.groups[at[column]].competitors):
            at[column] = index
    columns = sorted(at, key=lambda column: (column[0], column[1] or 0))
    rows: dict[str, dict[Column, Loss]] = {}
    for column in columns:
        for label, loss in _losses(table, at[column]).items():
            rows.setdefault(label, {})[column] = loss
    ranked = sorted(rows, key=lambda label: (-len(rows[label]), _worst(rows[label]), label))
    key = _key(table.groups[indices[0]], across)
    return Panel(key, across, columns, {label: rows[label] for label in ranked})


def _worst(found: dict[Column, Loss]) -> float:
    return max(loss.share for loss in found.values())


def _losses(table: verdict.Table, index: int) -> dict[str, Loss]:
    first, *others = table.groups[index].competitors
    unfair = table.groups[index].unfair
    found = {first: Loss(0.0, True, unfair[first])}
    for label in others:
        one = table.between(index, label, first)
        if one is not None:
            certain = one.verdict == verdict.SLOWER
            found[label] = Loss(max(0.0, 1 - one.ratio), certain, unfair[label])
    return found
