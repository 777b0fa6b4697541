# SPDX-License-Identifier: Apache-2.0
"""Cost: what does the lock take from everybody else?

Processor time per operation, the hold itself included: threads that spin or are woken in vain take
it from the rest of the machine, whatever the throughput says. Then the memory that the primitive
itself occupies when all threads have left; where each key has a lock, also what one key occupies
while it is held and when it is no longer used.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from analysis import cells, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import rows


def _hold(group: Group) -> tuple[float, str] | None:
    hold = group.key["hold_ns"] if group.key["hold_kind"] == "spin" else None
    return (hold, f"hold, {units.nanoseconds(hold)}") if hold else None


TIME = rows.Measure(
    "processor_ns", "processor time per operation", units.nanoseconds, title="CPU", line=_hold
)
MEMORY = rows.Measure("lock_bytes", "memory of the primitive", units.memory, title="Memory")
OF_KEYS = (
    rows.Measure(
        "key_bytes_live",
        "memory of a key that is held",
        units.memory,
        bars=True,
        title="Memory of a held key",
    ),
    rows.Measure(
        "key_bytes_idle",
        "memory of a key that nobody uses any more",
        units.memory,
        bars=True,
        title="Memory of an idle key",
    ),
)


def measured(valid: pd.DataFrame) -> pd.DataFrame:
    valid = valid[valid["mode"] != "micro"]
    return valid.assign(processor_ns=cells.processor_ns(valid))


def draw(run: Run) -> Figure | None:
    found = measured(run.valid)
    found = found[found["processor_ns"] > 0]
    return rows.draw(
        run,
        cells.most_contended(found),
        rows.Sheet(
            "What a lock costs: processor time and memory",
            [TIME, *(one for one in (MEMORY, *OF_KEYS) if found[one.column].notna().any())],
            notes=[
                f"{rows.CONTENDED}; processor time is of the whole process, user and system, and"
                " includes the hold"
            ],
        ),
    )
