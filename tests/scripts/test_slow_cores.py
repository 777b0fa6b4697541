# SPDX-License-Identifier: Apache-2.0
"""The share that threads on slow cores got, as `compare` and `report` say it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import compare
import pytest
import report
import synthetic
from analysis import comparison, core_kinds, loader
from support import Capture, MakeRun


@pytest.fixture
def folder(make_run: MakeRun) -> Path:
    """Four threads, two of them on slow cores, which one mutex lets starve."""

    def change(row: dict[str, Any]) -> None:
        share = 0.125 if row["primitive"] == "global" else 0.5
        row.update(threads_by_kind="fast 2, slow 2", slow_operations_share=share)
        row.update(fast_wait_p99_ns=4000, slow_wait_p99_ns=3.1e6)

    return make_run(cells=synthetic.sweep(["global", "keyed"], threads=(4,)), change=change)


def test_the_slow_cores_are_compared_with_an_equal_share(folder: Path) -> None:
    one, other = core_kinds.of(loader.load(folder))
    assert (one.primitive, one.slow_share, one.equal_share, one.of_equal) == (
        "global",
        0.125,
        0.5,
        0.25,
    )
    assert other.of_equal == 1
    assert one.words() == (
        "global: the slow cores had 12 % of the operations, where an equal share is 50 %, and a"
        " p99 wait of 3.1 ms, against 4 µs on the fast ones"
    )


def test_less_than_an_equal_share_is_significant_only_if_the_blocks_agree(
    make_run: MakeRun,
) -> None:
    def change(row: dict[str, Any]) -> None:
        shares = {"global": 0.12, "keyed": 0.1 + 0.2 * row["block"], "striped": 0.5}
        share = shares[row["primitive"]] * (1 + 0.01 * row["block"])
        row.update(threads_by_kind="fast 2, slow 2", slow_operations_share=share)

    every = synthetic.sweep(["global", "keyed", "striped"], threads=(4,))
    folder = make_run(cells=every, change=change)
    found = {one.primitive: one for one in core_kinds.of(loader.load(folder))}
    assert [label for label, one in found.items() if one.significantly_less] == ["global"]
    low, high = found["global"].of_equal_low, found["global"].of_equal_high
    assert low and high and low < found["global"].of_equal < high
    few = make_run("few", cells=every, change=change, blocks=2)
    assert not any(one.significantly_less for one in core_kinds.of(loader.load(few)))


def test_compare_has_a_table_and_records(folder: Path, capsys: Capture) -> None:
    assert compare.main([str(folder)]) == 0
    said = capsys.readouterr().out
    assert "Kinds of cores · counter · 4 threads" in said and "fast 2, slow 2" in said
    assert compare.main([str(folder), "--format", "json"]) == 0
    records = json.loads(capsys.readouterr().out)["core_kinds"]
    assert [record["of_equal"] for record in records] == [0.25, 1.0]


def test_the_report_says_it(folder: Path, capsys: Capture) -> None:
    assert report.main([str(folder), "--format", "markdown"]) == 0
    assert "the slow cores had 12 % of the operations" in capsys.readouterr().out


def of_kinds(folder: Path, kinds: list[str]) -> loader.Run:
    """The run as one of a machine whose usable cores are of these kinds."""
    file = folder / "meta.json"
    meta = json.loads(file.read_text(encoding="utf-8"))
    meta["machine"]["core_kinds"] = [{"kind": kind, "usable_threads": 2} for kind in kinds]
    file.write_text(json.dumps(meta), encoding="utf-8")
    return loader.load(folder)


def test_threads_that_the_kernel_placed_are_told_where_it_had_a_choice(make_run: MakeRun) -> None:
    cells = synthetic.sweep(["global", "keyed"], threads=(2,))
    unbound = make_run(cells=[{**cell, "pinning": "none"} for cell in cells])
    (note,) = comparison.within(of_kinds(unbound, ["fast", "slow"]), comparison.Options()).notes
    assert "10 trials with threads that were not bound, on cores of several kinds" in note
    assert comparison.within(of_kinds(unbound, ["fast"]), comparison.Options()).notes == []
    bound = make_run(cells=[{**cell, "pinning": "scatter"} for cell in cells])
    assert comparison.within(of_kinds(bound, ["fast", "slow"]), comparison.Options()).notes == []


def test_where_all_cores_are_equal_nothing_is_said(make_run: MakeRun, capsys: Capture) -> None:
    folder = make_run(cells=synthetic.sweep(["global", "keyed"], threads=(4,)))
    assert core_kinds.of(loader.load(folder)) == []
    assert compare.main([str(folder)]) == 0
    assert "cores" not in capsys.readouterr().out.replace("2 cores", "").replace("4 cores", "")
