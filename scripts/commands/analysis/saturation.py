# SPDX-License-Identifier: Apache-2.0
"""Open loop: from which rate of arrivals on a primitive cannot keep up.

Below its saturation point a lock serves what arrives and waits are short; beyond it the queue grows
for as long as arrivals go on, and a wait depends on the window's length more than on the lock.

Its capacity is the highest rate at which the p99 wait stays below a limit. It lies between the rate
up to which three quarters of the blocks stay below it, and the first one at which fewer than a
quarter do.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from analysis import cells, units
from analysis.cells import Group

# A server that keeps up leaves undone what arrived in the window's last moments: far less.
LEAST_SERVED = 0.99
MOST_UNSERVED = 0.01
# Random arrivals scatter about their rate; a shortfall counts from so many standard deviations on.
_DEVIATIONS = 3
WAIT_LIMIT_NS = 1e6


@dataclass(frozen=True)
class Saturation:
    """Between which of the measured rates one primitive's saturation point lies."""

    group: str
    primitive: str
    below_per_s: float | None  # greatest rate before the point; None: saturated at every rate
    above_per_s: float | None  # least rate beyond it; None: it kept up with every rate
    wait_limit_ns: float
    capacity_per_s: float | None  # three quarters of the blocks are below the limit; None: nowhere
    exceeded_per_s: float | None  # fewer than a quarter are; None: at no rate

    @property
    def words(self) -> str:
        if self.above_per_s is None:
            return f"keeps up with {units.whole(self.below_per_s or 0)}/s, the highest valid rate"
        if self.below_per_s is None:
            return f"saturated at {units.whole(self.above_per_s)}/s, the lowest valid rate"
        low, high = units.whole(self.below_per_s), units.whole(self.above_per_s)
        return f"saturates between {low}/s and {high}/s"

    @property
    def capacity_words(self) -> str:
        """`80,000 – 160,000/s`: between which rates the p99 wait begins to exceed the limit."""
        if self.exceeded_per_s is None:
            return f"at least {units.whole(self.capacity_per_s)}/s" if self.capacity_per_s else "–"
        if self.capacity_per_s is None:
            return f"less than {units.whole(self.exceeded_per_s)}/s"
        return f"{units.whole(self.capacity_per_s)} – {units.whole(self.exceeded_per_s)}/s"


def groups(trials: pd.DataFrame) -> list[Group]:
    """Rows of open loops that differ by primitive, rate and block only."""
    rows = trials[(trials["mode"] == "open") & (trials["rate_per_s"] > 0)]
    return cells.groups(rows, without=["rate_per_s", "operations_planned", "sample_every"])


def saturations(trials: pd.DataFrame, limit_ns: float = WAIT_LIMIT_NS) -> list[Saturation]:
    """One for each primitive of each group of the valid rows."""
    found = groups(trials)
    return [
        _saturation(name, label, own, limit_ns)
        for group, name in zip(found, cells.names(found))
        for label, own in group.rows.groupby("label", sort=False)
    ]


def saturated_rates(own: pd.DataFrame) -> list[float]:
    """The rates with which one primitive could not keep up."""
    return [rate for rate, rows in own.groupby("rate_per_s") if _saturated(rows)]


def _saturation(group: str, label: str, own: pd.DataFrame, limit_ns: float) -> Saturation:
    saturated = saturated_rates(own)
    rates = sorted(float(rate) for rate in own["rate_per_s"].unique())
    below = [rate for rate in rates if not saturated or rate < saturated[0]]
    return Saturation(
        group,
        label,
        below_per_s=below[-1] if below else None,
        above_per_s=saturated[0] if saturated else None,
        wait_limit_ns=limit_ns,
        **_capacity(own, limit_ns),
    )


def _capacity(own: pd.DataFrame, limit_ns: float) -> dict[str, float | None]:
    timed = own[own["wait_p99_ns"].notna()]
    over = (timed["wait_p99_ns"] > limit_ns).groupby(timed["rate_per_s"]).mean()
    first = next((rate for rate, share in over.items() if share > 0.25), float("inf"))
    within = [float(rate) for rate in over.index if rate < first]
    beyond = [float(rate) for rate, share in over.items() if rate >= first and share >= 0.75]
    return {
        "capacity_per_s": within[-1] if within else None,
        "exceeded_per_s": beyond[0] if beyond else None,
    }


def _saturated(rows: pd.DataFrame) -> bool:
    """True if, over all blocks together, arrivals outran the lock."""
    served = rows["operations"].sum()
    waiting = rows["unserved"].sum()
    if waiting > MOST_UNSERVED * (served + waiting):
        return True
    offered = float((rows["rate_per_s"] * rows["window_s"]).sum())
    scatter = 0.0 if (rows["arrivals"] == "fixed").all() else _DEVIATIONS * offered**0.5
    return bool(served < LEAST_SERVED * offered - scatter)
