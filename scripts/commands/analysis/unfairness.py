# SPDX-License-Identifier: Apache-2.0
"""Throughput that was bought with unfairness: when to say so, and how.

A lock that lets one thread run on while others starve keeps its data in one core's cache and wins
on throughput. Its rate is correct, but a user of the lock should know its unfairness.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from analysis import starvation, units

MARK = "!"

# Jain's index is k/n when k of n threads share all work evenly and the others get nothing: at 0.8
# it is as if one thread in five did not take part.
LEAST_JAIN = 0.8
# A thread that waited once for so long lost that share of all it could have done.
LONGEST_WAIT_OF_WINDOW = 0.1
# In a queue in order of arrival a thread waits for the holds of the threads in front of it. No run
# measures as many threads as this.
LONGEST_WAIT_OF_HOLD = 1000
# Below a few turns of the scheduler a long wait shows a thread that was set aside, whatever its
# lock: after short holds every lock on a busy machine has waits of this length.
LEAST_TELLING_WAIT_NS = 10e6
# The wait of an orderly queue of all threads is no unfairness, long as it may be; twice that is.
ORDERLY_QUEUES = 2

EXPLAINED = (
    f"{MARK} unfair: a thread starved, Jain's index below {LEAST_JAIN}, or a wait of over a tenth"
    " of the window or"
    f" {LONGEST_WAIT_OF_HOLD:,} median holds (over {units.nanoseconds(LEAST_TELLING_WAIT_NS)}, and"
    " twice what a queue in order would take)"
)


def words(rows: pd.DataFrame) -> str:
    """`unfair: Jain 0.42, longest wait 310 ms`, by the medians of a cell's valid rows; before it,
    in how many of its blocks a thread starved; else empty.

    Asked only where threads compete for a window: fixed work is divided in advance, and with an
    open loop waits depend on the rate.
    """
    return of_cells(rows.assign(cell=0)).get(0, "")


def of_cells(rows: pd.DataFrame) -> dict[int, str]:
    """The same for each `cell` of many rows."""
    valid = rows.loc[rows["valid"], ["cell", "mode", *FIGURES]]
    medians = asked(valid).groupby("cell")[FIGURES].median()
    found = {int(cell): of_medians(one) for cell, one in medians.to_dict("index").items()}
    starved = starvation.of(rows)["cell"].unique()
    for cell, own in rows[rows["cell"].isin(starved)].groupby("cell"):
        more = found.get(int(cell), "").removeprefix("unfair: ")
        found[int(cell)] = "unfair: " + ", ".join(filter(None, [starvation.of_blocks(own), more]))
    return found


# The figures that the words rest on.
FIGURES = ["fairness_jain", "wait_max_ns", "held_p50_ns", "hold_ns", "window_s", "threads"]


def asked(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[(rows["mode"] == "timed") & (rows["threads"] > 1)]


def of_medians(medians: Mapping[str, float]) -> str:
    """The same of a cell's medians of FIGURES; NaN where nothing was measured."""
    said = []
    if medians["fairness_jain"] < LEAST_JAIN:
        said.append(f"Jain {medians['fairness_jain']:.2f}")
    if medians["wait_max_ns"] > _bar_ns(medians):
        said.append(f"longest wait {units.nanoseconds(medians['wait_max_ns'])}")
    return f"unfair: {', '.join(said)}" if said else ""


def _bar_ns(medians: Mapping[str, float]) -> float:
    """The longest wait that needs no explanation."""
    hold = medians["held_p50_ns"]
    if hold != hold:
        hold = medians["hold_ns"]
    hold = hold if hold == hold else 0.0
    bars = [LONGEST_WAIT_OF_WINDOW * 1e9 * medians["window_s"]]
    if hold > 0:
        bars.append(LONGEST_WAIT_OF_HOLD * hold)
    queue = ORDERLY_QUEUES * medians["threads"] * hold
    return max(LEAST_TELLING_WAIT_NS, queue, min(bars))
