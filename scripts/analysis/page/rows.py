# SPDX-License-Identifier: Apache-2.0
"""Pictures with a row for each primitive, best on top: a mark at the median, a bar from the least
to the greatest block, every block a faint point. Lengths begin at zero where they are bars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from analysis import figure, prediction_error, scales, units
from analysis.page import chart
from analysis.page.chart import Chart, Maker
from analysis.pictures import rows as of_pictures

_ROW = 21.0


@dataclass(frozen=True)
class Measure:
    """What lies along the axis."""

    label: str
    words: Callable[[float], str]
    best_is_least: bool
    bars: bool = False  # from zero, on an even scale; else marks on a logarithmic one
    unit: str = ""  # after the words
    top: float | None = None  # of an even scale that has an end
    line: tuple[float, str] | None = None  # a mark for all, and its meaning


def drawn(
    rows: pd.DataFrame, column: str, measure: Measure, maker: Maker, title: str, link: str
) -> Chart | None:
    """None when the rows have nothing for it."""
    rows = rows[rows[column].notna()]
    if rows.empty or (not measure.bars and not (rows[column] > 0).any()):
        return None
    by_label = dict(list(rows.groupby("label", sort=False)[column]))
    sign = 1 if measure.best_is_least else -1
    ranked = sorted(by_label, key=lambda label: (sign * by_label[label].median(), label))
    names = [figure.short(label, 22) for label in ranked]
    words = [measure.words(float(by_label[label].median())) + measure.unit for label in ranked]
    axes = chart.room(
        _ROW * len(ranked) + 6,
        left=chart.text_width(names) + 12,
        right=chart.text_width(words) + 16,
        top=4,
    )
    least = float(rows[column][rows[column] > 0].min()) if not measure.bars else 0.0
    for i, (label, said) in enumerate(zip(ranked, words)):
        own = rows[rows["label"] == label]
        _draw_row(axes, own, column, len(ranked) - 1 - i, maker, label, measure, least)
        chart.name_row(axes, len(ranked) - 1 - i, names[i], maker.own(label))
        chart.name_row(axes, len(ranked) - 1 - i, said, maker.own(label), right=True)
    _finish(axes, prediction_error.figures_and_bounds(rows, column), measure, len(ranked))
    titles = {
        label: f"{figure.printable(label, 120)}\n{measure.label}\n"
        + chart.value_words(by_label[label], lambda v: measure.words(v) + measure.unit)
        for label in ranked
    }
    summary = f"{measure.label}, best first: " + ", ".join(
        f"{figure.printable(label)} {said}" for label, said in zip(ranked, words)
    )
    return maker.made(axes.figure, link, title, titles, f"{summary}.", rows["cell"])


def _draw_row(
    axes: Axes,
    own: pd.DataFrame,
    column: str,
    y: int,
    maker: Maker,
    label: str,
    measure: Measure,
    least: float,
) -> None:
    look, gid = maker.look(label), maker.own(label)
    values = own[column].clip(lower=least)
    predicted = prediction_error.is_predicted(own)
    of_pictures.draw_error(axes, own, column, y, look.colour, gid, least)
    median = float(values.median())
    if measure.bars:
        style: dict[str, Any] = {"color": look.colour, "alpha": 0.5}
        if predicted:
            style = {"facecolor": "none", "edgecolor": look.colour, "linestyle": look.dash}
        axes.barh(y, median, height=0.64, zorder=2, **style)[0].set_gid(gid)
    ends = (float(values.min()), float(values.max()))
    axes.plot(ends, (y, y), color=look.colour, linewidth=1.4, zorder=3, gid=gid)
    if len(values) <= chart.MOST_POINTS:
        level = pd.Series([y - (0.0 if measure.bars else 0.22)] * len(values))
        chart.draw_points(axes, values.reset_index(drop=True), level, look.colour, gid)
    axes.plot(
        [median],
        [y],
        marker=look.marker,
        markersize=6.5,
        color=look.colour,
        markeredgecolor="white",
        markeredgewidth=0.6,
        zorder=4,
        gid=gid,
    )


def _finish(axes: Axes, values: pd.Series, measure: Measure, count: int) -> None:
    axes.set_ylim(-0.65, count - 0.35)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    shown = [*values[values > 0], *([measure.line[0]] if measure.line else [])]
    if measure.bars:
        longest = measure.top or float(max(values.max(), max(shown, default=1.0)))
        of_pictures.finish_bars(axes, longest, measure.words, room=0.03, most=4)
    else:
        low, high = scales.padded([min(shown), max(shown)], share=0.06)
        axes.set_xlim(low, high)
        if measure.words is units.memory:
            powers = [16.0**i for i in range(11) if low <= 16**i <= high]
            scales.log_places(axes, "x", {at: units.memory(at) for at in powers or [low]})
            axes.set_xlim(low, high)
        else:
            scales.log_scale(axes, "x", measure.words)
    if measure.line:
        axes.axvline(measure.line[0], color=figure.QUIET, linewidth=1, linestyle=(0, (4, 2)))
    axes.grid(axis="x")
    said = f" (dashed: {measure.line[1]})" if measure.line else ""
    label = measure.label if measure.bars else scales.logarithmic(measure.label)
    axes.set_xlabel(f"{label}{said}")
