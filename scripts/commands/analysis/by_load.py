# SPDX-License-Identifier: Apache-2.0
"""The ratios of a run as tables in Markdown, from its comparisons.csv. Pure.

table()      of one key, by load: a line for each number of threads and hold; in a cell the least
             and the greatest ratio of OURS, and that of PEER
many_keys()  of the greatest number of keys: a line for each hold, number of threads and load; a
             column for each of BY_KEY, the locks by key and then one lock for all

A question mark: at least one of them is inconclusive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from analysis.text import markdown_table

OURS = ("global", "keyed", "striped:stripes=64")
PEER = "global:lock=tbb_spin"
BASELINE = "global:lock=std"
_LOAD = re.compile(r" · load (?P<load>[\d.]+ %)(?:, threads sleep)?$")
SATURATED = "saturated"
BY_KEY = ("keyed", "striped:stripes=64", "striped_vector:stripes=64", "keyed_table64", "global")


def table(comparisons: Sequence[Mapping[str, str]]) -> str:
    cells: dict[str, dict[str, list[Mapping[str, str]]]] = {}
    for row in comparisons:
        if not _is_of_locks(row, (*OURS, PEER)):
            continue
        if row["keys"] == "1":
            found = _LOAD.search(row["cell"])
            load = found["load"] if found else SATURATED
            name = _line(row, sleeps="threads sleep" in row["cell"])
            cells.setdefault(name, {}).setdefault(load, []).append(row)
    loads = sorted({load for own in cells.values() for load in own}, key=_order)
    names = sorted(cells, key=lambda name: _order(next(iter(cells[name].values()))[0]))
    rows = [[name, *(_cell(cells[name].get(load, [])) for load in loads)] for name in names]
    lines = markdown_table(["threads, hold", *loads], rows, "l" + "r" * len(loads))
    return "\n".join(lines) + "\n"


def many_keys(comparisons: Sequence[Mapping[str, str]]) -> str:
    rows = [row for row in comparisons if _is_of_locks(row, BY_KEY)]
    most = max(int(row["keys"]) for row in rows)
    by_line: dict[tuple[tuple[float, ...], str, str], dict[str, str]] = {}
    for row in (row for row in rows if int(row["keys"]) == most):
        found = _LOAD.search(row["cell"])
        load = found["load"] if found else SATURATED
        order = (float(row["hold_ns"]), float(row["threads"]), *_order(load))
        line = (order, _line(row, sleeps="threads sleep" in row["cell"]), load)
        by_line.setdefault(line, {})[row["primitive"]] = _ratios([row])
    body = [
        [name, load, *(own.get(primitive, "") for primitive in BY_KEY)]
        for (_, name, load), own in sorted(by_line.items())
    ]
    heads = ["threads, hold", "load", *(f"`{primitive}`" for primitive in BY_KEY)]
    return "\n".join(markdown_table(heads, body, "ll" + "r" * len(BY_KEY))) + "\n"


def _is_of_locks(row: Mapping[str, str], primitives: Sequence[str]) -> bool:
    return row["baseline"] == BASELINE and row["primitive"] in primitives


def _order(of: str | Mapping[str, str]) -> tuple[float, float]:
    if isinstance(of, str):
        return (float("inf") if of == SATURATED else float(of.rstrip(" %")), 0.0)
    return (float(of["threads"]), float(of["hold_ns"]))


def _line(row: Mapping[str, str], sleeps: bool) -> str:
    hold = float(row["hold_ns"])
    words = f"{hold:g} ns" if hold < 1000 else f"{hold / 1000:g} µs"
    return f"{row['threads']}{' that sleep' if sleeps else ''}, {words}"


def _cell(rows: Sequence[Mapping[str, str]]) -> str:
    return " / ".join(
        part
        for part in (
            _ratios([row for row in rows if row["primitive"] in OURS]),
            _ratios([row for row in rows if row["primitive"] == PEER]),
        )
        if part
    )


def _ratios(rows: Sequence[Mapping[str, str]]) -> str:
    values = sorted({f"{float(row['ratio']):.2f}" for row in rows}, key=float)
    doubt = "?" if any(row["verdict"] == "inconclusive" for row in rows) else ""
    return "–".join(dict.fromkeys([*values[:1], *values[-1:]])) + doubt
