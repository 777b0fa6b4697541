# SPDX-License-Identifier: Apache-2.0
"""Cost of locking and p99 wait by load: what a program that also does other work pays."""

from __future__ import annotations

import pandas as pd

from analysis.loader import Run
from analysis.page import lines
from analysis.page.chart import Chart, Maker
from analysis.pictures import cost_by_load


def charts(run: Run, rows: pd.DataFrame, maker: Maker, most: int) -> tuple[list[Chart], list[str]]:
    """The pictures, and notes on the rows that they omit."""
    loaded = cost_by_load.rows_of(run, rows, most)
    made: list[Chart] = []
    more = 0
    for axis, link in ((cost_by_load.COST, "cost by load"), (cost_by_load.P99, "waits by load")):
        found, left = lines.along(loaded, axis, maker, most, link)
        made, more = made + found, more + left
    return made, [f"{more} more pictures by load are not drawn"] if more else []
