# SPDX-License-Identifier: Apache-2.0
"""Ratios of the second of two versions to the first, a line for each cell, with their intervals: a
forest plot. A filled point is significant."""

from __future__ import annotations

from matplotlib.figure import Figure

from analysis import cells, comparison, figure, scales, units, verdict
from analysis.tables import WIDEST
from analysis.verdict import Comparison

MOST_LINES = 40
_WIDE, _LINE = 4.6, 0.27
_COLOURS = {verdict.FASTER: "#1a7f37", verdict.SLOWER: "#b3261e"}


def draw(result: comparison.Result) -> Figure | None:
    """None if nothing was compared."""
    every = sorted(result.table.comparisons, key=lambda one: one.ratio)
    if not every:
        return None
    shown = every[:MOST_LINES]
    keys = [result.table.groups[one.group].key for one in every]
    same, different = cells.same_and_different(keys)
    names = [_name(one, result, different) for one in shown]
    notes = [
        "line: the interval of the ratio; filled: significant; above 1: the second is faster",
        *(["an interval over a factor of 10 is not drawn"] if any(map(_wide, shown)) else []),
    ]
    if len(shown) < len(every):
        notes.append(f"{len(every) - len(shown)} more cells, in which the second does better")
    heading = figure.Heading(
        title="Speed of B against A",
        subtitles=[result.heading, cells.describe(same)],
        footnotes=notes,
    )
    grid = figure.Grid(
        widths=[_WIDE],
        heights=[_LINE * (len(shown) + 1)],
        lefts=[figure.widest(names) + 0.2],
        right=1.5,
        above=0.1,
    )
    made, (axes,) = figure.sheet(heading, grid, count=1)
    for height, one in enumerate(reversed(shown)):
        colour = _COLOURS.get(one.verdict, figure.QUIET)
        if one.low and one.high and not _wide(one):
            axes.plot([one.low, one.high], [height, height], color=colour, linewidth=1.5)
        axes.plot(
            [one.ratio],
            [height],
            marker="o",
            color=colour,
            markersize=5,
            markerfacecolor=colour if one.significant else "white",
        )
        said = f"{units.ratio(one.ratio)} {one.verdict}"
        axes.annotate(
            said,
            (1, height),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            fontsize=figure.LABEL,
        )
    axes.axvline(1.0, color=figure.QUIET, linewidth=1, linestyle=(0, (4, 2)))
    ends = [end for one in shown if not _wide(one) for end in (one.low, one.high) if end]
    axes.set_xlim(*scales.padded([1 / 1.05, 1.05, *ends, *(one.ratio for one in shown)]))
    axes.set_ylim(-0.7, len(shown) - 0.3)
    scales.log_scale(axes, "x", units.ratio)
    axes.set_yticks(range(len(shown)), list(reversed(names)))
    axes.grid(axis="x")
    axes.set_xlabel(scales.logarithmic("speed of B against A"))
    return made


def _name(one: Comparison, result: comparison.Result, different: list[str]) -> str:
    key = result.table.groups[one.group].key
    where = cells.describe(key, different) if different else ""
    return figure.printable(f"{one.primitive} · {where}" if where else one.primitive, 70)


def _wide(one: Comparison) -> bool:
    return bool(one.low and one.high and one.high / one.low > WIDEST)
