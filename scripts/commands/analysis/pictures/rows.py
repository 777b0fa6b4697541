# SPDX-License-Identifier: Apache-2.0
"""A row for each primitive, best on top: the shape of waits, fairness, makespan, events and cost,
on the sheets of `plot` and on the page.

A bar from zero or a mark at the median, a line from the least to the greatest block, every block a
faint point. In a sheet, panels stand below each other, one for each cell, with a column for each
measure; its rows are in the order of the first measure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis import bands, cells, error_model, figure, palette, scales, units
from analysis.cells import Group
from analysis.loader import Run

ROW = 0.225  # inches
MOST_PANELS = 12
CONTENDED = (
    "of each workload, the cell with most threads on fewest keys in which primitives compete"
)


@dataclass(frozen=True)
class Mark:
    """A further figure of a row, with a mark of its own."""

    column: str
    text: str
    marker: str
    size: float
    band: bool = False  # whether the band of its error is drawn, if that is known


@dataclass(frozen=True)
class Measure:
    """The figure that lies along an axis."""

    column: str  # the rows' order is that of its medians
    label: str
    words: Callable[[float], str]
    best_is_least: bool = True
    bars: bool = False  # from zero, on an even scale; else marks on a logarithmic one
    title: str = ""  # of a picture of it alone
    top: float | None = None  # of an even scale that has an end
    line: Callable[[Group], tuple[float, str] | None] = lambda group: None  # for all, and its words
    marks: Sequence[Mark] = ()  # instead of one mark: several, joined from the first to the last
    wide: float = 2.6  # inches, in a sheet
    says: Callable[[pd.DataFrame], str] | None = None  # beside a row of a sheet; else its median

    def said(self, own: pd.DataFrame) -> str:
        if own[self.column].isna().all():
            return ""
        return self.says(own) if self.says else self.words(float(own[self.column].median()))


@dataclass(frozen=True)
class Sheet:
    """A whole picture of `plot`."""

    title: str
    measures: Sequence[Measure]
    says: str = "faint: each block, thick: their median, thin: from the least to the greatest"
    notes: Sequence[str] = ()
    left_out: Callable[[pd.DataFrame], str] = cells.left_out  # of all rows: which are not shown


def draw(run: Run, groups: list[Group], sheet: Sheet) -> Figure | None:
    """None when there is no group to show."""
    if not groups:
        return None
    shown = groups[:MOST_PANELS]
    left = figure.widest([figure.drawn(one) for group in shown for one in group.labels]) + 0.2
    said = [one.said(own) for group in shown for own in _by_label(group) for one in sheet.measures]
    right = figure.widest(said) + 0.3
    same, varied = cells.same_and_different([group.key for group in shown])
    titles = [cells.describe(group.key, varied) for group in shown]
    count = len(sheet.measures)
    wide = left + sum(one.wide for one in sheet.measures) + right * (count - 1)
    more = len(groups) - len(shown)
    notes = [figure.not_shown(more, "the CSV has them all")] if more else []
    notes += [*run.error.explained(), sheet.left_out(run.trials)]
    made, axes = figure.sheet(
        figure.Heading(
            title=run.titled(sheet.title),
            subtitles=[*run.banners, run.heading, cells.describe(same), sheet.says],
            keys=[
                figure.Key(one.text, {"marker": one.marker, "markersize": one.size})
                for measure in sheet.measures
                for one in measure.marks
                if one.text
            ],
            footnotes=[*sheet.notes, *notes],
        ),
        figure.Grid(
            widths=[one.wide for one in sheet.measures],
            heights=[ROW * (len(group.labels) + 0.4) for group in shown],
            lefts=[left] + [0.0] * (count - 1),
            right=right,
            above=figure.title_room(titles, wide),
        ),
        count=len(shown) * count,
    )
    for i, (group, title) in enumerate(zip(shown, titles)):
        ranked = ranks(group.rows, sheet.measures[0])
        for k, (own_axes, measure) in enumerate(zip(axes[i * count :], sheet.measures)):
            names = {label: "" if k else figure.drawn(label) for label in ranked}
            draw_rows(own_axes, group, measure, names, lambda label: _look(label, group.rows))
        write_title(axes[i * count], title, left, wide)
    return made


def _by_label(group: Group) -> Iterable[pd.DataFrame]:
    return (own for _, own in group.rows.groupby("label", sort=False))


def _look(label: str, rows: pd.DataFrame) -> palette.Look:
    look = palette.look(label)
    return palette.banded(look) if error_model.of(rows).banded else look


def write_title(axes: Axes, title: str, left: float, wide: float) -> None:
    """From the left edge of the rows' names."""
    axes.annotate(
        "\n".join(figure.wrapped([title], wide, figure.PANEL, bold=True)),
        (0, 1),
        xytext=(-left * 72, 7),
        xycoords="axes fraction",
        textcoords="offset points",
        size=figure.PANEL,
        weight="bold",
    )


def ranks(rows: pd.DataFrame, measure: Measure) -> list[str]:
    """The primitives, the best by the medians first; those without a figure last."""
    sign = 1 if measure.best_is_least else -1
    medians = (sign * rows.groupby("label", sort=False)[measure.column].median()).to_dict()
    return sorted(medians, key=lambda one: (medians[one] != medians[one], medians[one], one))


def draw_rows(
    axes: Axes,
    group: Group,
    measure: Measure,
    names: Mapping[str, str],
    look: Callable[[str], palette.Look],
    gid: Callable[[str], str | None] = lambda label: None,
) -> None:
    """`names`: of the primitives, from top to bottom; `gid`: of all that belongs to one."""
    # The machine's limits lie orders of magnitude apart.
    measure = replace(measure, bars=measure.bars and group.key["workload"] != "limit")
    columns = [one.column for one in measure.marks] or [measure.column]
    figures = pd.concat([group.rows[column] for column in columns])
    if figures.isna().all():
        axes.set_axis_off()
        return
    least = 0.0 if measure.bars or not (figures > 0).any() else float(figures[figures > 0].min())
    for y, (label, name) in zip(range(len(names) - 1, -1, -1), names.items()):
        own = group.rows[group.rows["label"] == label]
        if own[columns].notna().any(axis=None) and (own[columns].max().max() > 0 or not least):
            _draw_row(axes, own, measure, y, look(label), gid(label), least)
        name_row(axes, y, name, gid(label))
        name_row(axes, y, measure.said(own), gid(label), right=True)
    axes.set_ylim(-0.65, len(names) - 0.35)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    banded = [one.column for one in measure.marks if one.band] or columns
    bounds = [bands.figures_and_bounds(group.rows, column) for column in banded]
    finish(axes, pd.concat([figures, *bounds]), measure, measure.line(group))


def name_row(
    axes: Axes, y: float, words: str, gid: str | None, right: bool = False, bold: bool = False
) -> None:
    """Beside the axes at the height y, at the left or at the right."""
    axes.annotate(
        words,
        (1.0 if right else 0.0, y),
        xycoords=axes.get_yaxis_transform(),
        xytext=(8 if right else -8, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="center_baseline",
        annotation_clip=False,
        weight="bold" if bold else "normal",
        gid=gid,
    )


def _draw_row(
    axes: Axes,
    own: pd.DataFrame,
    measure: Measure,
    y: int,
    look: palette.Look,
    gid: str | None,
    least: float,
) -> None:
    marks = measure.marks or [Mark(measure.column, "", look.marker, 6.5, band=True)]
    dashed = error_model.of(own).banded
    medians = []
    for mark in marks:
        values = own[mark.column].dropna().clip(lower=least)
        medians.append(float(values.median()))
        if mark.band:
            _draw_error(axes, own, mark.column, y, look.colour, gid, least)
        if measure.bars:
            style: dict[str, Any] = {"color": look.colour, "alpha": 0.5}
            if dashed:
                style = {"facecolor": "none", "edgecolor": look.colour, "linestyle": look.dash}
            axes.barh(y, medians[0], height=0.64, zorder=2, **style)[0].set_gid(gid)
        if not measure.marks:
            ends = (float(values.min()), float(values.max()))
            axes.plot(ends, (y, y), color=look.colour, linewidth=1.4, zorder=3, gid=gid)
        if len(values) <= figure.MOST_POINTS:
            level = pd.Series([y - (0.0 if measure.bars else 0.22)] * len(values))
            figure.draw_points(axes, values.reset_index(drop=True), level, look.colour, gid)
    if measure.marks:
        # Dashes mean here that the figures have a band, not a primitive.
        dash = look.dash if dashed else "-"
        ends = (medians[0], medians[-1])
        axes.plot(ends, (y, y), color=look.colour, linestyle=dash, linewidth=1.2, zorder=2, gid=gid)
    for mark, median in zip(marks, medians):
        stroke = {"markeredgecolor": look.colour, "markeredgewidth": 1.4}
        edge = (
            stroke if mark.marker == "|" else {"markeredgecolor": "white", "markeredgewidth": 0.6}
        )
        axes.plot(
            [median],
            [y],
            marker=mark.marker,
            markersize=mark.size,
            color=look.colour,
            **edge,
            zorder=4,
            gid=gid,
        )


def _draw_error(
    axes: Axes,
    own: pd.DataFrame,
    column: str,
    y: float,
    colour: str,
    gid: str | None,
    least: float,
) -> None:
    """The band of a primitive's figures in its row; nothing if they have none."""
    ends = bands.bounds(own, column)
    if ends is not None:
        low, high = (max(end, least) for end in ends)
        band = axes.barh(y, high - low, left=low, height=0.86, color=colour, alpha=0.2, zorder=1)
        band[0].set_gid(gid)


def finish(
    axes: Axes,
    values: pd.Series,
    measure: Measure,
    line: tuple[float, str] | None = None,
) -> None:
    """Scale, ticks and label of the axis along which `measure` lies; the figures are drawn."""
    shown = [*values[values > 0], *([line[0]] if line else [])]
    if measure.bars:
        longest = measure.top or max([*shown, 0.0]) or 1.0
        ticks = [tick for tick in MaxNLocator(4).tick_values(0, longest) if tick <= longest * 1.05]
        axes.set_xticks(ticks, [measure.words(tick) if tick else "0" for tick in ticks])
        axes.set_xlim(0, longest * 1.03)
    else:
        low, high = scales.padded([min(shown, default=1.0), max(shown, default=1.0)], share=0.06)
        axes.set_xlim(low, high)
        if measure.words is units.memory:
            powers = [16.0**i for i in range(11) if low <= 16**i <= high]
            scales.log_ticks(axes, "x", {at: units.memory(at) for at in powers or [low]})
            axes.set_xlim(low, high)
        else:
            scales.log_scale(axes, "x", measure.words)
    if line:
        axes.axvline(line[0], color=figure.QUIET, linewidth=1, linestyle=(0, (4, 2)))
    axes.grid(axis="x")
    label = measure.label if measure.bars else scales.logarithmic(measure.label)
    axes.set_xlabel(f"{label} (dashed: {line[1]})" if line else label)
