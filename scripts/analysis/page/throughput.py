# SPDX-License-Identifier: Apache-2.0
"""Throughput of what no load limits, mostly of the saturated loop: by threads, keys, hold, writes
and stripes where they were swept; bars where nothing was; fixed work by its makespan, bare costs by
their time."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from analysis import cells, palette, units
from analysis.cells import Group
from analysis.page import lines, rows as in_rows
from analysis.page.chart import Chart, Maker
from analysis.pictures import curves, throughput_by_hold, throughput_by_writes

_AXES = (
    ("threads", curves.Axis("threads", "threads", "threads", units.whole)),
    ("keys", curves.Axis("keys", "keys", "keys", units.number)),
    ("hold", curves.Axis("hold_ns", "hold", "length of the hold", units.nanoseconds)),
    ("writes", throughput_by_writes.AXIS),
    ("lines", curves.Axis("hold_lines", "cache lines written inside", "lines", units.whole)),
    ("stripes", curves.Axis("stripes", "stripes", "stripes", units.number)),
)
_RATE = in_rows.Measure("operations per second", units.count, best_is_least=False, bars=True)
_TIME = in_rows.Measure("time of one operation", units.nanoseconds, best_is_least=True, bars=True)
_MAKESPAN = in_rows.Measure("time for the whole work", units.seconds, best_is_least=True, bars=True)


def charts(rows: pd.DataFrame, maker: Maker, most: int) -> tuple[list[Chart], list[str]]:
    """The pictures, and notes on the rows that they omit."""
    driven = cells.at_full_speed(rows)
    made: list[Chart] = []
    more = 0
    for link, axis in _AXES:
        found, left = lines.along(_along(driven, axis.column), axis, maker, most, link)
        made, more = made + found, more + left
    # A cell that lies on an axis is shown there, among its neighbours.
    swept = {cell for one in made for cell in one.cells}
    apart = set(driven[(driven["mode"] == "timed") & ~driven["cell"].isin(swept)]["group"])
    parts = (
        (driven[driven["group"].isin(apart)] if not more else driven[:0], "operations_per_s"),
        (driven[driven["mode"] == "fixed"], "makespan_s"),
        (rows[rows["mode"] == "micro"], "operation_ns"),
    )
    for (own, column), measure in zip(parts, (_RATE, _MAKESPAN, _TIME)):
        groups = cells.groups(own[own[column] > 0])
        chosen = cells.evenly(groups, most)
        made += _bars(chosen, column, measure, maker)
        more += len(groups) - len(chosen)
    return made, [f"{more} more pictures of throughput are not drawn"] if more else []


def _bars(groups: list[Group], column: str, measure: in_rows.Measure, maker: Maker) -> list[Chart]:
    made = []
    for group in groups:
        own = measure
        known = group.rows["ideal_s"].dropna()
        ideal = known.median() if len(known) else 0.0
        if column == "makespan_s" and ideal > 0:
            own = replace(measure, line=(float(ideal), f"ideal, {units.seconds(ideal)}"))
        if group.key["workload"] == "limit":
            own = replace(measure, bars=False)
        found = in_rows.drawn(
            group.rows, column, own, maker, cells.describe(group.key), "throughput"
        )
        made += [found] if found is not None else []
    return made


def _along(driven: pd.DataFrame, column: str) -> pd.DataFrame:
    if column == "hold_ns":
        return throughput_by_hold.none_is_zero(driven[driven["hold_kind"] != "touch"])
    if column == "hold_lines":
        return driven[driven["hold_kind"] == "touch"]
    if column == "stripes":
        stripes = driven["params"].str.extract(r"\bstripes=(\d{1,15})\b")[0].astype(float)
        # One line for all counts of stripes: the count is the axis.
        label = driven["label"].map(palette.any_stripes)
        swept = stripes.groupby(label).transform("nunique") > 1
        return driven.assign(stripes=stripes, label=label)[swept & stripes.notna()]
    return driven
