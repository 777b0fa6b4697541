# SPDX-License-Identifier: Apache-2.0
"""`lockbench ab`: two versions of a lock, measured in turn, become two runs and one answer."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from program import BINARY, PLUGINS, Program, meta_of, rows_of

C_LOCKS = PLUGINS / "c_locks.so"
CELLS = "--mode fixed --operations 5 --threads 1 --patience 0 --blocks 2 --out out".split()


def answer(lockbench: Program, *words: str) -> dict[str, Any]:
    done = lockbench.run("ab", *words, *CELLS, "--format", "json")
    assert done.returncode in (0, 3, 4), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["exit_code"] == done.returncode
    return found


def test_two_plug_ins_become_two_runs_of_one_plan_in_pairs(lockbench: Program) -> None:
    old = lockbench.folder / "old.so"
    old.write_bytes(C_LOCKS.read_bytes() + b"0")
    found = answer(lockbench, "old.so", str(C_LOCKS))
    locks = {"c_stripes", "global:lock=c_spin", "striped:lock=c_spin", "keyed_table:lock=c_spin"}
    assert {one["primitive"] for one in found["comparisons"]} == locks
    rows = {name: rows_of(lockbench.folder / "out" / name) for name in "AB"}
    assert [row["seed"] for row in rows["A"]] == [row["seed"] for row in rows["B"]]
    assert {row["block"] for row in rows["A"]} == {"0", "1"}
    runs = [meta_of(lockbench.folder / "out" / name) for name in "AB"]
    hashes = {run["plugins"][0]["file_hash"] for run in runs}
    assert len(hashes) == 2
    assert all((lockbench.folder / file).stat().st_size for file in found["pictures"])
    again = answer(lockbench, "old.so", str(C_LOCKS))
    assert again == found, "nothing is measured twice"


def test_two_programs_are_compared_by_what_they_have(lockbench: Program) -> None:
    found = answer(lockbench, str(BINARY), str(BINARY), "--primitive", "global")
    assert {one["primitive"] for one in found["comparisons"]} == {"global"}


BUILD = "mkdir -p b && cat source version > b/locks.so"


def make_two_versions(folder: Path) -> None:
    """A repository whose revision has version 1, and whose folder has version 2."""

    def git(*words: str) -> None:
        own = ["git", "-c", "user.name=n", "-c", "user.email=e@x", *words]
        subprocess.run(own, cwd=folder, check=True, capture_output=True)

    git("init", "-q")
    (folder / "version").write_text("1", encoding="utf-8")
    shutil.copy(C_LOCKS, folder / "source")
    git("add", ".")
    git("commit", "-qm", "one")
    (folder / "version").write_text("2", encoding="utf-8")


@pytest.mark.parametrize("absolute", [False, True])
def test_a_revision_is_built_beside_this_folder(absolute: bool, lockbench: Program) -> None:
    make_two_versions(lockbench.folder)
    plugin = str(lockbench.folder / "b/locks.so") if absolute else "b/locks.so"
    words = ("--base", "HEAD", "--build", BUILD, "--plugin", plugin)
    found = answer(lockbench, *words, "--primitive", "c_stripes")
    assert [one["primitive"] for one in found["comparisons"]] == ["c_stripes"]
    built = [(lockbench.folder / f"out/plugins/{name}/locks.so").read_bytes() for name in "AB"]
    assert [one[-1:] for one in built] == [b"1", b"2"]
    left = ["git", "worktree", "list"]
    done = subprocess.run(left, cwd=lockbench.folder, check=True, capture_output=True, text=True)
    assert done.stdout.count("\n") == 1, "the revision's folder is gone"


def refusal(lockbench: Program, *words: str) -> str:
    done = lockbench.run("ab", *words, *CELLS)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    return str(done.stderr)


def test_a_file_that_both_versions_would_have_is_refused(lockbench: Program) -> None:
    make_two_versions(lockbench.folder)
    words = ("--base", "HEAD", "--build", BUILD, "--plugin")
    assert "is outside of this folder" in refusal(lockbench, *words, "/elsewhere/locks.so")
    folder = lockbench.folder.parent / f"{lockbench.folder.name}-elsewhere"
    folder.mkdir()
    shutil.copy(C_LOCKS, folder / "locks.so")
    linked = refusal(
        lockbench, "--base", "HEAD", "--build", f"ln -sf {folder} out", "--plugin", "out/locks.so"
    )
    assert f"is {folder}/locks.so, outside of " in linked


def test_a_build_that_makes_no_difference_is_told(lockbench: Program) -> None:
    make_two_versions(lockbench.folder)
    build = "mkdir -p b && cp source b/locks.so"
    words = ("--base", "HEAD", "--build", build, "--plugin", "b/locks.so")
    done = lockbench.run("ab", *words, *CELLS, "--primitive", "c_stripes")
    assert "--build made the same file of both versions" in done.stderr


def test_all_that_git_says_is_told(lockbench: Program) -> None:
    words = ("--base", "no-such", "--build", BUILD, "--plugin", "b/locks.so")
    assert "not a git repository" in refusal(lockbench, *words)
    make_two_versions(lockbench.folder)
    said = refusal(lockbench, *words)
    assert "--base: git worktree: " in said and "no-such" in said and "\\t" not in said


def test_a_changed_plug_in_does_not_go_on(lockbench: Program) -> None:
    old = lockbench.folder / "old.so"
    old.write_bytes(C_LOCKS.read_bytes() + b"0")
    answer(lockbench, "old.so", str(C_LOCKS))
    old.write_bytes(C_LOCKS.read_bytes() + b"1")
    said = refusal(lockbench, "old.so", str(C_LOCKS))
    assert "old.so" in said and "goes on" not in said


def test_a_run_that_cannot_be_says_so(lockbench: Program) -> None:
    done = lockbench.run("ab", str(C_LOCKS), str(C_LOCKS), "--threads", "x")
    assert (done.returncode, done.stdout) == (2, "")
    assert "lockbench run: --threads: " in done.stderr
