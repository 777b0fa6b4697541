# SPDX-License-Identifier: Apache-2.0
"""Throughput by threads: does the lock let more threads do more work?

A line that rises shows keys that do not wait for each other; a flat one a lock that all share; a
falling one a lock that spends the processor on the waiting itself. Oversubscription, where there
are more threads than the machine has, is where spinning and handing over in turn collapse.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from analysis import cells, units
from analysis.loader import Run
from analysis.pictures import curves


def draw(run: Run) -> Figure | None:
    rows = cells.at_full_speed(run.valid)
    return curves.draw(run, rows, curves.Axis("threads", "threads", "threads", units.whole))
