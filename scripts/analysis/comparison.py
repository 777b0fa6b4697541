# SPDX-License-Identifier: Apache-2.0
"""Rows of a comparison: the primitives of a run against a baseline, or two runs cell by cell.

Within a run, ratios are paired by block. Between two runs nothing pairs the blocks: one run came
after the other, and the drift of the machine between them is part of the ratio.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from analysis import baselines, cells, likeness, statistics, unfairness, units
from analysis.loader import InputError, Run
from analysis.saturation import Saturation, saturations
from analysis.scalability import Curve, curves


@dataclass(frozen=True)
class Options:
    baseline: str | None = None
    same_within: float = 0.02
    force: bool = False


@dataclass(frozen=True)
class Line:
    """One primitive in one group, with its standing against the baseline."""

    group: str
    primitive: str
    metric: str  # "operations_per_s", "makespan_s", "operation_ns" or "wait_p99_ns"
    blocks: int  # valid ones, of `planned`
    planned: int
    median: float | None = None
    low: float | None = None  # p25 and p75 from 4 blocks on, else least and greatest
    high: float | None = None
    wait_p99_ns: float | None = None
    fairness_jain: float | None = None
    is_baseline: bool = False
    ratio: float | None = None  # of speeds: above 1 is faster than the baseline
    interval: statistics.Interval | None = None
    p: float | None = None  # not yet corrected
    corrected_p: float | None = None
    paired_blocks: int = 0
    agreeing_blocks: int | None = None  # paired ones on the ratio's side of 1; None if unpaired
    verdict: statistics.Verdict | None = None
    unfair: str = ""  # how its throughput was bought; empty: nothing to say against it
    reason: str = ""  # why there is no figure, or why some blocks are missing


@dataclass(frozen=True)
class Comparison:
    heading: str
    baselines: dict[str, str]  # by group; empty between two runs
    lines: list[Line]
    same_within: float
    between_runs: bool = False
    notes: list[str] = field(default_factory=list)
    scalability: list[Curve] = field(default_factory=list)  # of one run
    saturation: list[Saturation] = field(default_factory=list)


def within(run: Run, options: Options) -> Comparison:
    """Every primitive of every group against the group's baseline."""
    baselines.check(run.final, options.baseline)
    lines: list[Line] = []
    by_group: dict[str, str] = {}
    found = cells.groups(run.final)
    for group, name in zip(found, cells.names(found)):
        baseline = baselines.choose(group, options.baseline)
        if baseline is not None:
            by_group[name] = baseline
        lines.extend(_group_lines(name, group, baseline))
    heading = run.heading
    lines = _judged(lines, options.same_within)
    return Comparison(
        heading,
        by_group,
        lines,
        options.same_within,
        notes=[*_notes_on_blocks(lines), *_notes_on_disturbance(run)],
        scalability=curves(run),
        saturation=saturations(run.valid),
    )


def between(old: Run, new: Run, options: Options) -> Comparison:
    """Every cell that both runs have: the second run's speed over the first one's."""
    notes = likeness.check(old, new, options.force)
    baselines.check(new.final, options.baseline)
    old_cells, new_cells = _by_cell(old.final), _by_cell(new.final)
    common = [key for key in new_cells if key in old_cells]
    if options.baseline is not None:
        wanted = baselines.of_that_name(options.baseline, [label for _, label in common])
        common = [key for key in common if key[1] in wanted]
    if not common:
        raise InputError(
            f"{old.folder} and {new.folder}: have no cell in common; compare runs of one preset"
        )
    only_one = len(old_cells) + len(new_cells) - 2 * sum(key in old_cells for key in new_cells)
    if only_one:
        notes.append(f"{units.plural(only_one, 'cell')} of only one of the runs left out")
    lines = [_between_line(key[1], old_cells[key][1], *new_cells[key]) for key in common]
    heading = f"run {new.run_id} against run {old.run_id} · {new.machine}"
    lines = _judged(lines, options.same_within)
    notes.append("one run came after the other: the machine's drift between them is in the ratios")
    notes += [*_notes_on_disturbance(old), *_notes_on_disturbance(new)]
    return Comparison(heading, {}, lines, options.same_within, between_runs=True, notes=notes)


def slower_than(comparison: Comparison, share: float) -> list[Line]:
    """Lines convicted of being slower, by more than `share`."""
    return [
        line
        for line in comparison.lines
        if line.verdict is not None
        and line.verdict.word == "slower"
        and line.ratio is not None
        and line.ratio < 1 - share
    ]


def _group_lines(name: str, group: cells.Group, baseline: str | None) -> list[Line]:
    by_label = {label: rows for label, rows in group.rows.groupby("label", sort=False)}
    reference = by_label.get(baseline) if baseline is not None else None
    lines = []
    for label, rows in by_label.items():
        line = replace(_measured(name, label, rows), is_baseline=label == baseline)
        if reference is not None and label != baseline:
            line = _paired(line, rows, reference)
        lines.append(line)
    return sorted(lines, key=_standing)


def _standing(line: Line) -> tuple[bool, bool, float]:
    """The baseline first, then the fastest; what has no figure last."""
    return not line.is_baseline, line.median is None, -(line.ratio or 0.0)


def metric_of(rows: pd.DataFrame) -> str:
    """Fixed work is told by its makespan, a bare cost by its time, an open loop by its unlucky
    waits, the rest by its rate."""
    if (rows["mode"] == "micro").all():
        return "operation_ns"
    # Its rate was given: what the lock decides are the waits.
    if (rows["mode"] == "open").all() and rows["wait_p99_ns"].notna().any():
        return "wait_p99_ns"
    fixed = (rows["mode"] == "fixed").all() and rows["makespan_s"].notna().any()
    return "makespan_s" if fixed else "operations_per_s"


def speeds(rows: pd.DataFrame, metric: str) -> pd.Series:
    """Speed of each valid row that has one, indexed by block: greater is faster."""
    found = rows[rows["valid"] & (rows[metric] > 0)]
    values = found.groupby("block")[metric].median()
    return values if metric == "operations_per_s" else 1 / values


def _measured(name: str, label: str, rows: pd.DataFrame) -> Line:
    metric = metric_of(rows)
    valid = rows[rows["valid"] & rows[metric].notna()]
    line = Line(
        group=name,
        primitive=label,
        metric=metric,
        blocks=valid["block"].nunique(),
        planned=rows["block"].nunique(),
        reason=_reasons(rows),
    )
    if valid.empty:
        return replace(line, reason=line.reason or f"{metric} was not measured")
    values = valid[metric].to_numpy()
    low, high = np.percentile(values, [25, 75]) if len(values) > 3 else (min(values), max(values))
    return replace(
        line,
        median=float(np.median(values)),
        low=float(low),
        high=float(high),
        wait_p99_ns=_median(valid["wait_p99_ns"]),
        fairness_jain=_median(valid["fairness_jain"]),
        unfair=unfairness.words(valid),
    )


def _median(values: pd.Series) -> float | None:
    return float(values.median()) if values.notna().any() else None


def _reasons(rows: pd.DataFrame) -> str:
    """Why blocks are missing: the first one's reason, and of how many."""
    invalid = rows[~rows["valid"]]
    if invalid.empty:
        return ""
    first = cells.reason(invalid.iloc[0])
    if len(rows) == 1:
        return first
    return f"{first} ({len(invalid)} of {units.plural(len(rows), 'block')} not valid)"


def _paired(line: Line, rows: pd.DataFrame, reference: pd.DataFrame) -> Line:
    if metric_of(reference) != line.metric:
        return line
    pairs = pd.concat(
        [speeds(rows, line.metric), speeds(reference, line.metric)], axis=1, join="inner"
    )
    if pairs.empty:
        return line
    ratios = (pairs.iloc[:, 0] / pairs.iloc[:, 1]).to_numpy()
    ratio = float(np.median(ratios))
    return replace(
        line,
        ratio=ratio,
        interval=statistics.median_interval(list(ratios), f"{line.group} {line.primitive}"),
        p=statistics.paired_p(list(ratios)),
        paired_blocks=len(ratios),
        agreeing_blocks=int((ratios > 1).sum() if ratio > 1 else (ratios < 1).sum()),
    )


def _by_cell(trials: pd.DataFrame) -> dict[tuple[str, str], tuple[str, pd.DataFrame]]:
    """Rows by what identifies a cell in any run, each with its group in words."""
    found = cells.groups(trials)
    return {
        (repr(group.key), label): (name, rows)
        for group, name in zip(found, cells.names(found))
        for label, rows in group.rows.groupby("label", sort=False)
    }


def _between_line(label: str, old: pd.DataFrame, name: str, new: pd.DataFrame) -> Line:
    line = _measured(name, label, new)
    before = speeds(old, line.metric)
    after = speeds(new, line.metric)
    if before.empty and line.median is not None:
        return replace(line, reason=f"in the first run: {_reasons(old) or 'not measured'}")
    if before.empty or after.empty:
        return line
    return replace(
        line,
        ratio=float(after.median() / before.median()),
        interval=statistics.median_ratio_interval(list(after), list(before), f"{name} {label}"),
        p=statistics.unpaired_p(list(after), list(before)),
        paired_blocks=min(len(before), len(after)),
    )


def _judged(lines: list[Line], same_within: float) -> list[Line]:
    corrected = statistics.holm([line.p for line in lines])
    comparisons = sum(line.p is not None for line in lines)
    return [
        replace(
            line,
            corrected_p=p,
            verdict=statistics.judge(
                ratio=line.ratio,
                interval=line.interval,
                corrected_p=p,
                blocks=line.paired_blocks,
                comparisons=comparisons,
                same_within=same_within,
            ),
        )
        if line.ratio is not None
        else line
        for line, p in zip(lines, corrected)
    ]


def _notes_on_disturbance(run: Run) -> list[str]:
    """Rows that were measured again are missing from no line, and told all the same."""
    told = cells.disturbed(run.trials)
    return [f"run {run.run_id}: {told}"] if told else []


def _notes_on_blocks(lines: list[Line]) -> list[str]:
    most = max((line.blocks for line in lines), default=0)
    if most == 1:
        return ["one block only: there is no spread to judge a difference by; run with --blocks 5"]
    if 1 < most < statistics.LEAST_BLOCKS:
        return [f"{most} blocks are too few for a test; {statistics.LEAST_BLOCKS} are the least"]
    return []
