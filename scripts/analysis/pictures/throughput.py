# SPDX-License-Identifier: Apache-2.0
"""Throughput where nothing was swept: what does each primitive get done in this one cell?

A cell that lies on an axis of threads, keys, hold or writes is shown there, among its neighbours.
What is left are workloads that were measured at one point; bars from zero, so that lengths compare.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import cells, palette, prediction_error, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import rows

_AXES = ("threads", "keys", "hold_ns", "hold_lines", "write_share")


def draw(run: Run) -> Figure | None:
    # Fixed work is shown by its makespan.
    timed = cells.at_full_speed(run.valid)
    timed = timed[(timed["mode"] == "timed") & (timed["operations_per_s"] > 0)]
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
            parts=[rows.Part(_draw_bar, _finish, width=5.0)],
            order=lambda own: -float(own["operations_per_s"].median()),
        ),
    )


def _draw_bar(axes: Axes, own: pd.DataFrame, y: float, look: palette.Look) -> None:
    words = f"{units.count(own['operations_per_s'].median(), trim=False)}/s"
    rows.draw_bar(axes, own, "operations_per_s", y, look, words)


def _finish(axes: Axes, group: Group) -> None:
    rate = prediction_error.figures_and_bounds(group.rows, "operations_per_s")
    rows.finish_bars(axes, rate.max(), units.count, room=0.25)
    axes.set_xlabel("operations per second")
