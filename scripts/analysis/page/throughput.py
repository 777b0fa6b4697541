# SPDX-License-Identifier: Apache-2.0
"""Throughput of what no load limits, mostly of the saturated loop: along each axis that was swept;
bars where nothing was; fixed work by its makespan, bare costs by their time."""

from __future__ import annotations

import pandas as pd

from analysis import cells
from analysis.page import lines, rows as in_rows
from analysis.page.chart import Chart, Maker
from analysis.pictures import makespan, micro, throughput


def charts(rows: pd.DataFrame, maker: Maker, most: int) -> tuple[list[Chart], list[str]]:
    """The pictures, and notes on the rows that they omit."""
    driven = cells.at_full_speed(rows)
    made: list[Chart] = []
    more = 0
    for link, sweep in throughput.SWEEPS.items():
        found, left = lines.along(sweep.rows(driven), sweep.axis, maker, most, link)
        made, more = made + found, more + left
    # A cell that lies on an axis is shown there, among its neighbours.
    swept = {cell for one in made for cell in one.cells}
    apart = set(driven[(driven["mode"] == "timed") & ~driven["cell"].isin(swept)]["group"])
    for own, measure in (
        (driven[driven["group"].isin(apart)] if not more else driven[:0], throughput.BARS),
        (driven[driven["mode"] == "fixed"], makespan.MAKESPAN),
        (rows[rows["mode"] == "micro"], micro.TIME),
    ):
        groups = cells.groups(own[own[measure.column] > 0])
        found, left = in_rows.charts(groups, [measure], maker, most, "throughput")
        made, more = made + found, more + left
    return made, [f"{more} more pictures of throughput are not drawn"] if more else []
