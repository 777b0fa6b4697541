# SPDX-License-Identifier: Apache-2.0
"""`--where`: which cells of a run are compared, drawn and reported."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import compare
import plot
import pytest
import report
import synthetic
from analysis import loader, locking_cost, selection
from test_locking_cost import folder_of
from support import MakeRun, Capture, refusal


CELLS = synthetic.sweep(
    ("global:lock=std", "keyed", "striped:lock=std,stripes=64"),
    threads=(1, 8),
    keys=(1, 64),
    holds=(200, 5000),
)


@pytest.mark.parametrize(
    ("where", "cells"),
    [
        ("threads=8", 12),
        ("threads=1|8", 24),
        ("threads=8,keys=64", 6),
        ("hold=5us,primitive=keyed", 4),
        ("primitive=.*lock=std.*,keys=1", 8),
        ("primitive=striped:lock=std,stripes=64,threads=1", 4),
        ("mode=timed, workload=counter", 24),
    ],
)
def test_all_conditions_hold_for_what_is_selected(
    make_run: MakeRun, where: str, cells: int
) -> None:
    run = selection.load(make_run(cells=CELLS, blocks=1), selection.conditions(where))
    assert len(run.trials) == cells


def test_loads_are_selected_and_costs_keep_their_floor(make_run: MakeRun) -> None:
    """The floor has one thread, and other threads are asked for."""
    folder = folder_of(make_run, threads=4)
    every = {(one.primitive, one.load): one for one in locking_cost.costs(loader.load(folder))}
    where = selection.conditions("threads=4,load=10%|saturated")
    found = locking_cost.costs(selection.load(folder, where))
    assert {(one.primitive, one.load) for one in found} == {
        (label, load) for label in ("global", "keyed") for load in (0.1, loader.SATURATED)
    }
    assert all("4 threads" in one.group for one in found)
    for one in found:
        assert one.median_ns == pytest.approx(10.0 if one.primitive == "global" else 30.0)
        assert every[one.primitive, one.load].median_ns == pytest.approx(one.median_ns)


def test_compare_report_and_plot_show_what_was_selected(
    make_run: MakeRun, capsys: Capture, tmp_path: Path
) -> None:
    run = str(make_run(cells=CELLS, blocks=3))
    where = ["--where", "threads=8,keys=64"]
    assert compare.main([run, "--format", "json", *where]) == 0
    said = capsys.readouterr()
    groups = {one["group"] for one in json.loads(said.out)["cells"]}
    assert len(groups) == 2 and all("8 threads · 64 keys" in one for one in groups)
    assert "18 of 72 rows selected by --where" in said.err
    out = tmp_path / "page.html"
    assert report.main([run, "--out", str(out), *where]) == 0
    page = out.read_text(encoding="utf-8")
    assert "18 of 72 rows selected by --where" in page and "18 trials" in page
    assert "Throughput by length of the hold: counter · 8 threads · 64 keys" in page
    assert "Throughput by threads" not in page
    assert plot.main([run, "--out", str(tmp_path / "plots"), "--format", "png", *where]) == 0
    drawn = {path.stem for path in (tmp_path / "plots").iterdir()}
    assert "throughput-by-hold" in drawn and "throughput-by-threads" not in drawn


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("thread=8", "no field 'thread'; did you mean threads?"),
        ("threads", "'threads' is not FIELD=VALUE, as threads=8"),
        ("threads=many", "threads=many: is not a number, as 8, 200ns or 50%"),
        ("primitive=keyed(", "is no regular expression"),
        ("threads=3", "no cell of RUN matches; it has 1, 8"),
        ("hold=1ms", "no cell of RUN matches; it has 200 ns, 5 µs"),
        ("primitive=leyed", "it has global:lock=std, keyed, striped:lock=std,stripes=64"),
        ("load=50%", "no cell of RUN matches; it has saturated"),
        ("threads=8,threads=1", "no cell of RUN matches; it has 8"),
    ],
)
def test_a_wrong_condition_ends_in_one_line(
    make_run: MakeRun, capsys: Capture, where: str, told: str
) -> None:
    run = make_run(cells=CELLS, blocks=1)
    said = refusal(compare.main, capsys, run, "--where", where)
    assert told in said.replace(str(run), "RUN")


def test_conditions_that_cannot_be_read_say_so() -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        selection.conditions("")
