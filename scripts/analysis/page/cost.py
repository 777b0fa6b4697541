# SPDX-License-Identifier: Apache-2.0
"""Cost: what a lock takes from everybody else. Processor time of the whole process for each
operation, the hold included, in the most contended cell of each workload; the events that `run
--perf` counted there; the memory of the primitive itself, and where each key has a lock, of a
key."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from analysis import cells
from analysis.page import rows as in_rows
from analysis.page.chart import Chart, Maker
from analysis.pictures import cost, events


def charts(rows: pd.DataFrame, maker: Maker, most: int) -> tuple[list[Chart], list[str]]:
    """The pictures, and notes on the rows that they omit."""
    measured = cost.measured(rows)
    groups = cells.most_contended(measured[measured["processor_ns"] > 0])
    made, left = in_rows.charts(groups, [cost.TIME], maker, most, "cost")
    made += in_rows.charts(groups, events.measures(measured), maker, most, "events")[0]
    made += _memory(measured, maker)
    return made, [f"{left} more cells are not drawn"] if left else []


def _memory(measured: pd.DataFrame, maker: Maker) -> list[Chart]:
    """Of the workload with most keys: memory follows keys, and nothing else that is swept."""
    made = []
    for measure in (cost.MEMORY, *cost.OF_KEYS):
        own = measured[measured[measure.column].notna() & (measured["label"] != cells.FLOOR)]
        measure = replace(measure, bars=measure.bars or not own[measure.column].any())
        groups = cells.groups(own if measure.bars else own[own[measure.column] > 0])
        groups.sort(key=lambda one: (-len(one.labels), -(one.key["keys"] or 0)))
        made += in_rows.charts(groups[:1], [measure], maker, 1, "memory")[0]
    return made
