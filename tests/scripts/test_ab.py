# SPDX-License-Identifier: Apache-2.0
"""Two versions measured in turn: their order, the comparison of pairs, the picture."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ab as script
import pytest
import synthetic
from analysis import ab, comparison, figure, gate, loader
from analysis.pictures import forest
from support import ROOT, MakeRun

CELLS = synthetic.sweep(["keyed"], threads=(1, 4))


def drifting(factor: float) -> Callable[[dict[str, Any]], None]:
    """The machine slows down by 10 % from block to block; keyed on 4 threads has its own factor."""

    def change(row: dict[str, Any]) -> None:
        own = factor if row["threads"] == 4 else 1.0
        noise = 1 + 0.001 * ((7 * row["block"] + row["threads"]) % 5)
        row["operations_per_s"] = 1e6 * own * noise * 0.9 ** row["block"]

    return change


def in_turn(make_run: MakeRun, factor: float, blocks: int = 10) -> comparison.Result:
    runs = []
    for name, own in (("A", 1.0), ("B", factor)):
        run = loader.load(make_run(name, cells=CELLS, blocks=blocks, change=drifting(own)))
        run.trials["run_id"] = name
        runs.append(run)
    return comparison.in_turn(runs[0], runs[1], "B against A", 0.05)


def test_blocks_are_measured_in_turn_and_neither_version_always_comes_second() -> None:
    found = list(ab.order(3))
    assert found == [(1, 0), (1, 1), (2, 1), (2, 0), (3, 0), (3, 1)]


def test_a_version_measures_one_block_of_its_plan_and_only_the_first_one_waits() -> None:
    one = ab.Version("B", "new", "lockbench", Path("my.so"))
    first, second = (one.run(["--threads", "2"], block, 2, Path("o")) for block in (1, 2))
    shard = "--plugin my.so --blocks 2 --shard 1/2 --out o/blocks/B1 --progress off"
    assert first == ["lockbench", "run", "--threads", "2", *shard.split()]
    assert second[-2:] == ["--patience", "2s"]
    assert one.run(["--patience=9s"], 2, 2, Path("o"))[-1] == "off"
    assert one.merge(2, Path("o")) == "lockbench merge o/B o/blocks/B1 o/blocks/B2".split()


@pytest.mark.parametrize("factor, code", [(1.0, 0), (0.8, 3), (1.25, 0)])
def test_pairs_decide_what_drift_would_hide(make_run: MakeRun, factor: float, code: int) -> None:
    result = in_turn(make_run, factor)
    by_threads = {one.threads: one for one in result.table.comparisons}
    assert by_threads[4].ratio == pytest.approx(factor)
    assert by_threads[4].verdict == (
        "same" if factor == 1 else "faster" if factor > 1 else "slower"
    )
    assert by_threads[1].verdict == "same"
    assert by_threads[4].baseline == "A"
    assert gate.of(result, 0.05).exit_code == code


def test_a_block_that_one_version_lacks_is_no_pair(make_run: MakeRun) -> None:
    runs = []
    for name, lost in (("A", 2), ("B", 5)):
        folder = make_run(name, cells=CELLS, blocks=8, change=drifting(1))
        run = loader.load(folder)
        run.trials.loc[run.trials["block"] == lost, "valid"] = False
        runs.append(run)
    result = comparison.in_turn(runs[0], runs[1], "", 0.05)
    assert {one.blocks for one in result.table.comparisons} == {6}
    assert [one.ratio for one in result.table.comparisons] == pytest.approx([1, 1])


def test_the_picture_has_each_ratio_its_interval_and_its_verdict(make_run: MakeRun) -> None:
    figure.use_style()
    result = in_turn(make_run, 0.8)
    made = forest.draw(result)
    assert made is not None
    (axes,) = made.axes
    (slow,) = [one for one in result.table.comparisons if one.verdict == "slower"]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "keyed · 1 thread",
        "keyed · 4 threads",
    ]
    lines = {tuple(map(float, line.get_xdata())): line for line in axes.lines}
    assert slow.low is not None and slow.high is not None
    assert lines[(slow.low, slow.high)].get_ydata()[0] == 1
    point = lines[(slow.ratio,)]
    assert point.get_markerfacecolor() == point.get_color(), "significant: filled"
    assert [text.get_text() for text in axes.texts] == ["1.00× same", "0.800× slower"]


def test_nothing_in_common_is_no_picture(make_run: MakeRun) -> None:
    result = in_turn(make_run, 1.0)
    result.table.__dict__["comparisons"] = []
    assert forest.draw(result) is None


@pytest.mark.parametrize(
    "one, other, common",
    [(["x", "y"], ["y"], ["y"]), (["x"], ["y"], []), ([], ["y"], [])],
)
def test_locks_are_measured_that_both_plug_ins_bring(
    one: list[str], other: list[str], common: list[str]
) -> None:
    found, wrong = ab.common_locks([one, other], ["a.so", "b.so"])
    assert found == common
    assert bool(wrong) != bool(common)


@pytest.mark.parametrize("name", ["github-workflow.yml", "lock-workflow.yml"])
def test_example_workflows_fail_for_what_is_slower_alone(name: str) -> None:
    file = ROOT / "examples" / name
    told = file.read_text(encoding="utf-8").replace("\\\n", " ")
    assert "shell: bash" in told  # with pipefail, or a pipe would hide the exit code
    (words,) = re.findall(r"lockbench ab (.*?)(?: \||>)", told)
    arguments, of_run = script.parser().parse_known_args(shlex.split(words))
    assert not [word for word in of_run if word.startswith("-")]
    assert arguments.fail_if_slower == 0.1 and arguments.allow_inconclusive
    assert arguments.format == "markdown" and arguments.out == Path("ab")
