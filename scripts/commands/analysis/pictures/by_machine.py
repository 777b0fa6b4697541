# SPDX-License-Identifier: Apache-2.0
"""Speed by threads on several machines: does a primitive lead everywhere, or here alone?

A panel for each machine. Lines are ratios to the baseline of the same machine in the same cell, on
the fewest keys; rates of different machines are never put together.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import cells, endings, error_model, figure, fleet, palette, scales, units
from analysis.cells import Group
from analysis.fleet import Fleet
from analysis.pictures import curves
from analysis.pictures.curves import MOST_LINES, MOST_PANELS
from analysis.verdict import FIELDS

_AXIS = curves.Axis("threads", "threads", "threads", units.whole)


def draw(machines: Fleet) -> Figure | None:
    """None when no machine has two numbers of threads in cells that are otherwise alike."""
    panels = _panels(machines)
    if not panels:
        return None
    shown = list(panels.items())[:MOST_PANELS]
    rows = pd.concat([group.rows for _, group in shown])
    measure = curves.Measure(
        "ratio",
        "speed against the baseline",
        units.ratio,
        expected=lambda group, values: [1.0] * len(values),
        line=_draw_line,
    )
    bounds = rows.filter(regex="^(ratio.*|low|high)$").astype(float).stack()
    limits = scales.padded([1.0, *bounds[bounds > 0]])
    return curves.sheet(
        _heading(machines, list(panels.values())),
        [
            curves.Panel(group, "", group.labels, limits, group.rows[:0], measure)
            for _, group in shown
        ],
        [title for title, _ in shown],
        _AXIS,
        curves.few_columns(len(shown)),
    )


def _panels(machines: Fleet) -> dict[str, Group]:
    """A panel for each machine and workload, by its title; the same primitives on all."""
    found = {}
    for workload in machines.workloads:
        ranked = [one.primitive for one in workload.choices][:MOST_LINES]
        indices = fleet.fewest_keys(machines, fleet.alike(machines, workload))
        for machine, own in indices.items():
            rows = _ratios(machines, machine, own)
            lines = [rows[rows["label"] == label].sort_values("threads") for label in ranked]
            lines = [line for line in lines if len(line) > 1]
            if lines:
                name = figure.printable(machines.machines[machine].name, 60)
                title = f"{name} · {workload.name}" if len(machines.workloads) > 1 else name
                key = machines.tables[machine].groups[own[0]].key
                same = {**fleet.shared(key), "keys": key["keys"]}
                found[title] = Group(same, pd.concat(lines))
    return found


def _ratios(machines: Fleet, machine: int, indices: Sequence[int]) -> pd.DataFrame:
    """A row for each comparison, with the band of its error if that is known."""
    table, run = machines.tables[machine], machines.machines[machine].run
    records = [one.record() for index in indices for one in table.comparisons_of(index)]
    rows = pd.DataFrame(records, columns=FIELDS).rename(columns={"primitive": "label"})
    rows[["threads", "hold_ns"]] = rows[["threads", "hold_ns"]].astype(float)
    rows = run.error.adopted(rows).dropna(subset=["threads"])
    return run.error.with_bounds(rows, run.hardware_threads)


def _heading(machines: Fleet, panels: Sequence[Group]) -> figure.Heading:
    same, _ = cells.same_and_different([panel.key for panel in panels])
    notes = ["grey: the baseline of the machine; thin: the interval of a ratio"]
    notes += error_model.explained(one.run.error for one in machines.machines)
    if len(panels) > MOST_PANELS:
        notes.append(figure.not_shown(len(panels) - MOST_PANELS, "report has all machines"))
    return figure.Heading(
        title="Speed against each machine's own baseline, by threads",
        subtitles=[units.plural(len(machines.machines), "machine"), cells.describe(same)],
        footnotes=notes,
    )


def _draw_line(axes: Axes, own: pd.DataFrame, look: palette.Look, group: Group) -> endings.End:
    identity = {threads: threads for threads in own["threads"]}
    curves.draw_error(axes, own, "threads", "ratio", identity, look.colour)
    axes.plot(own["threads"], own["ratio"], **look.line, marker=look.marker, markersize=4)
    ends = own[["low", "high"]].to_numpy(dtype=float).T
    axes.vlines(own["threads"], *ends, color=look.colour, linewidth=1, alpha=0.5)
    last = own.iloc[-1]
    return endings.End(last["threads"], last["ratio"], figure.drawn(last["label"]), look)
