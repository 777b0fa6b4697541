# SPDX-License-Identifier: Apache-2.0
"""Kills at any moment, of shards and of merges: nothing is lost, nothing counts twice.

LOCKBENCH_KILLS says how often; ctest takes 200.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from plan import FLAGS, TRIALS, is_whole
from program import Program, assert_complete, rows_of, wait_until

KILLS = int(os.environ.get("LOCKBENCH_KILLS", "12"))
SHARDS = 3


def shard(i: int) -> tuple[str, ...]:
    return (
        *("run", *FLAGS, "--progress", "off"),
        *("--shard", f"{i}/{SHARDS}", "--out", f"shards/{i}"),
    )


def killed(lockbench: Program, seconds: float, *words: str) -> bool:
    """Starts the command and kills it after some time; false if it had ended by then."""
    process = lockbench.start(*words)
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    return False


def rows_are_kept(before: list[dict[str, str]], folder: Path) -> None:
    assert rows_of(folder)[: len(before)] == before


def test_kills_lose_nothing_and_double_nothing(lockbench: Program) -> None:
    draw = random.Random(KILLS)
    folder = lockbench.folder / "shards"
    kills = 0
    while kills < KILLS:
        i = draw.randint(1, SHARDS)
        before = rows_of(folder / str(i))
        if draw.random() < 0.7:
            kills += killed(lockbench, draw.uniform(0.05, 0.9), *shard(i))
        elif folder.exists() and any(rows_of(one) for one in folder.iterdir()):
            kills += killed(
                lockbench, draw.uniform(0.001, 0.04), "merge", "all", "shards", "--partial"
            )
            if (lockbench.folder / "all").exists():
                done = lockbench.run("merge", "check", "all", "--partial")
                assert done.returncode == 0, done.stderr
        rows_are_kept(before, folder / str(i))
        if all(len(rows_of(folder / str(one))) * SHARDS >= TRIALS for one in (1, 2, 3)):
            finish(lockbench)
            shutil.rmtree(folder)
            shutil.rmtree(lockbench.folder / "all")
            shutil.rmtree(lockbench.folder / "check", ignore_errors=True)
    finish(lockbench)


def finish(lockbench: Program) -> None:
    for i in (1, 2, 3):
        done = lockbench.run(*shard(i))
        assert done.returncode == 0, done.stderr
    done = lockbench.run("merge", "all", "shards")
    assert done.returncode == 0, done.stderr
    assert is_whole(lockbench.folder / "all")
    assert_complete(lockbench.folder / "all", TRIALS)
    assert not (lockbench.folder / "all.merging").exists()


def test_a_shard_on_a_disk_that_fills_keeps_its_rows_and_goes_on(lockbench: Program) -> None:
    assert lockbench.run(*shard(1)).returncode == 0
    disk = lockbench.folder / "shards" / "2"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("skipped: root is needed to mount a disk")
    try:
        process = lockbench.start(*shard(2))
        wait_until(lambda: len(rows_of(disk)) >= 2, "the shard has no rows")
        with pytest.raises(OSError, match="No space left"):
            (disk / "of_others").write_bytes(bytes(256 << 10))
        _, complaint = process.communicate()
        assert process.returncode == 1, complaint
        assert "No space left on device" in complaint
        before = rows_of(disk)
        assert 2 <= len(before) < TRIALS // SHARDS
        assert lockbench.run(*shard(3)).returncode == 0
        partial = lockbench.run("merge", "all", "shards", "--partial")
        assert partial.returncode == 0, partial.stderr
        missing = TRIALS // SHARDS - len(before)
        assert f"{missing} of {TRIALS} trials are missing" in partial.stderr
        (disk / "of_others").unlink()
        finish(lockbench)
        rows_are_kept(before, disk)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_shard_under_a_limit_of_its_files_loses_no_other(lockbench: Program) -> None:
    for i in (1, 3):
        assert lockbench.run(*shard(i)).returncode == 0
    # The plan fits; a few rows do.
    size = (lockbench.folder / "shards" / "1" / "meta.json").stat().st_size
    done = lockbench.run(*shard(2), file_limit=size + 300)
    assert done.returncode in (0, 1, 2), done.stderr
    limit = 2 << 10
    trials = lockbench.folder / "shards" / "2"
    shutil.rmtree(trials, ignore_errors=True)
    done = lockbench.run(*shard(2), file_limit=limit)
    assert done.returncode == 2 and "ulimit -f" in done.stderr
    partial = lockbench.run("merge", "all", "shards", "--partial")
    assert partial.returncode == 0, partial.stderr
    assert "8 of 24 trials are missing" in partial.stderr
    finish(lockbench)
