# SPDX-License-Identifier: Apache-2.0
"""Throughput by the share of writes: up to which share do readers gain from sharing a lock?

Without writes, readers of a shared lock never wait; each writer makes all of them wait. A lock for
readers and writers does more work in each operation than a plain one, so that with short holds the
plain one may be faster at any share.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from analysis import cells
from analysis.loader import Run
from analysis.pictures import curves


def percent(share: float) -> str:
    return f"{100 * share:.3g} %"


AXIS = curves.Axis("write_share", "operations that write", "share of writes", percent)


def draw(run: Run) -> Figure | None:
    return curves.draw(run, cells.at_full_speed(run.valid), AXIS)
