# SPDX-License-Identifier: Apache-2.0
"""One picture of the page: its SVG, the words beside it, and the room that it is drawn in.

Sizes are in points, which are the units of the picture's view box: 400 of them are as wide as a
phone, so that its smallest words can be read there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from analysis import endings, figure, palette, scales
from analysis.page import svg
from analysis.page.colours import Inks

WIDE = 400.0
TEXT = 10.5


@dataclass(frozen=True)
class Chart:
    """A picture with its words."""

    name: str  # its id in the page
    link: str  # what a link to it is called
    title: str
    summary: str  # a description for readers who cannot see it
    svg: str
    shown: Sequence[int]  # numbers of the primitives in it
    cells: frozenset[int]  # numbers of the cells in it


class Maker:
    """Gives pictures their ids, and knows the colours of the page."""

    def __init__(self, inks: Inks, prefix: str, source: str = "") -> None:
        """`source`: what the figures are; empty if they were measured."""
        self.inks = inks
        self.source = source
        self._prefix = prefix
        self._count = 0

    def made(
        self,
        drawn: Figure,
        link: str,
        title: str,
        titles: dict[str, str],
        summary: str,
        cells: Sequence[int] | pd.Series,
    ) -> Chart:
        """`titles`: of each primitive shown, its values in words."""
        self._count += 1
        name = f"{self._prefix}{self._count}"
        numbers = {self.inks.numbers[label]: words for label, words in titles.items()}
        return Chart(
            name=name,
            link=link,
            title=f"{title} ({self.source})" if self.source else title,
            summary=summary,
            svg=svg.inline(drawn, name, self.inks, numbers, f"{name}-t {name}-s"),
            shown=sorted(numbers),
            cells=frozenset(int(cell) for cell in set(cells)),
        )

    def look(self, label: str) -> palette.Look:
        look = self.inks.looks[label]
        return palette.banded(look) if self.source else look

    def own(self, label: str) -> str:
        return svg.own(self.inks.numbers[label])


def use_style() -> None:
    figure.use_style()
    matplotlib.rcParams.update(
        {
            "svg.fonttype": "none",
            "font.size": TEXT,
            "axes.labelsize": TEXT,
            "xtick.labelsize": TEXT,
            "ytick.labelsize": TEXT,
        }
    )


def room(tall: float, left: float, right: float, top: float = 22, bottom: float = 38) -> Axes:
    """Axes with so much around them, `tall` themselves."""
    whole = tall + top + bottom
    made = Figure(figsize=(WIDE / 72, whole / 72), facecolor="white")
    FigureCanvasAgg(made)
    return made.add_axes((left / WIDE, bottom / whole, (WIDE - left - right) / WIDE, tall / whole))


def beside(axes: Axes, gap: float, right: float = 14) -> Axes:
    """Further axes of the same height, `gap` to the right of these."""
    left, box = axes.get_position().x1 + gap / WIDE, axes.get_position()
    return axes.figure.add_axes((left, box.y0, 1 - right / WIDE - left, box.height))


def room_for_lines(names: Sequence[str]) -> Axes:
    """With room for the names of the lines at their ends; no names: they have none."""
    right = endings.LABEL_GAP * 72 + text_width(names) + 4 if names else 14
    return room(190.0, left=46, right=right)


def name_lines(axes: Axes, label: str, ends: Sequence[endings.End]) -> None:
    """The name of the y axis above it, level: words that stand on end are hard to read; and the
    names of the lines at their ends."""
    words = scales.logarithmic(label)
    left = axes.get_position().x0 * WIDE
    axes.annotate(
        words,
        (0, 1),
        xycoords="axes fraction",
        xytext=(4 - left, 9),
        textcoords="offset points",
        color=figure.QUIET,
        annotation_clip=False,
    )
    endings.label_ends(axes, ends, size=TEXT)


def text_width(words: Sequence[str]) -> float:
    """The width of the widest, in points."""
    return figure.widest(words, TEXT) * 72


def value_words(values: pd.Series, words: Callable[[float], str]) -> str:
    """`7.81 M (6.64 M – 8.04 M)`: the median, and the least and greatest block."""
    median = words(float(values.median()))
    if len(values) < 2:
        return f"{median} (one block)"
    return f"{median} ({words(float(values.min()))} – {words(float(values.max()))})"
