# SPDX-License-Identifier: Apache-2.0
"""A run holds its own whatever it is started from."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from program import Program, assert_complete, rows_of, wait_until

FIXED = ("--primitive", "global", "--threads", "1", "--mode", "fixed", "--operations", "1")
RUN = ("run", *FIXED, "--hold", "sleep:10ms", "--blocks", "12", "--out", "out")


def in_shell(lockbench: Program, script: str, *words: str) -> int:
    """Runs the program as `"$@"` of a shell script; its exit code."""
    process = lockbench.start(
        "-c", script, "sh", str(lockbench.binary), *words, executable="/bin/sh"
    )
    process.communicate()
    code: int = process.returncode
    return code


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_do_not_end_up_in_the_rows(lockbench: Program, closed: str) -> None:
    assert in_shell(lockbench, f'exec "$@" {closed}', *RUN, "--progress", "bar") == 0
    assert_complete(lockbench.folder / "out", 12)
    assert "trials," not in (lockbench.folder / "out" / "trials.csv").read_text(encoding="utf-8")


def test_a_newer_build_in_its_place_does_not_mix_with_a_run(lockbench: Program) -> None:
    copy = lockbench.folder / "lockbench"
    shutil.copy(lockbench.binary, copy)
    replacement = lockbench.folder / "newer"
    replacement.write_text("#!/bin/sh\nexit 9\n", encoding="utf-8")
    replacement.chmod(0o755)
    out = lockbench.folder / "out"
    process = Program(lockbench.folder, copy).start(*RUN)
    wait_until(lambda: rows_of(out), "no rows")
    os.replace(replacement, copy)
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert_complete(out, 12)
    assert {row["outcome"] for row in rows_of(out)} == {"ok"}


def test_ignored_deaths_of_children_are_seen_all_the_same(lockbench: Program) -> None:
    # Were the death of `false` not seen, it would pass for a Python that has what plot needs.
    ignoring = 'trap "" CHLD; LOCKBENCH_PYTHON=false exec "$@"'
    assert in_shell(lockbench, ignoring, "plot", "nowhere") == 2


@pytest.mark.parametrize("words", [("list",), ("run", "quick", "--dry-run"), ("--help",)])
def test_output_that_cannot_be_written_is_an_error(
    lockbench: Program, words: tuple[str, ...]
) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = lockbench.run(*words, stdout=full)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "standard output" in done.stderr


def test_a_preset_of_an_endless_name_still_gets_a_folder(lockbench: Program) -> None:
    plan = lockbench.folder / ("x" * 240 + ".toml")
    plan.write_text(
        'title = "x"\nprimitive = "keyed"\nblocks = 1\nmode = "fixed"\noperations = 1\n'
    )
    done = lockbench.run("run", plan.name)
    assert done.returncode == 0, done.stderr
    (out,) = (lockbench.folder / "results" / "runs").iterdir()
    assert_complete(out, 1)


def test_scripts_take_an_interpreter_by_its_name(lockbench: Program) -> None:
    path = lockbench.folder / "tools"
    path.mkdir()
    (path / "my-python").write_text("#!/bin/sh\necho called\n", encoding="utf-8")
    (path / "my-python").chmod(0o755)
    done = lockbench.run("plot", "x", env={"PATH": str(path), "LOCKBENCH_PYTHON": "my-python"})
    assert (done.returncode, done.stdout) == (0, "called\n")
