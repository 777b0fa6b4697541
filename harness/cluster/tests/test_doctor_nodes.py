# SPDX-License-Identifier: Apache-2.0
"""`lockbench doctor --nodes` without an engine: programs that have the names of one stand in.
harness/cluster/tests/ has the engines."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from program import Program

SINFO = """
echo "n1|bench*|idle|none"
echo "n1|all|idle|none"
echo "n2|bench*|idle|none"
echo "n3|bench*|down|bad fan"
"""

# Runs the task, as the node that is named; n3 is down, as Slurm says it.
SALLOC = """
echo "$@" >>"$TOOLS/called"
for word; do case $word in --nodelist=*) node=${word#*=} ;; esac; done
[ "$node" != n3 ] || { echo "salloc: error: Connection timed out" >&2; exit 1; }
while [ "$1" != sh ]; do shift; done
NODE=$node SLURM_JOB_CPUS_PER_NODE=8 exec "$@"
"""
SRUN = """
echo "srun $1 $2 $3" >>"$TOOLS/called"
shift 3
exec "$@"
"""
PARALLEL = """
[ "$1" != --version ] || { echo "GNU parallel 20221122"; exit 0; }
while [ $# -gt 1 ]; do
  [ "$1" != --joblog ] || joblog=$2
  [ "$1" != --sshloginfile ] || hosts=$2
  shift
done
echo "Seq	Host	Starttime	JobRuntime	Send	Receive	Exitval	Signal	Command" >"$joblog"
while read -r host; do
  [ "$host" != away ] || { printf 'away\\tssh: no route to away\\r\\naway\\t\\n' >&2; code=255; }
  [ "$host" = away ] || { NODE=$host sh -c "$1" | sed "s/^/$host\\t/"; code=0; }
  echo "1	$host	0	0	0	0	$code	0	x" >>"$joblog"
done <"$hosts"
"""
DOCTOR = """
[ "$1 $2 $3" = "doctor --format json" ] && exec cat "$TOOLS/$NODE.json"
"""


def report(node: str, governor: str = "performance", problem: str = "") -> dict[str, Any]:
    """The report that doctor prints there."""
    machine = {"boot_id": node, "cpu_model": "A processor", "kernel": "Linux 6.1", "caches": []}
    finding = {"severity": "problem", "name": "governor", "what": problem, "effect": "e"}
    return {
        "machine": {**machine, "governor": governor, "usable_threads": 8, "hardware_threads": 8},
        "build": dict.fromkeys(("version", "compiler", "build_type", "flags"), "1")
        | {"libraries": {}},
        "problems": 1 if problem else 0,
        "notes": 0,
        "findings": [{**finding, "fix": "echo performance"}] if problem else [],
    }


@pytest.fixture
def tools(lockbench: Program) -> Path:
    folder = lockbench.folder / "tools"
    folder.mkdir()
    named = {"sinfo": SINFO, "salloc": SALLOC, "srun": SRUN, "parallel": PARALLEL, "lb": DOCTOR}
    for name, text in named.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}", encoding="utf-8")
        (folder / name).chmod(0o755)
    for node in ("n1", "n2"):
        (folder / f"{node}.json").write_text(json.dumps(report(node)) + "\n", encoding="utf-8")
    return folder


def asked(lockbench: Program, tools: Path, *words: str) -> Any:
    path = f"{tools}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "TOOLS": str(tools)}
    return lockbench.run("doctor", *words, "--node-program", str(tools / "lb"), env=environment)


def test_slurm_is_asked_for_each_node_as_for_a_shard(lockbench: Program, tools: Path) -> None:
    done = asked(lockbench, tools, "--nodes", "slurm")
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "2 of 3 nodes answered: 1 kind of machine."
    assert "n1    1     0 problems, 0 notes  8 of 8      Linux 6.1  A processor" in lines
    assert "problem  n3 did not answer" in lines
    assert (
        "         effect  salloc: error: Connection timed out; Slurm calls it down (bad fan)"
        in lines
    )
    assert lines[-1].startswith("To do: see why there is no answer from n3")
    called = (tools / "called").read_text(encoding="utf-8")
    assert called.count("--exclusive") == 3 and "--constraint" not in called
    assert called.count("srun --ntasks=1 --cpus-per-task=8 --cpu-bind=threads\n") == 2


def test_the_selection_is_passed_on_and_problems_decide_the_exit_code(
    lockbench: Program, tools: Path
) -> None:
    spoiled = report("n2", "powersave", "governor powersave")
    (tools / "n2.json").write_text(json.dumps(spoiled) + "\n", encoding="utf-8")
    done = asked(
        lockbench,
        tools,
        *("--nodes", "slurm", "--partition", "bench", "--constraint", "a&b", "--format", "json"),
    )
    assert done.returncode == 3, done.stderr
    found = json.loads(done.stdout)
    assert [node["node"] for node in found["nodes"]] == ["n1", "n2", "n3"]
    assert found["kinds"][1] == {
        "nodes": ["n2"],
        "differences": ["governor performance and powersave"],
    }
    called = (tools / "called").read_text(encoding="utf-8")
    assert called.count("--partition=bench --constraint=a&b") == 3


def test_hosts_are_asked_by_parallel(lockbench: Program, tools: Path) -> None:
    (lockbench.folder / "hosts").write_text("n1\naway\nn2\n", encoding="utf-8")
    done = asked(lockbench, tools, "--nodes", "parallel", "--hosts", "hosts")
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("2 of 3 nodes answered: 1 kind of machine.\n")
    assert "problem  away did not answer\n         effect  ssh: no route to away\n" in done.stdout
    (lockbench.folder / "hosts").write_text("n1\nn2\n", encoding="utf-8")
    done = asked(lockbench, tools, "--nodes", "parallel", "--hosts", "hosts")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == (
        "To do: nothing has to be fixed; lockbench submit parallel PRESET --hosts hosts"
        f" --node-program {tools / 'lb'}"
    )
