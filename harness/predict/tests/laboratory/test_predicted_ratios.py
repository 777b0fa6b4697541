# SPDX-License-Identifier: Apache-2.0
"""Ratios of predictions: compared, crossed and recommended only beyond the error of the model."""

from __future__ import annotations

from typing import Any

import compare
import synthetic
from analysis import advice, crossing, loader
from predicted import error_model
from predicted_runs import as_predicted, predicted_here
from support import Capture, MakeRun, refusal, shown
from test_crossing import CASE, crossed, led, run_of


def test_a_predicted_lead_counts_only_beyond_the_error(make_run: MakeRun) -> None:
    band = error_model.band(error_model.RATIO, 64, 200, 64)
    assert band is not None
    most = 1 / band.low
    run = as_predicted(run_of(make_run, {1: 1.0, 8: 0.9 * most, 64: 1.1 * most}))
    found = crossed(run, threads=64)
    first, second = crossing.answer(found)
    assert first.startswith("From 64 threads on, up to 64, keyed is faster")
    assert second.startswith("The model has it ahead from 8 threads on, by less than the error")
    assert f"factor of {band.high:.2f}" in found.accuracy


def test_advice_from_predictions_says_how_accurate_they_are(make_run: MakeRun) -> None:
    band = error_model.band(error_model.RATIO, 64, 200, 64)
    assert band is not None
    asked: dict[str, Any] = {**CASE, "threads": 64}
    case = advice.Case(asked="it", **asked)

    def advised(lead: float) -> advice.Advice:
        cells = synthetic.sweep(["keyed", "striped"], threads=(64,))
        run = make_run(f"{lead}", cells=cells, blocks=5, change=led({64: lead}))
        return advice.of_run(loader.load(as_predicted(run)), case)

    near = advised(0.9 / band.low)
    assert near.primitive == "keyed" and not near.significant
    assert "within the error of such predictions: striped" in near.answer[0]
    assert near.choices[1].reason.count("within the error of such predictions") == 1
    far = advised(1.1 / band.low)
    assert far.significant and "by more than the error of such predictions" in far.answer[0]
    text = advice.written(near, "text")
    assert "accuracy: Where predictions were measured" in text
    assert text.startswith("Predicted by the model of a machine, not measured")


def test_predictions_and_measurements_are_never_in_one_ratio(
    make_run: MakeRun, capsys: Capture
) -> None:
    measured, predicted = make_run("measured"), predicted_here(make_run("predicted"))
    for words in ((), ("--force",), ("--fail-if-slower", "5%")):
        assert "was predicted and" in refusal(compare.main, capsys, measured, predicted, *words)
    machine = {**synthetic.META["machine"], "cpu_model": "Other"}
    other = predicted_here(make_run("other", meta={**synthetic.META, "machine": machine}))
    assert "was predicted and" in refusal(
        compare.main, capsys, measured, other, "--pool", "machine"
    )
    assert "Predicted by the model of a machine, not measured" in shown(capsys, predicted)
