# SPDX-License-Identifier: Apache-2.0
"""Shards of a plan: `run --shard i/n`, each in a folder of its own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from installation import ROOT
from program import Program, assert_complete, keep_rows, meta_of, rows_of, wait_until

FIXED = ("--mode", "fixed", "--operations", "1", "--hold", "sleep:10ms", "--progress", "off")
CELLS = ("--primitive", "global", "--primitive", "keyed", "--threads", "1", "--keys", "1,2")
PLAN = ("run", *CELLS, *FIXED, "--blocks", "3")
TRIALS = 3 * 4


def shard(lockbench: Program, i: int, n: int, *more: str, out: str | None = None) -> Any:
    return lockbench.run(*PLAN, *more, "--shard", f"{i}/{n}", "--out", out or f"shards/{i}")


def trials_of(folder: Path) -> list[int]:
    return [int(row["trial"]) for row in rows_of(folder) if row["attempt"] == "0"]


def edit_machine(folder: Path, **members: Any) -> None:
    """As if the shard had been measured elsewhere."""
    meta = meta_of(folder)
    meta["machine"].update(members)
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")


def test_the_shards_together_are_the_plan(lockbench: Program) -> None:
    together: list[int] = []
    hashes = set()
    for i in (1, 2, 3):
        done = shard(lockbench, i, 3)
        assert done.returncode == 0, done.stderr
        assert f"shard {i}/3: 4 trials, all valid" in done.stdout
        folder = lockbench.folder / "shards" / str(i)
        meta = meta_of(folder)
        assert len(meta["plan"]["trials"]) == TRIALS
        assert meta["shard"] == {"index": i, "of": 3}
        assert meta["end"]["state"] == "finished"
        assert {row["machine"] for row in rows_of(folder)} == {meta["machine"]["id"]}
        hashes.add(meta["plan_hash"])
        together += trials_of(folder)
        assert len({row["block"] for row in rows_of(folder)}) == 1
    assert sorted(together) == list(range(TRIALS))
    assert len(hashes) == 1


def test_a_dry_run_prints_the_shard(lockbench: Program) -> None:
    done = lockbench.run(*PLAN, "--shard", "2/6", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "2 trials in shard 2/6 of 12 trials in 3 blocks, about" in done.stdout
    assert list(lockbench.folder.iterdir()) == []


def test_the_page_shows_what_too_many_shards_are_told(lockbench: Program) -> None:
    page = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    (typed, told) = re.findall(r"```console\n\$ lockbench (.*)\n([^`]*)```", page)[0]
    done = lockbench.run(*typed.split())
    assert (done.returncode, done.stderr.split()) == (2, told.split())


def test_the_same_command_goes_on_and_then_says_that_all_is_done(lockbench: Program) -> None:
    process = lockbench.start(*PLAN, "--shard", "1/1", "--out", "one")
    folder = lockbench.folder / "one"
    wait_until(lambda: len(rows_of(folder)) >= 2, "no rows")
    process.kill()
    process.communicate()
    kept = rows_of(folder)
    assert len(kept) < TRIALS
    again = lockbench.run(*PLAN, "--shard", "1/1", "--out", "one")
    assert again.returncode == 0, again.stderr
    assert_complete(folder, TRIALS)
    assert rows_of(folder)[: len(kept)] == kept
    once_more = lockbench.run(*PLAN, "--shard", "1/1", "--out", "one")
    assert once_more.returncode == 0
    assert "all 12 trials have their row" in once_more.stderr
    assert "Measured one: shard 1/1: 12 trials" in once_more.stdout
    assert_complete(folder, TRIALS)


def test_a_requeued_task_on_another_machine_goes_on_beside_what_is_there(
    lockbench: Program,
) -> None:
    assert shard(lockbench, 1, 1, out="one").returncode == 0
    one = lockbench.folder / "one"
    keep_rows(one, 4 + 1)  # the first block is whole; of the second, one trial is there
    edit_machine(one, host="elsewhere", boot_id="other", usable_threads=77, id="elsewhere-1")
    before = (one / "trials.csv").read_bytes()
    done = shard(lockbench, 1, 1, out="one")
    assert done.returncode == 0, done.stderr
    assert (one / "trials.csv").read_bytes() == before
    second = one / "machine-2"
    blocks = {row["block"] for row in rows_of(second)}
    assert blocks == {"1", "2"}
    assert len(trials_of(second)) == 8
    # And there again, everything is done.
    again = shard(lockbench, 1, 1, out="one")
    assert "nothing was left to measure: all 12 trials" in again.stderr


@pytest.mark.parametrize(
    "more, said",
    [
        (("--seed", "9"), "another plan (seed 1 and 9)"),
        (("--blocks", "6"), "another plan (blocks 3 and 6)"),
    ],
)
def test_a_folder_of_another_plan_is_left_alone(
    lockbench: Program, more: tuple[str, ...], said: str
) -> None:
    assert shard(lockbench, 1, 3).returncode == 0
    before = (lockbench.folder / "shards" / "1" / "trials.csv").read_bytes()
    plan = [word for word in PLAN if more[0] != "--blocks" or word not in ("--blocks", "3")]
    done = lockbench.run(*plan, *more, "--shard", "1/3", "--out", "shards/1")
    assert done.returncode == 2
    assert said in done.stderr and "name another folder" in done.stderr
    assert (lockbench.folder / "shards" / "1" / "trials.csv").read_bytes() == before


def test_a_folder_of_another_shard_or_of_a_run_is_left_alone(lockbench: Program) -> None:
    assert shard(lockbench, 1, 3).returncode == 0
    done = shard(lockbench, 2, 3, out="shards/1")
    assert done.returncode == 2 and "the folder holds shard 1/3, not 2/3" in done.stderr
    assert lockbench.run(*PLAN, "--out", "whole").returncode == 0
    done = shard(lockbench, 2, 3, out="whole")
    assert done.returncode == 2 and "a run that is no shard" in done.stderr
    resumed = lockbench.run("run", "--resume", "shards/1")
    assert resumed.returncode == 2 and "give its own command again" in resumed.stderr
