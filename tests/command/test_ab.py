# SPDX-License-Identifier: Apache-2.0
"""`lockbench ab`: two versions of a lock, measured in turn, become two runs and one answer."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

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


def test_a_revision_is_built_beside_this_folder(lockbench: Program) -> None:
    def git(*words: str) -> None:
        own = ["git", "-c", "user.name=n", "-c", "user.email=e@x", *words]
        subprocess.run(own, cwd=lockbench.folder, check=True, capture_output=True)

    git("init", "-q")
    (lockbench.folder / "version").write_text("1", encoding="utf-8")
    shutil.copy(C_LOCKS, lockbench.folder / "source")
    git("add", ".")
    git("commit", "-qm", "one")
    (lockbench.folder / "version").write_text("2", encoding="utf-8")
    build = "mkdir -p b && cat source version > b/locks.so"
    words = ("--base", "HEAD", "--build", build, "--plugin", "b/locks.so")
    found = answer(lockbench, *words, "--primitive", "c_stripes")
    assert [one["primitive"] for one in found["comparisons"]] == ["c_stripes"]
    built = [(lockbench.folder / f"out/plugins/{name}/locks.so").read_bytes() for name in "AB"]
    assert [one[-1:] for one in built] == [b"1", b"2"]
    left = ["git", "worktree", "list"]
    done = subprocess.run(left, cwd=lockbench.folder, check=True, capture_output=True, text=True)
    assert done.stdout.count("\n") == 1, "the revision's folder is gone"


def test_a_run_that_cannot_be_says_so(lockbench: Program) -> None:
    done = lockbench.run("ab", str(C_LOCKS), str(C_LOCKS), "--threads", "x")
    assert (done.returncode, done.stdout) == (2, "")
    assert "lockbench run: --threads: " in done.stderr
