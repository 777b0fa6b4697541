# SPDX-License-Identifier: Apache-2.0
"""Cost of locking by load: what does a lock cost a program that also does other work?

At a low load the lines show what the lock itself costs, near each other; with the load, waiting is
added. At the right, threads request the lock again at once: the limit, which no program has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
from matplotlib.figure import Figure

from analysis import cells, figure, locking_cost, scales, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.machines import Machine
from analysis.pictures import curves

COST = curves.Axis(
    "load",
    "load: share of the time in which the busiest key is wanted",
    "load",
    locking_cost.load_words,
    what="Cost of locking",
    measures=(
        curves.Measure(
            "locking_ns", "cost of locking per operation", units.nanoseconds, noise="noise"
        ),
    ),
    notes=[
        "cost: time of an operation beyond its hold and think; saturated: threads request the lock"
        " again at once, as few programs do"
    ],
)
P99 = replace(
    COST,
    what="p99 wait",
    notes=["of loads below saturation: beyond it, percentiles favour a lock that starves threads"],
    measures=(curves.Measure("wait_p99_ns", "p99 wait for the lock", units.nanoseconds),),
)


def rows_of(run: Run, rows: pd.DataFrame, most: int) -> pd.DataFrame:
    """Those of the rows that have a load, with their cost. If they have more than `most` panels,
    the most threads on each number of keys."""
    rows = locking_cost.with_costs(run, cells.driven(rows))
    rows = rows[rows["load"].notna() & (rows["label"] != cells.FLOOR)]
    rows = locking_cost.with_noise(rows)
    waits = rows["wait_p99_ns"].clip(lower=scales.LEAST_WAIT_NS)
    rows = rows.assign(wait_p99_ns=waits.where(cells.percentiles_tell(rows)))
    apart = cells.apart("load", "threads")
    panel = cells.codes(rows, [name for name in cells.GROUP if name not in apart])
    threads = rows.groupby(panel)["threads"]
    return (
        rows
        if threads.nunique().sum() <= most
        else rows[rows["threads"] == threads.transform("max")]
    )


def is_swept(rows: pd.DataFrame) -> bool:
    """True if there is anything to draw; costs take longer to compute than to count the loads."""
    return bool(rows["load"].nunique() > 1)


def draw(run: Run) -> Figure | None:
    return _drawn(run, COST)


def draw_waits(run: Run) -> Figure | None:
    return _drawn(run, P99)


def _drawn(run: Run, axis: curves.Axis) -> Figure | None:
    if not is_swept(run.valid):
        return None
    return curves.draw(run, rows_of(run, run.valid, curves.MOST_PANELS), axis)


_MOST_OF_A_MACHINE = 3  # panels, each beside that of the other machines


def draw_machines(members: Sequence[Machine]) -> Figure | None:
    """The costs of several machines side by side, on one scale: a column for each machine, a line
    of panels for each cell that all of them measured at several loads."""
    found = [_facets_by_key(one.run) for one in members]
    shared = [key for key in found[0] if all(key in own for own in found)]
    if not shared:
        return None
    facets = [own[key] for key in shared for own in found]
    by_facet = curves.panels_of(facets, facets[0].rows[:0], COST.measures)
    panels = [panel for own in by_facet for panel in own][: curves.MOST_PANELS]
    _, varied = cells.same_and_different([facet.key for facet in facets])
    names = names_of(members)
    titles = [
        " · ".join(filter(None, [name, cells.describe(panel.group.key, varied), panel.family]))
        for name, own in zip(names * len(shared), by_facet)
        for panel in own
    ]
    whole = len(panels) == len(facets)
    columns = len(members) if whole and len(members) < 4 else curves.few_columns(len(panels))
    heading = _heading_of_machines(members, facets)
    return curves.sheet(heading, panels, titles[: len(panels)], COST, columns)


def _facets_by_key(run: Run) -> dict[str, Group]:
    rows = rows_of(run, run.valid, _MOST_OF_A_MACHINE)
    rows = COST.measures[0].known(rows)
    return {repr(one.key): one for one in cells.axis_facets(rows, "load")} if len(rows) else {}


def names_of(members: Sequence[Machine]) -> list[str]:
    """The CPU models of machines, if these tell them apart; else their names."""
    cpu_models = [one.run.machine for one in members]
    return cpu_models if len(set(cpu_models)) == len(cpu_models) else [one.name for one in members]


def _heading_of_machines(members: Sequence[Machine], facets: Sequence[Group]) -> figure.Heading:
    named = list(zip(names_of(members), (one.run for one in members)))
    same, _ = cells.same_and_different([facet.key for facet in facets])
    every = pd.concat([facet.rows for facet in facets])
    notes = curves.notes_of(COST, every, [run for _, run in named])
    for name, run in named:
        left = int((~run.trials["valid"]).sum())
        said = [*run.banners, units.plural(left, "row") + " excluded" if left else ""]
        notes += [f"{name}: {note}" for note in said if note]
    return figure.Heading(
        title=f"{COST.what} by {COST.title}, on {units.plural(len(members), 'machine')}",
        subtitles=[
            *(f"{name}: run {run.run_id}" for name, run in named),
            cells.describe(same),
            "faint: each block (of many, their range); line: their median",
        ],
        footnotes=notes,
    )
