# SPDX-License-Identifier: Apache-2.0
"""Throughput where nothing was swept: what does each primitive get done in this one cell?

A cell that lies on an axis of threads, keys, hold or writes is shown there, among its neighbours.
What is left are workloads that were measured at one point; bars from zero, so that lengths compare.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from analysis import cells, units
from analysis.loader import Run
from analysis.pictures import rows
from analysis.tables import SHOWN
from analysis.verdict import RATE

_AXES = ("threads", "keys", "hold_ns", "hold_lines", "write_share")


def draw(run: Run) -> Figure | None:
    # Fixed work is shown by its makespan.
    timed = cells.at_full_speed(run.valid)
    timed = timed[(timed["mode"] == "timed") & (timed[RATE] > 0)]
    swept = {
        group.key["workload"] + group.key["scenario"]
        for axis in _AXES
        for group in cells.axis_facets(timed, axis)
    }
    names = timed["workload"] + timed["scenario"]
    alone = timed[~names.isin(swept)]
    return rows.draw(
        run,
        cells.groups(alone),
        rows.Rows(
            title=f"Throughput{cells.in_the_saturated_loop(alone)}",
            says="bar: median of the blocks, faint: each block",
            parts=[
                rows.bars(RATE, SHOWN[RATE], units.count, "operations per second", 5.0, room=0.25)
            ],
            order=lambda own: -float(own[RATE].median()),
        ),
    )
