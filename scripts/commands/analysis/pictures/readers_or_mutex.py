# SPDX-License-Identifier: Apache-2.0
"""Readers or mutex: where is a lock that readers share faster than a mutex, by the share of reads
and by the hold, and by how much?

A panel for each number of threads and keys and each load. A field has the colour of its winner; a
difference that the blocks do not bear out, or that does not count, is white.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from analysis import cells, figure, readers, units, verdict
from analysis.loader import Run
from analysis.readers import Field, Map

MOST_PANELS = 4
COLOURS = {readers.SHARED: "#9CC9E8", readers.MUTEX: "#F3B982"}
_ROW, _COLUMN = 0.34, 1.25  # inches


def draw(run: Run) -> Figure | None:
    found = readers.maps(verdict.of_run(run)) if run.valid["write_share"].nunique() > 1 else []
    if not found:
        return None
    shown = found[:MOST_PANELS]
    wide = _COLUMN * max(len(one.holds) for one in shown)
    notes = [readers.EXPLAINED, cells.left_out(run.trials)]
    if len(shown) < len(found):
        notes.insert(0, figure.not_shown(len(found) - len(shown), "compare has them all"))
    made, axes = figure.sheet(
        figure.Heading(
            title=run.titled("Locks that readers share, against mutexes"),
            subtitles=[*run.banners, run.heading, "by the share of reads and by the hold"],
            footnotes=notes,
        ),
        figure.Grid(
            widths=[wide],
            heights=[_ROW * (len(one.reads) + 1) for one in shown],
            lefts=[figure.widest(["99.99 % reads"]) + 0.2],
            above=figure.title_room([one.where for one in shown], wide),
            below=0.2,
        ),
        count=len(shown),
    )
    for own_axes, one in zip(axes, shown):
        _draw_map(own_axes, one)
        figure.panel_title(own_axes, one.where, wide)
    return made


def _draw_map(axes: Axes, found: Map) -> None:
    tall = len(found.reads)
    for x, hold in enumerate(found.holds):
        _write(axes, x + 0.5, tall + 0.45, f"hold {units.nanoseconds(hold)}", figure.QUIET)
        for y, reads in enumerate(found.reads):
            _draw_field(axes, x, tall - 1 - y, found.at(reads, hold))
    for y, reads in enumerate(found.reads):
        words = axes.text(-0.1, tall - 0.5 - y, f"{100 * reads:.4g} % reads", ha="right")
        words.set(size=figure.LABEL, va="center")
    axes.set_xlim(0, len(found.holds))
    axes.set_ylim(0, tall + 1)
    axes.set_axis_off()


def _draw_field(axes: Axes, x: int, y: int, field: Field | None) -> None:
    face = "white" if field is None else COLOURS.get(field.winner, "white")
    axes.add_patch(Rectangle((x, y), 1, 1, facecolor=face, edgecolor="white", linewidth=1.5))
    _write(axes, x + 0.5, y + 0.5, "–" if field is None else field.words, figure.INK)


def _write(axes: Axes, x: float, y: float, words: str, colour: str) -> None:
    axes.text(x, y, words, ha="center", va="center", size=figure.NOTE, color=colour)
