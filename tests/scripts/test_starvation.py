# SPDX-License-Identifier: Apache-2.0
"""A trial in which a thread starved is a result, in compare and on the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import compare
import pytest
import report
import synthetic
from analysis import cells, loader, starvation, unfairness
from support import ROOT, Capture, MakeRun

OLDER = ROOT / "results" / "reference" / "xeon-16vcpu" / "loads"


def folder_of(make_run: MakeRun, starved: dict[str, tuple[int, ...]]) -> Path:
    """A run in which the primitives starve a thread in these of three blocks, longer in each:
    2.5 s in the first one."""

    def change(row: dict[str, Any]) -> None:
        label = row["primitive"] + (f":{row['params']}" if row["params"] else "")
        row.update(fairness_jain=1.0, wait_max_ns=5000.0)
        if row["block"] in starved.get(label, ()):
            row.update(dict.fromkeys(("operations", "operations_per_s", "window_s"), ""))
            row.update(valid="false", outcome="starved", starved_s=2.5 + row["block"])
            row.update(lost_updates="", violations="", reason="a thread did not get the lock")

    made = synthetic.sweep(["global", "global:lock=std", "keyed"], threads=(8,), keys=(1,))
    folder = make_run(cells=made, blocks=3, change=change)
    names = [*synthetic.COLUMNS, "starved_s"]
    columns = [{"name": name, "unit": "s" if name == "starved_s" else "x"} for name in names]
    for column in columns:
        column["unit"] = "text" if column["name"] in loader.TEXT else column["unit"]
    (folder / "schema.json").write_text(json.dumps({"trials": columns}), encoding="utf-8")
    return folder


def lines_of(folder: Path, capsys: Capture) -> dict[str, dict[str, Any]]:
    assert compare.main([str(folder), "--format", "json"]) == 0
    return {line["primitive"]: line for line in json.loads(capsys.readouterr().out)["cells"]}


def test_a_primitive_that_starves_in_some_blocks_is_unfair(
    make_run: MakeRun, capsys: Capture
) -> None:
    lines = lines_of(folder_of(make_run, {"keyed": (0, 2)}), capsys)
    assert lines["keyed"]["unfair"] == "unfair: starved for at least 2.5 s in 2 of 3 blocks"
    assert lines["keyed"]["reason"] == "" and lines["keyed"]["blocks"] == 1
    assert lines["global"]["unfair"] == ""


def test_a_primitive_that_starves_in_every_block_has_that_for_its_figures(
    make_run: MakeRun, capsys: Capture
) -> None:
    folder = folder_of(make_run, {"keyed": (0, 1, 2)})
    line = lines_of(folder, capsys)["keyed"]
    assert line["median"] is None
    assert line["reason"] == "starved for at least 2.5 s in 3 of 3 blocks"
    assert compare.main([str(folder)]) == 0
    (shown,) = [
        one for one in capsys.readouterr().out.splitlines() if one.strip().startswith("keyed ")
    ]
    assert "starved for at least 2.5 s in 3 of 3 blocks" in shown and "valid" not in shown


def test_it_is_named_apart_from_rows_that_are_not_valid(make_run: MakeRun) -> None:
    trials = loader.load(folder_of(make_run, {"keyed": (0,), "global": (1,)})).trials
    assert cells.left_out(trials) == "2 trials starved for at least 2.5 s (keyed, global)"


def test_the_page_shows_it_as_a_result(make_run: MakeRun, capsys: Capture) -> None:
    folder = folder_of(make_run, {"keyed": (0, 1, 2)})
    assert report.main([str(folder)]) == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    capsys.readouterr()
    assert report.main([str(folder), "--format", "markdown", "--out", "-"]) == 0
    for text in (page, capsys.readouterr().out):
        starved, _, invalid = text.partition("Invalid rows</h2>" if text == page else "### Invalid")
        assert "Starved threads" in starved and "starved for at least 2.5 s" in starved
        assert "None: all" in invalid and "rows are invalid" not in invalid


def test_a_page_of_a_run_without_it_has_no_such_part(make_run: MakeRun) -> None:
    folder = folder_of(make_run, {})
    assert report.main([str(folder)]) == 0
    assert "Starved threads" not in (folder / "report.html").read_text(encoding="utf-8")


def test_rows_of_older_runs_are_known_by_their_reason() -> None:
    trials = loader.load(OLDER).trials
    starved = starvation.of(trials)
    assert list(starved["label"].unique()) == ["global:lock=absl"] and len(starved) == 3
    assert not (trials["outcome"] == "timeout").any()
    # Two were measuring: half of their time limits without the warm-up and the window.
    assert sorted(starved["starved_s"].round(2)) == [2.07, 2.31, 4.21]


@pytest.mark.parametrize(
    "change",
    [
        {"reason": "the trial's process was stopped after 9 s"},
        {"mode": "fixed"},
        {"outcome": "deadlock"},
    ],
)
def test_a_timeout_that_says_nothing_of_starvation_stays_one(change: dict[str, str]) -> None:
    run = loader.load(OLDER)
    row = starvation.of(run.trials).iloc[[0]].assign(outcome="timeout", starved_s=float("nan"))
    assert starvation.recognized(row, run.meta)["outcome"].iloc[0] == "starved"
    changed = row.assign(**change)
    assert starvation.recognized(changed, run.meta)["outcome"].iloc[0] != "starved"


def test_the_words_of_one_cell_have_both_what_starved_and_what_is_unfair(
    make_run: MakeRun,
) -> None:
    trials = loader.load(folder_of(make_run, {"keyed": (1,)})).trials
    rows = trials[trials["label"] == "keyed"].assign(fairness_jain=0.4)
    assert unfairness.words(rows) == (
        "unfair: starved for at least 3.5 s in 1 of 3 blocks, Jain 0.40"
    )
