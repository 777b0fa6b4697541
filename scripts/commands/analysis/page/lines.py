# SPDX-License-Identifier: Apache-2.0
"""Pictures along an axis: a line for each primitive through the medians of its blocks, every block
a faint point (or, of many, a bar from the least to the greatest), names at the ends of few lines.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis import cells, endings, figure, scales
from analysis.page import chart
from analysis.page.chart import Chart, Maker
from analysis.pictures import curves


def along(
    rows: pd.DataFrame, axis: curves.Axis, maker: Maker, most: int, link: str
) -> tuple[list[Chart], int]:
    """A picture for each facet along the axis (for each family, of many primitives), and how many
    more there would be than `most`."""
    measure = axis.measures[0]
    if rows[axis.column].nunique() < 2:
        return [], 0
    rows = measure.known(rows)
    rows = cells.only(rows, rows[axis.column].notna())
    rows, unseen = _few_facets(rows, axis.column, 3 * most)
    facets = cells.axis_facets(rows, axis.column)
    panels = [one for found in curves.panels_of(facets, rows[:0], [measure]) for one in found]
    _, varied = cells.same_and_different([facet.key for facet in facets])
    chosen = cells.evenly(panels, most)
    charts = [_drawn(one, axis, maker, _title(one, varied, axis), link) for one in chosen]
    return charts, len(panels) - len(chosen) + unseen


def _few_facets(rows: pd.DataFrame, column: str, most: int) -> tuple[pd.DataFrame, int]:
    """Rows of so many facets, before each is looked at; and how many that leaves out."""
    apart = cells.apart(column)
    facet = pd.Series(
        cells.codes(rows, [name for name in cells.GROUP if name not in apart]), index=rows.index
    )
    swept = rows.groupby(facet)[column].nunique() > 1
    every = list(swept.index[swept])
    chosen = cells.evenly(every, most)
    return cells.only(rows, facet.isin(chosen)), len(every) - len(chosen)


def _title(panel: curves.Panel, varied: Sequence[str], axis: curves.Axis) -> str:
    named = [*varied, "threads", "keys"]
    key = panel.group.key
    where = cells.told_apart(key, named) if varied else cells.describe(key)
    family = f" · {panel.family} family" if panel.family else ""
    return f"{axis.what} by {axis.title}: {where}{family}"


def _drawn(panel: curves.Panel, axis: curves.Axis, maker: Maker, title: str, link: str) -> Chart:
    measure = panel.measure
    rows = panel.group.rows[panel.group.rows["label"].isin(panel.labels)]
    values = sorted(rows[axis.column].unique())
    positions = scales.positions(values)
    axes = chart.room_for_lines([figure.short(label, 18) for label in panel.labels])
    ends, titles = [], {}
    for label in panel.labels:
        own = rows[rows["label"] == label]
        look, gid = maker.look(label), maker.own(label)
        last = curves.draw_line(axes, own, axis, measure, positions, look, gid)
        ends.append(endings.End(*last, figure.short(label, 18), look, gid))
        titles[label] = _words_of(own, label, axis)
    curves.scale(axes, axis, measure, positions, panel.limits, least=0.16, share=0.05)
    chart.name_lines(axes, measure.label, ends)
    summary = _summary(rows, axis, values[-1])
    return maker.made(axes.figure, link, title, titles, summary, rows["cell"])


def _words_of(own: pd.DataFrame, label: str, axis: curves.Axis) -> str:
    measure = axis.measures[0]
    lines = [
        f"{axis.words(value)}: "
        + (
            f"{measure.of_median(rows)}: noise"
            if measure.is_noise(rows)
            else chart.value_words(rows[measure.column], measure.words)
        )
        for value, rows in own.groupby(axis.column)
    ]
    return "\n".join(
        [figure.printable(label, 120), f"{axis.label}: {axis.measures[0].label}", *lines]
    )


def _summary(rows: pd.DataFrame, axis: curves.Axis, last: float) -> str:
    measure = axis.measures[0]
    there = rows[rows[axis.column] == last].groupby("label")
    medians = there[measure.column].median()
    ranked = medians.sort_values(ascending=measure.column != curves.RATE.column)
    named = ", ".join(
        f"{figure.printable(label)} {measure.of_median(there.get_group(label))}"
        for label in ranked.index
    )
    return f"{measure.label} by {axis.label}. At {axis.words(last)}, best first: {named}."
