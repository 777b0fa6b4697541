# SPDX-License-Identifier: Apache-2.0
"""The table of all cells of a run, before it has a form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis import cells, figure, summary, tables, units
from analysis.page.chart import Chart
from analysis.page.colours import Inks

_SHOWN = {
    **tables.SHOWN,
    "wait_p99_ns": lambda value: f"p99 {units.nanoseconds(value, trim=False)}",
}


@dataclass(frozen=True)
class Line:
    """One cell in the table: the shown text, and the sort key."""

    label: str
    number: int  # of the primitive's colours
    where: str  # all that is not in the columns beside it
    threads: float
    keys: float
    hold: str
    metric: str
    # Median, of the fastest, p99 wait, longest wait, mean wait, share of the slowest thread, Jain,
    # processor time, memory.
    figures: list[tuple[str, float | None]]
    spread: str
    standing: str
    price: str
    links: list[tuple[str, str]]  # anchor and its word


def lines(table: pd.DataFrame, inks: Inks, charts: Iterable[Chart], most: int) -> list[Line]:
    """Whole groups, from the first to the last; within a group the fastest on top."""
    if table.empty:
        return []
    heads = table.drop_duplicates("group").sort_values(
        ["workload", "scenario", "mode", "keys", "threads", "hold_ns", "rate_per_s"],
        na_position="first",
    )
    size = len(table) / len(heads)
    chosen = cells.evenly(list(heads["group"]), max(1, int(most / size)))
    by_group = dict(list(table[table["group"].isin(chosen)].groupby("group")))
    links: dict[int, list[tuple[str, str]]] = {}
    for chart in charts:
        for cell in chart.cells:
            links.setdefault(cell, []).append((chart.name, chart.link))
    made = []
    for group in chosen:
        ranked = by_group[group].sort_values("ratio", ascending=False, na_position="last")
        made += [_line(one, inks, links) for one in ranked.reset_index().to_dict("records")]
    return made


_BESIDE = {"threads", "keys", "hold_kind", "hold_ns", "hold_lines"}


def _line(one: dict[str, Any], inks: Inks, links: dict[int, list[tuple[str, str]]]) -> Line:
    key = cells.key_of(one)
    show = _SHOWN[one["metric"]]
    figures = [
        _figure(one["median"], show),
        _figure(one["ratio"], lambda value: f"{value:.2f}×"),
        _figure(one["wait_p99_ns"], units.nanoseconds),
        _figure(one["wait_max_ns"], units.nanoseconds),
        _figure(one["wait_mean_ns"], units.nanoseconds),
        _figure(one["idlest_share"], lambda value: f"{100 * value:.0f} %"),
        _figure(one["fairness_jain"], lambda value: f"{value:.2f}"),
        _figure(one["processor_ns"], units.nanoseconds),
        _figure(one["lock_bytes"], units.memory),
    ]
    own = {link: name for name, link in reversed(links.get(int(one["cell"]), []))}
    return Line(
        label=figure.printable(one["label"], 120),
        number=inks.numbers[one["label"]],
        where=cells.describe({name: key[name] for name in cells.GROUP if name not in _BESIDE}),
        threads=one["threads"],
        keys=one["keys"],
        hold=cells.describe(key, ["hold_kind", "hold_ns", "hold_lines"]).removeprefix("hold "),
        metric=one["metric"],
        figures=figures,
        spread=_spread(one, show),
        standing=_standing(one),
        price=one["unfair"],
        links=[(name, link) for link, name in own.items()][:5],
    )


def _figure(value: float, show: Any) -> tuple[str, float | None]:
    return (show(value), float(value)) if value == value and value is not None else ("", None)


def _spread(one: dict[str, Any], show: Any) -> str:
    if one["median"] != one["median"]:
        return f"none of {units.plural(int(one['planned']), 'block')} valid"
    if one["blocks"] < 2:
        return "one block"
    range_text = f"{show(one['low'])} – {show(one['high'])}"
    lacking = int(one["planned"]) - int(one["blocks"])
    return range_text + (
        f", {lacking} of {int(one['planned'])} blocks not valid" if lacking else ""
    )


def _standing(one: dict[str, Any]) -> str:
    if one["median"] != one["median"]:
        return "not valid"
    if one["label"] == cells.FLOOR:
        return "floor"
    if one["standing"] == summary.FASTEST:
        return "fastest, significant" if one["settled"] else "fastest by the median"
    words = {summary.LEVEL: "not significantly different", summary.BEHIND: "slower"}
    return words.get(one["standing"], "")
