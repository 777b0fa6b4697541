# SPDX-License-Identifier: Apache-2.0
"""Baselines over time: gate.py, compare --baseline-run, and the index of a folder of runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gate
import pytest
import report
import synthetic
from analysis import command
from support import ROOT, Capture, printed, compared, refusal

CELLS = synthetic.sweep(["global:lock=std", "keyed"], threads=(1, 4))
NOISE = (1.0, 1.004, 0.997, 1.002, 0.999)


def rates(factor: float) -> Callable[[dict[str, Any]], None]:
    """Steady rates; keyed is `factor` times as fast as in the baseline."""

    def change(row: dict[str, Any]) -> None:
        own = factor if row["primitive"] == "keyed" else 1.0
        row["operations_per_s"] = 1e6 * own * NOISE[(row["block"] + row["threads"]) % len(NOISE)]

    return change


@pytest.fixture(name="checkout")
def checkout_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the baseline `main`."""
    monkeypatch.chdir(tmp_path)
    run = synthetic.write_run(
        tmp_path / "results/runs/first", cells=CELLS, blocks=8, change=rates(1), run_id="first"
    )
    (tmp_path / "results/baselines").mkdir()
    (tmp_path / "results/baselines/main").symlink_to(Path("..") / "runs" / run.name)
    return tmp_path


def measured(checkout: Path, factor: float, **options: Any) -> str:
    build = {**synthetic.META["build"], "commit": "89abcde"}
    options = {"blocks": 8, "run_id": "second", **options}
    meta = {**synthetic.META, "build": build, "run_id": options["run_id"]}
    folder = checkout / "results/runs/second"
    synthetic.write_run(folder, cells=CELLS, change=rates(factor), meta=meta, **options)
    return "results/runs/second"


def gated(capsys: Capture, run: str, *more: str, code: int = 0) -> str:
    """The gate's answer for the run against `main`."""
    return printed(gate.main, capsys, run, "--against", "main", *more, code=code)


@pytest.mark.parametrize(
    ("factor", "code", "told"),
    [
        (1.0, 0, "passed: none of 4 cells is slower by more than 5 %"),
        (1.3, 0, "passed: none"),
        (0.98, 0, "passed: none"),
        (0.8, 3, "failed: 2 of 4 cells slower by more than 5 %"),
    ],
)
def test_a_gate_fails_exactly_if_something_became_slower(
    checkout: Path, capsys: Capture, factor: float, code: int, told: str
) -> None:
    assert gated(capsys, measured(checkout, factor), code=code).startswith(told)


def test_what_the_blocks_leave_open_is_inconclusive(checkout: Path, capsys: Capture) -> None:
    run = measured(checkout, 1.0, blocks=2)
    assert "4 of 4 cells may be slower" in gated(capsys, run, code=4)
    assert gated(capsys, run, "--allow-inconclusive").startswith(
        "passed: 4 of 4 cells may be slower"
    )


def test_a_run_without_a_valid_row_passes_no_gate(checkout: Path, capsys: Capture) -> None:
    def spoil(row: dict[str, Any]) -> None:
        row.update(valid="false", reason="busy")

    run = synthetic.write_run(checkout / "busy", cells=CELLS, blocks=4, change=spoil)
    told = "inconclusive: no cell has valid rows"
    assert gated(capsys, str(run), code=4).startswith(told)
    assert gated(capsys, str(run), "--allow-inconclusive", code=4).startswith(told)


def test_the_exit_codes_are_those_of_the_whole_program() -> None:
    header = (ROOT / "harness/base/exit_code.h").read_text(encoding="utf-8")
    codes = {name: int(code) for name, code in re.findall(r"k(\w+) = (\d),", header)}
    assert codes == {
        "Success": command.SUCCESS,
        "CouldNotFinish": command.COULD_NOT_FINISH,
        "BadInput": command.USAGE_ERROR,
        "Found": command.FOUND,
        "Inconclusive": command.INCONCLUSIVE,
    }


def test_the_margin_decides_what_counts(checkout: Path) -> None:
    run = measured(checkout, 0.9)
    assert gate.main([run, "--against", "main", "--fail-if-slower", "5%"]) == 3
    assert gate.main([run, "--against", "main", "--fail-if-slower", "20%"]) == 0
    assert gate.main([run, "--against", "main", "--primitive", "global:lock=std"]) == 0


def test_the_build_may_differ_and_is_told_the_machine_may_not(
    checkout: Path, capsys: Capture
) -> None:
    run = measured(checkout, 1.0)
    assert "the builds differ: commit" in gated(capsys, run)
    meta = json.loads(Path(run, "meta.json").read_text())
    meta["machine"]["cores"] = 64
    Path(run, "meta.json").write_text(json.dumps(meta))
    assert "different machines (cores" in refusal(gate.main, capsys, run, "--against", "main")


def test_the_record_holds_what_the_words_say(checkout: Path, capsys: Capture) -> None:
    found = json.loads(gated(capsys, measured(checkout, 0.8), "--format", "json", code=3))
    assert found["exit_code"] == 3 and found["compared"] == 4
    assert [one["primitive"] for one in found["slower"]] == ["keyed", "keyed"]
    assert "| keyed |" in printed(
        gate.main,
        capsys,
        "results/runs/second",
        "--against",
        "main",
        "--format",
        "markdown",
        code=3,
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [("mian", "did you mean main?"), ("../x", "no baseline has this name"), ("gone", "is gone")],
)
def test_a_baseline_that_is_not_there_is_told(
    checkout: Path, capsys: Capture, name: str, told: str
) -> None:
    (checkout / "results/baselines/gone").symlink_to("../runs/nowhere")
    assert gate.main([measured(checkout, 1.0), "--against", name]) == 2
    err = capsys.readouterr().err
    assert told in err and err.count("\n") == 1


def test_a_run_is_not_checked_against_itself(checkout: Path, capsys: Capture) -> None:
    assert "--against main: is results/runs/first itself" in refusal(
        gate.main, capsys, "results/runs/first", "--against", "main"
    )


def test_a_primitive_that_the_run_lacks_is_told_by_its_option(
    checkout: Path, capsys: Capture
) -> None:
    assert gate.main([measured(checkout, 1.0), "--against", "main", "--primitive", "kayed"]) == 2
    assert "--primitive kayed: the run has no such primitive; did you mean keyed?" in (
        capsys.readouterr().err
    )


def test_compare_takes_a_baseline_by_its_name(checkout: Path, capsys: Capture) -> None:
    run = measured(checkout, 0.8)
    found = {
        one["primitive"]: one
        for one in compared(capsys, run, "--baseline-run", "main")["comparisons"]
    }
    assert found["keyed"]["ratio"] == pytest.approx(0.8, rel=0.01)
    assert found["keyed"]["baseline"] == "first"


def test_the_index_has_every_run_and_what_it_is_saved_as(checkout: Path, capsys: Capture) -> None:
    measured(checkout, 1.0)
    (checkout / "results/runs/broken").mkdir()
    (checkout / "results/runs/broken/trials.csv").write_text("")
    (checkout / "results/runs/first/report.html").write_text("")
    assert printed(report.main, capsys, "--index") == "results/runs/index.html\n"
    page = Path("results/runs/index.html").read_text(encoding="utf-8")
    rows = {
        line.split("<th")[1].split("</th>")[0]: line
        for line in page.splitlines()
        if '<tr><th scope="row"' in line
    }
    assert len(rows) == 3 and "default-src 'none'" in page
    (first,) = (row for row in rows.values() if 'href="first/report.html"' in row)
    assert "<td>main<td>" in first and "32 of 32" in first
    assert sum("unreadable" in row for row in rows.values()) == 1


def test_an_index_of_nothing_is_told(tmp_path: Path, capsys: Capture) -> None:
    assert "none of its folders holds a run" in refusal(report.main, capsys, "--index", tmp_path)
