# SPDX-License-Identifier: Apache-2.0
"""Progress: a bar on a terminal, sparse lines elsewhere, nothing where nothing is wanted."""

from __future__ import annotations

import re

import pytest

from program import Program, rows_of

RUN = ("run", "--primitive", "global", "--threads", "1", "--mode", "fixed", "--blocks", "8")
CLEAR = "\x1b[K"


@pytest.mark.parametrize("columns", [30, 60, 200])
def test_a_terminal_gets_a_bar_that_fits(lockbench: Program, columns: int) -> None:
    written = lockbench.on_a_terminal(columns, *RUN)
    bars = [piece.partition(CLEAR)[0] for piece in written.split("\r") if CLEAR in piece]
    assert len(bars) == 9  # before each trial and at the end
    for done, bar in enumerate(bars):
        assert len(bar) < columns
        assert re.search(rf"\b{done}/8 trials, \d+:\d\d (left|in all)", bar)
    assert ("[" in bars[0]) == (columns > 30)
    if columns == 200:
        assert "global, counter, 1 thread" in bars[0]
        assert bars[-1].startswith("[====================] 8/8 trials")


def test_the_bar_is_left_before_the_closing_words(lockbench: Program) -> None:
    written = lockbench.on_a_terminal(80, *RUN, "--out", "out")
    assert re.search(r"in all(\s*)\x1b\[K\r\nMeasured out: 8 trials, all valid\r\n", written)


def test_lines_are_sparse_and_plain(lockbench: Program) -> None:
    done = lockbench.run(*RUN)
    lines = [line for line in done.stderr.splitlines() if "/8 trials" in line]
    assert lines[0].startswith("0/8 trials, 0:01 left: global, counter")
    assert re.fullmatch(r"8/8 trials, \d+:\d\d in all", lines[-1])
    assert len(lines) < 8
    assert "\r" not in done.stderr and "\x1b" not in done.stderr


def test_off_is_silent(lockbench: Program) -> None:
    assert "trials," not in lockbench.run(*RUN, "--progress", "off").stderr


def test_a_bar_can_be_had_where_there_is_no_terminal(lockbench: Program) -> None:
    assert lockbench.run(*RUN, "--progress", "bar").stderr.count(CLEAR) == 9


def test_a_resumed_run_counts_from_its_beginning(lockbench: Program) -> None:
    out = lockbench.folder / "out"
    assert lockbench.run(*RUN, "--out", "out").returncode == 0
    trials = out / "trials.csv"
    lines = trials.read_text(encoding="utf-8").splitlines(keepends=True)
    trials.write_text("".join(lines[:7]), encoding="utf-8")  # two rows taken out
    resumed = lockbench.run("run", "--resume", "out", "--progress", "bar")
    assert resumed.returncode == 0, resumed.stderr
    assert re.findall(r"(\d+)/8 trials", resumed.stderr) == ["6", "7", "8"]
    assert len(rows_of(out)) == 8
