# SPDX-License-Identifier: Apache-2.0
"""literature.py: predictions beside figures that others published."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
import synthetic
from analysis import loader
from analysis.errors import InputError
from laboratory import literature
from laboratory import prediction as script
from predicted_runs import as_predicted
from support import ROOT, MakeRun, Capture, refusal


FIGURES = ROOT / "results" / "published"
MACHINES = ROOT / "harness/predict/machines"


def curve(**times: list[float]) -> literature.Curve:
    threads = [1, 2, 4, 8]
    points = pd.DataFrame(times).assign(threads=threads)
    return literature.Curve("m", "p", "work", points)


def test_peak_and_collapse_are_of_the_rate_of_all_threads() -> None:
    # Rates of all, in 1/ns: 0.01, 0.02, 0.021 and 0.009; and 0.01, 0.012, 0.013, 0.0133.
    one = curve(published=[100, 100, 190, 900], predicted=[100, 167, 308, 602])
    assert (one.peak("published"), one.collapse("published")) == (2, 8)
    assert (one.peak("predicted"), one.collapse("predicted")) == (2, None)


def test_cells_meet_by_machine_lock_work_and_threads(make_run: MakeRun, tmp_path: Path) -> None:
    def change(row: dict[str, object]) -> None:
        row["operations_per_s"] = 1e9 if row["primitive"] == "global" else 5e8
        row["think_ns"] = 600

    cells = synthetic.sweep(["global", "keyed"], threads=(1, 2), holds=(60,))
    run = as_predicted(make_run(cells=cells, blocks=1, change=change))
    head = ",".join([*literature.CELL, "iteration_ns"])
    rows = ["m64,global,spin,60,600,1,2", "m64,global,spin,60,600,2,2", "m64,keyed,spin,60,600,2,3"]
    file = tmp_path / "figures.csv"
    file.write_text("\n".join(["# theirs", head, *rows, "n,keyed,spin,60,600,2,3"]) + "\n")
    runs = [loader.load(run).valid]
    found = literature.curves(literature.published(file), literature.predicted(runs))
    assert [(one.primitive, list(one.points["predicted"])) for one in found] == [
        ("global", [1.0, 2.0]),
        ("keyed", [4.0]),
    ]
    text = literature.text(found)
    assert text.startswith("3 cells of 2 curves: median relative error 33 %, 67 % within a factor")
    assert "agrees in 1 of the 1 cells" in text
    with pytest.raises(InputError, match="no published cell was predicted"):
        literature.curves(
            literature.published(file).assign(machine="x"), literature.predicted(runs)
        )


def test_the_published_figures_are_of_shipped_models_and_complete() -> None:
    files = sorted(FIGURES.glob("*.csv"))
    assert files
    for file in files:
        found = literature.published(file)
        assert not found.duplicated(literature.CELL).any() and (found["published"] > 0).all()
        assert all((MACHINES / f"{name}.toml").exists() for name in found["machine"].unique())
        assert file.read_text(encoding="utf-8").count("# source: ") == 1


def test_the_command_wants_columns(tmp_path: Path, make_run: MakeRun, capsys: Capture) -> None:
    file = tmp_path / "figures.csv"
    file.write_text("machine,threads\nm,1\n", encoding="utf-8")
    run = str(make_run(cells=synthetic.sweep(threads=(1, 2))))
    assert "lacks the columns" in refusal(script.main, capsys, "literature", file, run)
