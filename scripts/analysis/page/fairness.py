# SPDX-License-Identifier: Apache-2.0
"""Fairness: whether the throughput was bought by starving threads, in the most contended cell of
each workload."""

from __future__ import annotations

import pandas as pd

from analysis.page import rows as in_rows
from analysis.page.chart import Chart, Maker
from analysis.pictures import fairness


def charts(rows: pd.DataFrame, maker: Maker, most: int) -> tuple[list[Chart], list[str]]:
    """The pictures, and notes on the rows that they omit."""
    measures = [fairness.JAIN, fairness.SHARES]
    made, left = in_rows.charts(fairness.groups_of(rows), measures, maker, most, "fairness")
    return made, [f"{left} more cells are not drawn"] if left else []
