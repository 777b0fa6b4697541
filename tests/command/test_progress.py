# SPDX-License-Identifier: Apache-2.0
"""Progress: a bar on a terminal, sparse lines elsewhere, nothing where nothing is wanted."""

from __future__ import annotations

import re

from program import Program, keep_rows, rows_of

RUN = ("run", "--primitive", "global", "--threads", "1", "--mode", "fixed", "--blocks", "8")
CLEAR = "\x1b[K"


def test_a_terminal_gets_a_bar_that_fits(lockbench: Program) -> None:
    written = lockbench.on_a_terminal(60, *RUN, "--out", "out")
    bars = [piece.partition(CLEAR)[0] for piece in written.split("\r") if CLEAR in piece]
    assert len(bars) == 9  # before each trial and at the end
    for done, bar in enumerate(bars):
        assert len(bar) < 60
        assert re.search(rf"\b{done}/8 trials, \d+:\d\d (left|in all)", bar)
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
    keep_rows(out, 6)
    resumed = lockbench.run("run", "--resume", "out", "--progress", "bar")
    assert resumed.returncode == 0, resumed.stderr
    assert re.findall(r"(\d+)/8 trials", resumed.stderr) == ["6", "7", "8"]
    assert len(rows_of(out)) == 8
