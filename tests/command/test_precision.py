# SPDX-License-Identifier: Apache-2.0
"""Blocks are added until medians are narrow enough or the budget ends."""

from __future__ import annotations

import json
import shutil
from collections import Counter


from program import Program, meta_of, rows_of

# Sleeps of 2 ms: one run of 20 of them takes about as long as the next.
STEADY = ("--primitive", "global", "--primitive", "keyed", "--threads", "1", "--mode", "fixed")
RUN = ("run", *STEADY, "--operations", "20", "--hold", "sleep:2ms", "--blocks", "1", "--out", "out")


def measured_and_planned(lockbench: Program) -> tuple[Counter[str], int]:
    """Valid rows of each primitive, and the length of the plan, whose trials all have rows."""
    meta = meta_of(lockbench.folder / "out")
    rows = rows_of(lockbench.folder / "out")
    planned = {str(trial["number"]): trial for trial in meta["plan"]["trials"]}
    assert {row["trial"] for row in rows} == set(planned)
    for row in rows:
        trial = planned[row["trial"]]
        assert (row["block"], row["position"]) == (str(trial["block"]), str(trial["position"]))
        assert row["primitive"] == trial["cell"]["primitive"].partition(":")[0]
    assert meta["end"]["state"] == "finished"
    assert meta["end"]["trials_done"] == len(planned)
    assert meta["plan"]["blocks"] == max(trial["block"] for trial in planned.values()) + 1
    return Counter(row["primitive"] for row in rows if row["valid"] == "true"), len(planned)


def test_blocks_are_added_until_six_values_bound_each_median(lockbench: Program) -> None:
    done = lockbench.run(*RUN, "--precision", "50%", "--budget", "1min")
    assert done.returncode == 0, done.stderr
    valid, planned = measured_and_planned(lockbench)
    assert valid["global"] >= 6 and valid["keyed"] >= 6
    assert f"{planned} trials" in done.stdout
    assert "budget" not in done.stdout


def test_a_budget_that_is_too_small_says_which_cells_stayed_imprecise(lockbench: Program) -> None:
    done = lockbench.run(*RUN, "--precision", "50%", "--budget", "1ms")
    assert done.returncode == 0, done.stderr
    _, planned = measured_and_planned(lockbench)
    assert planned == 2
    assert "2 cells less precise than 50 %; a larger --budget narrows them:" in done.stdout
    for primitive in ("global", "keyed"):
        assert f"\n    {primitive}, counter, 1 thread" in done.stdout
    # The aim is that of the first command: what was measured within its budget is the run.
    again = lockbench.run("run", "--resume", "out")
    assert again.returncode == 0, again.stderr
    assert measured_and_planned(lockbench)[1] == planned


def test_a_cell_that_is_always_disturbed_stays_imprecise(lockbench: Program) -> None:
    stretched = ("--primitive", "global", "--threads", "1", "--window", "1ms", "--warmup", "0")
    words = ("run", *stretched, "--hold", "sleep:50ms", "--blocks", "1", "--out", "out")
    done = lockbench.run(*words, "--precision", "50%", "--budget", "1ms")
    assert done.returncode == 4, done.stderr
    assert "1 cell less precise than 50 %" in done.stdout


def test_without_blocks_a_run_adds_them_until_its_comparisons_are_decided(
    lockbench: Program,
) -> None:
    plan = lockbench.run(
        *("run", *STEADY, "--operations", "20", "--hold", "sleep:2ms", "--dry-run"), summary=True
    )
    assert "then blocks of the cells whose comparisons are not decided" in plan.stdout
    # Sleeps under one lock, or under eight: a ratio that any machine shows.
    words = ("--primitive", "global", "--primitive", "keyed", "--threads", "8", "--keys", "8")
    fixed = ("--key-distribution", "own", "--mode", "fixed", "--operations", "10")
    done = lockbench.run(
        *("run", *words, *fixed, "--hold", "sleep:2ms", "--budget", "40s", "--out", "out"),
        *("--format", "json"),
        summary=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["comparisons"]
    assert [one["verdict"] for one in found] == ["faster"]
    valid, planned = measured_and_planned(lockbench)
    # A row that something disturbed three times is not valid, and then one side has fewer.
    assert valid["keyed"] >= 3 and valid["global"] >= 3 and planned % 2 == 0


def test_a_run_adds_blocks_while_its_budget_lasts(lockbench: Program) -> None:
    # The same code twice, so neither is faster; and no two medians are as equal as that.
    words = (
        *("--primitive", "striped:stripes=63", "--primitive", "striped:stripes=64"),
        *("--threads", "1", "--mode", "fixed", "--operations", "100000"),
    )
    # On a busy machine the first blocks alone may take the smaller budget, or leave no valid row
    # to compare, and then there is nothing to decide.
    for budget in ("4s", "40s", "40s", "40s"):
        shutil.rmtree(lockbench.folder / "out", ignore_errors=True)
        done = lockbench.run(
            *("run", *words, "--same-within", "0.0001%", "--budget", budget, "--out", "out"),
            summary=True,
            *("--patience", "0"),
        )
        assert done.returncode == 0, done.stderr
        assert "adds no more blocks" not in done.stderr
        _, planned = measured_and_planned(lockbench)
        if planned > 2 * 3:
            break
    assert planned > 2 * 3, done.stderr


def test_blocks_say_how_much_is_measured_whatever_is_decided(lockbench: Program) -> None:
    plan = lockbench.run(
        "run", *STEADY, "--operations", "20", "--blocks", "7", "--dry-run", summary=True
    )
    assert "14 trials in 7 blocks" in plan.stdout and "decided" not in plan.stdout
