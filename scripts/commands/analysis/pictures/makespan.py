# SPDX-License-Identifier: Apache-2.0
"""Makespan beside the ideal: how close does fixed work come to what any lock could do?

The ideal follows from the work alone: the longest queue of holds on one key, or the longest thread.
A bar that reaches its mark has a lock that costs nothing worth mentioning; one that passes it by
multiples made keys wait for each other that need not.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from analysis import cells, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import rows


def _ideal(group: Group) -> tuple[float, str] | None:
    """Without a hold or a think there is none."""
    ideal = group.rows["ideal_s"].dropna().median()
    return (float(ideal), f"ideal, {units.seconds(ideal)}") if ideal > 0 else None


def _says(own: pd.DataFrame) -> str:
    makespan, ideal = own["makespan_s"].median(), own["ideal_s"].dropna().median()
    words = units.seconds(makespan, trim=False)
    return f"{words}, efficiency {units.digits(100 * ideal / makespan)} %" if ideal > 0 else words


MAKESPAN = rows.Measure(
    "makespan_s",
    "time for the whole work",
    units.seconds,
    bars=True,
    line=_ideal,
    wide=4.6,
    says=_says,
)


def groups_of(valid: pd.DataFrame) -> list[Group]:
    return cells.groups(valid[(valid["mode"] == "fixed") & (valid["makespan_s"] > 0)])


def draw(run: Run) -> Figure | None:
    sheet = rows.Sheet("Time for a fixed amount of work", [MAKESPAN])
    return rows.draw(run, groups_of(run.valid), sheet)
