# SPDX-License-Identifier: Apache-2.0
"""Cost of locking by load: what does a lock cost a program that also does other work?

At a low load the lines show what the lock itself costs, near each other; with the load, waiting is
added. At the right, threads request the lock again at once: the limit, which no program has.
"""

from __future__ import annotations

from dataclasses import replace

from matplotlib.figure import Figure

from analysis import cells, locking_cost, units
from analysis.loader import Run
from analysis.pictures import curves

COST = curves.Measure("locking_ns", "cost of locking per operation", units.nanoseconds)
P99 = curves.Measure("wait_p99_ns", "p99 wait for the lock", units.nanoseconds)
AXIS = curves.Axis(
    "load",
    "load: share of the time in which the busiest key is wanted",
    "load",
    locking_cost.load_words,
    what="Cost of locking",
    measures=(COST,),
)


def draw(run: Run) -> Figure | None:
    return _draw(run, AXIS)


def draw_waits(run: Run) -> Figure | None:
    return _draw(run, replace(AXIS, what="Wait", measures=(P99,)))


def _draw(run: Run, axis: curves.Axis) -> Figure | None:
    rows = locking_cost.with_costs(run, cells.driven(run.valid))
    rows = rows[rows["load"].notna() & (rows["label"] != cells.FLOOR)]
    return curves.draw(run, rows, axis)
