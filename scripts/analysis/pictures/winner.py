# SPDX-License-Identifier: Apache-2.0
"""Winner: which primitive for how many threads on how many keys?

Each field has the colour and the name of the fastest primitive there and how far ahead of the
second it is, paired by block. Where the lead is not significant, the field is hatched and says so:
two primitives that are not significantly different are a reason to choose by something else.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from analysis import (
    cells,
    figure,
    palette,
    prediction_error,
    unfairness,
    units,
    verdict,
)
from analysis.cells import Group
from analysis.loader import Run

MOST_PANELS = 4


@dataclass(frozen=True)
class Field:
    """The fastest of a cell, and the second."""

    first: str
    second: str | None
    lead: float | None  # ratio of their speeds
    significant: bool  # of a prediction: and greater than the model's error
    unfair: bool = False  # the first's throughput was bought with unfairness


def draw(run: Run) -> Figure | None:
    valid = run.valid
    rows = cells.driven(valid)
    rows = rows[rows["label"] != cells.FLOOR]
    rows = rows[rows["operations_per_s"] > 0]
    dropped = ["threads", "keys", "operations_planned", "sample_every"]
    facets = [
        group
        for group in cells.groups(rows, without=dropped)
        if group.rows["threads"].nunique() > 1 and group.rows["keys"].nunique() > 1
        if len(group.labels) > 1
    ]
    if not facets:
        return None
    shown = facets[:MOST_PANELS]
    table = verdict.of_run(run)
    fields = [_fields(group, table, run.hardware_threads) for group in shown]
    unfair = any(field.unfair for found in fields for field in found.values())
    most_columns = max(group.rows["keys"].nunique() for group in shown)
    wide = max(
        max(_field_width(found) for found in fields),
        min(1.5, (figure.LEAST_WIDE - 1.35) / most_columns),
    )
    _, varied = cells.same_and_different([group.key for group in facets])
    titles = [cells.describe(group.key, varied) for group in shown]
    made, axes = figure.sheet(
        _heading(run, facets, unfair),
        figure.Grid(
            widths=[wide * most_columns],
            heights=[0.56 * group.rows["threads"].nunique() for group in shown],
            lefts=[0.75],
            above=figure.title_room(titles, wide * most_columns),
        ),
        count=len(shown),
    )
    for place, group, found, title in zip(axes, shown, fields, titles):
        _draw_panel(place, group, found, most_columns)
        figure.panel_title(place, title, wide * most_columns)
    return made


def _heading(run: Run, facets: list[Group], unfair: bool) -> figure.Heading:
    same, _ = cells.same_and_different([group.key for group in facets])
    notes = [
        "hatched, ≈: not significantly different from the second;"
        f" {cells.FLOOR} does not compete",
        *prediction_error.explained_ratio(run.predicted),
        unfairness.EXPLAINED if unfair else "",
        cells.left_out(run.trials),
    ]
    if len(facets) > MOST_PANELS:
        notes.insert(0, f"{len(facets) - MOST_PANELS} more panels not shown; the CSV has them all")
    return figure.Heading(
        title=run.titled("The fastest primitive, and its lead over the second"),
        subtitles=[*run.banners, run.heading, cells.describe(same)],
        footnotes=notes,
    )


def _fields(
    group: Group, table: verdict.Table, processors: int | None
) -> dict[tuple[float, float], Field]:
    return {
        (threads, keys): _winner(rows, table, processors)
        for (threads, keys), rows in group.rows.groupby(["threads", "keys"])
    }


def _winner(rows: pd.DataFrame, table: verdict.Table, processors: int | None) -> Field:
    """Of the group with most primitives, where several differ by what was sampled only."""
    places = table.places.reindex(rows.index).unique()
    place = max((int(p) for p in places), key=lambda p: len(table.groups[p].competitors))
    first, *others = table.groups[place].competitors
    unfair = bool(unfairness.words(rows[rows["label"] == first]))
    if not others:
        return Field(first, None, None, significant=False, unfair=unfair)
    found = table.between(place, first, others[0])
    lead = found.ratio if found is not None else None
    ahead = found is not None and found.verdict == verdict.FASTER
    if lead is not None and prediction_error.is_predicted(rows):
        one = rows.iloc[0]
        ahead &= prediction_error.exceeds_error(lead, one["threads"], one["hold_ns"], processors)
    return Field(first, others[0], lead, ahead, unfair)


def _field_width(fields: dict[tuple[float, float], Field]) -> float:
    words = [line for found in fields.values() for line in _words(found)]
    return max(0.9, figure.widest(words, figure.NOTE) + 0.14)


def _words(found: Field) -> list[str]:
    first = figure.short(figure.drawable(found.first)) + (
        f" {unfairness.MARK}" if found.unfair else ""
    )
    if found.second is None or found.lead is None:
        return [first, "alone"]
    if not found.significant:
        return [first, f"≈ {figure.short(figure.drawable(found.second))}"]
    return [first, f"{units.digits(found.lead)}×"]


def _draw_panel(
    axes: Axes,
    group: Group,
    fields: dict[tuple[float, float], Field],
    columns: int,
) -> None:
    threads = sorted(group.rows["threads"].unique())
    keys = sorted(group.rows["keys"].unique())
    for x, key_count in enumerate(keys):
        for y, thread_count in enumerate(threads):
            found = fields.get((thread_count, key_count))
            if found is not None:
                _draw_field(axes, x, y, found, palette.look(found.first))
            else:
                axes.text(x + 0.5, y + 0.5, "–", color=figure.QUIET, ha="center", va="center")
    axes.set_xlim(0, columns)
    axes.set_ylim(0, len(threads))
    axes.set_xticks([i + 0.5 for i in range(len(keys))], [units.number(k) for k in keys])
    axes.set_yticks([i + 0.5 for i in range(len(threads))], [units.whole(t) for t in threads])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_xlabel("keys")
    axes.set_ylabel("threads")


def _draw_field(axes: Axes, x: int, y: int, found: Field, look: palette.Look) -> None:
    # Pale enough for black words on every colour; the lead deepens it.
    depth = 0.85
    if found.significant:
        depth = 0.42 if (found.lead or 1) >= 1.5 else 0.6
    face = palette.mix(look.colour, depth)
    axes.add_patch(
        Rectangle(
            (x, y),
            1,
            1,
            facecolor=face,
            edgecolor="white" if found.significant else palette.mix(look.colour, 0.6),
            linewidth=0,
            hatch=None if found.significant else "////",
        )
    )
    axes.add_patch(Rectangle((x, y), 1, 1, fill=False, edgecolor="white", linewidth=2))
    first, second = _words(found)
    axes.text(x + 0.5, y + 0.66, first, size=figure.NOTE, weight="bold", ha="center", va="center")
    axes.text(x + 0.5, y + 0.32, second, size=figure.NOTE, ha="center", va="center")
