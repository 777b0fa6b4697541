# SPDX-License-Identifier: Apache-2.0
"""Makespan beside the ideal: how close does fixed work come to what any lock could do?

The ideal follows from the work alone: the longest queue of holds on one key, or the longest thread.
A bar that reaches its mark has a lock that costs nothing worth mentioning; one that passes it by
multiples made keys wait for each other that need not.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import cells, palette, prediction_error, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import rows


def draw(run: Run) -> Figure | None:
    measured = run.valid[(run.valid["mode"] == "fixed") & (run.valid["makespan_s"] > 0)]
    known = (measured["ideal_s"] > 0).any()  # without a hold or a think there is no ideal
    return rows.draw(
        run,
        cells.groups(measured),
        rows.Rows(
            title=f"Time for a fixed amount of work{', beside the ideal' if known else ''}",
            says="bar: median of the blocks, faint: each block"
            + (", black mark: the ideal" if known else ""),
            parts=[rows.Part(_draw_bar, _finish, width=5.2)],
            order=lambda own: float(own["makespan_s"].median()),
        ),
    )


def _draw_bar(axes: Axes, own: pd.DataFrame, y: float, look: palette.Look) -> None:
    makespan = own["makespan_s"].median()
    ideal = own["ideal_s"].dropna().median()
    words = units.seconds(makespan, trim=False)
    if ideal > 0:
        words += f" · efficiency {units.digits(100 * ideal / makespan)} %"
    rows.draw_bar(axes, own, "makespan_s", y, look, words, ideal if ideal > 0 else 0.0)


def _finish(axes: Axes, group: Group) -> None:
    spans = prediction_error.figures_and_bounds(group.rows, "makespan_s")
    longest = max(spans.max(), group.rows["ideal_s"].fillna(0).max())
    rows.finish_bars(axes, longest, units.seconds, room=0.55)
    axes.set_xlabel("makespan: from the start to the last thread's end")
