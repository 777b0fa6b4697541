# SPDX-License-Identifier: Apache-2.0
"""Checks whether rows belong to the run and to the plan of their folder.

If a file contained the tables of several runs, it would be read as one run, and block 3 of one run
would be paired with block 3 of another. `harness/bench/record/row_check.h` checks the same in C++.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.errors import InputError

_REMEDY = "a folder holds one run; `lockbench merge` makes one run of shards"


def check_run(path: Path, rows: pd.DataFrame, run_id: str) -> None:
    """Each row names the run. The index of `rows` is the line in the file."""
    other = rows.index[rows["run_id"] != run_id]
    if len(other):
        found = rows.at[other[0], "run_id"]
        raise InputError(
            f"{path}, line {other[0]}: run_id {found!r} where the run is {run_id!r}; {_REMEDY}"
        )


def check_plan(
    path: Path, trials: pd.DataFrame, meta: Mapping[str, Any], present: Collection[str]
) -> None:
    """Each row is of a trial that the plan has, in the block and with the seed that it has there.
    A run without a plan (older ones, or without meta.json) is not checked, nor are columns that the
    table does not have (`present`: those that it has)."""
    plan = meta.get("plan")
    planned = plan.get("trials") if isinstance(plan, dict) else None
    if not isinstance(planned, list) or not planned or "trial" not in present:
        return
    known = pd.DataFrame(
        [
            {name: str(one.get(name, "")) for name in ("number", "block", "seed")}
            | {name: str(cell.get(name, "")) for name in ("threads", "keys")}
            | {"label": cell.get("primitive", "")}
            for one in planned
            if isinstance(one, dict) and isinstance(cell := one.get("cell"), dict)
        ]
    ).set_index("number")
    numbers = _whole(trials["trial"])
    missing = trials.index[~numbers.isin(known.index)]
    if len(missing):
        raise InputError(
            f"{path}, line {missing[0]}: trial {numbers[missing[0]]} is not in the plan,"
            f" which has {len(known):,} trials; {_REMEDY}"
        )
    wanted = known.loc[numbers]
    for name in (name for name in known.columns if name in present):
        found = trials[name] if trials[name].dtype == object else _whole(trials[name])
        wrong = trials.index[found.to_numpy() != wanted[name].to_numpy()]
        if len(wrong):
            at = wrong[0]
            planned = wanted[name].iloc[trials.index.get_loc(at)]
            raise InputError(
                f"{path}, line {at}: {name} is {found[at]!r} where the plan has"
                f" {planned!r} for trial {numbers[at]}; {_REMEDY}"
            )


def _whole(values: pd.Series) -> pd.Series:
    """Whole numbers as text."""
    return values.map(lambda value: f"{value:.0f}")
