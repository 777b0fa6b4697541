# SPDX-License-Identifier: Apache-2.0
"""The output of `compare` for several machines, as text, CSV, Markdown and JSON. Pure: a fleet
in, a string out."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

from analysis import cells, tables, units
from analysis.fleet import Choice, Entry, Fleet, PooledRatio, Row, Workload, contradictions, matrix
from analysis.fleet import words
from analysis.sections import Table
from analysis.text import markdown
from analysis.verdict import FASTER, INCONCLUSIVE, SAME, SLOWER, Comparison

# With more machines than this, a table has their number instead of a column for each.
MOST_COLUMNS = 8
MOST_DISAGREEING = 24
MARKS = {FASTER: "+", SLOWER: "-", SAME: "=", INCONCLUSIVE: "?", "": "~"}
_HOW_TO_READ = [
    "ratio: speed against the baseline of the same machine and cell; above 1 is faster. Rates of"
    " different machines are not compared",
    "+ faster, - slower, = same, ? inconclusive, ~ not the same verdict in all cells",
    "each machine's table keeps its own error rate: of the machines on which nothing differs, at"
    " most 5 % have a faster or slower",
]


def as_text(fleet: Fleet, brief: bool = False) -> str:
    out = [*_banners(fleet), _heading(fleet), ""]
    for table in _tables(fleet, brief):
        out += tables.section_text(table)
    return "\n".join([*out, *_notes(fleet)]).rstrip() + "\n"


def choices_text(fleet: Fleet) -> str:
    """The cost of one choice for all cells and machines, without the comparisons."""
    out = [*_banners(fleet), ""] if _banners(fleet) else []
    if len(fleet.machines) > 1:
        out += tables.section_text(_machines(fleet, column_names(fleet)))
    for workload in fleet.workloads:
        out += tables.section_text(_one_lock(fleet, workload))
    if not fleet.workloads:
        out.append("No two primitives were measured under the same conditions.")
    return "\n".join(out).rstrip() + "\n"


def as_markdown(fleet: Fleet, brief: bool = False) -> str:
    out = [f"**{markdown(banner)}**\n" for banner in _banners(fleet)]
    out += [f"**{markdown(_heading(fleet))}**", ""]
    for table in _tables(fleet, brief):
        out += tables.section_markdown(table)
    out += [f"- {markdown(note)}" for note in _notes(fleet)]
    return "\n".join(out).rstrip() + "\n"


def as_csv(fleet: Fleet) -> str:
    """The comparisons of each machine, a line each."""
    return tables.records_csv(
        {**one.record(), "machine": machine.name}
        for machine, table in zip(fleet.machines, fleet.tables)
        for one in table.comparisons
    )


def as_json(fleet: Fleet) -> str:
    names = [machine.name for machine in fleet.machines]
    document = {
        "heading": _heading(fleet),
        "banners": _banners(fleet),
        "same_within": fleet.same_within,
        "notes": _notes(fleet),
        "machines": [
            {"name": one.name, "run_id": one.run.run_id, "machine": one.run.machine}
            for one in fleet.machines
        ],
        "comparisons": [
            {**one.record(), "machine": name}
            for name, table in zip(names, fleet.tables)
            for one in table.comparisons
        ],
        "cells": [_row_record(row, names) for row in fleet.rows],
        "choices": [_choices_record(one, names) for one in fleet.workloads],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _row_record(row: Row, names: Sequence[str]) -> dict[str, object]:
    return {
        "cell": row.cell,
        "primitive": row.primitive,
        "baseline": row.baseline,
        "ratios": {names[index]: one.ratio for index, one in row.by_machine.items()},
        "verdicts": {names[index]: one.verdict for index, one in row.by_machine.items()},
        "machines_disagree": row.disagree,
        "pooled": None if row.pooled is None else dataclasses.asdict(row.pooled),
    }


def _choices_record(one: Workload, names: Sequence[str]) -> dict[str, object]:
    return {
        "workload": one.name,
        "choices": [
            {
                "primitive": choice.primitive,
                "least_kept": choice.least,
                "kept": {names[index]: value for index, value in choice.kept.items()},
                "best_on": choice.best_on,
            }
            for choice in one.choices
        ],
        "not_measured_everywhere": one.partly,
    }


def _heading(fleet: Fleet) -> str:
    preset = f" · preset {fleet.preset}" if fleet.preset else ""
    return f"{units.plural(len(fleet.machines), 'machine')}, each compared within itself{preset}"


def _banners(fleet: Fleet) -> list[str]:
    return [f"{one.name}: {banner}" for one in fleet.machines for banner in one.run.banners]


def _notes(fleet: Fleet) -> list[str]:
    notes = list(_HOW_TO_READ)
    if fleet.pool:
        notes.append(
            "pooled: mean of the machines' ratios (random effects), with the interval that its"
            " verdict rests on; I²: share of the spread that the blocks do not explain. If I² is"
            " large, the pooled ratio holds on no machine in particular"
        )
    for one in fleet.machines:
        notes += [f"{one.name}: {note}" for note in [cells.disturbed(one.run.trials)] if note]
    return notes


def _tables(fleet: Fleet, brief: bool) -> list[Table]:
    names = column_names(fleet)
    made = [_machines(fleet, names)]
    for workload in fleet.workloads:
        made.append(_one_lock(fleet, workload))
        made.append(_matrix(fleet, workload, names))
    made += _disagreeing(fleet, names)
    return made if brief else [*made, *_cells(fleet, names)]


def _disagreeing(fleet: Fleet, names: Sequence[str]) -> list[Table]:
    """The largest contradictions."""
    found = contradictions(fleet)
    if not found:
        return []
    rows = [
        [row.primitive, row.cell, words(row, names).removeprefix("machines disagree: ")]
        for row in found[:MOST_DISAGREEING]
    ]
    more = len(found) - len(rows)
    notes = [f"{more} more cells in which machines disagree"] if more else []
    return [Table("Machines that disagree", ["primitive", "cell", "verdict"], rows, notes)]


def column_names(fleet: Fleet) -> list[str]:
    """A, B, … for columns that have no room for a machine's name."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if len(fleet.machines) <= len(letters):
        return list(letters[: len(fleet.machines)])
    return [str(index + 1) for index in range(len(fleet.machines))]


def _machines(fleet: Fleet, names: Sequence[str]) -> Table:
    rows = []
    for name, one in zip(names, fleet.machines):
        final = one.run.final
        valid = f"{int(final['valid'].sum()):,} of {len(final):,}"
        rows.append([name, one.name, one.run.machine, one.run.run_id, valid])
    return Table("Machines", ["", "name", "processor", "run", "valid trials"], rows, [])


def _one_lock(fleet: Fleet, workload: Workload) -> Table:
    """The cost of one choice for all machines; for one machine, its cost in the cells."""
    alone = len(fleet.machines) == 1
    rows = [_choice(fleet, choice, len(workload.groups)) for choice in workload.choices]
    notes = []
    if workload.choices:
        first = workload.choices[0]
        kept = units.whole_percent(first.least)
        notes.append(
            f"least regret: {first.primitive} keeps {kept} of the speed of the fastest (geometric"
            " mean over all cells)"
            if alone
            else f"least regret: {first.primitive} keeps at least {kept} of the speed of the"
            " fastest on every machine (geometric mean over its cells)"
        )
    if workload.partly:
        primitives = ", ".join(workload.partly[:6]) + (" …" if len(workload.partly) > 6 else "")
        notes.append(f"not measured in all of these cells: {primitives}")
    if alone:
        headers = ["primitive", "keeps", "worst cell"]
        return Table(f"One primitive for all cells: {workload.name}", headers, rows, notes)
    headers = ["primitive", "keeps at least", "on", "fastest on", "worst cell"]
    return Table(f"One primitive for all machines: {workload.name}", headers, rows, notes)


def _choice(fleet: Fleet, choice: Choice, of: int) -> list[str]:
    machine, cell, ratio = choice.worst_cell
    if len(fleet.machines) == 1:
        return [
            choice.primitive,
            units.whole_percent(choice.least),
            f"{units.ratio(ratio)} in {cell}",
        ]
    return [
        choice.primitive,
        units.whole_percent(choice.least),
        fleet.machines[choice.worst_machine].name,
        f"{choice.best_on} of {units.plural(of, 'machine')}",
        f"{units.ratio(ratio)} on {fleet.machines[machine].name}: {cell}",
    ]


def _matrix(fleet: Fleet, workload: Workload, names: Sequence[str]) -> Table:
    found = matrix(fleet, workload)
    title = f"Ratio to each machine's baseline, over all cells: {workload.name}"
    if len(fleet.machines) <= MOST_COLUMNS:
        rows = [
            [label, *(entry(own.get(index)) for index in range(len(names)))]
            for label, own in found.items()
        ]
        return Table(title, ["primitive", *names], rows, [])
    rows = [[label, *_range_of(own, names)] for label, own in found.items()]
    return Table(title, ["primitive", "least", "greatest", "machines"], rows, [])


def entry(one: Entry | Comparison | None) -> str:
    return "–" if one is None else f"{units.ratio(one.ratio)} {MARKS[one.verdict]}"


def _range_of(own: dict[int, Entry], names: Sequence[str]) -> list[str]:
    low = min(own, key=lambda index: own[index].ratio)
    high = max(own, key=lambda index: own[index].ratio)
    ends = [f"{units.ratio(own[index].ratio)} on {names[index]}" for index in (low, high)]
    return [*ends, str(len(own))]


def _cells(fleet: Fleet, names: Sequence[str]) -> list[Table]:
    """A table for each cell and baseline."""
    grouped: dict[tuple[str, str], list[Row]] = {}
    for row in fleet.rows:
        grouped.setdefault((row.cell, row.baseline), []).append(row)
    made = []
    for (cell, baseline), rows in grouped.items():
        few = len(fleet.machines) <= MOST_COLUMNS
        headers = ["primitive", *(names if few else ["ratios"])]
        headers += ["pooled", "interval", "I²"] if fleet.pool else []
        body = [_cell(fleet, row, names, few) for row in rows]
        made.append(Table(f"{cell} · against {baseline}", [*headers, "verdict"], body, []))
    return made


def _cell(fleet: Fleet, row: Row, names: Sequence[str], few: bool) -> list[str]:
    if few:
        ratios = [entry(row.by_machine.get(index)) for index in range(len(names))]
    else:
        known = [one.ratio for one in row.by_machine.values()]
        ratios = [f"{units.ratio(min(known))} – {units.ratio(max(known))}"]
    return [
        row.primitive,
        *ratios,
        *(_pooled(row.pooled) if fleet.pool else []),
        words(row, names) + (f"; pooled: {row.pooled.verdict}" if row.pooled else ""),
    ]


def _pooled(one: PooledRatio | None) -> list[str]:
    if one is None:
        return ["–", "–", "–"]
    interval = f"{units.digits(one.low, 3)} – {units.digits(one.high, 3)}"
    return [units.ratio(one.ratio), interval, units.whole_percent(one.heterogeneity)]
