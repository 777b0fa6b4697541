# SPDX-License-Identifier: Apache-2.0
"""The cost of locking: what an operation takes beyond its hold and its think time, and how it grows
with the load. Pure.

Cost          n / rate - (hold + think + rest), with n threads that work at once: as many as
              processors, or all of them if holds sleep. A wait for the lock is part of the cost,
              since the processor or the thread does nothing else.
              If threads sleep between operations, they wake up late, by more than most locks cost:
              then it is the mean of the timed waits.
Rest          what the loop takes besides: measured in the rows of `none` with one thread, block by
              block, in the same cell if it has such a row; else as the run's calibration has it;
              else 0.
Uncertainty   the least and the greatest cost of the blocks; from four blocks on, the first and
              third quartile, as in every table.

Noise         a cost is a difference of longer times. Where its uncertainty reaches down to nothing,
              the blocks do not tell it from nothing: it is at most the greater end of the
              uncertainty, by amount.

A cost is known if hold and think have durations. Of a row that is not valid, it says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.core.groupby import SeriesGroupBy

from analysis import cells, units
from analysis.loader import SATURATED, Run

COLUMNS = ["locking_ns", "processor_ns"]


def with_costs(run: Run, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `locking_ns`, the cost of locking, and `processor_ns`, the processor time of an
    operation; NaN where they are not known."""
    work = _work_ns(rows)
    timed = (rows["mode"] == "timed") & (rows["operation_ns"] > 0)
    at_once = threads_at_once(run, rows)
    cost = at_once * rows["operation_ns"] - work - _rest_ns(run, rows)
    cost = cost.mask(sleeps_between(rows), rows["wait_mean_ns"])
    spent = (rows["cpu_user_s"] + rows["cpu_system_s"]) / rows["operations"].where(
        rows["operations"] > 0
    )
    known = timed & ~_on_slow_cores(rows)
    return rows.assign(locking_ns=cost.where(known), processor_ns=1e9 * spent)


def _on_slow_cores(rows: pd.DataFrame) -> pd.Series:
    """The work of an operation takes longer there, by how much is not in the row."""
    kinds = rows["threads_by_kind"].fillna("").astype(str)
    return (kinds != "") & ~kinds.str.fullmatch(r"fast \d+")


def spreads(costs: SeriesGroupBy) -> pd.DataFrame:
    """The uncertainty that the blocks of each group have: from `low_ns` to `high_ns`."""
    few = costs.count() < 4
    low = costs.quantile(0.25).mask(few, costs.min())
    high = costs.quantile(0.75).mask(few, costs.max())
    return pd.DataFrame({"low_ns": low, "high_ns": high})


def noise_ns(low_ns: float, high_ns: float) -> float | None:
    """The maximum of a cost of this uncertainty, if it is noise; None: it is told from nothing."""
    return max(-low_ns, high_ns) if low_ns <= 0 else None


def with_noise(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with_costs(), with the column `noise`: whether the cost of their cell is noise. All rows
    of this cell then have what it is at most as their `locking_ns`."""
    cell = pd.Series(cells.codes(rows, [*cells.GROUP, "label"]), index=rows.index)
    known = rows["locking_ns"].notna()
    ends = spreads(rows["locking_ns"][known].groupby(cell[known]))
    most = pd.Series(
        {at: noise_ns(low, high) for at, low, high in ends.itertuples(name=None)}, dtype=float
    )
    of_row = cell.map(most).where(known)
    noise = of_row.notna()
    return rows.assign(noise=noise, locking_ns=rows["locking_ns"].mask(noise, of_row))


def threads_at_once(run: Run, rows: pd.DataFrame) -> pd.Series:
    """How many threads are in an operation or its think time at once: those that compute share the
    processors."""
    sleeps = sleeps_between(rows) | rows["hold_kind"].str.startswith("sleep")
    return rows["threads"].where(sleeps, rows["threads"].clip(upper=_processors(run)))


def _processors(run: Run) -> float:
    return float(run.hardware_threads or np.inf)


def sleeps_between(rows: pd.DataFrame) -> pd.Series:
    return rows["think_kind"].str.startswith("sleep")


# The holds of one operation, kAcquisitions of the workload; of those without it, one.
HOLDS = {"nested": 5}


def _work_ns(rows: pd.DataFrame) -> pd.Series:
    """Holds and think; NaN if one of them has no duration."""
    parts = []
    for what in ("hold", "think"):
        nothing = rows[f"{what}_kind"] == "none"
        parts.append(rows[f"{what}_ns"].mask(nothing, 0.0))
    return parts[0] * rows["workload"].map(HOLDS).fillna(1.0) + parts[1]


def _rest_ns(run: Run, rows: pd.DataFrame) -> pd.Series:
    """The time that the loop takes for an operation, for each row."""
    floor = (run.whole or run).final
    if "machine" in floor:
        floor = floor[floor["machine"].isin(rows["machine"].unique())]
    floor = floor[(floor["label"] == cells.FLOOR) & (floor["threads"] == 1) & floor["valid"]]
    floor = floor[(floor["mode"] == "timed") & (floor["operation_ns"] > 0) & ~sleeps_between(floor)]
    known = run.about("calibration").get("floor_untimed_ns")
    usual = float(known) if isinstance(known, (int, float)) else 0.0
    if floor.empty:
        return pd.Series(usual, index=rows.index)
    floor = floor.assign(rest=floor["operation_ns"] - _work_ns(floor))
    of_block = floor.groupby("block")["rest"].median()
    rest = rows["block"].map(of_block).fillna(float(of_block.median())).fillna(usual)
    cell = [name for name in cells.GROUP if name != "sample_every"] + ["block"]
    of_cell = floor.groupby([floor[name].astype(str) for name in cell])["rest"].median()
    own = pd.MultiIndex.from_frame(rows[cell].astype(str))
    return pd.Series(of_cell.reindex(own).to_numpy(), index=rows.index).fillna(rest)


_FIGURES = ["locking_ns", "processor_ns", "wait_p99_ns", "wait_max_ns"]


@dataclass(frozen=True)
class Cost:
    """One primitive at one load."""

    group: str
    primitive: str
    load: float
    median_ns: float
    low_ns: float
    high_ns: float
    processor_ns: float | None
    wait_p99_ns: float | None
    wait_max_ns: float | None

    @property
    def words(self) -> str:
        """`31 ns (29 – 34)`."""
        if self.low_ns == self.high_ns:
            return units.nanoseconds(self.median_ns)
        ends = f"{units.nanoseconds(self.low_ns)} – {units.nanoseconds(self.high_ns)}"
        return f"{units.nanoseconds(self.median_ns)} ({ends})"


def load_words(load: float) -> str:
    return "saturated" if load == SATURATED else units.percent(load)


def costs(run: Run) -> list[Cost]:
    """The costs of the cells that were measured at two or more loads."""
    if run.valid["load"].nunique() < 2:
        return []
    rows = with_costs(run, cells.driven(run.valid))
    rows = rows[(rows["label"] != cells.FLOOR) & rows["locking_ns"].notna() & rows["load"].notna()]
    rows = rows.assign(wait_p99_ns=rows["wait_p99_ns"].where(cells.percentiles_tell(rows)))
    # Of a large run, copies of whole rows take longer than the figures.
    rows = rows[[*cells.GROUP, "label", "load", *_FIGURES]]
    facets = cells.axis_facets(rows, "load") if not rows.empty else []
    if not facets:
        return []
    names = cells.names(facets)
    all_rows = pd.concat([one.rows.assign(facet=at) for at, one in enumerate(facets)])
    by_load = all_rows.groupby(["facet", "label", "load"], sort=False)
    medians = by_load[["locking_ns", "processor_ns", "wait_p99_ns"]].median()
    figures = medians.join(spreads(by_load["locking_ns"])).join(by_load["wait_max_ns"].max())
    figures = figures[["locking_ns", "low_ns", "high_ns", *_FIGURES[1:]]]
    found = []
    for (facet, label, load), *values in figures.itertuples(name=None):
        known: Any = (None if value != value else float(value) for value in values)
        found.append(Cost(names[facet], label, float(load), *known))
    return found


def loads(found: Sequence[Cost]) -> list[float]:
    return sorted({one.load for one in found})
