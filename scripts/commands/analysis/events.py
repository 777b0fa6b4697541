# SPDX-License-Identifier: Apache-2.0
"""The counts of `run --perf` for each operation, and what it could not count. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from analysis import units


def _per_million(value: float) -> str:
    return units.count(1e6 * value)


@dataclass(frozen=True)
class Event:
    column: str
    name: str
    per: str = "operation"
    words: Callable[[float], str] = units.count

    @property
    def label(self) -> str:
        return f"{self.name} per {self.per}"


_RARE = ("million operations", _per_million)
EVENTS = (
    Event("cycles_per_operation", "processor cycles"),
    Event("instructions_per_operation", "instructions"),
    Event("cache_misses_per_operation", "cache misses"),
    Event("branch_misses_per_operation", "mispredicted branches"),
    Event("switches_per_operation", "context switches", *_RARE),
    Event("migrations_per_operation", "moves to another processor", *_RARE),
    Event("page_faults_per_operation", "page faults", *_RARE),
    Event(
        "energy_j_per_operation",
        "energy",
        "operation",
        lambda joule: units.count(1e9 * joule) + " nJ",
    ),
)


def counted(rows: pd.DataFrame) -> list[Event]:
    """The events of which any row has a figure."""
    return [one for one in EVENTS if one.column in rows and rows[one.column].notna().any()]


def missing(rows: pd.DataFrame) -> str:
    """One line on the events that were asked for and not counted, and why; empty if none was."""
    known = counted(rows)
    reasons = rows["events_missing"].dropna() if "events_missing" in rows else pd.Series(dtype=str)
    told = list(dict.fromkeys(str(reason) for reason in reasons if reason))
    absent = [one.name for one in EVENTS if one not in known]
    if not absent or not (known or told):
        return ""
    return f"Not counted: {', '.join(absent)} ({'; '.join(told) or 'no counter'})."
