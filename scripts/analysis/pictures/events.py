# SPDX-License-Identifier: Apache-2.0
"""Events: what does an operation cost in cycles, misses and context switches?

What `run --perf` counted, a panel for each event that the machine can count; the line below names
those that it cannot.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from analysis import cells, events
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
                rows.bars(one.column, one.words, one.words, one.label, 2.4, room=0.35, most=3)
                for one in shown
            ],
            order=lambda own: float(own[first].median()),
            notes=[
                "of each workload, the cell with most threads on fewest keys in which primitives"
                " compete",
                events.missing(run.valid),
            ],
        ),
    )
