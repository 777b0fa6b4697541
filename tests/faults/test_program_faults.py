# SPDX-License-Identifier: Apache-2.0
"""Each system call that `lockbench run`, `run --resume` and `report` make on a run's files fails in
turn, and the process is killed before each: a finished row is never lost, and the run and its page
can always be completed.

LOCKBENCH_TESTS=long, as `./scripts/test.sh --long` sets it, runs all cases, which takes some
minutes; without it, each kind of call goes wrong in one way and at one call.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from layer import LAYER, calls_in, faults_of
from tiers import LONG, rest_long

BINARY = Path(os.environ.get("LOCKBENCH_BINARY", "build/release/lockbench")).resolve()
TRIALS = 2
PLAN = f"""title = "Two trials"
primitive = "global"
threads = 1
mode = "fixed"
operations = 1
blocks = {TRIALS}
"""

# Instead of Python, where nothing is compared: it has all modules, and says nothing.
NO_PYTHON = "#!/bin/sh\nexit 0\n"


@dataclass
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str  # but for remarks about the machine and about the repair


@dataclass
class Workspace:
    """A folder in memory, with the run of one case."""

    folder: Path

    @property
    def run(self) -> Path:
        return self.folder / "runs" / "run"

    def next_case(self) -> None:
        shutil.rmtree(self.folder / "runs", ignore_errors=True)

    def lockbench(self, *words: str, **faults: str | int | Path) -> Ended:
        layer = {f"FAULTS_{name.upper()}": str(value) for name, value in faults.items()}
        preload = {"LD_PRELOAD": str(LAYER), "FAULTS_FOLDER": str(self.folder / "runs"), **layer}
        python = sys.executable if words[0] == "report" else str(self.folder / "python3")
        done = subprocess.run(
            [str(BINARY), *words],
            cwd=self.folder,
            env={
                **os.environ,
                "LOCKBENCH_PATIENCE": "0",
                "LOCKBENCH_PYTHON": python,
                **(preload if faults else {}),
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        remarks = (
            *("see lockbench doctor\n", "measures a busy machine", "its last line had no end"),
            "nothing was left to measure",
        )
        lines = done.stderr.splitlines(keepends=True)
        err = "".join(one for one in lines if not any(what in one for what in remarks))
        return Ended(done.returncode, done.stdout, err)

    def command(self, name: str, **faults: str | int | Path) -> Ended:
        if name == "report":
            return self.lockbench("report", "runs/run", **faults)
        alone: dict[str, str | int | Path] = {**faults, "alone": 1} if faults else {}
        words = ("plan.toml", "--out", "runs/run") if name == "begin" else ("--resume", "runs/run")
        return self.lockbench("run", *words, "--progress", "off", **alone)

    def state(self) -> str:
        """How meta.json says that the run ended; empty without it."""
        meta = self.run / "meta.json"
        if not meta.exists():
            return ""
        return str(json.loads(meta.read_text(encoding="utf-8")).get("end", {}).get("state", ""))

    def lines(self) -> list[str]:
        """The whole lines of trials.csv: the header, and the rows."""
        trials = self.run / "trials.csv"
        text = trials.read_text(encoding="utf-8") if trials.exists() else ""
        return text[: text.rfind("\n") + 1].splitlines()

    def prepare(self, name: str) -> None:
        """The run as it is before the command: none, a torn one, or a whole one."""
        self.next_case()
        if name == "begin":
            return
        shutil.copytree(self.folder / "whole", self.run)
        if name == "resume":
            trials = self.run / "trials.csv"
            trials.write_bytes(trials.read_bytes()[:-7])
            meta = self.run / "meta.json"
            text = meta.read_text(encoding="utf-8")
            meta.write_text(text.replace('"finished"', '"running"'), encoding="utf-8")

    def assert_can_be_completed(self, name: str) -> None:
        before = self.lines()
        # A run that is finished may be resumed, too.
        ended = self.command("report" if name == "report" else "resume")
        if ended.code == 2 and len(before) <= 1:
            ended = self.command("begin")
        assert ended.code == 0, ended
        assert ended.err == ""
        lines = self.lines()
        assert lines[: len(before)] == before
        column = lines[0].split(",").index("trial")
        assert {int(line.split(",")[column]) for line in lines[1:]} == set(range(TRIALS))
        assert self.state() == "finished"
        if name == "report":
            page = (self.run / "report.html").read_text(encoding="utf-8")
            assert page.endswith("</html>\n")


@pytest.fixture(name="workspace", scope="module")
def workspace_fixture() -> Iterator[Workspace]:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        workspace = Workspace(Path(folder))
        (workspace.folder / "plan.toml").write_text(PLAN, encoding="utf-8")
        python = workspace.folder / "python3"
        python.write_text(NO_PYTHON, encoding="utf-8")
        python.chmod(0o755)
        assert workspace.command("begin").code == 0
        shutil.copytree(workspace.run, workspace.folder / "whole")
        yield workspace


def calls_of(workspace: Workspace, name: str) -> list[str]:
    """The calls of a command that nothing disturbs."""
    log = workspace.folder / f"log-{name}"
    log.unlink(missing_ok=True)
    workspace.prepare(name)
    ended = workspace.command(name, log=log)
    assert ended.code == 0, ended
    return calls_in(log)


def cases_of(calls: list[str], ways: Callable[[str], Sequence[str]]) -> Iterator[tuple[int, str]]:
    """Numbers of calls, and how they go wrong. Without LONG, each kind of call goes wrong in
    each of its ways once, spread over its occurrences."""
    for name in dict.fromkeys(calls):
        numbers = [number for number, call in enumerate(calls, start=1) if call == name]
        for i, how in enumerate(ways(name)):
            share = i / max(len(ways(name)) - 1, 1)
            for number in numbers if LONG else [numbers[round(share * (len(numbers) - 1))]]:
                yield number, how


COMMANDS = ["begin", "resume", "report"]


@pytest.mark.parametrize("name", rest_long(COMMANDS, 2))
def test_each_call_fails_in_turn(workspace: Workspace, name: str) -> None:
    calls = calls_of(workspace, name)
    assert {"open", "close", "rename"} <= set(calls)
    # What each error does to the files is known of the library (test_faults.py). Here is what the
    # program makes of it, for which one error of each call will do.
    most = None if LONG else 1
    for number, how in cases_of(calls, lambda call: list(faults_of(call))[:most]):
        workspace.prepare(name)
        before = workspace.lines()
        ended = workspace.command(name, at=number, how=how)
        where = f"{name}, call {number}, {calls[number - 1]}: {how}: {ended}"
        assert ended.code in (0, 1, 2), where
        assert (ended.err.count("\n") == 1) == (ended.code != 0), where
        assert workspace.lines()[: len(before)] == before, where
        workspace.assert_can_be_completed(name)


@pytest.mark.parametrize("name", rest_long(COMMANDS, 1))
def test_the_process_is_killed_before_each_call(workspace: Workspace, name: str) -> None:
    calls = calls_of(workspace, name)
    for number, how in cases_of(calls, lambda _: ["kill"]):
        workspace.prepare(name)
        before = workspace.lines()
        ended = workspace.command(name, at=number, how=how)
        assert ended.code == -signal.SIGKILL, (number, ended)
        assert workspace.lines()[: len(before)] == before, number
        workspace.assert_can_be_completed(name)
