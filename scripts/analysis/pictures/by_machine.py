# SPDX-License-Identifier: Apache-2.0
"""Speed by threads on several machines: does a primitive lead everywhere, or here alone?

A panel for each machine. Lines are ratios to the baseline of the same machine in the same cell, on
the fewest keys; rates of different machines are never put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import cells, endings, figure, fleet, palette, prediction_error, scales, units
from analysis.fleet import Fleet
from analysis.verdict import Comparison

MOST_PANELS = 12
MOST_LINES = 7
_WIDE, _TALL, _LEFT = 2.75, 2.35, 0.72


@dataclass(frozen=True)
class _Panel:
    title: str
    key: dict[str, Any]  # what its cells have in common
    lines: dict[str, list[Comparison]]  # by primitive, by threads
    predicted: bool = False
    processors: int | None = None

    def error(self, one: Comparison) -> tuple[float, float] | None:
        """The band of a predicted ratio."""
        if not self.predicted or one.threads is None:
            return None
        hold = float(self.key.get("hold_ns") or 0)
        found = prediction_error.band(prediction_error.RATIO, one.threads, hold, self.processors)
        return (one.ratio * found.low, one.ratio * found.high) if found else None


def draw(machines: Fleet) -> Figure | None:
    """None when no machine has two numbers of threads in cells that are otherwise alike."""
    panels = _panels(machines)
    if not panels:
        return None
    shown = panels[:MOST_PANELS]
    every = [one for panel in shown for line in panel.lines.values() for one in line]
    bounds = [bound for one in every for bound in (one.ratio, one.low, one.high) if bound]
    errors = [panel.error(one) for panel in shown for line in panel.lines.values() for one in line]
    bounds += [bound for span in errors if span for bound in span]
    limits = scales.padded([1.0, *bounds])
    columns = min(len(shown), 2 if len(shown) in (2, 4) else 3)
    names = [figure.drawn(label) for panel in shown for label in panel.lines]
    right = endings.LABEL_GAP + figure.widest(names) + 0.1
    titles = [panel.title for panel in shown]
    made, axes = figure.sheet(
        _heading(machines, panels),
        figure.Grid.of_panels(titles, columns, size=(_WIDE, _TALL), left=_LEFT, right=right),
        count=len(shown),
    )
    for place, panel in zip(axes, shown):
        _draw_panel(place, panel, limits)
        figure.panel_title(place, panel.title, _WIDE + right)
    return made


def _panels(machines: Fleet) -> list[_Panel]:
    """Of each workload a panel for each machine; the same primitives on all of them."""
    found = []
    for workload in machines.workloads:
        ranked = [one.primitive for one in workload.choices][:MOST_LINES]
        places = fleet.fewest_keys(machines, fleet.alike(machines, workload))
        several = len(machines.workloads) > 1
        for machine, own in places.items():
            lines = {label: _line(machines, machine, own, label) for label in ranked}
            lines = {label: line for label, line in lines.items() if len(line) > 1}
            if lines:
                name = figure.printable(machines.machines[machine].name, 60)
                title = f"{name} · {workload.name}" if several else name
                key = machines.tables[machine].groups[own[0]].key
                same = {**fleet.shared(key), "keys": key["keys"]}
                run = machines.machines[machine].run
                found.append(_Panel(title, same, lines, run.predicted, run.hardware_threads))
    return found


def _line(machines: Fleet, machine: int, places: Sequence[int], label: str) -> list[Comparison]:
    every = (one for place in places for one in machines.tables[machine].comparisons_of(place))
    line = [one for one in every if one.primitive == label and one.threads is not None]
    return sorted(line, key=lambda one: one.threads or 0)


def _heading(machines: Fleet, panels: Sequence[_Panel]) -> figure.Heading:
    same, _ = cells.same_and_different([panel.key for panel in panels])
    notes = ["grey: the baseline of the machine; thin: the interval of a ratio"]
    notes += prediction_error.explained(any(panel.predicted for panel in panels))
    if len(panels) > MOST_PANELS:
        notes.append(f"{len(panels) - MOST_PANELS} more panels not shown; report has all machines")
    return figure.Heading(
        title="Speed against each machine's own baseline, by threads",
        subtitles=[units.plural(len(machines.machines), "machine"), cells.describe(same)],
        footnotes=notes,
    )


def _draw_panel(axes: Axes, panel: _Panel, limits: tuple[float, float]) -> None:
    threads = sorted({one.threads or 0 for line in panel.lines.values() for one in line})
    places = scales.positions(threads)
    ends = []
    for label, line in panel.lines.items():
        look = palette.look(label)
        look = palette.predicted(look) if panel.predicted else look
        x = [places[one.threads or 0] for one in line]
        y = [one.ratio for one in line]
        axes.plot(x, y, **look.line, marker=look.marker, markersize=4)
        errors = [(at, *span) for at, one in zip(x, line) if (span := panel.error(one))]
        if errors:
            axes.fill_between(*zip(*errors), color=look.colour, alpha=0.1, linewidth=0, zorder=1)
        known = [(at, one.low, one.high) for at, one in zip(x, line) if one.low and one.high]
        for at, low, high in known:
            axes.plot([at, at], [low, high], color=look.colour, linewidth=1, alpha=0.5)
        ends.append(endings.End(x[-1], y[-1], figure.drawn(label), look))
    axes.axhline(1.0, color=figure.QUIET, linewidth=1, linestyle=(0, (4, 2)))
    axes.set_ylim(*limits)
    scales.log_scale(axes, "y", units.ratio)
    scales.log_axis_of(axes, places, units.whole, "threads")
    axes.set_ylabel(scales.logarithmic("speed against the baseline"))
    endings.label_ends(axes, ends)
