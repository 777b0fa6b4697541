# SPDX-License-Identifier: Apache-2.0
"""Runs of a user's program with several locks, as rows that verdict.py compares: a block is one run
of the program with each lock, and a lock is what a primitive is in a run of ours."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis import cells, tables, units, unfairness, verdict
from analysis.errors import InputError
from analysis.loader import Run

METRICS = ("wall", "cpu", "printed")
_COLUMNS = {"wall": "wall_s", "cpu": "cpu_s", "printed": "printed"}


def load(folder: Path, metric: str, lower_is_better: bool) -> Run:
    """The runs of `lockbench compare-program`. InputError if the file is not there or lacks the
    metric."""
    path = folder / "program.csv"
    if not path.is_file():
        raise InputError(f"{path}: no such file; name a folder of lockbench compare-program")
    rows = pd.read_csv(path)
    return as_run(path, rows, rows["lock"], metric, lower_is_better)


def as_run(
    path: Path, rows: pd.DataFrame, labels: pd.Series, metric: str, lower_is_better: bool
) -> Run:
    """Rows of the program's runs: a block, a label and the figures of each. InputError if they lack
    the metric."""
    column = _COLUMNS[metric]
    if column not in rows or rows[column].isna().all():
        raise InputError(f"{path}: has no {column}; the program was run for another metric")
    trials = pd.DataFrame(index=rows.index, columns=_names(), dtype=float)
    trials["trial"], trials["attempt"], trials["run_id"] = rows.index, 0, path.parent.name
    trials["block"], trials["label"], trials["valid"] = rows["block"], labels, True
    trials["outcome"] = "ok"  # a run of the program that fails has no row
    trials["workload"], trials["threads"] = "program", 1
    trials["mode"] = "fixed" if lower_is_better else "timed"
    trials["makespan_s" if lower_is_better else verdict.RATE] = rows[column]
    return Run(path.parent, trials, {})


def _names() -> list[str]:
    compared = [verdict.RATE, "makespan_s", "operation_ns", "wait_p99_ns"]
    own = ["trial", "attempt", "run_id", "block", "label", "valid", "outcome"]
    return list(dict.fromkeys([*own, *cells.GROUP, *compared, *unfairness.FIGURES]))


def as_text(table: verdict.Table, metric: str, lower_is_better: bool) -> list[str]:
    """A line for each lock, the baseline first."""
    (group,) = table.groups
    compared = {one.primitive: one for one in table.comparisons}
    rows = [["lock", "median", "speed", "interval", "verdict"]]
    for lock, median in sorted(group.medians.items(), key=lambda one: one[0] != group.baseline):
        figure = units.digits(median) if metric == "printed" else units.seconds(median)
        one = compared.get(lock)
        if one is None:
            rows.append([lock, figure, "1", "", "the baseline"])
        else:
            rows.append([lock, figure, units.ratio(one.ratio), tables.interval(one), one.words()])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]
    better = "less" if lower_is_better else "more"
    what = f"number printed, {better} is faster" if metric == "printed" else f"{metric} time"
    return [*lines, f"of {units.plural(_blocks(group.rows), 'block')}; median: {what}"]


def _blocks(rows: pd.DataFrame) -> int:
    return int(rows["block"].nunique())
