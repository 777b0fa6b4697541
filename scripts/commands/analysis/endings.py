# SPDX-License-Identifier: Apache-2.0
"""Writes the names of lines at their ends instead of a legend, so that they do not
overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from analysis import figure
from analysis.palette import Look


@dataclass(frozen=True)
class End:
    """The end of a line, and its name."""

    x: float
    y: float
    text: str
    look: Look
    gid: str | None = None  # of everything that is drawn for it


LABEL_GAP = 0.3  # inches from the axes to the name of a line: leader and marker


def label_ends(axes: Axes, ends: Sequence[End], size: float = figure.LABEL) -> None:
    """Writes the names of lines to the right of the axes, without overlaps, each with a leader
    line and its marker. Call it after the limits are final."""
    wide = figure.inches(axes, "x")
    to_axes = axes.transData + axes.transAxes.inverted()
    points = [to_axes.transform((end.x, end.y)) for end in ends]
    least = size * 1.25 / 72 / figure.inches(axes, "y")
    heights = spread([float(point[1]) for point in points], least, low=-0.02, high=0.98)
    near, mark, text = (1 + inches / wide for inches in (0.05, 0.17, LABEL_GAP - 0.04))
    for end, point, y in zip(ends, points, heights):
        same: dict[str, Any] = {
            "transform": axes.transAxes,
            "color": end.look.colour,
            "clip_on": False,
        }
        same["gid"] = end.gid
        # A leader is thin, even and pale: dashes and dots mean something in the lines of data.
        way = [point[0], near, mark], [point[1], y, y]
        axes.add_line(Line2D(*way, linewidth=0.6, alpha=0.4, **same))
        axes.add_line(Line2D([mark], [y], marker=end.look.marker, markersize=5, **same))
        words = axes.text(text, y, end.text, transform=axes.transAxes, size=size)
        words.set(va="center_baseline", gid=end.gid)


def spread(wanted: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Positions from `low` to `high` that are at least `least` apart and as near as possible to
    the wanted ones.

    The order does not change. Positions that collide are centred on the mean of their wanted
    positions. If there is not enough room for all, they continue beyond `low`.
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    # Isotonic regression of what is left when each has its room: the greatest of the least means.
    left = [wanted[i] - least * k for k, i in enumerate(order)]
    count = len(left)
    means = [[sum(left[a:b]) / (b - a) for b in range(a + 1, count + 1)] for a in range(count)]
    heights = [0.0] * count
    for k, i in enumerate(order):
        height = max(min(means[a][k - a :]) for a in range(k + 1))
        heights[i] = min(max(height, low), high - least * (count - 1)) + least * k
    return heights
