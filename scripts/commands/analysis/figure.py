# SPDX-License-Identifier: Apache-2.0
"""The style that all pictures share: sizes, fonts, heading, footnotes, axes.

The layout is computed in inches: text is measured and gets its room, so nothing overlaps or is cut
off, whatever the names in the run are. Figures use no global state. The SVG of a run is always the
same, byte for byte.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import LOAD_NO_HINTING
from matplotlib.lines import Line2D

from analysis import files, units
from analysis.text import cut

INK = "#222222"
QUIET = "#5F5F5F"
GRID = "#E3E3E3"
TITLE, SUBTITLE, PANEL, LABEL, NOTE = 13.0, 9.0, 10.0, 8.5, 8.0

_MARGIN = 0.2
_LINE = 0.165  # inches a line of subtitle or footnote
_TITLE_LINE = 0.24
LEAST_WIDE = 6.2
# Each block is a point up to so many; beyond, a bar from the least to the greatest.
MOST_POINTS = 12

_STYLE = {
    "font.family": ["DejaVu Sans"],
    "font.size": LABEL,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#9A9A9A",
    "axes.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.labelsize": LABEL + 0.5,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": LABEL,
    "ytick.labelsize": LABEL,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "svg.hashsalt": "lockbench",
    # Names in a run are data, so a dollar sign does not start a formula.
    "text.parse_math": False,
    "text.usetex": False,
    "path.simplify": False,
}


def use_style() -> None:
    """Sets the style, independent of the user's own matplotlibrc. A glyph that the font lacks is
    drawn as a box, or by the browser's own font: that is no news for the user."""
    warnings.filterwarnings("ignore", message="Glyph .* missing")
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(_STYLE)


@dataclass(frozen=True)
class Key:
    """An entry of a legend: the meaning of a mark."""

    text: str
    mark: Mapping[str, Any]  # properties of a line without the line itself


@dataclass(frozen=True)
class Heading:
    title: str
    subtitles: Sequence[str] = ()
    keys: Sequence[Key] = ()  # a legend for all panels, below the subtitles
    footnotes: Sequence[str] = ()


@dataclass(frozen=True)
class Grid:
    """Sizes in inches of the axes and of the room around each."""

    widths: Sequence[float]
    heights: Sequence[float]
    lefts: Sequence[float]  # before each column, for the words of its y axis
    right: float = 0.2
    above: float = 0.38
    below: float = 0.55

    @staticmethod
    def of_panels(
        titles: Sequence[str], columns: int, *, size: tuple[float, float], left: float, right: float
    ) -> Grid:
        """A panel of `size` (width, height) for each title, row by row."""
        wide, tall = size
        return Grid(
            widths=[wide] * columns,
            heights=[tall] * -(-len(titles) // columns),
            lefts=[left] * columns,
            right=right,
            above=title_room(titles, wide + right),
        )

    @property
    def wide(self) -> float:
        return sum(self.widths) + sum(self.lefts) + len(self.widths) * self.right

    @property
    def tall(self) -> float:
        return sum(self.heights) + len(self.heights) * (self.above + self.below)


@lru_cache(maxsize=4096)
def text_width(text: str, size: float = LABEL, bold: bool = False) -> float:
    """Width in inches."""
    if not text:
        return 0.0
    font = get_font(findfont(FontProperties(family="DejaVu Sans", weight="bold" if bold else 400)))
    font.set_size(size, 72)
    font.set_text(printable(text, 600), 0.0, flags=LOAD_NO_HINTING)
    return font.get_width_height()[0] / 64 / 72


def widest(texts: Sequence[str], size: float = LABEL) -> float:
    return max((text_width(text, size) for text in texts), default=0.0)


def printable(text: str, limit: int = 48) -> str:
    """A name from the data, for a page: one line of limited length, without control
    characters."""
    return cut("".join(c if c.isprintable() else "?" for c in text), limit)


@lru_cache(maxsize=1)
def _glyphs() -> frozenset[int]:
    return frozenset(get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap())


def drawable(text: str) -> str:
    """For a picture that contains its letters as shapes: each character that the font lacks is
    written as an escape, as `\\u9375`. Otherwise all of them would be the same empty box."""
    known = _glyphs()
    return "".join(
        c if ord(c) in known else c.encode("unicode_escape").decode("ascii") for c in text
    )


def drawn(text: str, limit: int = 48) -> str:
    """A name from the data, for a picture."""
    return printable(drawable(text), limit)


def short(label: str, limit: int = 26) -> str:
    """`striped:lock=std,stripes=64` as `striped:std,64`."""
    name, _, parameters = label.partition(":")
    values = [parameter.rpartition("=")[2] for parameter in parameters.split(",") if parameter]
    return printable(f"{name}:{','.join(values)}" if values else name, limit)


def not_shown(panels: int, where: str) -> str:
    """`1 more panel not shown; the CSV has them all`: what a picture says below its last panel."""
    return f"{units.plural(panels, 'more panel')} not shown; {where}"


def sheet(heading: Heading, grid: Grid, count: int) -> tuple[Figure, list[Axes]]:
    """A figure with this heading and the first `count` axes of the grid, row by row."""
    wide = max(2 * _MARGIN + grid.wide, LEAST_WIDE)
    titles = wrapped([drawable(heading.title)], wide - 2 * _MARGIN, TITLE, bold=True)
    subtitles = wrapped(
        [drawable(line) for line in heading.subtitles], wide - 2 * _MARGIN, SUBTITLE
    )
    notes = wrapped([drawable(line) for line in heading.footnotes], wide - 2 * _MARGIN, NOTE)
    keys = _LINE + 0.05 if heading.keys else 0.0
    head = _MARGIN + _TITLE_LINE * len(titles) + _LINE * len(subtitles) + keys + 0.1
    foot = 0.08 + _LINE * len(notes) + (0.1 if notes else 0)
    tall = head + grid.tall + foot
    made = Figure(figsize=(wide, tall), facecolor="white")
    FigureCanvasAgg(made)
    _write_heading(made, titles, subtitles, heading.keys)
    for i, line in enumerate(reversed(notes)):
        made.text(_MARGIN / wide, (0.1 + _LINE * i) / tall, line, size=NOTE, color=QUIET)
    boxes = _boxes(grid, wide, tall, top=tall - head)
    return made, [made.add_axes(box) for box in boxes[:count]]


def _write_heading(
    made: Figure, titles: Sequence[str], subtitles: Sequence[str], keys: Sequence[Key]
) -> None:
    wide, tall = made.get_size_inches()
    y = tall - _MARGIN
    for line in titles:
        made.text(_MARGIN / wide, y / tall, line, size=TITLE, weight="bold", va="top")
        y -= _TITLE_LINE
    for line in subtitles:
        made.text(_MARGIN / wide, (y - 0.03) / tall, line, size=SUBTITLE, va="top", color=QUIET)
        y -= _LINE
    if not keys:
        return
    made.legend(
        [Line2D([], [], **{"linestyle": "", "color": QUIET, **key.mark}) for key in keys],
        [key.text for key in keys],
        loc="upper left",
        bbox_to_anchor=(_MARGIN / wide, (y - 0.03) / tall),
        borderaxespad=0,
        borderpad=0,
        ncol=len(keys),
        frameon=False,
        fontsize=SUBTITLE,
        handlelength=1.0,
        handletextpad=0.3,
        columnspacing=1.4,
    )


def _boxes(
    grid: Grid, wide: float, tall: float, top: float
) -> list[tuple[float, float, float, float]]:
    """The axes' positions as shares of the figure, row by row: left, bottom, width, height."""
    boxes = []
    for height in grid.heights:
        bottom, left = top - grid.above - height, _MARGIN
        for before, width in zip(grid.lefts, grid.widths):
            left += before
            boxes.append((left / wide, bottom / tall, width / wide, height / tall))
            left += width + grid.right
        top = bottom - grid.below
    return boxes


def wrapped(texts: Sequence[str], wide: float, size: float, bold: bool = False) -> list[str]:
    """Breaks the texts into lines that fit; a word that is wider than a line gets a line of its
    own."""
    lines = []
    for text in texts:
        line = ""
        for word in printable(text, 600).split():
            longer = f"{line} {word}" if line else word
            if line and text_width(longer, size, bold) > wide:
                lines.append(line)
                longer = word
            line = longer
        lines.extend([line] if line else [])
    return lines


def panel_title(axes: Axes, text: str, wide: float) -> None:
    """Writes a title above the axes, from their left edge, in lines of at most `wide`
    inches."""
    lines = wrapped([text], wide, PANEL, bold=True)
    axes.set_title("\n".join(lines), loc="left", size=PANEL, pad=7, weight="bold", color=INK)


def title_room(texts: Sequence[str], wide: float) -> float:
    """The height that panel_title() needs above the axes; small if there is no title."""
    lines = max((len(wrapped([text], wide, PANEL, bold=True)) for text in texts), default=0)
    return 0.22 + 0.17 * lines


def draw_points(
    axes: Axes, x: pd.Series, y: pd.Series, colour: str, gid: str | None = None
) -> None:
    """A faint point each. As short strokes with round ends: the shortest SVG there is."""
    xs, ys = (
        np.column_stack([values, values * (1 + 1e-9), np.full(len(values), np.nan)]).ravel()
        for values in (x, y)
    )
    (line,) = axes.plot(xs, ys, color=colour, linewidth=4, alpha=0.38, zorder=2, gid=gid)
    line.set(solid_capstyle="round", snap=False)


def inches(axes: Axes, which: str) -> float:
    """Length of an axis, `x` or `y`."""
    wide, tall = axes.figure.get_size_inches()
    box = axes.get_position()
    return box.width * wide if which == "x" else box.height * tall


def save(made: Figure, path: Path) -> None:
    """Writes the picture in one step, so that a reader never sees a part of it."""
    form = path.suffix.lstrip(".")
    metadata = {"Date": None} if form == "svg" else {}
    with files.replacing(path) as part:
        made.savefig(part, format=form, dpi=150, metadata=metadata)
