# SPDX-License-Identifier: Apache-2.0
"""The one answer to "is A faster than B?": from the rows of one run, or of two, to a table of
comparisons. Pure. What prints, draws or exports a comparison shows these records and computes none
of its own.

Which pairs   Within a run: in each group of cells that differ by primitive alone, every pair of
              primitives, paired by block. `comparisons` are those against the group's baseline
              (baselines.py). The others, which rankings ask for, share a fifth of the error rate.
              `none` is the floor and no competitor: it is compared only if it is the baseline that
              was asked for. Between two runs: each cell that both have; paired by block if their
              blocks were measured in turn (`lockbench ab`), and else not.
Ratio         Of speeds, so that above 1 is faster: the mean of the logarithms, block by block
              (sequential.py has the tests, the intervals and their sources).
Verdict       faster, slower   the interval excludes 1
              same             the interval lies within `same_within`
              inconclusive     anything else
              The interval is the one that the verdict rests on: its confidence holds over the whole
              table and at every look, so a run may stop when it has seen enough.
Medians       `value` and `baseline_value` are medians of the blocks that both sides have. If they
              order the two sides otherwise than the paired ratios do, the test does not reject (p
              is 1), the interval is widened to reach 1, and `note` says why.
Error model   If the error of the ratios is known (error_model.py), the interval contains it, too:
              what is not faster or slower beyond that error is inconclusive. `by_model` is the
              verdict without the error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from analysis import baselines, cells, error_model, sequential, unfairness, units
from analysis.loader import InputError, Run

FASTER, SLOWER, SAME, INCONCLUSIVE = "faster", "slower", "same", "inconclusive"
WORDS = (FASTER, SLOWER, SAME, INCONCLUSIVE)
SAME_WITHIN = 0.05
# Share of the error rate that comparisons with the baseline have, if there are others.
_BASELINE_SHARE = 0.8
_OPPOSITE = {FASTER: SLOWER, SLOWER: FASTER}
# The metric of a mode. A group without a row that has it is compared by its rate.
_METRICS = {"fixed": "makespan_s", "micro": "operation_ns", "open": "wait_p99_ns"}
RATE = "operations_per_s"


@dataclass(frozen=True)
class Comparison:
    """One primitive against another, or against itself in another run."""

    cell: str  # in words, with each axis that is not at its plain default
    workload: str
    mode: str
    threads: int | None
    keys: int | None
    key_distribution: str
    hold_ns: float | None
    machine: str
    primitive: str
    baseline: str  # a primitive; between two runs the id of the first
    metric: str  # what the values are of: operations_per_s, makespan_s, operation_ns, wait_p99_ns
    value: float  # median
    baseline_value: float
    ratio: float  # of speeds: above 1 is faster, whatever the metric
    low: float | None  # of the interval; None below 3 blocks, as confidence and p are
    high: float | None
    confidence: float | None  # of this interval
    p: float | None  # valid at every look
    p_corrected: float | None  # and over the whole table
    blocks: int  # that have both sides
    verdict: str

    # The fields beside the record, and not part of it.
    group: int = 0  # its index in Table.groups
    error: float | None = None  # standard error of the ratio's logarithm; None below 3 blocks
    agreeing: int | None = None  # blocks on the ratio's side of 1; None if nothing pairs them
    forecast: Callable[[], int | None] | None = None  # of `needed`; None if it is decided
    note: str = ""  # what contradicts the ratio
    by_model: str = ""  # the verdict without the error of the run's ratios
    unfair: str = ""  # unfairness.py, of the primitive; empty: nothing to say against it

    def record(self) -> dict[str, Any]:
        """The typed fields, as every output has them."""
        return {name: getattr(self, name) for name in FIELDS}

    @property
    def needed(self) -> int | None:
        """About how many blocks decide it; None if it is decided. Worked out when it is asked for,
        which few comparisons of a large table are."""
        return None if self.forecast is None else self.forecast()

    @property
    def significant(self) -> bool:
        return self.verdict in (FASTER, SLOWER)

    def words(self) -> str:
        """The verdict, what contradicts it, and what an inconclusive one lacks."""
        if self.verdict != INCONCLUSIVE:
            return f"{self.verdict}: {self.note}" if self.note else self.verdict
        said = []
        if self.note:
            said.append(self.note)
        elif self.agreeing is not None:
            way = FASTER if self.ratio > 1 else SLOWER
            said.append(f"{way} in {self.agreeing} of {units.plural(self.blocks, 'block')}")
        if self.needed is not None:
            said.append(f"about {float(f'{self.needed:.2g}'):,.0f} needed")
        return ": ".join([INCONCLUSIVE, ", ".join(said)]) if said else INCONCLUSIVE

    def flipped(self) -> Comparison:
        """The same comparison, seen from the other side."""
        return replace(
            self,
            primitive=self.baseline,
            baseline=self.primitive,
            value=self.baseline_value,
            baseline_value=self.value,
            ratio=1 / self.ratio,
            low=None if self.high is None else 1 / self.high,
            high=None if self.low is None else 1 / self.low,
            verdict=_OPPOSITE.get(self.verdict, self.verdict),
            by_model=_OPPOSITE.get(self.by_model, self.by_model),
            unfair="",
        )


def count(comparisons: Iterable[Comparison]) -> dict[str, int]:
    found = [one.verdict for one in comparisons]
    return {word: found.count(word) for word in WORDS if word in found}


FIELDS = tuple(list(Comparison.__dataclass_fields__)[:21])


@dataclass(frozen=True)
class Group:
    """Cells that differ by primitive alone."""

    key: dict[str, Any]  # by the columns of cells.GROUP
    name: str  # in words; no two groups of a table have the same
    rows: pd.DataFrame  # one a trial, invalid ones too
    metric: str
    medians: dict[str, float]  # of the metric, by primitive; of those with a valid row
    baseline: str | None  # what `comparisons` of the group are against
    unfair: dict[str, str]  # unfairness.py, by primitive

    @cached_property
    def about(self) -> dict[str, Any]:
        """The facts of a comparison about its cell."""
        key = self.key
        return {
            "cell": cells.describe(key),
            "workload": cells.describe(key, ["workload"]),
            "mode": str(key["mode"]),
            "threads": None if key["threads"] is None else int(key["threads"]),
            "keys": None if key["keys"] is None else int(key["keys"]),
            "key_distribution": str(key["key_distribution"] or ""),
            "hold_ns": None if key["hold_ns"] is None else float(key["hold_ns"]),
        }

    @property
    def competitors(self) -> list[str]:
        """Fastest first by the medians, the floor left out."""
        known = [label for label in self.medians if label != cells.FLOOR]
        sign = -1 if self.metric == RATE else 1
        return sorted(known, key=lambda label: (sign * self.medians[label], label))


# A group's position in the table, the primitive, and its baseline.
Pair = tuple[int, str, str]


class Table:
    """All comparisons of one run, or of two, judged together."""

    def __init__(
        self,
        groups: list[Group],
        rows: pd.DataFrame,
        pairs: Sequence[Pair],
        ratios: np.ndarray,
        compared: Callable[[int], Comparison],
        same_within: float,
        only_one: int = 0,
    ) -> None:
        """`compared` makes the comparison of a pair, by its index in `pairs`: a table of a large
        run has a hundred times more pairs than anybody asks for. `ratios`: of each pair."""
        self.groups = groups
        self.rows = rows  # with their `group`, its index in groups, and the number of their `cell`
        self.same_within = same_within
        self.only_one = only_one  # cells that only one of two runs has
        self._indices = {pair: index for index, pair in enumerate(pairs)}
        self._ratios = ratios
        self._made: dict[int, Comparison] = {}
        self._compared = compared

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Those against the baseline, group by group."""
        return [
            self._at(index)
            for (group, _, baseline), index in self._indices.items()
            if self.groups[group].baseline == baseline
        ]

    def _at(self, index: int) -> Comparison:
        if index not in self._made:
            self._made[index] = self._compared(index)
        return self._made[index]

    def comparisons_of(self, group: int) -> list[Comparison]:
        return self._by_group.get(group, [])

    @cached_property
    def _by_group(self) -> dict[int, list[Comparison]]:
        return cells.by_group(self.comparisons)

    def between(self, group: int, primitive: str, other: str) -> Comparison | None:
        """None if they share no block in which both are valid."""
        index = self._indices.get((group, primitive, other))
        if index is not None:
            return self._at(index)
        index = self._indices.get((group, other, primitive))
        return None if index is None else self._at(index).flipped()

    def ratio_between(self, group: int, primitive: str, other: str) -> float | None:
        """The ratio of between() alone, which costs a tenth of the comparison."""
        index = self._indices.get((group, primitive, other))
        if index is not None:
            return float(self._ratios[index])
        index = self._indices.get((group, other, primitive))
        return None if index is None else float(1 / self._ratios[index])


def of_run(run: Run, baseline: str | None = None, same_within: float = SAME_WITHIN) -> Table:
    """Every pair of primitives within each group. InputError if the baseline does not exist, or if
    rows have different error models: no ratio may have one of each."""
    kinds = [kind.plural for kind, _ in error_model.parts(run.final)]
    if len(kinds) > 1:
        raise InputError(
            f"{run.folder}: has {' and '.join(reversed(kinds))}, which are never in one ratio; name"
            " a run of each"
        )
    baselines.check(run.final, baseline)
    cube = _Cube(run.final, baseline)
    pairs = [pair for index in range(len(cube.groups)) for pair in _pairs_of(cube, index)]
    above, below = (
        _Side(cube, cells, cube.logs[cells])
        for cells in np.array(pairs, dtype=int).reshape(-1, 2).T
    )
    against = [cube.labels[cell] for cell in below.cells]
    primary = [cube.is_baseline[cell] for cell in below.cells]
    error = _ratio_errors(run, cube)
    sides = _paired(above, below, against, primary)
    return _judged(cube.groups, cube.rows, sides, run.machine, same_within, error, run.error.name)


def of_two_runs(
    old: Run,
    new: Run,
    baseline: str | None = None,
    same_within: float = SAME_WITHIN,
    in_turn: bool = False,
) -> Table:
    """The second run's speed over the first one's, in each cell that both have; of one primitive
    alone, if it is named. The groups hold these cells of the second run. `in_turn`: a block of one
    run was measured beside the same block of the other, so that the blocks are pairs."""
    baselines.check(new.final, baseline)
    before, after = _Cube(old.final), _Cube(new.final)
    wanted = None if baseline is None else baselines.of_that_name(baseline, after.labels)
    first = {before.identity(cell): cell for cell in range(len(before.labels))}
    both = {cell: first.get(after.identity(cell)) for cell in range(len(after.labels))}
    common = {
        cell: other
        for cell, other in both.items()
        if other is not None and (wanted is None or after.labels[cell] in wanted)
    }
    if not common:
        raise InputError(
            f"{old.folder} and {new.folder}: have no cell in common; compare runs of one preset"
        )
    measured = [
        (a, b) for a, b in common.items() if not np.isnan(after.medians[a] + before.medians[b])
    ]
    cells_of = np.array(measured, dtype=int).reshape(-1, 2).T
    one, other = (_Side(cube, at, cube.logs[at]) for cube, at in zip((after, before), cells_of))
    against, primary = [old.run_id] * len(measured), [True] * len(measured)
    if in_turn:
        blocks = sorted({*before.blocks, *after.blocks})
        sides = _paired(one.in_columns(blocks), other.in_columns(blocks), against, primary)
    else:
        evidence = sequential.unpaired(one.logs, other.logs)
        sides = _Sides(one, other, against, np.array(primary, bool), evidence, evidence)
    groups = [
        replace(group, baseline=old.run_id, rows=group.rows[group.rows["cell"].isin(common)])
        for group in after.groups
    ]
    only_one = len(before.labels) + len(both) - 2 * sum(one is not None for one in both.values())
    rows = after.rows[after.rows["cell"].isin(common)]
    return _judged(groups, rows, sides, new.machine, same_within, only_one=only_one)


def metric_of(rows: pd.DataFrame) -> str:
    """The metric that compares rows of one mode: fixed work by its makespan, a bare cost by its
    time, an open loop by its p99 wait, since its rate was given; the rest by their rate."""
    metric = _METRICS.get(str(rows["mode"].iloc[0]), RATE)
    return metric if metric != RATE and rows[metric].notna().any() else RATE


class _Cube:
    """Log speeds of each cell in each block, with what a comparison says of a cell."""

    def __init__(self, final: pd.DataFrame, baseline: str | None = None) -> None:
        codes = cells.codes(final, cells.GROUP)
        heads = final.assign(group=codes).drop_duplicates("group")[cells.GROUP].to_dict("records")
        keys = list(map(cells.key_of, heads))
        # Groups are in the order of their keys, whatever the order of the trials.
        order = sorted(range(len(keys)), key=lambda code: cells.order(keys[code]))
        rows = final.assign(group=np.argsort(order)[codes])
        rows["cell"] = cells.codes(rows, ["group", "label"])
        by_group = [own for _, own in rows.groupby("group")]
        metrics = dict(enumerate(map(metric_of, by_group)))
        found = figures(rows, rows["group"].map(metrics))
        known = rows["valid"] & (found > 0)
        signs = np.where(rows["group"].map(metrics) == RATE, 1.0, -1.0)
        logs = rows[["cell", "block"]].assign(log=np.log(found.where(known)) * signs)
        cells_in_order = rows.drop_duplicates("cell").sort_values("cell")
        table = logs.pivot_table(index="cell", columns="block", values="log", aggfunc="median")
        self.logs = table.reindex(cells_in_order["cell"]).to_numpy(dtype=float)
        self.blocks = [int(block) for block in table.columns]
        medians = found[known].groupby(rows.loc[known, "cell"]).median()
        self.medians = medians.reindex(cells_in_order["cell"]).to_numpy(dtype=float)
        self.rows = rows
        self.labels = [str(label) for label in cells_in_order["label"]]
        self.group_of = [int(index) for index in cells_in_order["group"]]
        self.cells_of = [list(own) for _, own in cells_in_order.groupby("group")["cell"]]
        unfair = unfairness.of_cells(rows)
        names = cells.names([cells.Group(keys[code], own) for code, own in zip(order, by_group)])
        self.groups: list[Group] = []
        for index, (code, name) in enumerate(zip(order, names)):
            here = self.cells_of[index]
            own = {self.labels[cell]: float(self.medians[cell]) for cell in here}
            own = {label: median for label, median in own.items() if not np.isnan(median)}
            said = {self.labels[cell]: unfair.get(cell, "") for cell in here}
            chosen = baselines.choose(list(own), baseline)
            self.groups.append(
                Group(keys[code], name, by_group[index], metrics[index], own, chosen, said)
            )

    @cached_property
    def is_baseline(self) -> list[bool]:
        """Whether each cell is of the baseline of its group."""
        return [
            self.groups[index].baseline == label for index, label in zip(self.group_of, self.labels)
        ]

    @property
    def metrics(self) -> list[str]:
        """Of each cell."""
        return [self.groups[index].metric for index in self.group_of]

    def identity(self, cell: int) -> tuple[str, str]:
        """The name of the cell in any run."""
        return repr(self.groups[self.group_of[cell]].key), self.labels[cell]

    def about(self, cell: int, machine: str) -> dict[str, Any]:
        group, label = self.groups[self.group_of[cell]], self.labels[cell]
        return {
            **group.about,
            "machine": machine,
            "primitive": label,
            "metric": group.metric,
            "unfair": group.unfair[label],
            "group": self.group_of[cell],
        }


def figures(rows: pd.DataFrame, metrics: pd.Series) -> pd.Series:
    """The figure of each row that its metric names."""
    found = rows[RATE].copy()
    for metric in _METRICS.values():
        found = found.where(metrics != metric, rows[metric])
    return found


def _pairs_of(cube: _Cube, index: int) -> Iterator[tuple[int, int]]:
    """Cells of a group that have a figure; the baseline is the second of its pairs."""
    baseline = cube.groups[index].baseline
    known = [
        cell
        for cell in cube.cells_of[index]
        if not np.isnan(cube.medians[cell])
        and (cube.labels[cell] != cells.FLOOR or baseline == cells.FLOOR)
    ]
    for a, b in combinations(known, 2):
        yield (b, a) if cube.labels[a] == baseline else (a, b)


@dataclass(frozen=True)
class _Side:
    """One side of all comparisons."""

    cube: _Cube
    cells: np.ndarray  # of each comparison
    logs: np.ndarray  # its log speeds in the blocks that count

    @property
    def signs(self) -> np.ndarray:
        signs = [1.0 if metric == RATE else -1.0 for metric in self.cube.metrics]
        return np.array(signs)[self.cells]

    @property
    def medians(self) -> np.ndarray:
        return np.nanmedian(np.exp(self.logs * self.signs[:, None]), axis=1)

    def in_columns(self, wanted: Sequence[int]) -> _Side:
        """With the columns of these blocks; NaN for one that is not there."""
        made = np.full((len(self.logs), len(wanted)), np.nan)
        made[:, [wanted.index(block) for block in self.cube.blocks]] = self.logs
        return replace(self, logs=made)


@dataclass(frozen=True)
class _Sides:
    above: _Side
    below: _Side
    against: Sequence[str]  # what the other side of each is called
    primary: np.ndarray  # those with the baseline
    evidence: sequential.Evidence
    forecast: sequential.Evidence
    agreeing: np.ndarray | None = None


def _paired(above: _Side, below: _Side, against: Sequence[str], primary: Sequence[bool]) -> _Sides:
    """Those that share a block, and of them the blocks that both sides have."""
    logs = above.logs - below.logs
    blocks = np.isfinite(logs)
    kept = np.flatnonzero(blocks.any(axis=1))
    above, below = (
        replace(side, cells=side.cells[kept], logs=np.where(blocks, side.logs, np.nan)[kept])
        for side in (above, below)
    )
    logs = logs[kept]
    evidence = sequential.paired(logs)
    return _Sides(
        above,
        below,
        [against[index] for index in kept],
        np.array(primary, dtype=bool)[kept],
        evidence,
        sequential.paired(logs, forecast=True),
        (logs * np.sign(evidence.center)[:, None] > 0).sum(axis=1),
    )


def _ratio_errors(run: Run, cube: _Cube) -> np.ndarray:
    """The factor, as a logarithm, by which a ratio of each cell may be wrong."""
    found = [
        run.error.ratio_error(
            group.key["threads"] or 1, float(group.key["hold_ns"] or 0), run.hardware_threads
        )
        for group in cube.groups
    ]
    return np.array(found, dtype=float)[cube.group_of]


def _judged(
    groups: list[Group],
    rows: pd.DataFrame,
    sides: _Sides,
    machine: str,
    same_within: float,
    ratio_errors: np.ndarray | None = None,
    error_name: str = "",
    only_one: int = 0,
) -> Table:
    above, below, agreeing = sides.above, sides.below, sides.agreeing
    evidence = sequential.moderated(sides.evidence, sides.primary)
    values, bases = above.medians, below.medians
    contrary = np.sign(np.log(values / bases)) * above.signs * evidence.center < 0
    p = sequential.p_at_any_look(evidence)
    p = np.where(contrary & np.isfinite(p), 1.0, p)
    corrected = sequential.holm(p, _weights(sides.primary))
    half = sequential.half_width(evidence, corrected.alpha)
    # Wider than the test asks for, where it asks for medians that agree.
    low = np.where(contrary, np.minimum(evidence.center - half, 0), evidence.center - half)
    high = np.where(contrary, np.maximum(evidence.center + half, 0), evidence.center + half)
    margin = math.log1p(same_within)
    wrong = np.zeros(len(above.cells)) if ratio_errors is None else ratio_errors[above.cells]
    ends = np.exp(low - wrong), np.exp(high + wrong)
    ratios, errors = np.exp(evidence.center), evidence.error

    def compared(i: int) -> Comparison:
        by_model = word(low[i], high[i], margin)
        verdict = word(low[i] - wrong[i], high[i] + wrong[i], margin)
        within_error = verdict == INCONCLUSIVE and by_model != INCONCLUSIVE
        fields: dict[str, Any] = {
            **above.cube.about(int(above.cells[i]), machine),
            "baseline": sides.against[i],
            "agreeing": None if agreeing is None else int(agreeing[i]),
            "value": float(values[i]),
            "baseline_value": float(bases[i]),
            "ratio": float(ratios[i]),
            "low": _number(ends[0][i]),
            "high": _number(ends[1][i]),
            "confidence": _number(1 - corrected.alpha[i]),
            "p": _number(p[i]),
            "p_corrected": _number(corrected.p[i]),
            "blocks": int(evidence.blocks[i]),
            "verdict": verdict,
            "error": _number(errors[i]),
            "note": _CONTRARY if contrary[i] else f"within {error_name}" if within_error else "",
            "by_model": by_model,
        }
        if verdict == INCONCLUSIVE and not within_error:
            fields["forecast"] = lambda: _needed(sides.forecast, i, corrected.alpha[i], margin)
        return Comparison(**fields)

    cube = above.cube
    keys = [
        (cube.group_of[cell], cube.labels[cell], name)
        for cell, name in zip(above.cells, sides.against)
    ]
    return Table(groups, rows, keys, ratios, compared, same_within, only_one)


_CONTRARY = "medians and paired ratios point in opposite directions"


def word(low: float, high: float, margin: float) -> str:
    """The verdict of an interval in logarithms; NaN: there is none."""
    if low > 0 or high < 0:
        return FASTER if low > 0 else SLOWER
    return SAME if -margin <= low and high <= margin else INCONCLUSIVE


def _needed(evidence: sequential.Evidence, i: int, alpha: float, margin: float) -> int | None:
    """None if the blocks do not suffice; two never do."""
    if np.isnan(evidence.variance[i]):
        return sequential.LEAST_BLOCKS
    return sequential.blocks_needed(
        float(evidence.center[i]),
        float(evidence.variance[i]),
        float(evidence.freedom[i]),
        int(evidence.blocks[i]),
        float(alpha),
        margin,
    )


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _weights(primary: np.ndarray) -> np.ndarray:
    """Each comparison's share of the error rate."""
    many, others = int(primary.sum()), int((~primary).sum())
    if not many or not others:
        return np.ones(len(primary))
    return np.where(primary, _BASELINE_SHARE / many, (1 - _BASELINE_SHARE) / others)
