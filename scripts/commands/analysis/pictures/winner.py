# SPDX-License-Identifier: Apache-2.0
"""Winner: what does each primitive lose against the fastest one, by load and threads?

A row for each primitive, the one with the least loss in its worst cell on top: it is the safe
choice. Losses that do not matter have one colour, whichever primitive is the first among them; a
loss that the blocks do not bear out is white.
"""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from analysis import cells, figure, losses, palette, unfairness, verdict
from analysis.loader import Run
from analysis.losses import Panel

MOST_PANELS = 4
MOST_ROWS = 24
MOST_COLUMNS = 16
_ROW, _LEAST_COLUMN, _LEAST_TITLE = 0.27, 0.62, 4.0  # inches


def draw(run: Run) -> Figure | None:
    table = verdict.of_run(run)
    panels = [panel for panel in losses.panels(table) if len(panel.columns) > 1]
    if not panels:
        return None
    shown = panels[:MOST_PANELS]
    columns = [panel.thinned(MOST_COLUMNS) for panel in shown]
    most = max(map(len, columns))
    wide = max(
        _LEAST_COLUMN,
        figure.widest([p.head(c) for p in shown for c in p.columns], figure.NOTE) + 0.14,
    )
    labels = [label for panel in shown for label in list(panel.rows)[:MOST_ROWS]]
    left = figure.widest([_name(label) for label in labels]) + 0.2
    _, varied = cells.same_and_different([panel.key for panel in panels])
    titles = [cells.describe(panel.key, varied) for panel in shown]
    made, axes = figure.sheet(
        _heading(run, panels),
        figure.Grid(
            widths=[wide * most],
            heights=[
                _ROW * (min(len(panel.rows), MOST_ROWS) + 1 + panel.by_load) for panel in shown
            ],
            lefts=[left],
            above=figure.title_room(titles, max(wide * most, _LEAST_TITLE)),
            below=0.2,
        ),
        count=len(shown),
    )
    for own_axes, panel, own, title in zip(axes, shown, columns, titles):
        _draw_panel(own_axes, panel, own, most)
        figure.panel_title(own_axes, title, max(wide * most, _LEAST_TITLE))
    return made


def _name(label: str) -> str:
    return figure.short(figure.drawable(label))


def _heading(run: Run, panels: list[Panel]) -> figure.Heading:
    same, _ = cells.same_and_different([panel.key for panel in panels])
    rows = [row for panel in panels for row in panel.rows.values()]
    unfair = any(loss.unfair for row in rows for loss in row.values())
    notes = [
        f"{losses.EXPLAINED}; {cells.FLOOR} does not compete",
        *run.error.explained_ratio(),
        unfairness.EXPLAINED if unfair else "",
        cells.left_out(run.trials),
    ]
    if len(panels) > MOST_PANELS:
        notes.insert(0, figure.not_shown(len(panels) - MOST_PANELS, "the CSV has them all"))
    return figure.Heading(
        title=run.titled("Loss against the fastest primitive"),
        subtitles=[*run.banners, run.heading, cells.describe(same)],
        footnotes=notes,
    )


def _draw_panel(axes: Axes, panel: Panel, columns: Sequence[losses.Column], most: int) -> None:
    labels = list(panel.rows)[:MOST_ROWS]
    tall = len(labels)
    for x, column in enumerate(columns):
        _write(axes, x + 0.5, tall + 0.45, panel.head(column), color=figure.QUIET)
        for y, label in enumerate(labels):
            _draw_field(axes, x, tall - 1 - y, panel.rows[label].get(column))
    for y, label in enumerate(labels):
        words = axes.text(-0.12, tall - 0.5 - y, _name(label), ha="right", va="center")
        words.set_size(figure.LABEL)
    first = 0
    for name, many in panel.spans(columns):
        _write(axes, first + many / 2, tall + 1.4, name, weight="bold")
        if first:
            axes.plot((first, first), (0, tall + 1.8), color=figure.QUIET, linewidth=0.9)
        first += many
    if not panel.by_load:
        words = axes.text(-0.12, tall + 0.45, panel.across, ha="right", va="center")
        words.set(size=figure.NOTE, color=figure.QUIET)
    axes.set_xlim(0, most)
    axes.set_ylim(0, tall + 1 + panel.by_load)
    axes.set_axis_off()


def _draw_field(axes: Axes, x: int, y: int, loss: losses.Loss | None) -> None:
    step = loss.step if loss is not None else None
    face = "white" if step is None else palette.LOSSES[step]
    axes.add_patch(Rectangle((x, y), 1, 1, facecolor=face, edgecolor="white", linewidth=1.5))
    if loss is None:
        return _write(axes, x + 0.5, y + 0.5, "–", color=figure.QUIET)
    mark = f" {unfairness.MARK}" if loss.unfair else ""
    quiet = figure.INK if step else figure.QUIET
    return _write(axes, x + 0.5, y + 0.5, loss.words + mark, color=quiet)


def _write(axes: Axes, x: float, y: float, words: str, **style: str) -> None:
    axes.text(x, y, words, size=figure.NOTE, ha="center", va="center", **style)
