# SPDX-License-Identifier: Apache-2.0
"""`lockbench submit slurm` on a real Slurm: what is killed or requeued is not lost, not doubled."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conftest import Slurm, processes_of
from plan import FLAGS, PRESET, TRIALS, is_whole, meta_of
from program import Program, assert_complete, rows_of

WaitFor = Callable[[Callable[[], Any], str], Any]


def submitted(lockbench: Program, slurm: Slurm, *words: str) -> Path:
    (lockbench.folder / "mine.toml").write_text(PRESET, encoding="utf-8")
    done = lockbench.run(
        *("submit", "slurm", "mine.toml", "--shards", "3", "--out", "out", *words),
        *("--", *FLAGS),
        env=slurm.environment,
    )
    assert done.returncode == 0, done.stderr
    assert "Submitted 3 shards as job " in done.stdout
    assert "squeue --jobs " in done.stdout
    out = lockbench.folder / "out"
    assert f"The merged run will be in {out}/merged" in done.stdout
    # The plan is the one that was submitted, whatever becomes of the file.
    (lockbench.folder / "mine.toml").write_text("nonsense", encoding="utf-8")
    return out


def finished(out: Path, slurm: Slurm, wait_for: WaitFor) -> Path:
    wait_for(lambda: not slurm.says("squeue", "-h"), "the jobs do not end")
    logs = "\n".join(path.read_text() for path in sorted((out / "logs").iterdir()))
    assert is_whole(out / "merged"), logs
    assert_complete(out / "merged", TRIALS)
    return out / "merged"


def begun(out: Path, shard: int, rows: int) -> Callable[[], bool]:
    return lambda: len(rows_of(out / "shards" / str(shard))) >= rows


def test_shards_are_measured_and_merged(
    lockbench: Program, slurm: Slurm, wait_for: WaitFor
) -> None:
    out = submitted(lockbench, slurm, "--partition", "bench", "--constraint", "slow|fast")
    said = lockbench.run("submit", "progress", "out")
    assert said.returncode == 0 and ("trials" in said.stdout or "no shard" in said.stdout)
    merged = finished(out, slurm, wait_for)
    said = lockbench.run("submit", "progress", "out")
    assert said.stdout == (
        "24 of 24 trials (100 %), 3 of 3 shards finished, 0 going on or stopped, 0 not begun\n"
    )
    meta = meta_of(merged)
    assert len(meta["parts"]) == 3
    # Both nodes are this host, and the parts say so by its boot id.
    assert len({part["boot_id"] for part in meta["parts"]}) == 1
    assert lockbench.run("compare", "out/merged").returncode == 0


def test_a_killed_task_goes_on_with_its_shard(
    lockbench: Program, slurm: Slurm, wait_for: WaitFor
) -> None:
    out = submitted(lockbench, slurm)
    wait_for(begun(out, 1, 2), "shard 1 does not begin")
    before = rows_of(out / "shards" / "1")
    for pid in processes_of("run", "1/3", "shards/1"):
        if b"srun" not in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGKILL)
    merged = finished(out, slurm, wait_for)
    assert rows_of(out / "shards" / "1")[: len(before)] == before
    assert len(meta_of(merged)["parts"]) == 3


def test_a_requeued_task_goes_on_with_its_shard(
    lockbench: Program, slurm: Slurm, wait_for: WaitFor
) -> None:
    out = submitted(lockbench, slurm)
    wait_for(begun(out, 2, 2), "shard 2 does not begin")
    before = rows_of(out / "shards" / "2")
    job = (slurm.says("squeue", "-h", "-r", "-o", "%A %F_%K").splitlines() or [""])[0]
    array = job.split()[-1].partition("_")[0]
    slurm.says("scontrol", "requeue", f"{array}_2")
    slurm.says("scontrol", "update", f"JobId={array}_2", "StartTime=now")
    finished(out, slurm, wait_for)
    assert rows_of(out / "shards" / "2")[: len(before)] == before


def test_a_killed_slurmd_loses_nothing(lockbench: Program, slurm: Slurm, wait_for: WaitFor) -> None:
    out = submitted(lockbench, slurm)
    wait_for(begun(out, 1, 1), "shard 1 does not begin")
    for node in ("n1", "n2"):
        slurm.daemons.kill(node)
        slurm.start_node(node)
    finished(out, slurm, wait_for)


def test_doctor_asks_the_nodes_for_which_a_shard_could_ask(
    lockbench: Program, slurm: Slurm
) -> None:
    words = ("doctor", "--nodes", "slurm", "--partition", "bench")
    done = lockbench.run(*words, "--format", "json", env=slurm.environment)
    assert done.returncode == 3, done.stderr
    found = json.loads(done.stdout)
    assert [node["node"] for node in found["nodes"]] == ["n1", "n2"]
    # As a shard, each has all processors of the node.
    usable = {node["machine"]["usable_threads"] for node in found["nodes"]}
    assert usable == {len(os.sched_getaffinity(0))}
    assert len(found["kinds"]) == len(found["builds"]) == 1
    assert found["same_machine"] == [["n1", "n2"]]

    done = lockbench.run(*words, "--constraint", "fast", env=slurm.environment)
    assert done.stdout.startswith("1 of 1 node answered: 1 kind of machine."), done.stderr
    assert "Without the features of --constraint: n1\n" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("To do: ")

    slurm.says("scontrol", "update", "NodeName=n2", "State=DRAIN", "Reason=bad fan")
    done = lockbench.run(*words, env=slurm.environment)
    assert done.stdout.startswith("1 of 2 nodes answered"), done.stderr
    assert "problem  n2 did not answer\n" in done.stdout
    assert "Slurm calls it drained (bad fan)" in " ".join(done.stdout.split())


def test_a_dry_run_writes_and_submits_nothing(lockbench: Program, slurm: Slurm) -> None:
    done = lockbench.run(
        "submit", "slurm", "quick", "--shards", "5", "--dry-run", "--out", "out",
        "--", "--blocks", "5", env=slurm.environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "#SBATCH --array=1-5" in done.stdout and "--dependency=afterany:JOB" in done.stdout
    assert "#SBATCH --exclusive" in done.stdout
    assert not slurm.says("squeue", "-h")
    assert list(lockbench.folder.iterdir()) == []
