# SPDX-License-Identifier: Apache-2.0
"""The cost of locking: rows with known costs, at several loads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import synthetic
from analysis import cells, comparison, loader, locking_cost, tables
from analysis.pictures import cost_by_load

MakeRun = Callable[..., Path]
HOLD = 200
REST = 7.0
THINK = {0.1: 1800.0, 0.5: 200.0, None: 0.0}
COST = {"global": 10.0, "keyed": 30.0}


def run_of(make_run: MakeRun, threads: int = 1, sleeps: bool = False) -> loader.Run:
    """Each operation takes its hold, its think time, REST, and the COST of its primitive."""
    planned: list[dict[str, Any]] = []
    for think in THINK.values():
        kind = "none" if think == 0 else "sleep:exp" if sleeps else "exp"
        for cell in synthetic.sweep(["none", *COST], threads=sorted({1, threads}), keys=(1,)):
            planned.append({**cell, "think_kind": kind, "think_ns": think})
    run = loader.load(make_run(cells=planned, blocks=5))
    trials = run.trials
    trials["load_share"] = trials["load"] = float("nan")
    for row in trials.index:
        think = float(trials.at[row, "think_ns"])
        share = next(share for share, known in THINK.items() if known == think)
        trials.at[row, "load_share"] = float("nan") if share is None else share
        trials.at[row, "load"] = loader.SATURATED if share is None else share
        cost = COST.get(trials.at[row, "label"], 0.0)
        slept = trials.at[row, "think_kind"].startswith("sleep")
        at_once = trials.at[row, "threads"] if slept else min(trials.at[row, "threads"], 8)
        late = 60_000.0 if slept else 0.0
        trials.at[row, "operation_ns"] = (HOLD + think + late + REST + cost) / at_once
        trials.at[row, "wait_mean_ns"] = cost if slept else 1.0
        trials.at[row, "valid"] = True
    return run


@pytest.mark.parametrize("threads, sleeps", [(1, False), (4, False), (32, False), (32, True)])
def test_the_cost_is_what_hold_think_and_the_loop_do_not_explain(
    make_run: MakeRun, threads: int, sleeps: bool
) -> None:
    run = run_of(make_run, threads, sleeps)
    rows = locking_cost.with_costs(run, run.valid)
    for label, cost in COST.items():
        own = rows[rows["label"] == label]
        assert own["locking_ns"].to_numpy() == pytest.approx(cost)


def test_a_lock_that_costs_more_is_told_by_as_much_at_each_load(make_run: MakeRun) -> None:
    found = {(one.primitive, one.load): one for one in locking_cost.costs(run_of(make_run))}
    for load in (0.1, 0.5, loader.SATURATED):
        difference = found["keyed", load].median_ns - found["global", load].median_ns
        assert difference == pytest.approx(20.0)


def test_without_the_floor_the_calibration_says_what_the_loop_takes(make_run: MakeRun) -> None:
    run = run_of(make_run)
    kept = run.trials[run.trials["label"] != cells.FLOOR]
    meta = {**run.meta, "calibration": {"floor_untimed_ns": REST}}
    alone = loader.Run(run.folder, kept, meta)
    rows = locking_cost.with_costs(alone, alone.valid)
    assert rows[rows["label"] == "keyed"]["locking_ns"].to_numpy() == pytest.approx(30.0)


def test_compare_prints_the_costs_by_load(make_run: MakeRun) -> None:
    result = comparison.within(run_of(make_run), comparison.Options())
    text = tables.as_text(result)
    (title,) = [line for line in text.splitlines() if line.startswith("Cost of locking by load")]
    assert "1 key" in title and "load" not in title.partition(":")[2]
    lines = text.partition(title)[2].splitlines()
    assert lines[1].split() == ["primitive", "10", "%", "50", "%", "saturated"]
    assert lines[2].split()[:3] == ["global", "10", "ns"]
    assert lines[3].split()[:3] == ["keyed", "30", "ns"]


def test_a_picture_has_a_line_for_each_primitive(make_run: MakeRun) -> None:
    figure = cost_by_load.draw(run_of(make_run))
    assert figure is not None
    (axes,) = figure.axes
    shown = {
        tuple(round(float(y)) for y in line.get_ydata())
        for line in axes.get_lines()
        if len(line.get_ydata()) == 3
    }
    assert {(10, 10, 10), (30, 30, 30)} <= shown
    assert [text.get_text() for text in axes.get_xticklabels()] == ["10 %", "50 %", "saturated"]


def test_a_run_without_loads_has_no_such_picture_and_no_such_table(make_run: MakeRun) -> None:
    run = loader.load(make_run(cells=synthetic.sweep(keys=(1,)), blocks=3))
    assert cost_by_load.draw(run) is None
    assert locking_cost.costs(run) == []
