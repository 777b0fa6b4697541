# SPDX-License-Identifier: Apache-2.0
"""The ratios of a run by load, as a table in Markdown, from its comparisons.csv. Pure.

A line for each number of threads and hold; in a cell the least and the greatest ratio of OURS, and
that of PEER. A question mark: at least one of them is inconclusive.
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


def table(comparisons: Sequence[Mapping[str, str]]) -> str:
    cells: dict[str, dict[str, list[Mapping[str, str]]]] = {}
    for row in comparisons:
        if row["baseline"] == BASELINE and row["primitive"] in (*OURS, PEER):
            found = _LOAD.search(row["cell"])
            load = found["load"] if found else SATURATED
            name = _line(row, sleeps="threads sleep" in row["cell"])
            cells.setdefault(name, {}).setdefault(load, []).append(row)
    loads = sorted({load for own in cells.values() for load in own}, key=_order)
    names = sorted(cells, key=lambda name: _order(next(iter(cells[name].values()))[0]))
    rows = [[name, *(_cell(cells[name].get(load, [])) for load in loads)] for name in names]
    lines = markdown_table(["threads, hold", *loads], rows, "l" + "r" * len(loads))
    return "\n".join(lines) + "\n"


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
