# SPDX-License-Identifier: Apache-2.0
"""Starved trials: a thread did not get the lock for so long, while others did, that the trial was
given up. There is no rate to compare, but it is a result, and the lock's own. Pure.

Older runs have such trials as `timeout`, with the phase and the time in their reason. A thread that
is warming up after all this time has not ended its first operation. One that is measuring has not
ended the operation in which it was when the window closed. When that was is not known: the window
opens when the last thread has ended its first operation, so either that one starved for half of the
time, or this one did.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis import units

OUTCOME = "starved"

_OLDER = re.compile(
    r"still (?P<phase>warming up|measuring) after (?P<limit>[\d.]+) s; inside an operation: "
)
# The time of an older trial until its threads had begun, and had seen that the window was closed.
_AROUND_S = 0.1


def recognized(trials: pd.DataFrame, meta: Mapping[str, Any]) -> pd.DataFrame:
    """The rows, with those of older runs as they would be written today."""
    older = (
        (trials["outcome"] == "timeout")
        & (trials["mode"] == "timed")
        & trials["reason"].map(lambda reason: _OLDER.match(reason) is not None)
    )
    if not older.any():
        return trials
    windows = _planned_windows_s(meta)
    found = {}
    for line, row in trials[older].iterrows():
        seconds = _least_of_older(row, windows.get(int(row["trial"])))
        if seconds is not None:
            found[line] = seconds
    lines = list(found)
    trials = trials.copy()
    trials.loc[lines, "outcome"] = OUTCOME
    trials.loc[lines, "starved_s"] = list(found.values())
    return trials


def _least_of_older(row: pd.Series, window_s: float | None) -> float | None:
    said = _OLDER.match(row["reason"])
    if said is None:
        return None
    limit = float(said["limit"]) - _AROUND_S
    if said["phase"] == "warming up":
        return limit if limit > 0 else None
    if window_s is None:
        return None
    seconds = (limit - float(row["warmup_s"]) - window_s) / 2
    return seconds if seconds > 0 else None


def _planned_windows_s(meta: Mapping[str, Any]) -> dict[int, float]:
    """By trial."""
    plan = meta.get("plan")
    planned = plan.get("trials") if isinstance(plan, dict) else None
    found = {}
    for one in planned if isinstance(planned, list) else []:
        window = units.quantity(str(one["cell"].get("window", "")), units.NANOSECONDS)
        if window is not None:
            found[int(one["number"])] = window / 1e9
    return found


def of(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["outcome"] == OUTCOME]


def words(starved: pd.DataFrame) -> str:
    """`starved for at least 4.2 s`, which is true of each of these rows."""
    least = starved["starved_s"].min()
    return f"starved for at least {units.seconds(least)}" if least == least else OUTCOME


def of_blocks(rows: pd.DataFrame) -> str:
    """The words for the rows of one cell: `starved for at least 4.2 s in 2 of 3 blocks`, or
    empty."""
    starved = of(rows)
    if starved.empty:
        return ""
    return (
        f"{words(starved)} in {starved['block'].nunique()} of"
        f" {units.plural(rows['block'].nunique(), 'block')}"
    )


def named(trials: pd.DataFrame) -> str:
    """`3 trials starved for at least 4.2 s (global:lock=absl)`, or empty."""
    starved = of(trials)
    if starved.empty:
        return ""
    labels = list(starved["label"].unique())
    more = f" and {len(labels) - 3} more" if len(labels) > 3 else ""
    of_trials = f"{units.plural(len(starved), 'trial')} {words(starved)}"
    return f"{of_trials} ({', '.join(labels[:3])}{more})"
