# SPDX-License-Identifier: Apache-2.0
"""The contents of `compare`: the figures of each cell with its comparison (verdict.py), and
notes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from analysis import cells, core_kinds, likeness, published, sequential, starvation, summary, units
from analysis import verdict
from analysis.core_kinds import Shares
from analysis.loader import Run
from analysis.locking_cost import Cost, costs
from analysis.readers import Map, maps
from analysis.saturation import WAIT_LIMIT_NS, Saturation, saturations
from analysis.scalability import Curve, curves
from analysis.sections import Table

_APART = 0.05  # from here on, ratios of medians are not the same


@dataclass(frozen=True)
class Options:
    baseline: str | None = None
    same_within: float = verdict.SAME_WITHIN
    force: bool = False
    wait_limit_ns: float = WAIT_LIMIT_NS  # of open loops
    any_build: bool = False  # for two runs: builds may differ, because the builds are compared


@dataclass(frozen=True)
class Line:
    """One primitive in one group."""

    group: str
    primitive: str
    metric: str
    blocks: int  # valid ones, of `blocks_planned`
    blocks_planned: int
    median: float | None = None
    spread_low: float | None = None  # p25 and p75 from 4 blocks on, else minimum and maximum
    spread_high: float | None = None
    wait_p99_ns: float | None = None  # where it compares locks: cells.percentiles_tell()
    wait_mean_ns: float | None = None
    wait_max_ns: float | None = None  # the longest of all blocks
    idlest_share: float | None = None  # of several threads, what the slowest did
    fairness_jain: float | None = None
    compared: verdict.Comparison | None = None  # None for the baseline, the floor, an invalid cell
    is_baseline: bool = False
    differs: bool = False  # the shown medians have another ratio than the common blocks
    unfair: str = ""
    reason: str = ""  # why there is no figure, or why some blocks are missing

    @property
    def blocks_needed(self) -> int | None:
        return self.compared.needed if self.compared else None


@dataclass(frozen=True)
class Result:
    heading: str
    table: verdict.Table
    lines: list[Line]
    against: str = ""  # of two runs: what a ratio is against
    notes: list[str] = field(default_factory=list)
    banners: list[str] = field(default_factory=list)  # above all else
    costs: list[Cost] = field(default_factory=list)  # of one run, as the rest
    scalability: list[Curve] = field(default_factory=list)
    saturation: list[Saturation] = field(default_factory=list)
    readers: list[Map] = field(default_factory=list)
    core_kinds: list[Shares] = field(default_factory=list)
    published: list[Table] = field(default_factory=list)


def within(run: Run, options: Options) -> Result:
    """Every primitive of every group against the group's baseline."""
    table = verdict.of_run(run, options.baseline, options.same_within)
    return Result(
        run.heading,
        table,
        _lines(table),
        notes=[
            *_notes_on_blocks(table),
            *_notes_on_rows(run),
            *cells.expired(run.trials),
        ],
        banners=run.banners,
        costs=costs(run),
        scalability=curves(run),
        saturation=saturations(run.valid, options.wait_limit_ns),
        readers=maps(table),
        core_kinds=core_kinds.of(run),
        published=published.table(run),
    )


def between(old: Run, new: Run, options: Options) -> Result:
    """Every cell that both runs have: the second run's speed over the first one's."""
    notes = likeness.check(old, new, options.force, options.any_build)
    table = verdict.of_two_runs(old, new, options.baseline, options.same_within)
    if table.only_one:
        notes.append(f"{units.plural(table.only_one, 'cell')} of only one of the runs excluded")
    notes.append("one run came after the other: the machine's drift between them is in the ratios")
    heading = f"run {new.run_id} against run {old.run_id} · {new.machine}"
    return _of_two(old, new, heading, table, "the first run", notes)


def in_turn(old: Run, new: Run, heading: str, same_within: float) -> Result:
    """Every cell that both runs have, if their blocks were measured in turn."""
    table = verdict.of_two_runs(old, new, None, same_within, in_turn=True)
    return _of_two(old, new, heading, table, "A, paired by block", _notes_on_blocks(table))


def _of_two(
    old: Run, new: Run, heading: str, table: verdict.Table, against: str, notes: list[str]
) -> Result:
    notes = [*notes, *_notes_on_rows(old), *_notes_on_rows(new)]
    banners = list(dict.fromkeys([*old.banners, *new.banners]))
    return Result(heading, table, _lines(table), against, notes, banners)


def slower_than(result: Result, share: float) -> list[verdict.Comparison]:
    return [one for one in result.table.comparisons if is_slower(one, share)]


def is_slower(one: verdict.Comparison, share: float) -> bool:
    """True if the primitive is significantly slower, and by more than `share`."""
    return one.verdict == verdict.SLOWER and one.ratio < 1 - share


def _lines(table: verdict.Table) -> list[Line]:
    compared = {(one.group, one.primitive): one for one in table.comparisons}
    reasons = _reasons(table.rows)
    by_group: dict[int, list[Line]] = {}
    figures = summary.figures(table, _FIGURES)[[*_ABOUT, *_FIGURES]]
    for cell, row in figures.to_dict("index").items():
        one = compared.get((row["group"], row["label"]))
        line = _line(table.groups[row["group"]], row, one, reasons.get(cell, ""))
        by_group.setdefault(row["group"], []).append(line)
    found: list[Line] = []
    for _, own in sorted(by_group.items()):
        base = next((line.median for line in own if line.is_baseline), None)
        own = [replace(line, differs=_differs(line, base)) for line in own]
        found.extend(sorted(own, key=_order))
    return found


def _differs(line: Line, base: float | None) -> bool:
    """True if the ratio, which is of common blocks, is another than that of the shown medians."""
    one = line.compared
    if one is None or not line.median or not base:
        return False
    return abs(math.log(line.median / base * one.baseline_value / one.value)) > math.log1p(_APART)


def _order(line: Line) -> tuple[bool, bool, float]:
    """The baseline first, then the fastest; cells without a figure last."""
    ratio = line.compared.ratio if line.compared is not None else 0.0
    return not line.is_baseline, line.median is None, -ratio


_ABOUT = ["group", "label", "threads", "blocks", "planned", "unfair"]
_FIGURES = (
    "median spread_low spread_high wait_p99_ns wait_mean_ns wait_max_ns fairness_jain idlest_share"
).split()


def _line(
    group: verdict.Group, row: Mapping[str, Any], compared: verdict.Comparison | None, reason: str
) -> Line:
    if row["median"] != row["median"]:
        said = [row["unfair"].removeprefix("unfair: "), reason]
        reason = "; ".join(filter(None, said)) or f"{group.metric} was not measured"
    figures: dict[str, Any] = {
        name: None if row[name] != row[name] else float(row[name]) for name in _FIGURES
    }
    return Line(
        group=group.name,
        primitive=row["label"],
        metric=group.metric,
        blocks=row["blocks"],
        blocks_planned=row["planned"],
        **{**figures, "idlest_share": figures["idlest_share"] if row["threads"] > 1 else None},
        compared=compared,
        is_baseline=row["label"] == group.baseline,
        unfair=row["unfair"],
        reason=reason,
    )


def _reasons(rows: pd.DataFrame) -> dict[int, str]:
    """The reasons why blocks of each cell are not valid: the first one, and the number of blocks
    with it. What starved is said of its unfairness."""
    counts, found = rows["cell"].value_counts(), {}
    starved = rows["outcome"] == starvation.OUTCOME
    for cell, invalid in rows[~rows["valid"] & ~starved].groupby("cell"):
        found[cell] = cells.reason(invalid.iloc[0])
        if counts[cell] > 1:
            of = units.plural(int(counts[cell]), "block")
            found[cell] += f" ({len(invalid)} of {of} not valid)"
    return found


def _notes_on_rows(run: Run) -> list[str]:
    """Notes about rows that were measured again, and about threads that the kernel placed. No
    figure is missing because of them."""
    notes = [cells.disturbed(run.trials), core_kinds.unbound(run)]
    return [f"run {run.run_id}: {note}" for note in notes if note]


def _notes_on_blocks(table: verdict.Table) -> list[str]:
    most = max((one.blocks for one in table.comparisons), default=sequential.LEAST_BLOCKS)
    if most >= sequential.LEAST_BLOCKS:
        return []
    return [
        f"{units.plural(most, 'block')}: no interval and no verdict"
        f" (minimum {sequential.LEAST_BLOCKS}); run with --blocks 5 or more"
    ]


def brief(result: Result, lines: int) -> Result:
    """The most informative groups that fit into the given number of lines, at least one, without
    the curves. For each workload and mode, the group with the most primitives and the most
    contention comes first; then those with the largest significant differences."""
    groups = result.table.groups
    order = sorted(range(len(groups)), key=lambda index: _telling(result.table, index))
    kinds: dict[tuple[Any, ...], int] = {}
    for index in sorted(range(len(groups)), key=lambda index: _contention(groups[index])):
        key = groups[index].key
        kinds[key["workload"], key["scenario"], key["mode"]] = index
    shown: list[int] = []
    for index in [*kinds.values(), *(index for index in order if index not in kinds.values())]:
        room = sum(groups[one].rows["label"].nunique() + 3 for one in [*shown, index])
        if shown and room > lines:
            break
        shown.append(index)
    names = {groups[index].name for index in shown}
    notes = list(result.notes)
    if len(shown) < len(groups):
        notes.append(
            f"shown: {len(shown)} of {len(groups)} groups of cells;"
            " compare without --brief and report have all of them"
        )
    kept = [line for line in result.lines if line.group in names]
    return replace(result, lines=kept, notes=notes, scalability=[], saturation=[])


def _telling(table: verdict.Table, index: int) -> float:
    found = [one for one in table.comparisons_of(index) if one.significant]
    return -max((abs(math.log(one.ratio)) for one in found), default=0.0)


def _contention(group: verdict.Group) -> tuple[bool, int, float, float]:
    threads, keys = group.key["threads"] or 0, group.key["keys"] or 0
    return threads > 1, len(group.competitors), threads, -keys
