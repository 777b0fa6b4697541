# SPDX-License-Identifier: Apache-2.0
"""Cost of locking by load: what does a lock cost a program that also does other work?

At a low load the lines show what the lock itself costs, near each other; with the load, waiting is
added. At the right, threads request the lock again at once: the limit, which no program has.
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from matplotlib.figure import Figure

from analysis import cells, locking_cost, units
from analysis.loader import Run
from analysis.pictures import curves

_LEAST_WAIT_NS = 1.0  # of a wait that the clock does not see, on a logarithmic axis

COST = curves.Axis(
    "load",
    "load: share of the time in which the busiest key is wanted",
    "load",
    locking_cost.load_words,
    what="Cost of locking",
    measures=(
        curves.Measure(
            "locking_ns", "cost of locking per operation", units.nanoseconds, noise="noise"
        ),
    ),
    notes=[
        "cost: time of an operation beyond its hold and think; saturated: threads request the lock"
        " again at once, which no program does"
    ],
)
P99 = replace(
    COST,
    what="p99 wait",
    notes=["of loads below saturation: beyond it, percentiles favour a lock that starves threads"],
    measures=(curves.Measure("wait_p99_ns", "p99 wait for the lock", units.nanoseconds),),
)


def rows_of(run: Run, rows: pd.DataFrame, most: int) -> pd.DataFrame:
    """Those of the rows that have a load, with their cost. If they have more than `most` panels,
    the most threads on each number of keys."""
    rows = locking_cost.with_costs(run, cells.driven(rows))
    rows = rows[rows["load"].notna() & (rows["label"] != cells.FLOOR)]
    rows = locking_cost.with_noise(rows)
    waits = rows["wait_p99_ns"].clip(lower=_LEAST_WAIT_NS)
    rows = rows.assign(wait_p99_ns=waits.where(cells.percentiles_tell(rows)))
    apart = cells.apart("load", "threads")
    panel = cells.codes(rows, [name for name in cells.GROUP if name not in apart])
    threads = rows.groupby(panel)["threads"]
    return (
        rows
        if threads.nunique().sum() <= most
        else rows[rows["threads"] == threads.transform("max")]
    )


def draw(run: Run) -> Figure | None:
    return curves.draw(run, rows_of(run, run.valid, curves.MOST_PANELS), COST)


def draw_waits(run: Run) -> Figure | None:
    return curves.draw(run, rows_of(run, run.valid, curves.MOST_PANELS), P99)
