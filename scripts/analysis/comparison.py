"""Rows of a comparison: the primitives of a run against a baseline, or two runs cell by cell.

Within a run, ratios are paired by block. Between two runs nothing pairs the blocks: one run came
after the other, and the drift of the machine between them is part of the ratio.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from analysis import cells, statistics, units
from analysis.loader import InputError, Run

# What people would compare with, when they do not say: the first of these that a group has.
USUAL_BASELINES = ("global:lock=std", "recursive_mutex", "lease_condvar", "keyed_table", "global")


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
    metric: str  # "operations_per_s" or "makespan_s"
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
    faster_blocks: int | None = None  # of the paired ones; None where nothing pairs them
    verdict: statistics.Verdict | None = None
    reason: str = ""  # why there is no figure, or why some blocks are missing


@dataclass(frozen=True)
class Comparison:
    heading: str
    baselines: dict[str, str]  # by group; empty between two runs
    lines: list[Line]
    same_within: float
    between_runs: bool = False
    notes: list[str] = field(default_factory=list)


def within(run: Run, options: Options) -> Comparison:
    """Every primitive of every group against the group's baseline."""
    _check_baseline(run.trials, options.baseline)
    lines: list[Line] = []
    baselines: dict[str, str] = {}
    found = cells.groups(run.trials)
    for group, name in zip(found, cells.names(found)):
        baseline = _choose_baseline(group, options.baseline)
        if baseline is not None:
            baselines[name] = baseline
        lines.extend(_group_lines(name, group, baseline))
    heading = run.heading
    lines = _judged(lines, options.same_within, paired=True)
    return Comparison(heading, baselines, lines, options.same_within, notes=_notes_on_blocks(lines))


def between(old: Run, new: Run, options: Options) -> Comparison:
    """Every cell that both runs have: the second run's speed over the first one's."""
    notes = _check_alike(old, new, options.force)
    _check_baseline(new.trials, options.baseline)
    old_cells, new_cells = _by_cell(old.trials), _by_cell(new.trials)
    common = [key for key in new_cells if key in old_cells]
    if options.baseline is not None:
        common = [key for key in common if key[1] == options.baseline]
    if not common:
        raise InputError(
            f"{old.folder} and {new.folder}: have no cell in common; compare runs of one preset"
        )
    only_one = len(old_cells) + len(new_cells) - 2 * sum(key in old_cells for key in new_cells)
    if only_one:
        notes.append(f"{units.plural(only_one, 'cell')} of only one of the runs left out")
    lines = [_between_line(key[1], old_cells[key][1], *new_cells[key]) for key in common]
    heading = f"run {new.run_id} against run {old.run_id} · {new.machine}"
    lines = _judged(lines, options.same_within, paired=False)
    notes.append("one run came after the other: the machine's drift between them is in the ratios")
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


def _check_baseline(trials: pd.DataFrame, baseline: str | None) -> None:
    labels = list(dict.fromkeys(trials["label"]))
    if baseline is None or baseline in labels:
        return
    near = difflib.get_close_matches(baseline, labels, n=1, cutoff=0.4)
    advice = f"did you mean {near[0]}?" if near else f"it has {', '.join(labels[:6])}"
    raise InputError(f"--baseline {baseline}: the run has no such primitive; {advice}")


def _choose_baseline(group: cells.Group, wanted: str | None) -> str | None:
    labels = group.labels
    if wanted is not None:
        return wanted if wanted in labels else None
    if len(labels) < 2:
        return None
    candidates = [label for label in USUAL_BASELINES if label in labels]
    candidates += [label for label in labels if label != cells.FLOOR]
    return candidates[0]


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
    """Fixed work is told by its makespan, the rest by its rate."""
    fixed = (rows["mode"] == "fixed").all() and rows["makespan_s"].notna().any()
    return "makespan_s" if fixed else "operations_per_s"


def speeds(rows: pd.DataFrame, metric: str) -> pd.Series:
    """Speed of each valid row that has one, indexed by block: greater is faster."""
    found = rows[rows["valid"] & (rows[metric] > 0)]
    values = found.groupby("block")[metric].median()
    return 1 / values if metric == "makespan_s" else values


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
    testable = len(ratios) > 1
    return replace(
        line,
        ratio=float(np.median(ratios)),
        interval=statistics.median_interval(list(ratios), f"{line.group} {line.primitive}"),
        p=statistics.signed_rank_p(list(ratios)) if testable else None,
        paired_blocks=len(ratios),
        faster_blocks=int((ratios > 1).sum()),
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
    testable = len(before) > 1 and len(after) > 1
    return replace(
        line,
        ratio=float(after.median() / before.median()),
        interval=statistics.median_ratio_interval(list(after), list(before), f"{name} {label}"),
        p=statistics.rank_sum_p(list(after), list(before)) if testable else None,
        paired_blocks=min(len(before), len(after)),
    )


def _judged(lines: list[Line], same_within: float, paired: bool) -> list[Line]:
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
                paired=paired,
            ),
        )
        if line.ratio is not None
        else line
        for line, p in zip(lines, corrected)
    ]


def _notes_on_blocks(lines: list[Line]) -> list[str]:
    most = max((line.blocks for line in lines), default=0)
    if most == 1:
        return ["one block only: there is no spread to judge a difference by; run with --blocks 5"]
    comparisons = sum(line.p is not None for line in lines)
    least = statistics.least_blocks(comparisons, paired=True)
    if comparisons and most < least:
        return [
            f"with {most} blocks no test over {units.plural(comparisons, 'comparison')} can"
            f" convict; {least} blocks could"
        ]
    return []


def _check_alike(old: Run, new: Run, force: bool) -> list[str]:
    """Refuses runs of different machines or builds, or says that it was told not to."""
    notes = []
    for what, differs in (("machine", _machine_differs), ("build", _build_differs)):
        why = differs(old, new)
        if why and not force:
            raise InputError(
                f"{old.folder} and {new.folder}: different {what}s ({why});"
                " run both on one, or compare anyway with --force"
            )
        if why:
            notes.append(f"compared by force though the {what}s differ: {why}")
    return notes


_MACHINE = "cpu_model cores hardware_threads hypervisor memory_bytes kernel governor".split()
_BUILD = "commit modified version compiler build_type flags libraries".split()


def _differs(what: str, fields: list[str]) -> Callable[[Run, Run], str]:
    def first_difference(old: Run, new: Run) -> str:
        sides = [run.meta.get(what) for run in (old, new)]
        if not all(isinstance(side, dict) and side for side in sides):
            return f"meta.json does not tell the {what} of both"
        for name in fields:
            before, after = (side.get(name) for side in sides)  # type: ignore[union-attr]
            if before != after:
                return f"{name} {before!r} and {after!r}"
        return ""

    return first_difference


_machine_differs = _differs("machine", _MACHINE)
_build_differs = _differs("build", _BUILD)
