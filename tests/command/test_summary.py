# SPDX-License-Identifier: Apache-2.0
"""A run ends in its standings: for people on terminals of any width, and for programs."""

from __future__ import annotations

import csv
import json
import os
import re

import pytest

from program import Program, rows_of

# Fixed work of sleeps: who is faster is decided by how many hold at once, not by the machine.
RUN = ("run", "--primitive", "global:lock=std", "--primitive", "keyed", "--threads", "4")
WORK = ("--key-distribution", "assigned:5,5,5,5", "--mode", "fixed", "--hold", "sleep:2ms")
SMALL = (*RUN, *WORK, "--blocks", "2", "--out", "out", "--progress", "off")
COLOURS = {**os.environ, "TERM": "xterm"}
COLOURS.pop("NO_COLOR", None)


def test_the_fastest_comes_first_relative_to_the_baseline(lockbench: Program) -> None:
    done = lockbench.run(*SMALL)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "Measured out: 4 trials, all valid"
    assert lines[2].startswith("counter, 4 threads, 4 keys, assigned:5,5,5,5, hold sleep:2ms")
    assert re.match(r"  primitive +makespan +ratio +interval", lines[3])
    assert re.match(r"  keyed +█+ .* ms +\d\.\d+× +\d\.\d+–\d\.\d+$", lines[4])
    assert re.match(r"  global:lock=std +█*\S* .* ms +baseline ", lines[5])
    assert "covers it with 50 %" in done.stdout
    assert lines[-3].startswith("Next: ")


@pytest.mark.parametrize("columns", [30, 60, 80, 200])
def test_the_standings_fit_a_terminal(lockbench: Program, columns: int) -> None:
    written = lockbench.on_a_terminal(columns, *SMALL, env=COLOURS)
    lines = re.sub(r"\x1b\[\d*m", "", written).splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("  primitive"))
    assert all(len(line) <= columns for line in lines[begin : lines.index("How to read it")])
    assert ("█" in written) == (columns >= 60)
    assert "\x1b[1m  keyed" in written


@pytest.mark.parametrize(
    "environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb"]
)
def test_no_colour_where_none_is_wanted(lockbench: Program, environment: dict[str, str]) -> None:
    written = lockbench.on_a_terminal(80, *SMALL, env={**COLOURS, **environment})
    assert "\x1b" not in written


def test_json_stands_alone_on_standard_output(lockbench: Program) -> None:
    done = lockbench.run(*SMALL, "--format", "json")
    said = json.loads(done.stdout)
    assert said["run"] == "out" and said["trials"] == said["valid"] == 4
    (section,) = said["sections"]
    assert section["section"] == "standings"
    keyed, baseline = section["rows"]
    assert (keyed["primitive"], baseline["primitive"]) == ("keyed", "global:lock=std")
    assert keyed["metric"] == "makespan_s" and keyed["threads"] == 4
    assert keyed["ratio_low"] <= keyed["ratio"] <= keyed["ratio_high"]
    assert baseline["ratio"] == 1 and baseline["ratio_low"] is None
    makespans = sorted(
        float(row["makespan_s"])
        for row in rows_of(lockbench.folder / "out")
        if row["primitive"] == "keyed"
    )
    assert keyed["median"] == pytest.approx(sum(makespans) / 2)
    assert "Measured out: 4 trials" in done.stderr and "Next: " in done.stderr


def test_csv_and_markdown_stand_alone_too(lockbench: Program) -> None:
    table = list(csv.DictReader(lockbench.run(*SMALL, "--format", "csv").stdout.splitlines()))
    assert [row["primitive"] for row in table] == ["keyed", "global:lock=std"]
    assert float(table[0]["median_low"]) <= float(table[0]["median"])
    words = ("--resume", "out", "--format", "markdown", "--progress", "off")
    trials = lockbench.folder / "out" / "trials.csv"
    kept = trials.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]
    trials.write_text("".join(kept), encoding="utf-8")
    resumed = lockbench.run("run", *words)
    assert resumed.returncode == 0, resumed.stderr
    assert resumed.stdout.startswith("### counter, 4 threads")
    # Of both sessions: two blocks each.
    assert "| **keyed** |" in resumed.stdout and "| baseline |" in resumed.stdout
    assert "covers it with 50 %" in resumed.stdout


def test_another_format_is_told_of(lockbench: Program) -> None:
    done = lockbench.run("run", "quick", "--format", "html")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "'html' is none of text, json, csv, markdown" in done.stderr


def test_what_is_left_out_is_counted(lockbench: Program) -> None:
    words = ("--primitive", "global", "--keys", "1..40:1", "--threads", "1", "--mode", "fixed")
    done = lockbench.run("run", *words, "--operations", "10", "--blocks", "1", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "the 12 most telling of 40 groups of cells" in " ".join(done.stdout.split())
    assert "--blocks 6" in done.stdout


def test_what_lost_updates_has_no_figure(lockbench: Program) -> None:
    words = ("--primitive", "none", "--primitive", "keyed", "--hold", "sleep:50ms")
    done = lockbench.run("run", "article-21x6", "--blocks", "1", *words, "--out", "out")
    assert "1 × none, counter: lost 15 updates in 21 operations" in done.stdout
    assert re.search(r"^  none +not valid", done.stdout, re.MULTILINE)
