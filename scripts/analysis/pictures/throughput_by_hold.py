# SPDX-License-Identifier: Apache-2.0
"""Throughput by hold: how long must the work under the lock be before the lock stops mattering?

At the left the lines are apart by what the locks themselves cost; to the right they meet wherever
the same number of holds can overlap, since then the hold decides. What is still apart there is
exclusion that was not needed: keys that wait for each other.
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from matplotlib.figure import Figure

from analysis import cells, units
from analysis.loader import Run
from analysis.pictures import curves

_BY_TIME = curves.Axis("hold_ns", "hold", "length of the hold", units.nanoseconds)


def draw(run: Run) -> Figure | None:
    rows = cells.at_full_speed(run.valid)
    rows = rows[rows["hold_kind"] != "touch"]
    return curves.draw(run, none_is_zero(rows), _BY_TIME)


def draw_touched(run: Run) -> Figure | None:
    """The same for holds that write cache lines."""
    rows = cells.at_full_speed(run.valid)
    rows = rows[rows["hold_kind"] == "touch"]
    axis = replace(
        _BY_TIME,
        column="hold_lines",
        label="cache lines written under the lock",
        title="cache lines written",
        words=units.whole,
    )
    return curves.draw(run, rows, axis)


def none_is_zero(rows: pd.DataFrame) -> pd.DataFrame:
    """No hold is the start of every kind's axis: its rows join each kind that the run has."""
    without = rows[rows["hold_kind"] == "none"].assign(hold_ns=0.0)
    parts = [rows[rows["hold_kind"] != "none"]]
    parts += [without.assign(hold_kind=kind) for kind in parts[0]["hold_kind"].unique()]
    return pd.concat(parts)
