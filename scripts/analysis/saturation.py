# SPDX-License-Identifier: Apache-2.0
"""Open loop: from which rate of arrivals on a primitive cannot keep up.

Below its saturation point a lock serves what arrives and waits are short; beyond it the queue grows
for as long as arrivals go on, and a wait depends on the window's length more than on the lock.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from analysis import cells, units
from analysis.cells import Group

# What a server that keeps up leaves undone is what arrived in the window's last moments: far less.
LEAST_SERVED = 0.99
MOST_UNSERVED = 0.01
# Random arrivals scatter about their rate; a shortfall counts from so many standard deviations on.
_DEVIATIONS = 3


@dataclass(frozen=True)
class Saturation:
    """Between which of the measured rates one primitive's saturation point lies."""

    group: str
    primitive: str
    below_per_s: float | None  # greatest rate before the point; None: saturated at every rate
    above_per_s: float | None  # least rate beyond it; None: it kept up with every rate

    @property
    def words(self) -> str:
        if self.above_per_s is None:
            return f"keeps up with {units.whole(self.below_per_s or 0)}/s, the highest valid rate"
        if self.below_per_s is None:
            return f"saturated at {units.whole(self.above_per_s)}/s, the lowest valid rate"
        low, high = units.whole(self.below_per_s), units.whole(self.above_per_s)
        return f"saturates between {low}/s and {high}/s"


def groups(trials: pd.DataFrame) -> list[Group]:
    """Rows of open loops that differ by primitive, rate and block only."""
    rows = trials[(trials["mode"] == "open") & (trials["rate_per_s"] > 0)]
    return cells.groups(rows, without=["rate_per_s", "operations_planned", "sample_every"])


def saturations(trials: pd.DataFrame) -> list[Saturation]:
    """One for each primitive of each group of the valid rows."""
    found = groups(trials)
    return [
        _saturation(name, label, own)
        for group, name in zip(found, cells.names(found))
        for label, own in group.rows.groupby("label", sort=False)
    ]


def saturated_rates(own: pd.DataFrame) -> list[float]:
    """The rates with which one primitive could not keep up."""
    return [rate for rate, rows in own.groupby("rate_per_s") if _saturated(rows)]


def _saturation(group: str, label: str, own: pd.DataFrame) -> Saturation:
    saturated = saturated_rates(own)
    rates = sorted(own["rate_per_s"].unique())
    if not saturated:
        return Saturation(group, label, float(rates[-1]), None)
    below = [float(rate) for rate in rates if rate < saturated[0]]
    return Saturation(group, label, below[-1] if below else None, float(saturated[0]))


def _saturated(rows: pd.DataFrame) -> bool:
    """Whether, over all blocks together, arrivals outran the lock."""
    served = rows["operations"].sum()
    waiting = rows["unserved"].sum()
    if waiting > MOST_UNSERVED * (served + waiting):
        return True
    offered = float((rows["rate_per_s"] * rows["window_s"]).sum())
    scatter = 0.0 if (rows["arrivals"] == "fixed").all() else _DEVIATIONS * offered**0.5
    return bool(served < LEAST_SERVED * offered - scatter)
