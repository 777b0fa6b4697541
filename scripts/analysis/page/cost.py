# SPDX-License-Identifier: Apache-2.0
"""Cost: what a lock takes from everybody else. Processor time of the whole process for each
operation, the hold included, in the most contended cell of each workload; the memory of the
primitive itself, and where each key has a lock, of a key; the events that `run --perf` counted."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from analysis import cells, events, units
from analysis.page import rows as in_rows
from analysis.page.chart import Chart, Maker

_TIME = in_rows.Measure("processor time per operation", units.nanoseconds, best_is_least=True)
_MEMORY = {
    "lock_bytes": ("Memory", "memory of the primitive"),
    "key_bytes_live": ("Memory of a held key", "memory of a key that is held"),
    "key_bytes_idle": ("Memory of an idle key", "memory of a key that nobody uses any more"),
}


def charts(rows: pd.DataFrame, maker: Maker, most: int) -> tuple[list[Chart], list[str]]:
    """The pictures, and notes on the rows that they omit."""
    measured = rows[rows["mode"] != "micro"]
    measured = measured.assign(processor=cells.processor_ns(measured))
    groups = cells.most_contended(measured[measured["processor"] > 0])
    chosen = cells.evenly(groups, most)
    made = []
    for group in chosen:
        hold = group.key["hold_ns"] if group.key["hold_kind"] == "spin" else None
        time = replace(_TIME, line=(hold, f"hold, {units.nanoseconds(hold)}")) if hold else _TIME
        name = cells.describe(group.key)
        found = in_rows.drawn(group.rows, "processor", time, maker, f"CPU: {name}", "cost")
        made += [found] if found is not None else []
        for event in events.counted(group.rows):
            counted = in_rows.Measure(event.label, event.words, best_is_least=True, bars=True)
            title = f"{event.name.capitalize()}: {name}"
            found = in_rows.drawn(group.rows, event.column, counted, maker, title, "events")
            made += [found] if found is not None else []
    made += _memory(measured, maker)
    left = len(groups) - len(chosen)
    return made, [f"{left} more cells are not drawn"] if left else []


def _memory(measured: pd.DataFrame, maker: Maker) -> list[Chart]:
    """Of the workload with most keys: memory follows keys, and nothing else that is swept."""
    made = []
    for column, (title, label) in _MEMORY.items():
        own = measured[measured[column].notna()]
        groups = cells.groups(own[own["label"] != cells.FLOOR])
        if not groups:
            continue
        group = max(groups, key=lambda one: (len(one.labels), one.key["keys"] or 0))
        zero = (group.rows[column] == 0).all()
        measure = in_rows.Measure(label, units.memory, best_is_least=True, bars=zero)
        if column != "lock_bytes":
            measure = replace(measure, bars=True)
        elif not zero:
            group = replace(group, rows=group.rows[group.rows[column] > 0])
        found = in_rows.drawn(
            group.rows, column, measure, maker, f"{title}: {cells.describe(group.key)}", "memory"
        )
        made += [found] if found is not None else []
    return made
