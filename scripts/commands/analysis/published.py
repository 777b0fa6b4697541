# SPDX-License-Identifier: Apache-2.0
"""Figures that a seed's authors published beside what a run of its preset measured, as one table.

workloads/presets/published/PRESET.toml is a table: the published columns as they were printed, then
the measured ones. What a measured cell shows follows from its row and its column together.

    source = "a tutorial in Python, on an i7-1165G7"
    note = "…"                                # below the table; may be left out
    columns = ["published", "ideal"]          # of the known figures

    [[measured]]
    title = "measured"
    where = {threads = "8"}                   # columns of trials.csv; may be left out

    [[row]]
    title = "a lock per counter"
    published = ["0.608 s", "0.600 s"]        # one for each of `columns`
    figure = "makespan_s"                     # a column of trials.csv, or "outcome"
    unit = "s"                                # see _UNITS; a count if it is left out
    where = {primitive = "keyed"}             # the primitive with its parameters
    against = "global"                        # with "% saved" or "times": another primitive

A measured figure is the median of the valid rows. If none is valid, the outcome is in its
place. Counts of failures come from invalid rows too.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from analysis import cells
from analysis.loader import InputError, Run
from analysis.sections import Table

FOLDER = Path(__file__).resolve().parents[3] / "workloads" / "presets" / "published"
_NOTHING = "–"
_UNITS: dict[str, Callable[[float], str]] = {
    "count": lambda value: f"{value:.0f}",
    "s": lambda value: f"{value:.3f} s",
    "ms": lambda value: f"{value * 1e3:.2f}",  # of wide tables, whose note names the unit
    "ns": lambda value: f"{value:.0f} ns",
    "bytes": lambda value: f"{value:.0f} bytes",
    "%": lambda value: f"{value * 100:.1f} %",
    "% saved": lambda value: f"{(1 - value) * 100:.1f} %",
    "times": lambda value: f"{value:.1f} ×",
}
_KEYS = {"title", "published", "figure", "unit", "where", "against"}


def table(run: Run) -> list[Table]:
    """Empty where the preset has no published figures, or the run measured none of them."""
    path = FOLDER / f"{run.preset}.toml"
    if path.parent != FOLDER or not path.is_file():
        return []
    known = read(path)
    measured = known["measured"]
    body = [
        [row["title"], *row["published"], *(_cell(row, one, run.trials) for one in measured)]
        for row in known["row"]
    ]
    first = 1 + len(known["columns"])
    if all(cell == _NOTHING for row in body for cell in row[first:]):
        return []
    return [
        Table(
            title=f"Published ({known['source']}) and measured here",
            headers=["what", *known["columns"], *(one["title"] for one in measured)],
            rows=body,
            notes=[known["note"]] if known.get("note") else [],
        )
    ]


def read(path: Path) -> dict[str, Any]:
    """The file, checked as far as a table needs it. InputError names the row."""
    try:
        known = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: is no TOML: {error}") from None
    for name in ("source", "columns", "measured", "row"):
        if name not in known:
            raise InputError(f"{path}: {name} is missing")
    for number, row in enumerate(known["row"], 1):
        if wrong := _wrong(row, len(known["columns"])):
            raise InputError(f"{path}: row {number}: {wrong}")
    return known


def _wrong(row: dict[str, Any], columns: int) -> str:
    if unknown := sorted(set(row) - _KEYS):
        return f"no key is called {unknown[0]!r}; there are {', '.join(sorted(_KEYS))}"
    if missing := sorted({"title", "published", "figure"} - set(row)):
        return f"{missing[0]} is missing"
    if len(row["published"]) != columns:
        return f"{len(row['published'])} published figures for {columns} columns"
    if row.get("unit", "count") not in _UNITS:
        return f"no unit is called {row['unit']!r}; there are {', '.join(_UNITS)}"
    if (row.get("unit") in ("% saved", "times")) != ("against" in row):
        return "units '% saved' and 'times' go with against = \"PRIMITIVE\", and no other does"
    return ""


def _cell(row: dict[str, Any], column: dict[str, Any], trials: pd.DataFrame) -> str:
    where = {**row.get("where", {}), **column.get("where", {})}
    own = _selected(trials, where)
    if row["figure"] == "outcome":
        sound = (own[["lost_updates", "violations"]] == 0).all(axis=None)
        return "ok" if len(own) and sound else _endings(own)
    value = _median(own, row["figure"])
    if value != value:
        return _endings(own)
    if "against" in row:
        other = _median(_selected(trials, {**where, "primitive": row["against"]}), row["figure"])
        if not other > 0:
            return _NOTHING
        value /= other
    return _UNITS[row.get("unit", "count")](value)


def _selected(trials: pd.DataFrame, where: dict[str, str]) -> pd.DataFrame:
    for name, text in where.items():
        column = trials["label" if name == "primitive" else name]
        trials = trials[column == (text if column.dtype == object else float(text))]
    return trials


def _median(rows: pd.DataFrame, figure: str) -> float:
    return float(
        (rows if figure in cells.FAILURES else rows[rows["valid"]])[figure].dropna().median()
    )


def _endings(rows: pd.DataFrame) -> str:
    """How trials ended that have no figure to show, each ending once."""
    text = ", ".join(sorted(rows["outcome"].unique()))
    return {"": _NOTHING, "ok": "not valid"}.get(text, text)
