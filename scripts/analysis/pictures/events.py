# SPDX-License-Identifier: Apache-2.0
"""Events: what does an operation cost in cycles, misses and context switches?

What `run --perf` counted, a panel for each event that the machine can count; the line below names
those that it cannot.
"""

from __future__ import annotations

from functools import partial

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import cells, events, palette
from analysis.cells import Group
from analysis.events import Event
from analysis.loader import Run
from analysis.pictures import rows

_MOST = 4  # panels side by side


def draw(run: Run) -> Figure | None:
    measured = run.valid[run.valid["mode"] != "micro"]
    shown = events.counted(measured)[:_MOST]
    if not shown:
        return None
    first = shown[0].column
    return rows.draw(
        run,
        cells.most_contended(measured[measured[first].notna()]),
        rows.Rows(
            title="Events for each operation",
            says="bar: median of the blocks, faint: each block",
            parts=[
                rows.Part(partial(_draw, one), partial(_finish, one), width=2.4) for one in shown
            ],
            order=lambda own: float(own[first].median()),
            notes=[
                "of each workload, the cell with most threads on fewest keys in which primitives"
                " compete",
                events.missing(run.valid),
            ],
        ),
    )


def _draw(event: Event, axes: Axes, own: pd.DataFrame, y: float, look: palette.Look) -> None:
    if own[event.column].notna().any():
        rows.draw_bar(axes, own, event.column, y, look, event.words(own[event.column].median()))


def _finish(event: Event, axes: Axes, group: Group) -> None:
    most = float(group.rows[event.column].max())
    rows.finish_bars(axes, most if most > 0 else 1.0, event.words, room=0.35, most=3)
    axes.set_xlabel(event.label)
