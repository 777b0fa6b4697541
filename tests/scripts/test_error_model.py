# SPDX-License-Identifier: Apache-2.0
"""error_model.py: what pages and tables say of figures whose error is known, for a made-up one."""

from __future__ import annotations

from pathlib import Path

import compare
import pandas as pd
import pytest
from analysis import error_model, loader, machines, verdict
from analysis.errors import InputError
from support import Capture, MakeRun, refusal, shown


class Guessed(error_model.ErrorModel):
    """The error model of the preset `guessed`: ratios may be wrong by a factor of 3."""

    participle = "guessed"
    plural = "guesses"
    banner = "Guessed, not measured"
    banded = True
    name = "the error of guesses"

    def covers(self, rows: pd.DataFrame) -> pd.Series:
        return rows["preset"] == "guessed"

    def source(self, machine: object) -> str:
        return "a guess"

    def ratio_error(self, threads: float, hold_ns: float, processors: float | None) -> float:
        return 1.1  # e to that power is 3


@pytest.fixture(name="guessed")
def guessed_fixture(make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(error_model, "_others", lambda: [Guessed()])
    return make_run("guessed", change=lambda row: row.update(preset="guessed"))


def test_measurements_have_no_error_beside_that_of_their_blocks(make_run: MakeRun) -> None:
    run = loader.load(make_run())
    assert run.error is error_model.MEASURED
    assert (run.source, run.error.name, run.banners) == ("", "", [])
    assert run.error.with_bounds(run.trials, 8) is run.trials
    assert any(one.significant for one in verdict.of_run(run).comparisons)


def test_the_error_widens_intervals_and_is_named(guessed: Path) -> None:
    table = verdict.of_run(loader.load(guessed))
    assert any(one.by_model == verdict.FASTER for one in table.comparisons)
    within = [one for one in table.comparisons if one.note]
    assert {one.note for one in within} == {"within the error of guesses"}
    assert {one.verdict for one in within} == {verdict.INCONCLUSIVE}


def test_what_was_not_measured_is_named_on_top_and_in_titles(
    guessed: Path, capsys: Capture
) -> None:
    assert shown(capsys, guessed).splitlines()[0] == "Guessed, not measured"
    assert loader.load(guessed).titled("Waits") == "Waits, a guess"


def test_runs_of_two_models_are_never_in_one_ratio(
    guessed: Path, make_run: MakeRun, capsys: Capture
) -> None:
    said = refusal(compare.main, capsys, make_run("measured"), guessed, "--force")
    assert f"{guessed} was guessed and" in said and "measured was measured" in said


def test_rows_of_two_models_are_parted(guessed: Path) -> None:
    run = loader.load(guessed)
    run.trials.loc[run.trials["block"] == 0, "preset"] = "other"
    with pytest.raises(InputError, match="has guesses and measurements, which are never in one"):
        verdict.of_run(run)
    found = machines.split(run)
    assert [one.error.plural for one in found] == ["measurements", "guesses"]
    assert sum(len(one.trials) for one in found) == len(run.trials)
