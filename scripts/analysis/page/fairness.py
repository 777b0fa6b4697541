# SPDX-License-Identifier: Apache-2.0
"""Fairness: whether the throughput was bought by starving threads. Of the most contended cell of
each workload, Jain's index, and what the idlest thread got of an equal share: the index hides a
single starved thread among many, the share does not."""

from __future__ import annotations

import pandas as pd

from analysis import cells, units
from analysis.page import rows as in_rows
from analysis.page.chart import Chart, Maker

_JAIN = in_rows.Measure(
    "Jain's index; 1: all did the same",
    lambda value: units.short(value, 2),
    best_is_least=False,
    bars=True,
    top=1.0,
)
_IDLEST = in_rows.Measure(
    "idlest thread, of an equal share",
    lambda value: f"{100 * value:.0f} %",
    best_is_least=False,
    bars=True,
    top=1.0,
)


def charts(rows: pd.DataFrame, maker: Maker, most: int) -> tuple[list[Chart], list[str]]:
    """The pictures, and notes on the rows that they omit."""
    # With fixed work, every thread does its share, so there is no fairness to measure.
    measured = rows[(rows["threads"] > 1) & (rows["mode"] == "timed") & (rows["operations"] > 0)]
    groups = cells.most_contended(measured.assign(idlest=cells.idlest_share(measured)))
    chosen = cells.evenly(groups, most)
    made = []
    for group in chosen:
        name = cells.describe(group.key)
        for column, measure, title in (
            ("fairness_jain", _JAIN, f"Jain's index: {name}"),
            ("idlest", _IDLEST, f"The idlest thread: {name}"),
        ):
            found = in_rows.drawn(group.rows, column, measure, maker, title, "fairness")
            made += [found] if found is not None else []
    left = len(groups) - len(chosen)
    return made, [f"{left} more cells are not drawn"] if left else []
