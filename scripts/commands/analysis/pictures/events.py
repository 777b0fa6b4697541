# SPDX-License-Identifier: Apache-2.0
"""Events: what does an operation cost in cycles, misses and context switches?

What `run --perf` counted, a column for each event that the machine can count; the line below names
those that it cannot.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from analysis import cells, events
from analysis.loader import Run
from analysis.pictures import rows

_MOST = 4  # side by side


def measures(measured: pd.DataFrame) -> list[rows.Measure]:
    """The events of which any row has a figure."""
    return [
        rows.Measure(one.column, one.label, one.words, bars=True, title=one.name.capitalize())
        for one in events.counted(measured)
    ]


def draw(run: Run) -> Figure | None:
    measured = run.valid[run.valid["mode"] != "micro"]
    shown = measures(measured)[:_MOST]
    if not shown:
        return None
    groups = cells.most_contended(measured[measured[shown[0].column].notna()])
    notes = [rows.CONTENDED, events.missing(run.valid)]
    return rows.draw(run, groups, rows.Sheet("Events for each operation", shown, notes=notes))
