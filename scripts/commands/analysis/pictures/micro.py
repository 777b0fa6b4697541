# SPDX-License-Identifier: Apache-2.0
"""Uncontended cost: how long does a lock take if no other thread requests it?

Most acquisitions in most programs meet no one. The bars are the time of one operation with no
second thread in the way, beside the machine's own limits, below which no lock can go. Limits lie
orders of magnitude apart: theirs is the only logarithmic axis.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from analysis import cells, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import rows

TIME = rows.Measure("operation_ns", "time of one operation", units.nanoseconds, bars=True, wide=5.0)


def groups_of(valid: pd.DataFrame) -> list[Group]:
    return cells.groups(valid[(valid["mode"] == "micro") & (valid["operation_ns"] > 0)])


def draw(run: Run) -> Figure | None:
    sheet = rows.Sheet("Uncontended cost of one operation", [TIME])
    return rows.draw(run, groups_of(run.valid), sheet)
