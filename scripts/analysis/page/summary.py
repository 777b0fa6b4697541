# SPDX-License-Identifier: Apache-2.0
"""Each cell of a run in one row: its figures, and its standing among the primitives of its group.

All cells are worked out at once, column by column: a run of 20,000 cells has no time for one at a
time. A standing is the ratio of speeds to the fastest of the group, paired by block, with its
bootstrap interval; the floor has none, since it does not compete.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis import cells, statistics, unfairness
from analysis.loader import Run

# Over few blocks an interval is too narrow: it has to keep this distance from 1.
FEW_BLOCKS_MARGIN = 0.05

FASTEST, LEVEL, BEHIND = "fastest", "level", "behind"

_METRICS = {"fixed": "makespan_s", "micro": "operation_ns", "open": "wait_p99_ns"}
_MEDIANS = (
    "operations_per_s wait_p50_ns wait_p99_ns fairness_jain lock_bytes processor_ns idle_share"
).split()

_NEEDED = list(
    dict.fromkeys(
        [*cells.GROUP, "label", "block", "valid", "window_s", "held_p50_ns", "operations"]
        + unfairness.FIGURES
        + "thread_operations_min cpu_user_s cpu_system_s makespan_s".split()
        + ["operation_ns", *_MEDIANS[:-2]]
    )
)

# Columns that nothing of the page looks at: a large run is heavy enough without them.
_UNSEEN = (
    "schema_version preset target position seed warmup_s efficiency wait_samples wait_mean_ns"
    " thread_operations_max overlap voluntary_switches involuntary_switches"
    " peak_rss_bytes timeouts lost_updates violations outcome reason started_at held_samples"
    " held_mean_ns held_p99_ns held_max_ns disturbance pinning_held unserved false_conflicts counts"
).split()


def numbered(run: Run) -> pd.DataFrame:
    """The final rows of a run with the numbers of their `group` and `cell`."""
    rows = run.final.drop(columns=_UNSEEN)
    rows["group"] = codes(rows, cells.GROUP)
    rows["cell"] = codes(rows, ["group", "label"])
    return rows


def of(numbered: pd.DataFrame) -> pd.DataFrame:
    """One row a cell, of rows with their numbers. Beside the columns of cells.GROUP:

    group, label        which primitive, among which
    blocks, planned     valid ones, and all
    metric              the name of what median, low and high (the least and greatest block) are of
    wait_max_ns         the longest of all blocks; what else has a row's name is a median
    ratio               of speeds, to the fastest of the group; ratio_low, ratio_high: its interval
    standing, settled   see above; settled: every other of the group is behind
    unfair              in words, or empty
    """
    rows = numbered[[*_NEEDED, "group", "cell"]].copy()
    rows["metric"] = rows["mode"].map(_METRICS).fillna("operations_per_s")
    _fall_back(rows)
    rows["processor_ns"] = processor_ns(rows)
    rows["idle_share"] = rows["thread_operations_min"] / (rows["operations"] / rows["threads"])
    valid = rows[rows["valid"]].copy()
    valid["figure"] = _figure(valid)
    found = rows.groupby("cell", sort=True)[[*cells.GROUP, "group", "label", "metric"]].first()
    found["planned"] = rows.groupby("cell")["block"].nunique()
    has_figure = valid[valid["figure"] > 0]
    by_cell = has_figure.groupby("cell")
    found["blocks"] = by_cell["block"].nunique().reindex(found.index).fillna(0).astype(int)
    found["median"] = by_cell["figure"].median()
    found["low"], found["high"] = by_cell["figure"].min(), by_cell["figure"].max()
    medians = valid.groupby("cell")[_MEDIANS].median()
    found[_MEDIANS] = medians.reindex(found.index)
    found["wait_max_ns"] = valid.groupby("cell")["wait_max_ns"].max()
    found["unfair"] = _unfair(valid).reindex(found.index).fillna("")
    return _with_standing(found, has_figure)


def codes(rows: pd.DataFrame, names: Sequence[str]) -> np.ndarray:
    """A number for each combination of values, in the order of their first rows; what is missing
    is a value of its own."""
    code = np.zeros(len(rows), dtype=np.int64)
    for name in names:
        values, found = pd.factorize(rows[name])
        code, _ = pd.factorize(code * (len(found) + 1) + values + 1)
    return code


def processor_ns(rows: pd.DataFrame) -> pd.Series:
    """Processor time of the whole process for each operation."""
    spent = (rows["cpu_user_s"] + rows["cpu_system_s"]) * 1e9
    return spent / rows["operations"].where(rows["operations"] > 0)


def _fall_back(rows: pd.DataFrame) -> None:
    """A cell that lacks its mode's own figure is told by its rate."""
    for metric in _METRICS.values():
        of_it = rows["metric"] == metric
        has = rows[of_it].groupby("group")[metric].transform("count") > 0
        rows.loc[has.index[~has], "metric"] = "operations_per_s"


def _figure(valid: pd.DataFrame) -> pd.Series:
    figure = valid["operations_per_s"].copy()
    for metric in _METRICS.values():
        figure = figure.where(valid["metric"] != metric, valid[metric])
    return figure


def _unfair(valid: pd.DataFrame) -> pd.Series:
    medians = unfairness.asked(valid).groupby("cell")[unfairness.FIGURES].median()
    told = [unfairness.of_medians(one) for one in medians.to_dict("records")]
    return pd.Series(told, index=medians.index, dtype=object)


def _with_standing(found: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    for name in ("ratio", "ratio_low", "ratio_high"):
        found[name] = np.nan
    found["standing"], found["settled"] = "", False
    competing = found[(found["label"] != cells.FLOOR) & found["median"].notna()]
    if competing.empty:
        return found
    # Greater is faster, whatever was measured.
    speeds = rows.assign(speed=_speed(rows["figure"], rows["metric"]))
    table = speeds.pivot_table(index="cell", columns="block", values="speed", aggfunc="median")
    table = table.reindex(competing.index)
    order = _speed(competing["median"], competing["metric"])
    best = order.groupby(competing["group"]).idxmax()
    against = table.loc[best.reindex(competing["group"])].to_numpy()
    ratios = table.to_numpy() / against
    ends = statistics.median_intervals(ratios)
    known = np.isfinite(ratios).any(axis=1)
    at = competing.index[known]
    found.loc[at, "ratio"] = np.nanmedian(ratios[known], axis=1)
    found.loc[competing.index, ["ratio_low", "ratio_high"]] = ends
    _judge(found, competing, set(best), np.isfinite(ratios).sum(axis=1))
    return found


def _speed(figure: pd.Series, metric: pd.Series) -> pd.Series:
    return figure.where(metric == "operations_per_s", 1 / figure)


def _judge(found: pd.DataFrame, competing: pd.DataFrame, best: set, paired: np.ndarray) -> None:
    margin = np.where(paired < statistics.LEAST_FOR_SAME, 1 + FEW_BLOCKS_MARGIN, 1.0)
    behind = found.loc[competing.index, "ratio_high"].to_numpy() < 1 / margin
    standing = np.where(behind, BEHIND, LEVEL).astype(object)
    standing[competing.index.isin(best)] = FASTEST
    found.loc[competing.index, "standing"] = standing
    at = found.loc[competing.index]
    settled = at["standing"].ne(LEVEL).groupby(at["group"]).transform("all")
    crowd = at.groupby("group")["label"].transform("size") > 1
    found.loc[at.index, "settled"] = (settled & crowd).to_numpy()
