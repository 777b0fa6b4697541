# SPDX-License-Identifier: Apache-2.0
"""Speed by threads ÷ cores: where machines differ in size, a number of threads means another thing
on each. A picture for each primitive, a line for each machine: its ratio to the baseline of the
same machine, on the fewest keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis import cells, endings, figure, palette, scales, units
from analysis.fleet import Fleet, fewest_keys
from analysis.page import chart
from analysis.page.chart import Chart, Maker

MOST_NAMED = 8  # machines whose lines have their names
Point = tuple[float, float]  # threads ÷ cores, ratio


def charts(
    fleet: Fleet, scope: Mapping[int, Sequence[int]], labels: Sequence[str], maker: Maker
) -> list[Chart]:
    """Charts of these groups by machine, for each primitive of which two machines have a line."""
    indices = {
        machine: own
        for machine, own in fewest_keys(fleet, scope).items()
        if fleet.machines[machine].cores is not None
    }
    made = []
    for label in labels:
        found = {machine: _line(fleet, machine, own, label) for machine, own in indices.items()}
        drawn = {machine: line for machine, line in found.items() if len(line) > 1}
        if len(drawn) > 1:
            made.append(_drawn(fleet, label, drawn, maker, _title(fleet, indices, label)))
    return made


def _title(fleet: Fleet, indices: Mapping[int, Sequence[int]], label: str) -> str:
    machine, own = next((machine, own) for machine, own in indices.items() if own)
    key = fleet.tables[machine].groups[own[0]].key
    return f"{figure.printable(label, 60)} by threads ÷ cores: {cells.describe(key, ['keys'])}"


def _line(fleet: Fleet, machine: int, indices: Sequence[int], label: str) -> list[Point]:
    table, cores = fleet.tables[machine], fleet.machines[machine].cores or 1
    every = (one for index in indices for one in table.comparisons_of(index))
    return sorted(
        (one.threads / cores, one.ratio) for one in every if one.primitive == label and one.threads
    )


def _drawn(
    fleet: Fleet, label: str, lines: Mapping[int, list[Point]], maker: Maker, title: str
) -> Chart:
    named = len(lines) <= MOST_NAMED
    names = [figure.short(fleet.machines[machine].name, 18) for machine in lines]
    axes = chart.room_for_lines(names if named else [])
    look, gid = maker.look(label), maker.own(label)
    ends = []
    for name, (machine, line) in zip(names, lines.items()):
        x, y = zip(*line)
        axes.plot(
            x,
            y,
            color=look.colour,
            linestyle=palette.BAND_DASH if fleet.machines[machine].run.error.banded else "-",
            linewidth=look.width,
            alpha=1 if named else 0.35,
            marker=look.marker,
            markersize=4 if named else 2.5,
            gid=gid,
        )
        ends.append(endings.End(x[-1], y[-1], name, look, gid))
    every = [point for line in lines.values() for point in line]
    axes.set_ylim(*scales.padded([1.0, *(y for _, y in every)]))
    axes.set_xlim(*scales.padded([x for x, _ in every], share=0.05))
    scales.log_scale(axes, "y", units.ratio)
    scales.log_scale(axes, "x", units.digits)
    axes.axhline(1.0, color=figure.QUIET, linewidth=1, linestyle=(0, (4, 2)))
    axes.grid(axis="y")
    axes.set_xlabel(scales.logarithmic("threads ÷ cores"))
    chart.name_lines(axes, "speed against the machine's baseline, dashed", ends if named else [])
    titles = {label: _words_of(fleet, label, lines)}
    return maker.made(axes.figure, "threads ÷ cores", title, titles, _summary(fleet, lines), [])


def _words_of(fleet: Fleet, label: str, lines: Mapping[int, list[Point]]) -> str:
    said = [figure.printable(label, 120), "at the most threads ÷ cores of each machine:"]
    for machine, line in list(lines.items())[:12]:
        x, y = line[-1]
        name = figure.printable(fleet.machines[machine].name, 60)
        said.append(f"{name}: {units.ratio(y)} at {units.digits(x)}")
    return "\n".join(said)


def _summary(fleet: Fleet, lines: Mapping[int, list[Point]]) -> str:
    last = {machine: line[-1][1] for machine, line in lines.items()}
    low, high = min(last, key=lambda one: last[one]), max(last, key=lambda one: last[one])
    range_text = " and ".join(
        f"{units.ratio(last[one])} on {figure.printable(fleet.machines[one].name, 60)}"
        for one in (low, high)
    )
    return f"{units.plural(len(lines), 'machine')}. At their most threads, between {range_text}."
