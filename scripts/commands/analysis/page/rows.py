# SPDX-License-Identifier: Apache-2.0
"""Pictures of the page with a row for each primitive: those of pictures/rows.py, each alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from analysis import cells, figure
from analysis.cells import Group
from analysis.page import chart
from analysis.page.chart import Chart, Maker
from analysis.pictures import rows
from analysis.pictures.rows import Measure

_ROW = 21.0


def charts(
    groups: Sequence[Group], measures: Iterable[Measure], maker: Maker, most: int, link: str
) -> tuple[list[Chart], int]:
    """For each group, of at most so many, a picture of each measure that it has figures of; and how
    many groups more there would be."""
    chosen = cells.evenly(groups, most)
    made = [_drawn(group, one, maker, link) for group in chosen for one in measures]
    return [one for one in made if one is not None], len(groups) - len(chosen)


def _drawn(group: Group, measure: Measure, maker: Maker, link: str) -> Chart | None:
    known = group.rows[group.rows[measure.column].notna()]
    group = replace(group, rows=known)
    if known.empty or (not measure.bars and not (known[measure.column] > 0).any()):
        return None
    ranked = rows.ranks(known, measure)
    names = {label: figure.short(label, 22) for label in ranked}
    by_label = dict(list(known.groupby("label", sort=False)))
    said = {label: measure.said(by_label[label]) for label in ranked}
    axes = chart.room(
        _ROW * len(ranked) + 6,
        left=chart.text_width([*names.values()]) + 12,
        right=chart.text_width([*said.values()]) + 16,
        top=4,
    )
    rows.draw_rows(axes, group, measure, names, maker.look, maker.own)
    titles = {}
    for label, own in by_label.items():
        values = chart.value_words(own[measure.column], measure.words)
        words = said[label] if measure.marks else values
        titles[label] = f"{figure.printable(label, 120)}\n{measure.label}\n{words}"
    listed = ", ".join(f"{figure.printable(label)} {said[label]}" for label in ranked)
    summary = f"{measure.label}, best first: {listed}."
    where = cells.describe(group.key)
    title = f"{measure.title}: {where}" if measure.title else where
    return maker.made(axes.figure, link, title, titles, summary, known["cell"])
