"""The look that all pictures share: sizes, type, heading, footnotes, axes.

Layout is in inches, by hand: text is measured and given its room, so nothing overlaps or is cut off
whatever the names in the run are. Figures are made without global state; SVG comes out the same,
byte for byte, for the same run.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import LOAD_NO_HINTING
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from analysis.palette import Look

INK = "#222222"
QUIET = "#5F5F5F"
GRID = "#E3E3E3"
TITLE, SUBTITLE, PANEL, LABEL, NOTE = 13.0, 9.0, 10.0, 8.5, 8.0

_MARGIN = 0.2
_LINE = 0.165  # inches a line of subtitle or footnote
_TITLE_LINE = 0.24
LEAST_WIDE = 6.2

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
    # Names in a run are data: a dollar sign in one is a dollar sign.
    "text.parse_math": False,
    "text.usetex": False,
    "path.simplify": False,
}


def use_style() -> None:
    """Sets the look, whatever the user's own matplotlibrc says."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(_STYLE)


@dataclass(frozen=True)
class Key:
    """An entry of a legend: what a mark means."""

    text: str
    mark: Mapping[str, Any]  # properties of a line without a line


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
    """A name from the data, fit to be drawn: one line, not endless, no control characters."""
    clean = "".join(c if c.isprintable() else "?" for c in text)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def sheet(heading: Heading, grid: Grid, count: int) -> tuple[Figure, list[Axes]]:
    """A figure with this heading and the first `count` axes of the grid, row by row."""
    wide = max(2 * _MARGIN + grid.wide, LEAST_WIDE)
    titles = wrapped([heading.title], wide - 2 * _MARGIN, TITLE, bold=True)
    subtitles = wrapped(heading.subtitles, wide - 2 * _MARGIN, SUBTITLE)
    notes = wrapped(heading.footnotes, wide - 2 * _MARGIN, NOTE)
    keys = _LINE + 0.05 if heading.keys else 0.0
    head = _MARGIN + _TITLE_LINE * len(titles) + _LINE * len(subtitles) + keys + 0.1
    foot = 0.08 + _LINE * len(notes) + (0.1 if notes else 0)
    tall = head + grid.tall + foot
    made = Figure(figsize=(wide, tall), facecolor="white")
    FigureCanvasAgg(made)
    _write_heading(made, titles, subtitles, heading.keys)
    for i, line in enumerate(reversed(notes)):
        made.text(_MARGIN / wide, (0.1 + _LINE * i) / tall, line, size=NOTE, color=QUIET)
    boxes = _boxes(grid, top=tall - head)
    return made, [made.add_axes(_share_of(made, box)) for box in boxes[:count]]


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


Box = tuple[float, float, float, float]  # left, bottom, width, height


def _boxes(grid: Grid, top: float) -> list[Box]:
    """The axes' places in inches, row by row."""
    boxes = []
    for height in grid.heights:
        bottom = top - grid.above - height
        left = _MARGIN
        for before, width in zip(grid.lefts, grid.widths):
            left += before
            boxes.append((left, bottom, width, height))
            left += width + grid.right
        top = bottom - grid.below
    return boxes


def _share_of(made: Figure, box: Box) -> Box:
    wide, tall = made.get_size_inches()
    return box[0] / wide, box[1] / tall, box[2] / wide, box[3] / tall


def wrapped(texts: Sequence[str], wide: float, size: float, bold: bool = False) -> list[str]:
    """The texts in lines that fit; a word that is wider than a line has one for itself."""
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
    """Above the axes, from their left edge, in as many lines as fit it into `wide` inches."""
    lines = wrapped([text], wide, PANEL, bold=True)
    axes.set_title("\n".join(lines), loc="left", size=PANEL, pad=7, weight="bold", color=INK)


def title_room(texts: Sequence[str], wide: float) -> float:
    """What panel_title() needs above the axes; little when there is no title at all."""
    lines = max((len(wrapped([text], wide, PANEL, bold=True)) for text in texts), default=0)
    return 0.22 + 0.17 * lines


def log_scale(axes: Axes, which: str, words: Callable[[float], str]) -> None:
    """A logarithmic axis over the present limits, with ticks at round numbers told in `words`."""
    low, high = axes.get_xlim() if which == "x" else axes.get_ylim()
    inches = _inches(axes, which)
    most = int(inches / (0.65 if which == "x" else 0.3))
    log_places(axes, which, {tick: words(tick) for tick in round_ticks(low, high, max(2, most))})
    (axes.set_xlim if which == "x" else axes.set_ylim)(low, high)


def log_places(axes: Axes, which: str, words: Mapping[float, str]) -> None:
    """A logarithmic axis with exactly these ticks."""
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    axis = axes.xaxis if which == "x" else axes.yaxis
    places = sorted(words)
    axis.set_major_locator(FixedLocator(places))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: _nearest(words, value)))


def _nearest(words: Mapping[float, str], value: float) -> str:
    return words[min(words, key=lambda place: abs(place - value))]


def _inches(axes: Axes, which: str) -> float:
    wide, tall = axes.figure.get_size_inches()
    box = axes.get_position()
    return box.width * wide if which == "x" else box.height * tall


_MANTISSAS: tuple[tuple[float, ...], ...] = (
    (1,),
    (1, 3),
    (1, 2, 5),
    (1, 1.5, 2, 3, 5, 7),
    (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9),
    tuple(1 + 0.1 * i for i in range(90)),
    tuple(1 + 0.02 * i for i in range(450)),
)


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers between positive limits: as many as there are up to `most`, if need be by
    leaving decades out."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    best: list[float] = []
    for mantissas in _MANTISSAS:
        ticks = [m * 10.0**e for e in range(first, last + 1) for m in mantissas]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) > most:
            every = -(-len(ticks) // most)
            return best if len(best) >= 2 else ticks[::every]
        if len(ticks) > len(best):
            best = ticks
        if len(best) >= max(3, most // 2):
            break
    return best


def padded(values: Sequence[float], share: float = 0.08) -> tuple[float, float]:
    """Limits of a logarithmic axis around positive values, with some air."""
    low, high = min(values), max(values)
    if low == high:
        return low / 2, high * 2
    air = (high / low) ** share
    return low / max(air, 1.05), high * max(air, 1.05)


@dataclass(frozen=True)
class End:
    """Where a line ends, and what it is called."""

    x: float
    y: float
    text: str
    look: Look


LABEL_GAP = 0.3  # inches from the axes to the name of a line: leader and marker


def label_ends(axes: Axes, ends: Sequence[End], size: float = LABEL) -> None:
    """Names lines at the right of the axes, apart from each other, each with a leader and its
    marker. Call when the limits are final."""
    wide = _inches(axes, "x")
    to_axes = axes.transData + axes.transAxes.inverted()
    points = [to_axes.transform((end.x, end.y)) for end in ends]
    least = size * 1.25 / 72 / _inches(axes, "y")
    places = spread([float(point[1]) for point in points], least, low=-0.02, high=0.98)
    near, mark, text = (1 + inches / wide for inches in (0.05, 0.17, LABEL_GAP - 0.04))
    last = max(point[0] for point in points)
    for end, point, y in zip(ends, points, places):
        same = {"transform": axes.transAxes, "color": end.look.colour, "clip_on": False}
        # A line that ends early is led to its name by dots, which nobody takes for a measurement.
        dash = "-" if last - point[0] < 0.02 else (0, (1, 3))
        leader = Line2D([point[0], near, mark], [point[1], y, y], linewidth=0.7, alpha=0.7, **same)
        leader.set_linestyle(dash)
        axes.add_line(leader)
        axes.add_line(Line2D([mark], [y], marker=end.look.marker, markersize=5, **same))
        axes.text(text, y, end.text, transform=axes.transAxes, size=size, va="center_baseline")


def spread(wanted: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Places from `low` to `high`, as near to the wanted ones as keeps neighbours `least` apart.

    Order is kept. A cluster of places that collide is centred on the mean of what its members
    wanted. Where there is not room for all, they go on beyond `low`.
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    clusters: list[tuple[float, list[int]]] = []
    for i in order:
        members = [i]
        while True:
            half = least * (len(members) - 1) / 2
            mean = sum(wanted[m] for m in members) / len(members)
            centre = min(max(mean, low + half), high - half)
            if not clusters:
                break
            below, others = clusters[-1]
            if centre - below >= least * (len(members) + len(others)) / 2:
                break
            members = others + members
            clusters.pop()
        clusters.append((centre, members))
    places = [0.0] * len(wanted)
    for centre, members in clusters:
        for k, member in enumerate(members):
            places[member] = centre + (k - (len(members) - 1) / 2) * least
    return places


def save(made: Figure, path: Path) -> None:
    """Writes the picture; a reader never sees half of one."""
    form = path.suffix.lstrip(".")
    part = path.with_name(f".{path.name}.part")
    metadata = {"Date": None} if form == "svg" else {}
    try:
        made.savefig(part, format=form, dpi=150, metadata=metadata)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
