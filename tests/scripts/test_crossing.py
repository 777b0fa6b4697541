# SPDX-License-Identifier: Apache-2.0
"""crossing.py: from how many threads on a primitive beats another."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import advise
import pytest
import synthetic
from analysis import advice, crossing, loader
from analysis.errors import InputError
from support import MakeRun, Capture, printed


CASE: dict[str, Any] = {"threads": 8, "keys": 64, "hold_kind": "spin", "hold_ns": 200.0}


def led(by_threads: dict[int, float]) -> Callable[[dict[str, Any]], None]:
    """keyed has so many times the speed of striped."""

    def change(row: dict[str, Any]) -> None:
        lead = by_threads[row["threads"]] if row["primitive"] == "keyed" else 1
        row["operations_per_s"] = 1e6 * lead * (1 + row["block"] / 5000)
        row["fairness_jain"], row["wait_max_ns"] = 0.99, 1e5

    return change


def run_of(make_run: MakeRun, by_threads: dict[int, float]) -> Path:
    cells = synthetic.sweep(["keyed", "striped"], threads=tuple(by_threads))
    return make_run(cells=cells, blocks=5, change=led(by_threads))


def crossed(run: Path, **asked: Any) -> crossing.Crossing:
    case = advice.Case(asked="it", **{**CASE, **asked}, when="keyed", beats="striped")
    return crossing.of_run(loader.load(run), case)


def test_the_answer_is_the_least_number_from_which_on_all_are_ahead(make_run: MakeRun) -> None:
    found = crossed(run_of(make_run, {1: 2.0, 2: 0.5, 4: 1.5, 8: 2.0}))
    assert crossing.answer(found) == [
        "From 4 threads on, up to 8, keyed is faster than striped: 1.50× to 2.00× its speed.",
        "It is slower with 2 threads.",
        "The machine has 4 cores; more threads share them.",
    ]
    assert found.answered and not found.accuracy


def test_a_lead_that_ends_is_none(make_run: MakeRun) -> None:
    found = crossed(run_of(make_run, {1: 2.0, 2: 2.0, 4: 0.5}))
    assert crossing.answer(found)[0].startswith("There is no number of threads up to 4 from which")


def test_a_run_without_the_two_says_so(make_run: MakeRun) -> None:
    run = loader.load(run_of(make_run, {1: 1.0, 2: 1.0}))
    case = advice.Case(asked="it", **CASE, when="keyed", beats="global")
    with pytest.raises(InputError, match="no cell with valid rows of both keyed and global"):
        crossing.of_run(run, case)


def test_blocks_that_never_have_both_say_so(make_run: MakeRun) -> None:
    def one_in_each_block(row: dict[str, Any]) -> None:
        if (row["block"] % 2 == 0) == (row["primitive"] == "keyed"):
            row["valid"], row["disturbance"] = "false", "another process"

    cells = synthetic.sweep(["keyed", "striped"], threads=(2,))
    with pytest.raises(InputError, match="no block has valid rows of both keyed and striped"):
        crossed(make_run(cells=cells, blocks=6, change=one_in_each_block))


def test_the_command_answers_in_each_form(make_run: MakeRun, capsys: Capture) -> None:
    run = run_of(make_run, {1: 0.5, 2: 1.5, 4: 2.0})
    asked = json.dumps({**CASE, "asked": "it", "when": "keyed", "beats": "striped"})

    def said(form: str) -> str:
        return printed(advise.main, capsys, run, "--case", asked, "--format", form)

    assert json.loads(said("json"))["threads"] == 2
    assert said("csv").splitlines()[0] == "threads,ratio,by_model,verdict"
    assert "| 4 | 2.00× | faster |" in said("markdown")
    assert "From 2 threads on" in said("text")
