# SPDX-License-Identifier: Apache-2.0
"""`lockbench submit parallel` with GNU parallel and an sshd on loopback."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conftest import PATIENCE_S, Hosts, processes_of
from plan import FLAGS, PRESET, TRIALS, is_whole, meta_of
from program import Program, assert_complete, rows_of

WaitFor = Callable[[Callable[[], Any], str], Any]


def start(lockbench: Program, hosts: Hosts) -> tuple[Path, Any]:
    (lockbench.folder / "mine.toml").write_text(PRESET, encoding="utf-8")
    process = lockbench.start(
        *("submit", "parallel", "mine.toml", "--hosts", str(hosts.file), "--shards", "3"),
        *("--out", "out", "--workdir", str(hosts.folder / "there"), "--", *FLAGS),
        env=hosts.environment,
        start_new_session=True,
    )
    return lockbench.folder / "out", process


def finished(out: Path, process: Any) -> Path:
    said, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, (said, complaints)
    assert is_whole(out / "merged"), (said, complaints)
    assert_complete(out / "merged", TRIALS)
    return out / "merged"


def test_shards_come_back_and_are_merged(lockbench: Program, hosts: Hosts) -> None:
    out, process = start(lockbench, hosts)
    merged = finished(out, process)
    assert len(meta_of(merged)["parts"]) == 3
    assert sorted(path.name for path in (hosts.folder / "there" / "shards").iterdir()) == [
        "1",
        "2",
        "3",
    ]
    said = lockbench.run("submit", "progress", "out").stdout
    assert said.startswith("24 of 24 trials (100 %), 3 of 3 shards finished")


def test_a_killed_task_is_started_again_and_goes_on(
    lockbench: Program, hosts: Hosts, wait_for: WaitFor
) -> None:
    out, process = start(lockbench, hosts)
    there = hosts.folder / "there" / "shards" / "1"
    wait_for(lambda: len(rows_of(there)) >= 2, "shard 1 does not begin")
    before = rows_of(there)
    for pid in processes_of("run", "1/3", "shards/1"):
        os.kill(pid, signal.SIGKILL)
    finished(out, process)
    assert rows_of(out / "shards" / "1")[: len(before)] == before


def test_what_was_interrupted_goes_on_when_it_is_given_again(
    lockbench: Program, hosts: Hosts, wait_for: WaitFor
) -> None:
    out, process = start(lockbench, hosts)
    there = hosts.folder / "there" / "shards" / "1"
    wait_for(lambda: len(rows_of(there)) >= 2, "shard 1 does not begin")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    wait_for(lambda: not processes_of("run", "shards/1"), "the task does not end")
    again = subprocess.Popen(
        ["sh", str(out / "run.sh")],
        env=hosts.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    finished(out, again)


def test_doctor_asks_the_hosts(lockbench: Program, hosts: Hosts) -> None:
    with hosts.file.open("a", encoding="utf-8") as lines:
        lines.write("# gone\nnowhere.invalid\n")
    words = ("doctor", "--nodes", "parallel", "--hosts", str(hosts.file))
    done = lockbench.run(*words, "--format", "json", env=hosts.environment)
    assert done.returncode == 3, done.stderr
    found = json.loads(done.stdout)
    answered = {node["node"]: node for node in found["nodes"]}
    assert sorted(answered) == ["node1", "node2", "nowhere.invalid"]
    assert "Could not resolve hostname" in answered["nowhere.invalid"]["trouble"]
    assert [sorted(names) for names in found["same_machine"]] == [["node1", "node2"]]
    done = lockbench.run(*words, env=hosts.environment)
    assert done.stdout.startswith("2 of 3 nodes answered: 1 kind of machine."), done.stderr
    assert "To do: see why there is no answer from nowhere.invalid" in done.stdout


def test_a_dry_run_prints_a_script_for_a_shell(lockbench: Program, hosts: Hosts) -> None:
    done = lockbench.run(
        "submit", "parallel", "quick", "--hosts", str(hosts.file), "--dry-run", "--out", "out",
        "--shards", "5", env=hosts.environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "--transferfile shards/{} --return shards/{}" in done.stdout
    assert subprocess.run(["sh", "-n"], input=done.stdout, text=True, check=False).returncode == 0
    assert shlex.split(done.stdout, comments=True)
    assert list(lockbench.folder.iterdir()) == []
