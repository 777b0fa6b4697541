# SPDX-License-Identifier: Apache-2.0
"""Several machines side by side: fleet.py, and what compare and report make of it."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import compare
import plot
import pytest
import report
import synthetic
from analysis import figure, fleet, loader, machines, verdict
from analysis.pictures import by_machine
from support import Capture, printed, compared, refusal, shown

PRIMITIVES = ("global:lock=std", "keyed", "striped")
CELLS = synthetic.sweep(PRIMITIVES, threads=(1, 4), keys=(64,))


def fixed(speeds: Callable[[int, str], float], number: int) -> Callable[[dict[str, Any]], None]:
    """Rates set by hand, with a little noise that differs from block to block."""

    def change(row: dict[str, Any]) -> None:
        label = row["primitive"] + (":" + row["params"] if row["params"] else "")
        noise = 1 + 0.004 * ((row["block"] * 7 + len(label) + row["threads"]) % 5)
        row["operations_per_s"] = 1e6 * (number + 1) * speeds(number, label) * noise

    return change


def folders(
    tmp_path: Path, speeds: Callable[[int, str], float], count: int = 3, blocks: int = 8
) -> list[Path]:
    """Machine `number` is `number` + 1 times as fast as the first one, in all that it does."""
    return [
        synthetic.write_run(
            tmp_path / f"node{number}",
            cells=CELLS,
            blocks=blocks,
            meta=synthetic.machine(number, 2 << number % 3),
            run_id=f"run-{number}",
            change=fixed(speeds, number),
        )
        for number in range(count)
    ]


def apart(number: int, label: str) -> float:
    """keyed is twice as fast as the baseline on all machines but the last, where it is half as
    fast; striped is 1.5 times as fast everywhere."""
    if label == "keyed":
        return 0.5 if number == 2 else 2.0
    return 1.5 if label == "striped" else 1.0


def members(runs: list[Path]) -> list[machines.Machine]:
    return machines.fleet([loader.load(run) for run in runs])


def document(capsys: Capture, *argv: object) -> dict[str, Any]:
    capsys.readouterr()
    return compared(capsys, *argv)


def test_plot_has_a_panel_for_each_machine(tmp_path: Path, capsys: Capture) -> None:
    runs = folders(tmp_path, apart)
    assert (
        printed(plot.main, capsys, *runs, "--out", tmp_path / "plots", "--format", "svg")
        == f"{tmp_path / 'plots' / 'by-machine.svg'}\n"
    )
    figure.use_style()
    made = by_machine.draw(fleet.Fleet(members(runs)))
    assert made is not None
    panels = [axes for axes in made.axes if axes.get_xlabel() == "threads (log)"]
    assert len(panels) == len(runs)
    ends = [
        sorted(
            line.get_ydata()[-1]
            for line in axes.lines
            if line.get_marker() != "None" and len(line.get_xdata()) > 1
        )
        for axes in panels
    ]
    assert ends[0] == pytest.approx([1.5, 2.0], rel=0.01)
    assert ends[2] == pytest.approx([0.5, 1.5], rel=0.01)


def test_plot_refuses_two_runs_of_one_machine(tmp_path: Path, capsys: Capture) -> None:
    runs = [
        synthetic.write_run(
            tmp_path / name, cells=CELLS, meta=synthetic.machine(0, 2), run_id="run-0"
        )
        for name in ("one", "two")
    ]
    assert "2 runs of one machine" in refusal(plot.main, capsys, *runs)
    assert not (tmp_path / "one" / "plots").exists()


def test_the_verdicts_are_those_of_each_machine_alone(tmp_path: Path) -> None:
    runs = folders(tmp_path, apart)
    found = fleet.Fleet(members(runs))
    for run, table in zip(runs, found.tables):
        alone = verdict.of_run(loader.load(run))
        assert [one.record() for one in table.comparisons] == [
            one.record() for one in alone.comparisons
        ]


def test_machines_that_disagree_are_named(tmp_path: Path, capsys: Capture) -> None:
    runs = folders(tmp_path, apart)
    found = fleet.Fleet(members(runs))
    said = {row.primitive: fleet.words(row, ["a", "b", "c"]) for row in found.rows}
    assert said["keyed"] == "machines disagree: faster on a, b; slower on c"
    assert said["striped"] == "faster on all 3"
    out = shown(capsys, *runs)
    assert "machines disagree: faster on A, B; slower on C" in out
    assert "C  node2" in out


def test_the_least_regret_is_that_of_the_worst_machine(tmp_path: Path) -> None:
    """keyed is the fastest on two machines of three, and loses most on the third."""
    (workload,) = fleet.Fleet(members(folders(tmp_path, apart))).workloads
    least = {one.primitive: one.least for one in workload.choices}
    assert [one.primitive for one in workload.choices] == ["striped", "global:lock=std", "keyed"]
    assert least["striped"] == pytest.approx(0.75, rel=0.01)
    assert least["global:lock=std"] == pytest.approx(0.5, rel=0.01)
    assert least["keyed"] == pytest.approx(1 / 3, rel=0.01)
    assert {one.primitive: one.best_on for one in workload.choices} == {
        "striped": 1,
        "global:lock=std": 0,
        "keyed": 2,
    }
    assert workload.choices[2].worst_machine == 2


def test_a_primitive_that_some_machine_lacks_is_no_choice_for_all(tmp_path: Path) -> None:
    runs = folders(tmp_path, apart)
    lines = (runs[1] / "trials.csv").read_text().splitlines()
    kept = [line for line in lines if ",striped," not in line]
    (runs[1] / "trials.csv").write_text("\n".join(kept) + "\n")
    (workload,) = fleet.Fleet(members(runs)).workloads
    assert workload.partly == ["striped"]
    assert "striped" not in {one.primitive for one in workload.choices}


def test_pooled_ratios_say_how_much_machines_differ(tmp_path: Path, capsys: Capture) -> None:
    found = document(capsys, *folders(tmp_path, apart), "--pool", "machine")
    pooled = {one["primitive"]: one["pooled"] for one in found["cells"]}
    alike, unlike = pooled["striped"], pooled["keyed"]
    assert alike["ratio"] == pytest.approx(1.5, rel=0.01) and alike["verdict"] == "faster"
    assert unlike["heterogeneity"] > 0.99 and unlike["verdict"] == "inconclusive"
    assert unlike["low"] < 0.5 and unlike["high"] > 2 and unlike["machines"] == 3
    assert unlike["ratio"] == pytest.approx(math.exp(math.log(2) / 3), rel=0.02)


def test_nothing_is_pooled_unless_it_is_asked_for(tmp_path: Path, capsys: Capture) -> None:
    runs = folders(tmp_path, apart)
    assert {one["pooled"] for one in document(capsys, *runs)["cells"]} == {None}
    assert "pooled" not in shown(capsys, *runs)


def test_one_machine_cannot_be_pooled(tmp_path: Path, capsys: Capture) -> None:
    (run,) = folders(tmp_path, apart, count=1)
    assert "1 machine given" in refusal(compare.main, capsys, run, "--pool", "machine")


def test_every_record_names_its_machine(tmp_path: Path, capsys: Capture) -> None:
    runs = folders(tmp_path, apart)
    records = list(csv.DictReader(io.StringIO(shown(capsys, *runs, "--format", "csv"))))
    assert {one["machine"] for one in records} == {"node0", "node1", "node2"}
    assert len(records) == 3 * 2 * 2


def merged(tmp_path: Path, runs: list[Path]) -> Path:
    """As `lockbench merge` leaves it: one table whose rows name their machine."""
    folder = tmp_path / "merged"
    folder.mkdir()
    lines: list[str] = []
    for number, run in enumerate(runs):
        head, *rows = (run / "trials.csv").read_text().splitlines()
        lines += [f"{head},machine"] if not lines else []
        own = synthetic.machine(number)["machine"]["id"]
        lines += [f"{row},{own}".replace(f",run-{number},", ",merged,") for row in rows]
    (folder / "trials.csv").write_text("\n".join(lines) + "\n")
    every = [json.loads((run / "meta.json").read_text())["machine"] for run in runs]
    meta = {**synthetic.META, "run_id": "merged", "machines": every, "machine": every[0]}
    (folder / "meta.json").write_text(json.dumps(meta))
    return folder


def test_a_merged_run_says_what_its_runs_say(tmp_path: Path, capsys: Capture) -> None:
    runs = folders(tmp_path, apart)
    found, apart_ = document(capsys, merged(tmp_path, runs)), document(capsys, *runs)
    assert found["cells"] == apart_["cells"] and found["choices"] == apart_["choices"]
    assert [one["name"] for one in found["machines"]] == ["node0", "node1", "node2"]


def test_machines_of_one_name_are_told_apart(tmp_path: Path) -> None:
    runs = [
        synthetic.write_run(tmp_path / name, cells=CELLS, run_id=name) for name in ("one", "two")
    ]
    names = [one.name for one in members(runs)]
    assert len(set(names)) == 2 and all(name.startswith("Imaginary CPU") for name in names)


def test_a_fleet_has_no_before_and_after(tmp_path: Path, capsys: Capture) -> None:
    runs = folders(tmp_path, apart)
    assert "no common time before and after" in refusal(
        compare.main, capsys, *runs, "--fail-if-slower", "5%"
    )


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_a_page_begins_with_one_primitive_for_all(
    tmp_path: Path, capsys: Capture, form: str
) -> None:
    out = tmp_path / "page"
    runs = folders(tmp_path, apart)
    assert report.main([*map(str, runs), "--format", form, "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert text.index("east regret") < text.index("Which primitive for which workload")
    assert "node2" in text and "disagree" in text


def test_many_machines_have_one_page_without_chapters(tmp_path: Path) -> None:
    runs = folders(tmp_path, apart, count=14, blocks=3)
    out = tmp_path / "page.html"
    assert report.main([*map(str, runs), "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert "14 machines" in text and 'id="fleet"' in text and 'id="r1"' not in text
    assert all(f">node{number}<" in text for number in range(14))
    assert len(text) < 1_000_000
