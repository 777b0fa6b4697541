# SPDX-License-Identifier: Apache-2.0
"""The table of all cells of a run, before it has a form: its lines and its columns.

A column is written here and nowhere else: its name, what it shows of a line, in which words, and
when. The page has all columns in this order, Markdown has some of them by their names. Templates,
styles and the script know no column by its position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis import cells, figure, summary, tables, text, units
from analysis.page.chart import Chart
from analysis.page.colours import Inks

_MOST_LINKS = 5
# The axes that have columns of their own, beside the one that describes all others.
_BESIDE = {"threads", "keys", "hold_kind", "hold_ns", "hold_lines"}
_SHOWN = {
    **tables.SHOWN,
    "wait_p99_ns": lambda value: f"p99 {units.nanoseconds(value, trim=False)}",
}
Show = Callable[[float], str]


@dataclass(frozen=True)
class Line:
    """One cell of the run: what the columns read."""

    row: dict[str, Any]  # of summary.of()
    number: int  # of the primitive's colours
    links: Sequence[tuple[str, str]]  # of the pictures with this cell: anchor and its word

    @property
    def price(self) -> str:
        return str(self.row["unfair"])


@dataclass(frozen=True)
class Column:
    """One column of the table."""

    name: str  # its heading
    words: Callable[[Line], str]
    number: Callable[[Line], float | None] | None = None  # sorts a column of figures
    unit: str = ""  # the filter of the page finds a figure with this word after it: `8 threads`
    wraps: bool = False  # long words take several lines
    # What a field has beside its words: "name" the primitive's mark, "verdict" its price, "links"
    # their anchors.
    kind: str = ""


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
        for row in ranked.reset_index().to_dict("records"):
            pictures = _one_of_each_kind(links.get(int(row["cell"]), []))
            made.append(Line(row, inks.numbers[row["label"]], pictures))
    return made


def _one_of_each_kind(links: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The first picture of each kind; `links`: anchor and kind of all pictures with a cell."""
    first = {kind: anchor for anchor, kind in reversed(list(links))}
    return [(anchor, kind) for kind, anchor in first.items()][:_MOST_LINKS]


def primitive(line: Line) -> str:
    return figure.printable(line.row["label"], 120)


def hold(line: Line) -> str:
    key = cells.key_of(line.row)
    return cells.describe(key, ["hold_kind", "hold_ns", "hold_lines"]).removeprefix("hold ")


def where(line: Line) -> str:
    """All axes that have no column of their own."""
    key = cells.key_of(line.row)
    return cells.describe({name: key[name] for name in cells.GROUP if name not in _BESIDE})


def verdict(line: Line) -> str:
    """Against the fastest primitive of the same cell."""
    row = line.row
    if row["median"] != row["median"]:
        return "not valid"
    if row["label"] == cells.FLOOR:
        return "floor"
    if row["standing"] == summary.FASTEST:
        return "fastest, significant" if row["settled"] else "fastest by the median"
    words = {summary.LEVEL: "not significantly different", summary.BEHIND: "slower"}
    return words.get(row["standing"], "")


def _spread(line: Line) -> str:
    row, show = line.row, _shown(line)
    planned = int(row["planned"])
    if row["median"] != row["median"]:
        return f"none of {units.plural(planned, 'block')} valid"
    if row["blocks"] < 2:
        return "one block"
    lacking = planned - int(row["blocks"])
    invalid = f", {lacking} of {planned} blocks not valid" if lacking else ""
    return f"{show(row['low'])} – {show(row['high'])}{invalid}"


def _shown(line: Line) -> Show:
    """The words for the figures of the metric that compares the line's cell."""
    return _SHOWN[line.row["metric"]]


def _value(line: Line, field: str) -> float | None:
    value = line.row.get(field)  # an older run lacks the column
    return None if value is None or value != value else float(value)


def _median(line: Line) -> str:
    value = _value(line, "median")
    return "" if value is None else _shown(line)(value)


def _figure(name: str, field: str, show: Show, unit: str = "") -> Column:
    """A column of the medians of the rows' column `field`, or of another figure that summary.of()
    has under this name; empty where a run has none."""

    def words(line: Line) -> str:
        value = _value(line, field)
        return "" if value is None else show(value)

    return Column(name, words, lambda line: _value(line, field), unit)


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


ALWAYS = (
    Column("primitive", primitive, kind="name"),
    Column("verdict", verdict, kind="verdict", wraps=True),
    _figure("of the fastest", "ratio", lambda value: f"{value:.2f}×"),
    Column("median", _median, lambda line: _value(line, "median")),
    _figure("threads", "threads", units.whole, unit="threads"),
    _figure("keys", "keys", units.whole, unit="keys"),
    Column("hold", lambda line: text.one_line(hold(line), 60)),
    Column("workload", lambda line: text.one_line(where(line), 160), wraps=True),
)
# Without its script the page shows them, too.
ON_DEMAND = (
    _figure("p99 wait", "wait_p99_ns", units.nanoseconds),
    Column("least – greatest", _spread),
    _figure("longest wait", "wait_max_ns", units.nanoseconds),
    _figure("mean wait", "wait_mean_ns", units.nanoseconds),
    _figure("slowest thread", "idlest_share", _percent),
    _figure("Jain", "fairness_jain", lambda value: f"{value:.2f}"),
    _figure("CPU/op", "processor_ns", units.nanoseconds),
    _figure("memory", "lock_bytes", units.memory),
    Column("pictures", lambda line: " ".join(word for _, word in line.links), kind="links"),
)
COLUMNS = ALWAYS + ON_DEMAND
BY_NAME = {column.name: column for column in COLUMNS}
