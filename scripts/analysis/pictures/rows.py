# SPDX-License-Identifier: Apache-2.0
"""A row for each primitive: the shape that waits, fairness, makespan and cost share.

Panels stand below each other, one for each cell that is shown; a panel's rows are in the order of
what it measures, best on top, and named at the left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis import cells, figure, palette, prediction_error
from analysis.cells import Group
from analysis.loader import Run

ROW = 0.225  # inches
MOST_PANELS = 12
_BETWEEN = 0.45


@dataclass(frozen=True)
class Part:
    """One column of axes: what it draws for a primitive at height y, and how it ends."""

    draw: Callable[[Axes, pd.DataFrame, float, palette.Look], None]
    finish: Callable[[Axes, Group], None]
    width: float


@dataclass(frozen=True)
class Rows:
    """A whole picture."""

    title: str
    says: str  # what the marks are, for the subtitle
    parts: Sequence[Part]
    order: Callable[[pd.DataFrame], float]  # of a primitive's rows: least on top
    notes: Sequence[str] = ()
    keys: Sequence[figure.Key] = ()
    left_out: Callable[[pd.DataFrame], str] = cells.left_out  # of all rows: which are not shown


def draw(run: Run, groups: list[Group], picture: Rows) -> Figure | None:
    """None when there is no group to show."""
    if not groups:
        return None
    shown = groups[:MOST_PANELS]
    names = [figure.drawn(label) for label in names_of(shown)]
    left = figure.widest(names) + 0.2
    widths = [part.width for part in picture.parts]
    same, varied = cells.same_and_different([group.key for group in shown])
    titles = [cells.describe(group.key, varied) for group in shown]
    wide = left + sum(widths) + _BETWEEN * (len(widths) - 1)
    more = len(groups) - len(shown)
    notes = [f"{more} more panels not shown; the CSV has them all"] if more else []
    made, axes = figure.sheet(
        figure.Heading(
            title=run.titled(picture.title),
            subtitles=[*run.banners, run.heading, cells.describe(same), picture.says],
            keys=picture.keys,
            footnotes=[
                *picture.notes,
                *notes,
                *prediction_error.explained(run.predicted),
                picture.left_out(run.trials),
            ],
        ),
        figure.Grid(
            widths=widths,
            heights=[ROW * (len(group.labels) + 0.4) for group in shown],
            lefts=[left] + [0.0] * (len(widths) - 1),
            right=_BETWEEN,
            above=figure.title_room(titles, wide),
        ),
        count=len(shown) * len(widths),
    )
    for i, (group, title) in enumerate(zip(shown, titles)):
        places = axes[i * len(widths) : (i + 1) * len(widths)]
        _draw_group(places, group, picture)
        _write_title(places[0], title, left, wide)
    return made


def names_of(groups: list[Group]) -> list[str]:
    return list(dict.fromkeys(label for group in groups for label in group.labels))


def _write_title(axes: Axes, title: str, left: float, wide: float) -> None:
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


def _draw_group(axes: Sequence[Axes], group: Group, picture: Rows) -> None:
    by_label = {label: rows for label, rows in group.rows.groupby("label", sort=False)}
    ranked = sorted(by_label, key=lambda label: (picture.order(by_label[label]), label))
    heights = {label: len(ranked) - 1 - i for i, label in enumerate(ranked)}
    predicted = prediction_error.is_predicted(group.rows)
    for i, (place, part) in enumerate(zip(axes, picture.parts)):
        for label, y in heights.items():
            look = palette.look(label)
            part.draw(place, by_label[label], y, palette.predicted(look) if predicted else look)
        place.set_ylim(-0.7, len(ranked) - 0.3)
        names = [figure.drawn(label) if i == 0 else "" for label in heights]
        place.set_yticks(list(heights.values()), names)
        place.tick_params(axis="y", length=0)
        place.spines["left"].set_visible(False)
        part.finish(place, group)
        place.grid(axis="x")


def bars(
    column: str,
    words: Callable[[float], str],
    ticks: Callable[[float], str],
    label: str,
    width: float,
    **how: Any,
) -> Part:
    """A bar for each primitive, with its median in words; `how`: for finish_bars()."""

    def draw(axes: Axes, own: pd.DataFrame, y: float, look: palette.Look) -> None:
        if own[column].notna().any():
            draw_bar(axes, own, column, y, look, words(own[column].median()))

    def finish(axes: Axes, group: Group) -> None:
        longest = prediction_error.figures_and_bounds(group.rows, column).max()
        finish_bars(axes, longest if longest > 0 else 1.0, ticks, **how)
        axes.set_xlabel(label)

    return Part(draw, finish, width)


def draw_blocks(axes: Axes, values: pd.Series, y: float, look: palette.Look) -> None:
    """Every block, as a faint point just below the row's own mark."""
    _draw_points(axes, values, y - 0.24, 3, color=look.colour, alpha=0.4, zorder=2)


def _draw_points(axes: Axes, values: pd.Series, y: float, size: float, **style: Any) -> None:
    dot = {"linestyle": "", "marker": "o", "markersize": size, "markeredgewidth": 0}
    axes.plot(values, [y] * len(values), **dot, **style)


def draw_error(
    axes: Axes,
    own: pd.DataFrame,
    column: str,
    y: float,
    colour: str,
    gid: str | None = None,
    least: float = 0.0,
) -> float:
    """The band of a primitive's predictions in its row; nothing for measurements. Returns its upper
    end, or 0."""
    ends = prediction_error.bounds(own, column)
    if ends is None:
        return 0.0
    low, high = (max(end, least) for end in ends)
    (bar,) = axes.barh(y, high - low, left=low, height=0.86, color=colour, alpha=0.2, zorder=1)
    bar.set_gid(gid)
    return high


def draw_bar(
    axes: Axes,
    own: pd.DataFrame,
    column: str,
    y: float,
    look: palette.Look,
    words: str,
    ideal: float = 0.0,
) -> None:
    """A bar from zero to the median, every block as a point, the ideal as a mark, and words. That
    of a prediction is hollow and dashed."""
    values = own[column]
    if prediction_error.is_predicted(own):
        hollow = {"facecolor": "none", "edgecolor": look.colour, "linestyle": look.dash}
        axes.barh(y, values.median(), height=0.62, linewidth=1.2, zorder=2, **hollow)
    else:
        axes.barh(y, values.median(), height=0.62, color=look.colour, alpha=0.75, zorder=2)
    end = draw_error(axes, own, column, y, look.colour)
    darker = palette.mix(look.colour, -0.4)
    _draw_points(axes, values, y, 3.2, color=darker, alpha=0.55, zorder=3)
    if ideal > 0:
        axes.plot((ideal, ideal), (y - 0.42, y + 0.42), color="black", linewidth=1.8, zorder=4)
    axes.annotate(
        words,
        (max(values.max(), ideal, end), y),
        xytext=(6, 0),
        textcoords="offset points",
        va="center_baseline",
    )


def finish_bars(
    axes: Axes, longest: float, words: Callable[[float], str], room: float, most: int = 6
) -> None:
    """An axis from zero, with room beyond the longest bar for its words, a share of its length."""
    ticks = [tick for tick in MaxNLocator(most).tick_values(0, longest) if tick <= longest * 1.05]
    axes.set_xticks(ticks, [words(tick) if tick else "0" for tick in ticks])
    axes.set_xlim(0, longest * (1 + room))
