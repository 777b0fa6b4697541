# SPDX-License-Identifier: Apache-2.0
"""Fairness: was the throughput bought by starving threads?

Left, Jain's index over the operations of each thread: 1 when all did the same, 1/threads when one
did everything. Right, what the idlest and the busiest thread did, as a multiple of an equal
share: the index hides a single starved thread among many, this does not.

Source: R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination" (1984).
"""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from analysis import cells, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import rows

_LEAST_SHARE = 0.001  # what a logarithmic axis shows of a thread that did nothing


def _share(share: float) -> str:
    return f"{'≤ ' if share <= _LEAST_SHARE else ''}{units.short(share)}×"


JAIN = rows.Measure(
    "fairness_jain",
    "Jain's index; 1: all did the same",
    lambda value: units.short(value, 2),
    best_is_least=False,
    bars=True,
    top=1.0,
    title="Jain's index",
)
SHARES = rows.Measure(
    "idlest",
    "idlest to busiest thread",
    _share,
    best_is_least=False,
    line=lambda group: (1.0, "an equal share"),
    marks=[rows.Mark(column, "", "|", 9.0) for column in ("idlest", "busiest")],
    title="Idlest and busiest thread",
    wide=3.2,
    says=lambda own: " – ".join(_share(own[name].median()) for name in ("idlest", "busiest")),
)


def groups_of(valid: pd.DataFrame) -> list[Group]:
    """With fixed work, every thread does its share, so there is no fairness to measure."""
    rows_of = valid[(valid["threads"] > 1) & (valid["mode"] == "timed") & (valid["operations"] > 0)]
    mean = rows_of["operations"] / rows_of["threads"]
    return cells.most_contended(
        rows_of.assign(
            idlest=(rows_of["thread_operations_min"] / mean).clip(lower=_LEAST_SHARE),
            busiest=(rows_of["thread_operations_max"] / mean).clip(lower=_LEAST_SHARE),
        )
    )


def draw(run: Run) -> Figure | None:
    return rows.draw(
        run,
        groups_of(run.valid[run.valid["fairness_jain"].notna()]),
        rows.Sheet(
            "Fairness between threads",
            [JAIN, SHARES],
            notes=[
                f"{rows.CONTENDED}; fairest on top",
                "band: of Jain's index" if run.error.banded else "",
            ],
        ),
    )
