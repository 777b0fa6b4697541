# SPDX-License-Identifier: Apache-2.0
"""A run ends with the comparison of its rows, as `lockbench compare` prints it."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from program import Program, keep_rows

# Fixed work of sleeps: who is faster is decided by how many hold at once, not by the machine.
RUN = ("run", "--primitive", "global:lock=std", "--primitive", "keyed", "--threads", "4")
WORK = ("--key-distribution", "assigned:5,5,5,5", "--mode", "fixed", "--hold", "sleep:2ms")
SMALL = (*RUN, *WORK, "--blocks", "3", "--out", "out", "--progress", "off")
COLOURS = {**os.environ, "TERM": "xterm"}
COLOURS.pop("NO_COLOR", None)


def test_a_run_ends_with_its_comparison(lockbench: Program) -> None:
    done = lockbench.run(*SMALL, summary=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "Measured out: 6 trials, all valid"
    assert any(line.endswith("against global:lock=std") for line in lines)
    assert re.search(r"^  global:lock=std .* ms .* baseline$", done.stdout, re.MULTILINE)
    assert re.search(r"^  keyed .*× .* (faster|inconclusive: .*)$", done.stdout, re.MULTILINE)
    assert lines[-3].startswith("Next: ")


def test_a_run_prints_what_compare_prints(lockbench: Program) -> None:
    done = lockbench.run(*SMALL, "--format", "json", summary=True)
    compared = lockbench.run("compare", "out", "--format", "json")
    assert done.stdout == compared.stdout
    (keyed,) = json.loads(done.stdout)["comparisons"]
    assert (keyed["primitive"], keyed["baseline"]) == ("keyed", "global:lock=std")
    assert keyed["metric"] == "makespan_s" and keyed["threads"] == 4
    assert "Measured out: 6 trials" in done.stderr and "Next: " in done.stderr


def test_a_run_is_saved_under_a_name_and_a_later_one_is_checked_against_it(
    lockbench: Program,
) -> None:
    first = lockbench.run(*SMALL, "--save-baseline", "main")
    assert first.returncode == 0 and "Saved as baseline main" in first.stderr
    link = lockbench.folder / "results" / "baselines" / "main"
    assert link.readlink() == Path("../../out")
    # Whatever was measured: the same again is never slower.
    shutil.copytree(lockbench.folder / "out", lockbench.folder / "again")
    checked = lockbench.run("gate", "again", "--against", "main", "--format", "json")
    found = json.loads(checked.stdout)
    assert checked.returncode == found["exit_code"] and found["exit_code"] in (0, 4)
    assert found["compared"] == 2


@pytest.mark.parametrize("columns", [60, 200])
def test_the_comparison_fits_a_terminal(lockbench: Program, columns: int) -> None:
    written = lockbench.on_a_terminal(columns, *SMALL, env=COLOURS, summary=True)
    plain = re.sub(r"\x1b\[\d*m", "", written).replace("\r", "")
    lines = plain.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("  primitive"))
    end = lines.index("", begin)
    assert all(len(line) <= columns for line in lines[begin:end])
    # A busy machine may leave the comparison undecided, and then it has no colour.
    decided = (
        re.search(r"keyed [^\n]*(\n[^\n]*)?\binconclusive: (faster|slower|medians)", plain) is None
    )
    assert ("\x1b[32m  keyed" in written) == decided


def test_no_colour_where_none_is_wanted(lockbench: Program) -> None:
    written = lockbench.on_a_terminal(80, *SMALL, env={**COLOURS, "NO_COLOR": "1"}, summary=True)
    assert "\x1b[3" not in written


def test_a_resumed_run_compares_the_rows_of_both_sessions(lockbench: Program) -> None:
    assert lockbench.run(*SMALL).returncode == 0
    keep_rows(lockbench.folder / "out", -1)
    words = ("--resume", "out", "--format", "csv", "--progress", "off")
    resumed = lockbench.run("run", *words, summary=True)
    assert resumed.returncode == 0, resumed.stderr
    (row,) = csv.DictReader(resumed.stdout.splitlines())
    assert (row["primitive"], row["blocks"]) == ("keyed", "3")


def test_without_python_there_are_medians_and_what_to_install(lockbench: Program) -> None:
    done = lockbench.run(*SMALL, env={**os.environ, "LOCKBENCH_PYTHON": "/nowhere/python3"})
    assert done.returncode == 0
    assert "no comparison: LOCKBENCH_PYTHON is /nowhere/python3" in done.stderr
    for primitive in ("keyed", "global:lock=std"):
        assert re.search(rf"^  {primitive}, counter, .*: [\d.]+ s$", done.stdout, re.MULTILINE)


def test_groups_that_are_not_shown_are_counted(lockbench: Program) -> None:
    words = ("--primitive", "global", "--keys", "1..40:1", "--threads", "1", "--mode", "fixed")
    done = lockbench.run(
        "run", *words, "--operations", "10", "--blocks", "1", "--out", "out", summary=True
    )
    assert done.returncode == 0, done.stderr
    assert "shown: 12 of 40 groups of cells" in done.stdout
