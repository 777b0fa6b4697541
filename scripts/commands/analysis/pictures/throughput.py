# SPDX-License-Identifier: Apache-2.0
"""Throughput of what no load limits, along each axis that was swept; bars where nothing was.

threads       Does the lock let more threads do more work? A line that rises shows keys that do not
              wait for each other; a flat one a lock that all share; a falling one a lock that
              spends the processor on the waiting itself. Oversubscription, where there are more
              threads than the machine has, is where spinning and handing over in turn collapse.
keys          How many keys does it take until threads stop meeting? With few keys all primitives
              are one lock. As keys are added, a lock per key gains until threads seldom meet;
              stripes gain until every stripe is in use; one lock for all gains nothing. To the far
              right memory shows: a table with an entry per key leaves the caches.
hold          How long must the work under the lock be before the lock stops mattering? At the left
              the lines are apart by what the locks themselves cost; to the right they meet wherever
              the same number of holds can overlap, since then the hold decides. What is still apart
              there is exclusion that was not needed: keys that wait for each other.
writes        Up to which share of writes do readers gain from sharing a lock? Without writes,
              readers of a shared lock never wait; each writer makes all of them wait. A lock for
              readers and writers does more work in each operation than a plain one, so that with
              short holds the plain one may be faster at any share.
stripes       How many locks must keys share until sharing costs nothing? Each doubling of the
              stripes halves the chance that two keys meet on one. The line rises until there are
              more stripes than the threads can collide on; beyond that only memory grows. Lines
              across are what has no stripes, above all a lock per key: where the stripes reach it,
              its table buys nothing. Where conflicts were watched, a second column shows the share
              of them that was with another key. Of K keys drawn evenly, a given holder has the
              arrival's own key with chance 1/K, and another key on its stripe with chance
              (1 − 1/K)/S. The share of the second in both is (K − 1)/(K − 1 + S); how many threads
              there are does not matter, since each further holder adds to both alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pandas as pd
from matplotlib.figure import Figure

from analysis import cells, palette, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import curves, rows
from analysis.tables import SHOWN
from analysis.verdict import RATE

BARS = rows.Measure(
    RATE,
    "operations per second",
    units.count,
    best_is_least=False,
    bars=True,
    wide=5.0,
    says=lambda own: SHOWN[RATE](own[RATE].median()),
)


@dataclass(frozen=True)
class Sweep:
    axis: curves.Axis
    rows: Callable[[pd.DataFrame], pd.DataFrame] = lambda found: found  # those along the axis

    def draw(self, run: Run) -> Figure | None:
        found = self.rows(cells.at_full_speed(run.valid))
        watched = found[found[self.axis.column].notna()]["false_conflicts"].notna().any()
        axis = replace(self.axis, **_WATCHED) if self.axis.levels and watched else self.axis
        return curves.draw(run, found, axis)


def _by_time(found: pd.DataFrame) -> pd.DataFrame:
    """No hold is the start of every kind's axis: its rows join each kind that the run has."""
    without = found[found["hold_kind"] == "none"].assign(hold_ns=0.0)
    parts = [found[~found["hold_kind"].isin(["none", "touch"])]]
    parts += [without.assign(hold_kind=kind) for kind in parts[0]["hold_kind"].unique()]
    return pd.concat(parts)


def _by_stripes(found: pd.DataFrame) -> pd.DataFrame:
    """One line for all counts of stripes: the count is the axis."""
    stripes = {params: _stripes(params) for params in found["params"].unique()}
    labels = {label: palette.any_stripes(label) for label in found["label"].unique()}
    return found.assign(
        stripes=found["params"].map(stripes).astype(float), label=found["label"].map(labels)
    )


def _stripes(params: str) -> float:
    said = re.search(r"\bstripes=(\d{1,15})\b", params)
    return float(said[1]) if said else math.nan


SWEEPS = {
    "threads": Sweep(curves.Axis("threads", "threads", "threads", units.whole)),
    "keys": Sweep(curves.Axis("keys", "keys", "keys", units.number)),
    "hold": Sweep(
        curves.Axis("hold_ns", "hold", "length of the hold", units.nanoseconds), _by_time
    ),
    "writes": Sweep(
        curves.Axis(
            "write_share", "operations that write", "share of writes", lambda s: f"{100 * s:.3g} %"
        )
    ),
    "cache-lines": Sweep(
        curves.Axis(
            "hold_lines", "cache lines written under the lock", "cache lines written", units.whole
        ),
        lambda found: found[found["hold_kind"] == "touch"],
    ),
    "stripes": Sweep(
        curves.Axis("stripes", "stripes", "stripes", units.number, levels=True),
        _by_stripes,
    ),
}


def expected_share(group: Group, stripes: Sequence[float]) -> list[float] | None:
    """The share of conflicts with another key; None where keys are not drawn evenly."""
    keys = group.key["keys"]
    if group.key["key_distribution"] != "uniform" or not keys:
        return None
    return [(keys - 1) / (keys - 1 + count) for count in stripes]


_WATCHED = {
    "what": "Throughput and false conflicts",
    "measures": (
        replace(curves.RATE, title="throughput"),
        curves.Measure(
            "false_conflicts",
            "conflicts with another key",
            units.whole_percent,
            share=True,
            title="false conflicts",
            expected=expected_share,
        ),
    ),
    "notes": [
        "grey at the right: (K − 1)/(K − 1 + S), the share that follows from K keys drawn evenly"
        " and S stripes"
    ],
}


def _not_swept(timed: pd.DataFrame, column: str) -> pd.DataFrame:
    """The rows of workloads that have one point of the axis."""
    # Copies of whole rows would take longer than the search.
    facets = cells.axis_facets(timed[[*cells.GROUP, "label"]], column)
    swept = {group.key["workload"] + group.key["scenario"] for group in facets}
    return timed[~(timed["workload"] + timed["scenario"]).isin(swept)]


def draw(run: Run) -> Figure | None:
    """Bars of the workloads that were measured at one point of every axis but that of stripes."""
    # Fixed work is shown by its makespan.
    timed = cells.at_full_speed(run.valid)
    timed = timed[(timed["mode"] == "timed") & (timed[RATE] > 0)]
    alone = timed
    for sweep in SWEEPS.values():
        if sweep.axis.column in alone:
            alone = _not_swept(alone, sweep.axis.column)
    title = f"Throughput{cells.in_the_saturated_loop(alone)}"
    return rows.draw(run, cells.groups(alone), rows.Sheet(title, [BARS]))
