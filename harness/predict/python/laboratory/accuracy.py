# SPDX-License-Identifier: Apache-2.0
"""How accurate predictions are, and which of their conclusions depend on which figure of a model.

A cell is compared by its median rate: the predicted rate divided by the measured rate. Within a
group, which is a cell without its primitive, the order of the primitives is compared by Spearman's
rank correlation. All functions are pure, except that rows come from runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from analysis import palette, units
from analysis.cells import FLOOR
from analysis.errors import InputError
from analysis.text import markdown_table
from predicted import error_model

# The columns that name a cell of the grid, apart from its primitive.
CELL = (
    "workload scenario mode threads keys key_type key_distribution hold_kind hold_ns pinning"
).split()

NEAR = 1.5  # a factor
LEAST_LOCKS = 3  # for an order
_MARGIN = 0.05


def medians(trials: pd.DataFrame, figure: str = "operations_per_s") -> pd.Series:
    """The median of a figure in each cell, by label and CELL."""
    rows = trials[(trials[figure] > 0) & (trials["label"] != FLOOR)]
    # Without a hold, its length is missing, and missing values are equal to nothing.
    rows = rows.assign(hold_ns=rows["hold_ns"].fillna(0))
    return rows.groupby(["label", *CELL], dropna=False)[figure].median()


def pairs(
    measured: pd.DataFrame, predicted: pd.DataFrame, figure: str = "operations_per_s"
) -> pd.DataFrame:
    """A row for each cell that both have: its fields, both figures, and their ratio."""
    both = pd.concat(
        {"measured": medians(measured, figure), "predicted": medians(predicted, figure)},
        axis=1,
        join="inner",
    ).reset_index()
    if both.empty:
        raise InputError("no cell is in both runs; give the run of a grid and its prediction")
    both["ratio"] = both["predicted"] / both["measured"]
    return both


def rank_correlations(both: pd.DataFrame) -> list[float]:
    """Spearman's correlation of both orders, for each group of LEAST_LOCKS primitives or more."""
    found = []
    for _, group in both.groupby(CELL, dropna=False, sort=False):
        if len(group) < LEAST_LOCKS:
            continue
        found.append(float(stats.spearmanr(group["measured"], group["predicted"]).statistic))
    return [one for one in found if not np.isnan(one)]


@dataclass(frozen=True)
class Accuracy:
    """How near some cells are."""

    cells: int
    error: float  # median of |predicted / measured - 1|
    near: float  # share of cells within a factor of NEAR
    ratio: float  # median of predicted / measured
    rank: float | None  # median of the groups' rank correlations
    groups: int


def accuracy(both: pd.DataFrame) -> Accuracy:
    ratio = both["ratio"]
    ranks = rank_correlations(both)
    return Accuracy(
        cells=len(both),
        error=float((ratio - 1).abs().median()),
        near=float(ratio.between(1 / NEAR, NEAR).mean()),
        ratio=float(ratio.median()),
        rank=float(np.median(ranks)) if ranks else None,
        groups=len(ranks),
    )


def spread(measured: pd.DataFrame) -> float:
    """The share of measured cells with two blocks that differ by more than a factor of NEAR."""
    rows = measured[measured["operations_per_s"] > 0]
    rate = rows.groupby(["label", *CELL], dropna=False)["operations_per_s"]
    several = rate.count() > 1
    if not several.any():
        return float("nan")
    return float((rate.max() / rate.min())[several].gt(NEAR).mean())


def repeated(measured: pd.DataFrame) -> Accuracy | None:
    """How near the second block of a measurement is to the first: no prediction can be nearer to
    both. None if there is one block."""
    first = measured[measured["block"] == 0]
    second = measured[measured["block"] == 1]
    return None if second.empty else accuracy(pairs(first, second))


def rank_ceiling(measured: pd.DataFrame) -> float | None:
    """The median rank correlation that a prediction without any error would have, as far as the
    blocks tell. None if there is one block, or if the blocks have no order in common.

    Source: C. Spearman, "The Proof and Measurement of Association between Two Things", 1904: a
    correlation is limited by the root of the reliability; W. Brown, "Some Experimental Results in
    the Correlation of Mental Abilities", 1910: the reliability of several measurements together.
    """
    blocks = [rows for _, rows in measured.groupby("block")]
    between = [
        one
        for i, later in enumerate(blocks)
        for earlier in blocks[:i]
        for one in rank_correlations(pairs(earlier, later))
    ]
    if not between or (alike := float(np.median(between))) <= 0:
        return None
    return math.sqrt(len(blocks) * alike / (1 + (len(blocks) - 1) * alike))


def parts(both: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """All cells, then those of each hold, number of threads, and choice of keys."""
    found = [("all", both)]
    for hold, rows in both.groupby("hold_ns"):
        found.append(("without hold" if hold == 0 else f"hold {units.nanoseconds(hold)}", rows))
    for threads, rows in both.groupby("threads"):
        found.append((units.plural(int(threads), "thread"), rows))
    for (keys, distribution), rows in both.groupby(["keys", "key_distribution"]):
        kind = "" if distribution == "uniform" else f", {distribution}"
        found.append((units.plural(int(keys), "key") + kind, rows))
    return found


def accuracy_row(name: str, one: Accuracy) -> list[str]:
    rank = "–" if one.rank is None else f"{one.rank:.2f} ({one.groups})"
    shares = units.whole_percent(one.error), units.whole_percent(one.near)
    return [name, str(one.cells), *shares, f"{one.ratio:.2f}", rank]


def accuracy_text(measured: pd.DataFrame, predicted: pd.DataFrame) -> str:
    """The figures of docs/data/prediction-accuracy.csv, in Markdown."""
    both = pairs(measured, predicted)
    heads = ["number", "median relative error", f"within a factor of {NEAR}"]
    heads += ["median of predicted / measured", "rank correlation of locks (groups)"]
    body = [accuracy_row(name, accuracy(rows)) for name, rows in parts(both)]
    again = repeated(measured)
    if again is not None:
        body.append(accuracy_row("one block predicts the next", again))
    locks = [accuracy_row(f"`{label}`", accuracy(rows)) for label, rows in both.groupby("label")]
    valid = units.whole_percent(float(measured["valid"].mean())) if "valid" in measured else "all"
    about = (
        f"{len(both)} cells of {both['label'].nunique()} locks. {valid} of the measured rows are"
        f" valid; in {units.whole_percent(spread(measured))} of the measured cells, two blocks"
        f" differ by more than a factor of {NEAR}."
    )
    if (ceiling := rank_ceiling(measured)) is not None:
        about += f" A prediction without any error would have a rank correlation of {ceiling:.2f}."
    of_cells = markdown_table(["cells", *heads], body, "lrrrrr")
    of_locks = markdown_table(["lock", *heads], locks, "lrrrrr")
    return "\n".join([about, "", *of_cells, "", *of_locks]) + "\n"


# ---- errors, for the bands of pictures


def between_locks(both: pd.DataFrame) -> pd.DataFrame:
    """A row for each two primitives of a cell, in both orders: their ratio as it was measured, over
    their ratio as it was predicted."""
    found = both.merge(both, on=CELL, suffixes=("", "_other"))
    found = found[found["label"] != found["label_other"]]
    return found.assign(error=found["ratio_other"] / found["ratio"])


def errors(measured: pd.DataFrame, predicted: pd.DataFrame, processors: int) -> pd.DataFrame:
    """For each figure and class of cells (hold, threads), the quantiles of measured over predicted
    between which SHARE of the cells are: a row of prediction_errors.csv each."""
    found = []
    for figure in error_model.FIGURES:
        if figure == error_model.RATIO:
            own = between_locks(pairs(measured, predicted))
        else:
            own = pairs(measured, predicted, figure)
            own = own.assign(error=1 / own["ratio"])
        for (hold, threads), rows in own.groupby(["hold_ns", "threads"]):
            tail = (1 - error_model.SHARE) / 2
            low, middle, high = rows["error"].quantile([tail, 0.5, 1 - tail])
            kind = (figure, int(hold), int(threads), processors, error_model.SHARE, len(rows))
            found.append((*kind, *(float(f"{one:.4g}") for one in (low, middle, high))))
    return pd.DataFrame(found, columns=error_model.COLUMNS)


# ---- grids of other machines


def grid_text(trials: pd.DataFrame) -> str:
    """For each machine a table: a line for each cell and primitive, a column for each number of
    threads; medians."""
    out = []
    for machine, rows in trials.groupby("machine", sort=False):
        threads = sorted(int(one) for one in rows["threads"].unique())
        lines = []
        rates = medians(rows).reset_index()
        for (keys, distribution, hold), cell in rates.groupby(
            ["keys", "key_distribution", "hold_ns"], sort=True
        ):
            kind = "" if distribution == "uniform" else f", {distribution}"
            held = "no hold" if hold == 0 else f"hold {units.nanoseconds(hold)}"
            name = f"{units.plural(int(keys), 'key')}{kind} · {held}"
            by_label = cell.pivot_table("operations_per_s", "label", "threads")
            for label in sorted(by_label.index, key=palette.order):
                found = [by_label.loc[label].get(one, math.nan) for one in threads]
                figures = ["" if one != one else units.count(one, trim=False) for one in found]
                lines.append([name, f"`{label}`", *figures])
        heads = ["cell", "lock", *map(str, threads)]
        out += [f"`{machine}`, operations per second by threads:", ""]
        out += [*markdown_table(heads, lines, "ll" + "r" * len(threads)), ""]
    return "\n".join(out)


def falls(trials: pd.DataFrame, few: int, many: int) -> pd.DataFrame:
    """A row for each machine and primitive that was predicted with both numbers of threads: the
    rates with few threads and with many, and the share that is kept."""
    rates = trials.pivot_table("operations_per_s", ["machine", "label"], "threads", "median")
    found = rates.reindex(columns=[few, many]).set_axis(["few", "many"], axis=1).dropna()
    if found.empty:
        raise InputError(f"no primitive was predicted with {few} and with {many} threads")
    found = found.assign(kept=found["many"] / found["few"]).reset_index()
    order = found.apply(lambda one: (one["machine"], palette.order(one["label"])), axis=1)
    return found.loc[order.sort_values().index]


def falls_text(found: pd.DataFrame, few: int, many: int, most: float) -> str:
    """A table with a verdict for each: `most` is the greatest fall that passes, as a share."""
    heads = ["machine", "lock", f"{few} threads", f"{many} threads", "of it", "verdict"]
    rows = []
    for one in found.itertuples():
        word = "pass" if one.kept >= 1 - most else "**fail**"
        figures = [f"{units.count(rate, trim=False)}/s" for rate in (one.few, one.many)]
        rows.append([one.machine, f"`{one.label}`", *figures, f"{one.kept:.2f}", word])
    return "\n".join(markdown_table(heads, rows, "llrrrl")) + "\n"


# ---- sensitivity


@dataclass(frozen=True)
class Change:
    """The difference between the predictions for a model and for one with another figure."""

    name: str
    rate: float  # median of |varied / base - 1|
    groups: int
    other_best: int  # groups in which another lock is the fastest
    rank: float  # median of the groups' rank correlations
    lowest_rank: float


def change(name: str, base: pd.DataFrame, varied: pd.DataFrame) -> Change:
    """Another lock is the fastest only if the former one is slower by more than _MARGIN."""
    both = pairs(base, varied)
    groups = [rows for _, rows in both.groupby(CELL, dropna=False) if len(rows) >= LEAST_LOCKS]
    former = [rows.loc[rows["measured"].idxmax(), "predicted"] * (1 + _MARGIN) for rows in groups]
    ranks = rank_correlations(both) or [math.nan]
    return Change(
        name=name,
        rate=float((both["ratio"] - 1).abs().median()),
        groups=len(groups),
        other_best=sum(rows["predicted"].max() > own for rows, own in zip(groups, former)),
        rank=float(np.median(ranks)),
        lowest_rank=min(ranks),
    )


def changes(trials: pd.DataFrame, base: str) -> list[Change]:
    """Changes of each machine of a run against the machine `base`; the greatest effect first."""
    machines = list(dict.fromkeys(trials["machine"]))
    if base not in machines:
        raise InputError(f"no row is of machine {base!r}; the run has {', '.join(machines)}")
    rows = trials[trials["machine"] == base]
    found = [
        change(name.removeprefix(f"{base}-"), rows, trials[trials["machine"] == name])
        for name in machines
        if name != base
    ]
    return sorted(found, key=lambda one: (-one.other_best, one.rank, one.name))


def sensitivity_text(found: Iterable[Change]) -> str:
    """The figures of docs/data/prediction-sensitivity.csv, in Markdown."""
    heads = "figure", "median change of rates", "another lock is fastest", "median rank", "lowest"
    rows = []
    for one in found:
        best = f"{one.other_best} of {one.groups}"
        figures = (units.whole_percent(one.rate), best, f"{one.rank:.2f}", f"{one.lowest_rank:.2f}")
        rows.append([f"`{one.name}`", *figures])
    return "\n".join(markdown_table(heads, rows, "lrrrr")) + "\n"
