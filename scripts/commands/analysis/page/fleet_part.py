# SPDX-License-Identifier: Apache-2.0
"""The part of a page about several machines: which primitive for all of them, which on each, and
where they disagree. Before it has a form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis import cells, figure, fleet_tables, summary, units
from analysis.fleet import Choice, Entry, Fleet, Row, Workload, alike, contradictions, matrix
from analysis.fleet import shared, words
from analysis.page import answer, by_cores
from analysis.page.answer import Spot
from analysis.page.chart import Chart, Maker

MOST_WORKLOADS = 8
MOST_MAPS = 12  # machines whose maps stand side by side
MOST_ROWS = 40  # cells in which machines disagree
_MOST_CHARTS = 6


@dataclass(frozen=True)
class Map:
    """The fastest by threads and keys, on one machine."""

    machine: str
    threads: list[float]
    keys: list[float]
    spots: dict[tuple[float, float], Spot]


@dataclass(frozen=True)
class Part:
    """One workload on all machines."""

    name: str
    choices: list[Choice]
    partly: list[str]
    matrix: dict[str, dict[int, Entry]]  # by primitive and machine
    where: str  # of the maps: what their cells have in common
    maps: list[Map]
    more_maps: int
    charts: list[Chart]


@dataclass(frozen=True)
class FleetPart:
    """Before the chapters of the machines."""

    fleet: Fleet
    columns: list[str]  # short names of the machines
    parts: list[Part]
    more_parts: int
    disagreeing: list[tuple[Row, str]]  # with its words
    more_disagreeing: int
    facts: list[str]


def made(fleet: Fleet, maker: Maker, pictures: bool = True) -> FleetPart:
    shown = fleet.workloads[:MOST_WORKLOADS]
    names = [one.name for one in fleet.machines]
    apart = contradictions(fleet)
    return FleetPart(
        fleet=fleet,
        columns=fleet_tables.column_names(fleet),
        parts=[_part(fleet, one, maker, pictures) for one in shown],
        more_parts=len(fleet.workloads) - len(shown),
        disagreeing=[(row, words(row, names)) for row in apart[:MOST_ROWS]],
        more_disagreeing=max(0, len(apart) - MOST_ROWS),
        facts=_facts(fleet),
    )


def _facts(fleet: Fleet) -> list[str]:
    trials = sum(len(one.run.final) for one in fleet.machines)
    valid = sum(int(one.run.final["valid"].sum()) for one in fleet.machines)
    return [
        units.plural(len(fleet.machines), "machine"),
        units.plural(trials, "trial")
        + (", all valid" if valid == trials else f", {valid:,} of them valid"),
    ]


def _part(fleet: Fleet, workload: Workload, maker: Maker, pictures: bool) -> Part:
    ranked = [one.primitive for one in workload.choices]
    found = matrix(fleet, workload)
    scope = alike(fleet, workload)
    drawn = cells.evenly(list(workload.groups), MOST_MAPS)
    maps = [_map(fleet, machine, own) for machine in drawn if (own := scope.get(machine))]
    charts = by_cores.charts(fleet, scope, ranked[:_MOST_CHARTS], maker) if pictures else []
    key: dict[str, Any] = next(
        (_kept(fleet, machine, own) for machine, own in scope.items() if own), {}
    )
    return Part(
        name=workload.name,
        choices=workload.choices,
        partly=workload.partly,
        matrix=dict(sorted(found.items(), key=lambda one: _rank(ranked, one[0]))),
        where=cells.describe(key),
        maps=[one for one in maps if len(one.spots) > 1],
        more_maps=len(workload.groups) - len(drawn),
        charts=charts,
    )


def _rank(ranked: Sequence[str], label: str) -> int:
    return ranked.index(label) if label in ranked else len(ranked)


def _kept(fleet: Fleet, machine: int, indices: Sequence[int]) -> dict[str, Any]:
    return shared(fleet.tables[machine].groups[indices[0]].key)


def _map(fleet: Fleet, machine: int, indices: Sequence[int]) -> Map:
    table = fleet.tables[machine]
    spots: dict[tuple[float, float], Spot] = {}
    for index in indices:
        key = table.groups[index].key
        if key["threads"] is None or key["keys"] is None:
            continue
        standings = summary.standing(table, index)
        unfair = {one.primitive: one.unfair for one in table.comparisons_of(index)}
        spots[key["threads"], key["keys"]] = answer.spot(index, standings, unfair)
    threads, keys = (sorted({at[i] for at in spots}) for i in range(2))
    name = figure.printable(fleet.machines[machine].name, 60)
    return Map(name, threads, keys, spots)
