# SPDX-License-Identifier: Apache-2.0
"""Uncontended cost: how long does a lock take if no other thread requests it?

Most acquisitions in most programs meet no one. The bars are the time of one operation with no
second thread in the way, beside the machine's own limits, below which no lock can go. Limits lie
orders of magnitude apart: theirs is the only logarithmic axis.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import cells, palette, scales, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import rows


def draw(run: Run) -> Figure | None:
    micro = run.valid[(run.valid["mode"] == "micro") & (run.valid["operation_ns"] > 0)]
    return rows.draw(
        run,
        cells.groups(micro),
        rows.Rows(
            title="Uncontended cost of one operation",
            says="bar: median of the blocks, faint: each block",
            parts=[rows.Part(_draw_bar, _finish, width=5.0)],
            order=lambda own: float(own["operation_ns"].median()),
        ),
    )


def _draw_bar(axes: Axes, own: pd.DataFrame, y: float, look: palette.Look) -> None:
    words = units.nanoseconds(own["operation_ns"].median(), trim=False)
    rows.draw_bar(axes, own, "operation_ns", y, look, words)


def _finish(axes: Axes, group: Group) -> None:
    cost = group.rows["operation_ns"]
    if group.key["workload"] == "limit":
        axes.set_xlim(cost.min() / 3, cost.max() * 12)
        scales.log_scale(axes, "x", units.nanoseconds)
    else:
        rows.finish_bars(axes, cost.max(), units.nanoseconds, room=0.2)
    label = "time of one operation"
    axes.set_xlabel(scales.logarithmic(label) if axes.get_xscale() == "log" else label)
