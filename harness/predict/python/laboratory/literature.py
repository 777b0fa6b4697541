# SPDX-License-Identifier: Apache-2.0
"""Predictions beside figures that others published: results/published/*.csv. Pure.

A cell is compared by the time that an iteration of each thread takes. For each curve, which is one
lock by threads, also the number of threads with which the rate of all threads is the highest, and
the number from which on it has collapsed; and for each cell which lock is faster.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis import units
from analysis.errors import InputError
from analysis.text import markdown_table

CELL = ["machine", "primitive", "hold_kind", "hold", "think_ns", "threads"]
CURVE = CELL[:-1]
NEAR = 1.5  # a factor
AT_PEAK = 0.9  # of the highest rate
COLLAPSED = 0.5  # of it
ALIKE = 1.1  # two locks whose times differ by less have no order


@dataclass(frozen=True)
class Curve:
    """One lock on one machine, by threads."""

    machine: str
    primitive: str
    work: str
    points: pd.DataFrame  # threads, published and predicted, in ns

    def rates(self, column: str) -> pd.Series:
        """The rates of all threads together, by their number."""
        return (self.points["threads"] / self.points[column]).set_axis(self.points["threads"])

    def peak(self, column: str) -> int:
        """The fewest threads whose rate is about the highest."""
        rates = self.rates(column)
        return int(rates.index[rates >= AT_PEAK * rates.max()][0])

    def collapse(self, column: str) -> int | None:
        """The fewest threads beyond the peak whose rate is below half of the highest."""
        rates = self.rates(column)
        fallen = rates.index[(rates < COLLAPSED * rates.max()) & (rates.index > rates.idxmax())]
        return int(fallen[0]) if len(fallen) else None


def published(file: Path) -> pd.DataFrame:
    found = pd.read_csv(file, comment="#")
    if missing := {*CELL, "iteration_ns"} - set(found.columns):
        raise InputError(f"{file}: lacks the columns {', '.join(sorted(missing))}")
    return found.rename(columns={"iteration_ns": "published"})


def predicted(runs: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """By CELL: how long an iteration of each thread takes."""
    rows = pd.concat(runs)
    touched = rows["hold_kind"] == "touch"
    rows = rows.assign(
        primitive=rows["label"],
        hold=rows["hold_lines"].where(touched, rows["hold_ns"]).fillna(0),
        think_ns=rows["think_ns"].fillna(0),
        predicted=1e9 * rows["threads"] / rows["operations_per_s"],
    )
    return rows.groupby(CELL, as_index=False)["predicted"].median()


def curves(theirs: pd.DataFrame, ours: pd.DataFrame) -> list[Curve]:
    both = theirs.merge(ours, on=CELL)
    if both.empty:
        raise InputError("no published cell was predicted; name the runs of its machines")
    found = []
    for (machine, primitive, kind, hold, think), rows in both.groupby(CURVE, sort=False):
        lines = units.plural(int(hold), "line")
        held = f"{lines} written" if kind == "touch" else units.nanoseconds(hold)
        work = f"{held} held, {units.nanoseconds(think)} beside"
        points = rows[["threads", "published", "predicted"]].sort_values("threads")
        found.append(Curve(str(machine), str(primitive), work, points.reset_index(drop=True)))
    return found


def _orders(found: list[Curve]) -> tuple[int, int]:
    """How many pairs of locks in a cell have an order, and in how many of these it agrees."""
    cells: dict[tuple[str, str, int], list[tuple[float, float]]] = {}
    for one in found:
        for row in one.points.itertuples():
            key = (one.machine, one.work, int(row.threads))
            cells.setdefault(key, []).append((float(row.published), float(row.predicted)))
    ordered = agree = 0
    for times in cells.values():
        for i, (theirs, ours) in enumerate(times):
            for other_theirs, other_ours in times[:i]:
                if max(theirs, other_theirs) < ALIKE * min(theirs, other_theirs):
                    continue
                ordered += 1
                agree += (theirs < other_theirs) == (ours < other_ours)
    return ordered, agree


def text(found: list[Curve]) -> str:
    """The figures of docs/data/prediction-published.csv, in Markdown."""
    points = pd.concat(one.points for one in found)
    ratio = points["predicted"] / points["published"]
    near = ratio.between(1 / NEAR, NEAR).mean()
    ordered, agree = _orders(found)
    peaks = [(one.peak("published"), one.peak("predicted")) for one in found]
    apart = sum(max(both) <= 2 * min(both) for both in peaks)
    ends = [(one.collapse("published"), one.collapse("predicted")) for one in found]
    out = [
        f"{units.plural(len(points), 'cell')} of {units.plural(len(found), 'curve')}: median"
        f" relative error {100 * (ratio - 1).abs().median():.0f} %, {100 * near:.0f} % within a"
        f" factor of {NEAR}. The faster of two locks agrees in {agree} of the {ordered} cells in"
        f" which the published times differ by {100 * (ALIKE - 1):.0f} % or more. The peak is at"
        f" the same number of threads in {sum(theirs == ours for theirs, ours in peaks)} of"
        f" {len(found)} curves, and at most one doubling away in {apart}. The collapse agrees in"
        f" {sum(theirs == ours for theirs, ours in ends)}.",
        "",
    ]
    threads = sorted({int(one) for one in points["threads"]})
    heads = ["machine", "lock", "work", "", *(str(one) for one in threads), "peak", "collapse"]
    rows = []
    for one in found:
        by_threads = one.points.set_index("threads")
        for column in ("published", "predicted"):
            figures = [
                units.nanoseconds(float(by_threads[column][n])) if n in by_threads.index else ""
                for n in threads
            ]
            first = [one.machine, f"`{one.primitive}`", one.work]
            words = first if column == "published" else ["", "", ""]
            limits = [str(one.peak(column)), str(one.collapse(column) or "–")]
            rows.append([*words, column, *figures, *limits])
    return "\n".join([*out, *markdown_table(heads, rows, "llll" + "r" * (len(threads) + 2))]) + "\n"
