# SPDX-License-Identifier: Apache-2.0
"""Wait by rate: which rate can a lock serve before its waits grow without limit?

Arrivals come at a rate of their own, whether or not the lock keeps up, and a wait counts from when
its operation was to begin. As the rate nears what the lock can serve, first the long waits rise,
then all. A ring marks a rate that it could not serve: there a wait shows how long the window was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
from matplotlib.figure import Figure

from analysis import saturation, scales, units
from analysis.loader import Run
from analysis.pictures import curves

_QUANTILES = {"wait_p50_ns": "p50", "wait_p99_ns": "p99", "wait_max_ns": "longest"}


def _ringed(own: pd.DataFrame) -> Sequence[float]:
    return saturation.saturated_rates(own)


AXIS = curves.Axis(
    "rate_per_s",
    "arrivals per second, of all threads",
    "offered rate",
    units.count,
    what="Wait from the intended start",
    measures=[
        curves.Measure(column, f"{name} wait", units.nanoseconds, title=name, ringed=_ringed)
        for column, name in _QUANTILES.items()
    ],
    notes=[
        f"ring: saturated, less than {100 * saturation.LEAST_SERVED:.0f} % of the arrivals served"
        f" or over {100 * saturation.MOST_UNSERVED:.0f} % unserved when the window closed"
    ],
)


P99 = replace(
    AXIS,
    what="p99 wait",
    measures=[one for one in AXIS.measures if one.column == "wait_p99_ns"],
)


def rows_of(valid: pd.DataFrame) -> pd.DataFrame:
    rows = valid[valid["mode"] == "open"]
    return rows.assign(
        **{column: rows[column].clip(lower=scales.LEAST_WAIT_NS) for column in _QUANTILES}
    )


def draw(run: Run) -> Figure | None:
    return curves.draw(run, rows_of(run.valid), AXIS)
