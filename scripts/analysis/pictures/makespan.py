"""Makespan beside the ideal: how close does fixed work come to what any lock could do?

The ideal follows from the work alone: the longest queue of holds on one key, or the longest thread.
A bar that reaches its mark has a lock that costs nothing worth mentioning; one that passes it by
multiples made keys wait for each other that need not.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import cells, palette, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import rows


def draw(run: Run) -> Figure | None:
    measured = run.valid[(run.valid["mode"] == "fixed") & (run.valid["makespan_s"] > 0)]
    return rows.draw(
        run,
        cells.groups(measured),
        rows.Rows(
            title="Time for a fixed amount of work, beside the ideal",
            says="bar: median of the blocks, faint: each block, black mark: the ideal",
            parts=[rows.Part(_draw_bar, _finish, width=5.2)],
            order=lambda own: float(own["makespan_s"].median()),
        ),
    )


def _draw_bar(axes: Axes, own: pd.DataFrame, y: float, look: palette.Look) -> None:
    makespan = own["makespan_s"].median()
    axes.barh(y, makespan, height=0.62, color=look.colour, alpha=0.75, zorder=2)
    axes.scatter(
        own["makespan_s"],
        [y] * len(own),
        s=11,
        facecolors=palette.mix(look.colour, -0.4),
        alpha=0.5,
        linewidths=0,
        zorder=3,
    )
    ideal = own["ideal_s"].median()
    told = units.seconds(makespan, trim=False)
    if ideal > 0:
        axes.plot((ideal, ideal), (y - 0.42, y + 0.42), color="black", linewidth=1.8, zorder=4)
        told += f" · efficiency {100 * ideal / makespan:.3g} %"
    axes.annotate(
        told,
        (max(makespan, own["makespan_s"].max(), ideal if ideal > 0 else 0), y),
        xytext=(5, 0),
        textcoords="offset points",
        va="center_baseline",
    )


def _finish(axes: Axes, group: Group) -> None:
    longest = group.rows[["makespan_s", "ideal_s"]].max().max()
    # Room at the right for the words of the longest bar.
    axes.set_xlim(0, longest * 1.55)
    axes.xaxis.set_major_formatter(lambda value, _: units.seconds(value) if value else "0")
    axes.set_xticks([tick for tick in axes.get_xticks() if tick <= longest * 1.05])
    axes.set_xlim(0, longest * 1.55)
    axes.set_xlabel("makespan: from the start to the last thread's end")
