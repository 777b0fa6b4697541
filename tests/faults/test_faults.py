# SPDX-License-Identifier: Apache-2.0
"""Each system call of a small run fails in turn, the process is killed before each, and the power
fails before each: no row that was reported is ever lost, and a run can always be gone on with."""

from __future__ import annotations

import csv
import errno
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from layer import LAYER, calls_in, chosen, faults_of

from tiers import LONG

SMALL_RUN = os.environ.get("LOCKBENCH_SMALL_RUN", "build/release/tests/faults/small_run")
TRIALS = 3


@dataclass
class Ended:
    """How a small run ended."""

    code: int
    said: list[str]  # what it reported as done
    err: str


@dataclass
class Workspace:
    """A folder in memory with the folders of one case."""

    folder: Path
    cases: int = 0
    run: Path = field(init=False)

    def next_case(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.cases += 1
        # Its parent is not there either.
        self.run = self.folder / "runs" / "run"
        (self.folder / "disk").mkdir()

    def small_run(self, command: str, **faults: str | int | Path) -> Ended:
        layer = {f"FAULTS_{name.upper()}": str(value) for name, value in faults.items()}
        preload = {"LD_PRELOAD": LAYER, "FAULTS_FOLDER": str(self.folder / "runs"), **layer}
        done = subprocess.run(
            [SMALL_RUN, command, str(self.run)],
            env={**os.environ, **(preload if faults else {})},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return Ended(done.returncode, done.stdout.splitlines(), done.stderr)

    def calls(self, command: str) -> list[str]:
        """The names of the calls of a run that nothing disturbs."""
        log = self.folder / "log"
        assert self.small_run(command, log=log).code == 0
        return calls_in(log)

    def rows(self) -> list[int]:
        """The trials that have a whole row."""
        trials = self.run / "trials.csv"
        if not trials.exists():
            return []
        text = trials.read_text(encoding="utf-8")
        lines = text[: text.rfind("\n") + 1].splitlines()
        return [int(row["trial"]) for row in csv.DictReader(lines)]

    def assert_can_be_completed(self) -> None:
        """A run that nothing disturbs any more goes on to the end of it, or begins it."""
        ended = self.small_run("resume")
        if ended.code != 0:
            assert not self.rows(), ended
            ended = self.small_run("begin")
        assert ended.code == 0, ended
        assert ended.err == ""
        assert sorted(self.rows()) == list(range(TRIALS))
        meta = json.loads((self.run / "meta.json").read_text(encoding="utf-8"))
        assert meta["end"]["state"] == "finished"
        latency = (self.run / "latency.csv").read_text(encoding="utf-8").splitlines()
        # Each of the example's trials has three buckets.
        assert len(latency) == 1 + 3 * TRIALS


@pytest.fixture(name="workspace")
def workspace_fixture() -> Iterator[Workspace]:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        workspace = Workspace(Path(folder) / "case")
        workspace.next_case()
        yield workspace


def reported(ended: Ended) -> list[int]:
    return [int(line.split()[1]) for line in ended.said if line.startswith("row ")]


def assert_sound_end(ended: Ended) -> None:
    assert ended.code in (0, 1, 2), ended
    assert (ended.err.count("\n") == 1) == (ended.code != 0), ended
    assert ("finished" in ended.said) == (ended.code == 0), ended


def tear(workspace: Workspace) -> None:
    """As a killed process leaves it: two rows, a torn one, and latencies of a third trial."""
    assert workspace.small_run("begin").code == 0
    trials = workspace.run / "trials.csv"
    trials.write_bytes(trials.read_bytes()[:-7])
    meta = workspace.run / "meta.json"
    text = meta.read_text(encoding="utf-8")
    meta.write_text(text.replace('"finished"', '"running"'), encoding="utf-8")


def prepare(workspace: Workspace, command: str) -> None:
    workspace.next_case()
    if command == "resume":
        tear(workspace)


@pytest.mark.parametrize("command", ["begin", "resume"])
def test_each_call_fails_in_turn(workspace: Workspace, command: str) -> None:
    prepare(workspace, command)
    calls = workspace.calls(command)
    assert len(calls) > 20 and "fdatasync" in calls and "rename" in calls
    for number, name in chosen(calls):
        for how in faults_of(name):
            once: dict[str, int] = {}
            for stays in (once, {"stays": 1}) if how == str(errno.ENOSPC) else (once,):
                prepare(workspace, command)
                before = workspace.rows()
                ended = workspace.small_run(command, at=number, how=how, **stays)
                where = f"{command}, call {number}, {name}: {how} {stays}"
                assert_sound_end(ended)
                assert set(before + reported(ended)) <= set(workspace.rows()), where
                workspace.assert_can_be_completed()


@pytest.mark.parametrize("command", ["begin", "resume"])
def test_the_process_is_killed_before_each_call(workspace: Workspace, command: str) -> None:
    prepare(workspace, command)
    for number, _ in chosen(workspace.calls(command)):
        prepare(workspace, command)
        before = workspace.rows()
        ended = workspace.small_run(command, at=number, how="kill")
        assert ended.code == -9
        assert set(before + reported(ended)) <= set(workspace.rows()), number
        workspace.assert_can_be_completed()


def written_by(disk: Path, folder: str, into: Path) -> None:
    """Makes the files that a disk has: names as of the last fsync() of their folder, contents as of
    the last one of the file."""
    names = disk / f"folder-{folder}"
    if not names.exists():
        return
    for line in names.read_text(encoding="utf-8").splitlines():
        inode, kind, name = line.split(" ", 2)
        if kind == "d":
            (into / name).mkdir()
            written_by(disk, inode, into / name)
        elif (disk / f"file-{inode}").exists():
            shutil.copyfile(disk / f"file-{inode}", into / name)
        else:
            (into / name).touch()


def fail_power(workspace: Workspace) -> None:
    """Leaves of the run's folders what was waited for, as the most forgetful disk does."""
    root = workspace.folder / "runs"
    inode = str(root.stat().st_ino)
    shutil.rmtree(root)
    root.mkdir()
    written_by(workspace.folder / "disk", inode, root)


def test_the_power_fails_before_each_call(workspace: Workspace) -> None:
    (workspace.folder / "runs").mkdir()
    for number in range(1, len(workspace.calls("begin")) + 2):
        workspace.next_case()
        (workspace.folder / "runs").mkdir()
        ended = workspace.small_run("begin", at=number, how="kill", disk=workspace.folder / "disk")
        fail_power(workspace)
        rows = workspace.rows()
        if "begun" in ended.said:
            assert (workspace.run / "meta.json").exists(), number
        if "synced" in ended.said:
            assert set(rows) >= {0, 1}, number
        if "finished" in ended.said:
            assert sorted(rows) == list(range(TRIALS)), number
        workspace.assert_can_be_completed()


def test_each_allocation_fails_in_turn(workspace: Workspace) -> None:
    count = workspace.folder / "count"
    assert workspace.small_run("begin", malloc=0, count=count).code == 0
    allocations = int(count.read_text(encoding="ascii"))
    assert allocations > 100
    for number in range(1, allocations + 1, 1 if LONG else 15):
        workspace.next_case()
        ended = workspace.small_run("begin", malloc=number)
        assert_sound_end(ended)
        assert set(reported(ended)) <= set(workspace.rows()), number
        workspace.assert_can_be_completed()
