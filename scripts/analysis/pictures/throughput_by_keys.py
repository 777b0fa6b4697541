# SPDX-License-Identifier: Apache-2.0
"""Throughput by keys: how many keys does it take until threads stop meeting?

With few keys all primitives are one lock. As keys are added, a lock per key gains until threads
seldom meet; stripes gain until every stripe is in use; one lock for all gains nothing. To the far
right memory shows: a table with an entry per key leaves the caches.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from analysis import cells, units
from analysis.loader import Run
from analysis.pictures import curves


def draw(run: Run) -> Figure | None:
    rows = cells.at_full_speed(run.valid)
    return curves.draw(run, rows, curves.Axis("keys", "keys", "number of keys", units.number))
