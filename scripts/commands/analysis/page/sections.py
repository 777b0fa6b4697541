# SPDX-License-Identifier: Apache-2.0
"""The sections of the page with pictures of `plot`, each picture alone: cost and waits by load,
fairness, cost, throughput. Each gives its pictures, and notes on what they omit."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from analysis import cells
from analysis.loader import Run
from analysis.page import lines, rows as in_rows
from analysis.page.chart import Chart, Maker
from analysis.pictures import cost_by_load, cost as of_cost, events, fairness as of_fairness
from analysis.pictures import makespan, micro, throughput as of_throughput

Section = tuple[list[Chart], list[str]]


def load(run: Run, rows: pd.DataFrame, maker: Maker, most: int) -> Section:
    """The cost for a program that also does other work."""
    if not cost_by_load.is_swept(rows):
        return [], []
    loaded = cost_by_load.rows_of(run, rows, most)
    costs, more = lines.along(loaded, cost_by_load.COST, maker, most, "cost by load")
    waits, more_waits = lines.along(loaded, cost_by_load.P99, maker, most, "waits by load")
    return costs + waits, _left(more + more_waits, "pictures by load")


def _left(more: int, what: str) -> list[str]:
    return [f"{more} more {what} are not drawn"] if more else []


def fairness(rows: pd.DataFrame, maker: Maker, most: int) -> Section:
    """Shows whether the throughput was bought by starving threads, in the most contended cells."""
    measures = [of_fairness.JAIN, of_fairness.SHARES]
    made, left = in_rows.charts(of_fairness.groups_of(rows), measures, maker, most, "fairness")
    return made, _left(left, "cells")


def cost(rows: pd.DataFrame, maker: Maker, most: int) -> Section:
    """The cost of a lock for everybody else: processor time and events in the most contended cells;
    memory in the workload with most keys, since it follows keys, and nothing else that is swept."""
    measured = of_cost.measured(rows)
    groups = cells.most_contended(measured[measured["processor_ns"] > 0])
    made, left = in_rows.charts(groups, [of_cost.TIME], maker, most, "cost")
    made += in_rows.charts(groups, events.measures(measured), maker, most, "events")[0]
    for measure in (of_cost.MEMORY, *of_cost.OF_KEYS):
        own = measured[measured[measure.column].notna() & (measured["label"] != cells.FLOOR)]
        measure = replace(measure, bars=measure.bars or not own[measure.column].any())
        groups = cells.most_labels(own if measure.bars else own[own[measure.column] > 0])
        made += in_rows.charts(groups, [measure], maker, 1, "memory")[0]
    return made, _left(left, "cells")


def throughput(rows: pd.DataFrame, maker: Maker, most: int) -> Section:
    """The throughput of what no load limits, mostly of the saturated loop: along each axis that was
    swept; bars where nothing was; fixed work by its makespan, bare costs by their time."""
    driven = cells.at_full_speed(rows)
    made: list[Chart] = []
    more = 0
    for link, sweep in of_throughput.SWEEPS.items():
        found, left = lines.along(sweep.rows(driven), sweep.axis, maker, most, link)
        made, more = made + found, more + left
    # A cell that lies on an axis is shown there, among its neighbours.
    swept = {cell for one in made for cell in one.cells}
    apart = set(driven[(driven["mode"] == "timed") & ~driven["cell"].isin(swept)]["group"])
    alone = driven[driven["group"].isin(apart)] if not more else driven[:0]
    for groups, measure in (
        (cells.groups(alone[alone[of_throughput.BARS.column] > 0]), of_throughput.BARS),
        (makespan.groups_of(driven), makespan.MAKESPAN),
        (micro.groups_of(rows), micro.TIME),
    ):
        found, left = in_rows.charts(groups, [measure], maker, most, "throughput")
        made, more = made + found, more + left
    return made, _left(more, "pictures of throughput")
