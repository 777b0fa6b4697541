# SPDX-License-Identifier: Apache-2.0
"""Plug-ins that attack the program that loads them: each costs only its own rows, the command ends,
and no process or file of theirs is left."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from memory_group import memory_group
from program import (
    PLUGINS,
    Program,
    assert_complete,
    children_of,
    environment,
    rows_of,
    wait_until,
)

HOSTILE = str(PLUGINS / "hostile.so")
LOCK = "global:lock=hostile"

PLAN = f"""
title = "A hostile lock between two of lockbench's own"
blocks = 1
seed = 1
mode = "fixed"
operations = 3
threads = 2
time_limit = "2s"
primitive = ["global:lock=std", "{LOCK}", "global:lock=absl"]
"""


class Hostile:
    """lockbench with the hostile plug-in, whose processes are known by a word in their
    environment."""

    def __init__(self, lockbench: Program) -> None:
        self.lockbench = lockbench
        self.mark = f"HOSTILE_MARK={uuid.uuid4()}"
        self.temporary = lockbench.folder / "temporary"
        self.temporary.mkdir()

    def variables(self, when: str, what: str, **more: str) -> dict[str, str]:
        name, _, value = self.mark.partition("=")
        return {
            **environment(),
            "TMPDIR": str(self.temporary),
            "HOSTILE_WHEN": when,
            "HOSTILE_WHAT": what,
            name: value,
            **more,
        }

    def run(
        self, when: str, what: str, *words: str, **more: str
    ) -> subprocess.CompletedProcess[str]:
        env = self.variables(when, what, **more)
        return self.lockbench.run(*words, "--plugin", HOSTILE, env=env)

    def rows(self, when: str, what: str, **more: str) -> dict[str, dict[str, str]]:
        """The rows of a run of three trials, by lock, of which the hostile one is the second."""
        (self.lockbench.folder / "plan.toml").write_text(PLAN, encoding="utf-8")
        done = self.run(when, what, "run", "plan.toml", "--out", "out", **more)
        assert done.returncode == 0, done.stderr
        assert_complete(self.lockbench.folder / "out", 3)
        rows = {row["params"]: row for row in rows_of(self.lockbench.folder / "out")}
        for lock in ("lock=std", "lock=absl"):
            assert rows[lock]["valid"] == "true", rows[lock]["reason"]
        return rows

    def left(self) -> Iterator[int]:
        """Processes that are still there."""
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and self.mark.encode() in (entry / "environ").read_bytes():
                    yield int(entry.name)
            except OSError:
                continue  # it ended meanwhile


def assert_contained(check: Callable[[Hostile, Any], None], case: Any, folder: Path) -> None:
    """Runs a check, and asserts that no process and no file of the plug-in's is left."""
    hostile = Hostile(Program(folder))
    check(hostile, case)
    left = list(hostile.left())
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left
    assert not list(hostile.temporary.iterdir())


# The outcome and the reason in the row of a lock that does this.
ENDS = {
    "crash": ("crashed", "ended by signal 11"),
    "exit_0": ("crashed", "printed no sample"),
    "exit_2": ("crashed", "exit code 2"),
    "hang": ("timeout", "was killed"),
    "stop": ("timeout", "was killed"),
    "hang_unheard": ("timeout", "was killed"),
    "hang_elsewhere": ("timeout", "was killed"),
    "flood_output": ("crashed", "printed more than 16 MiB"),
    "flood_errors": ("crashed", "xxx … 1,047,576 bytes more"),
    "say_escapes": ("crashed", r'\x1b[2J\r<b>\u202e\xff|"'),
    "close_all": ("crashed", ""),
}


def goes_wrong_when_a_trial_loads_it(hostile: Hostile, what: str) -> None:
    """It costs its row."""
    row = hostile.rows("trial", what)["lock=hostile"]
    outcome, said = ENDS[what]
    assert row["outcome"] == outcome, row["reason"]
    assert said in row["reason"]


def goes_wrong_in_a_lock(hostile: Hostile, what: str) -> None:
    """It costs its row."""
    row = hostile.rows("lock", what)["lock=hostile"]
    assert row["valid"] == "false"
    # The other threads may see that it hangs, and find no output left to say so.
    assert row["outcome"] in (ENDS[what][0], "deadlock", "crashed"), row["reason"]


def leaves_something_behind(hostile: Hostile, when_and_what: tuple[str, str]) -> None:
    hostile.rows(*when_and_what)


# Several times what a trial needs; what the plug-in asks for has no end.
GROUP_BYTES = 128 << 20


def fills_the_memory_of_its_group(hostile: Hostile, _: None) -> None:
    """The row says that the kernel killed it for that."""
    with ExitStack() as stack:
        try:
            group = stack.enter_context(memory_group(GROUP_BYTES))
        except PermissionError as error:
            pytest.skip(f"no group with little memory can be made: {error}")
        joining = hostile.lockbench.folder / "joining"
        joining.write_text(
            f'#!/bin/sh\necho $$ >{group}/cgroup.procs && exec {hostile.lockbench.binary} "$@"\n',
            encoding="utf-8",
        )
        joining.chmod(0o755)
        hostile.lockbench.binary = joining
        row = hostile.rows("trial", "fill_memory")["lock=hostile"]
    assert row["outcome"] == "crashed"
    assert "memory of this machine or control group ran out" in row["reason"]


def goes_wrong_when_it_is_described(hostile: Hostile, what: str) -> None:
    """The plug-in is refused."""
    done = hostile.run("plugin", what, "list")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"lockbench list: --plugin: plug-in {HOSTILE}: "), done.stderr
    assert done.stderr.count("\n") == 1 and len(done.stderr) < 3000
    assert done.stderr.isprintable() or done.stderr[:-1].isprintable()


def test_names_command_no_terminal_and_break_no_line(lockbench: Program) -> None:
    plan = lockbench.folder / "plan\x1b[2J\u202e.toml"
    plan.write_text('title = "x"\nprimitive = "a\\u001b[2J\\n\\u202e"\n', encoding="utf-8")
    done = lockbench.run("run", plan.name)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and done.stderr[:-1].isprintable(), done.stderr


def test_too_many_locks_are_refused(lockbench: Program) -> None:
    done = lockbench.run("list", "--plugin", str(PLUGINS / "hostile_many.so"))
    assert done.returncode == 2
    assert "brings 100000 locks" in done.stderr


def hangs_until_ctrl_c(hostile: Hostile, case: tuple[str, tuple[str, ...], str]) -> None:
    """The first Ctrl-C ends what waits for it."""
    when, words, what = case
    plan = PLAN.replace('time_limit = "2s"', 'time_limit = "10min"')
    (hostile.lockbench.folder / "plan.toml").write_text(plan, encoding="utf-8")
    process = hostile.lockbench.start(
        *words, "--plugin", HOSTILE, env=hostile.variables(when, what)
    )

    def is_mute(pid: int) -> bool:
        try:
            open_ones = os.listdir(f"/proc/{pid}/fd")
        except OSError:
            return False
        return bool(open_ones) and "1" not in open_ones  # a process that has ended has none

    wait_until(lambda: any(map(is_mute, children_of(process.pid))), "nothing hangs")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130


def says_something_false(hostile: Hostile, field_and_value: tuple[str, Any]) -> None:
    """The sample is refused; tests/record has what each field may be."""
    field, value = field_and_value
    sample = {**json.loads(sound_sample()), field: value}
    (hostile.lockbench.folder / "sample.json").write_text(json.dumps(sample), encoding="utf-8")
    says = str(hostile.lockbench.folder / "sample.json")
    row = hostile.rows("trial", "say", HOSTILE_SAYS=says)["lock=hostile"]
    assert row["outcome"] == "crashed", row
    assert field in row["reason"]


def says_nothing_false(hostile: Hostile, _: None) -> None:
    """The sample is taken."""
    (hostile.lockbench.folder / "sample.json").write_text(sound_sample(), encoding="utf-8")
    says = str(hostile.lockbench.folder / "sample.json")
    row = hostile.rows("trial", "say", HOSTILE_SAYS=says)["lock=hostile"]
    assert row["outcome"] == "ok", row


SAMPLING = threading.Lock()


def sound_sample() -> str:
    """The output of a trial that nothing is wrong with."""
    with SAMPLING:  # the cases run at once
        return measured_sample()


@cache
def measured_sample() -> str:
    with tempfile.TemporaryDirectory() as folder:
        hostile = Hostile(Program(Path(folder)))
        (hostile.lockbench.folder / "plan.toml").write_text(PLAN, encoding="utf-8")
        assert hostile.run("", "", "run", "plan.toml", "--out", "sound").returncode == 0
        meta = (hostile.lockbench.folder / "sound" / "meta.json").read_text(encoding="utf-8")
        trial = re.search(r'\{"number":.*global:lock=hostile.*\}\}', meta)
        assert trial is not None
        file = hostile.lockbench.folder / "trial.json"
        file.write_text(trial[0], encoding="utf-8")
        with file.open(encoding="utf-8") as text:
            done = hostile.lockbench.run("trial", "--plugin", HOSTILE, stdin=text)
    assert done.returncode == 0, done.stderr
    return done.stdout


def goes_wrong_when_stress_lists_it(hostile: Hostile, what: str) -> None:
    done = hostile.run("plugin", what, "stress", "hostile", "--engine", "real", "--budget", "1s")
    assert done.returncode in (1, 2)
    assert done.stdout + done.stderr


def goes_wrong_under_stress(hostile: Hostile, what: str) -> None:
    done = hostile.run("lock", what, "stress", "hostile", "--engine", "real", "--budget", "1s")
    assert done.returncode in (1, 2, 3)


WAITS = ("hang", "stop", "hang_unheard", "hang_elsewhere")  # until lockbench's deadline
CASES: list[tuple[Callable[[Hostile, Any], None], list[Any]]] = [
    (goes_wrong_when_a_trial_loads_it, list(ENDS)),
    (goes_wrong_in_a_lock, [name for name in ENDS if name not in ("hang", "close_all")]),
    (goes_wrong_when_it_is_described, list(ENDS)),
    (goes_wrong_when_stress_lists_it, list(ENDS)),
    (goes_wrong_under_stress, ["crash", "exit_0", "exit_2", "flood_output", "flood_errors"]),
    (
        leaves_something_behind,
        [
            (when, what)
            for when in ("plugin", "trial", "lock")
            for what in ("leave_a_process", "multiply", "ignore_signals")
        ],
    ),
    (
        hangs_until_ctrl_c,
        [
            (when, words, what)
            for when, words in (("plugin", ("list",)), ("trial", ("run", "plan.toml")))
            for what in ("hang_unheard", "hang_elsewhere")
        ],
    ),
    (fills_the_memory_of_its_group, [None]),
    (says_something_false, [("makespan_s", -1), ("operations", "many")]),
    (says_nothing_false, [None]),
]
ALL = {
    f"{check.__name__}-{number}-{case}"[:70]: (check, case)
    for check, cases in CASES
    for number, case in enumerate(cases)
}


@pytest.fixture(scope="module")
def results(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[None]]]:
    """The selected cases, begun all at once: nearly all of their time is waiting."""
    items: list[Any] = request.session.items
    names = [item.callspec.params["name"] for item in items if in_all(item)]
    waiting = [name for name in names if ALL[name][1] in WAITS]
    with ThreadPoolExecutor(len(waiting) + 4) as pool:
        begun = {}
        for name in sorted(names, key=lambda name: name not in waiting):
            begun[name] = pool.submit(assert_contained, *ALL[name], tmp_path_factory.mktemp("case"))
        yield begun


def in_all(item: Any) -> bool:
    return item.function is test_what_a_plugin_does_is_contained


@pytest.mark.parametrize("name", ALL)
def test_what_a_plugin_does_is_contained(name: str, results: dict[str, Future[None]]) -> None:
    results[name].result()
