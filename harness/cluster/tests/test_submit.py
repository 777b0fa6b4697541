# SPDX-License-Identifier: Apache-2.0
"""`lockbench submit` without an engine: what it writes and says."""

from __future__ import annotations

import os
import shlex
import subprocess

import pytest
from program import Program

SBATCH = """#!/bin/sh
echo "$@" >>{folder}/called
[ -e {folder}/fails ] && {{ echo "sbatch: error: invalid partition" >&2; exit 1; }}
echo "4{n};cluster"
"""


def with_sbatch(lockbench: Program) -> dict[str, str]:
    tools = lockbench.folder / "tools"
    tools.mkdir()
    (tools / "sbatch").write_text(SBATCH.format(folder=lockbench.folder, n="2"), encoding="utf-8")
    (tools / "sbatch").chmod(0o755)
    return {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}


def is_shell(script: str) -> bool:
    return subprocess.run(["sh", "-n"], input=script, text=True, check=False).returncode == 0


def test_slurm_gets_an_array_and_a_merge_after_it(lockbench: Program) -> None:
    done = lockbench.run(
        *("submit", "slurm", "quick", "--shards", "5", "--partition", "bench", "--time", "1:00:00"),
        *("--constraint", "zen4", "--out", "out", "--", "--seed", "7", "--window", "50ms"),
        env=with_sbatch(lockbench),
    )
    assert done.returncode == 0, done.stderr
    out = lockbench.folder / "out"
    called = (lockbench.folder / "called").read_text(encoding="utf-8").splitlines()
    assert called == [
        f"--parsable {out}/shard.sh",
        f"--parsable --dependency=afterany:42 {out}/merge.sh",
    ]
    assert "Submitted 5 shards as job 42 and their merge as job 42" in done.stdout
    assert "Jobs:     squeue --jobs 42,42" in done.stdout
    assert f"The merged run will be in {out}/merged" in done.stdout
    script = (out / "shard.sh").read_text(encoding="utf-8")
    for line in ("array=1-5", "exclusive", "requeue", "partition=bench", "time=1:00:00",
                 "constraint=zen4", f"chdir={out}", "open-mode=append"):  # fmt: skip
        assert f"#SBATCH --{line}\n" in script
    assert "run quick --seed 7 --window 50ms --progress line" in script
    assert '--shard "$SLURM_ARRAY_TASK_ID/5" --out "shards/$SLURM_ARRAY_TASK_ID"' in script
    assert is_shell(script) and is_shell((out / "merge.sh").read_text(encoding="utf-8"))
    assert lockbench.run("submit", "progress", "out").stdout == "no shard has begun\n"


def test_what_sbatch_complains_of_is_said(lockbench: Program) -> None:
    (lockbench.folder / "fails").touch()
    done = lockbench.run(
        *("submit", "slurm", "quick", "--shards", "5", "--out", "out"), env=with_sbatch(lockbench)
    )
    assert done.returncode == 2
    assert "sbatch: error: invalid partition" in done.stderr


def test_a_shared_node_and_a_file_of_a_preset(lockbench: Program) -> None:
    (lockbench.folder / "mine.toml").write_text('title = "x"\nprimitive = "keyed"\n')
    words = ("submit", "slurm", "mine.toml", "--shards", "5", "--out", "out", "--shared")
    done = lockbench.run(*words, env=with_sbatch(lockbench))
    assert done.returncode == 0, done.stderr
    script = (lockbench.folder / "out" / "shard.sh").read_text(encoding="utf-8")
    assert "--exclusive" not in script and " run mine.toml " in script
    assert (lockbench.folder / "out" / "mine.toml").read_text().startswith('title = "x"')


def test_dry_runs_write_nothing(lockbench: Program) -> None:
    (lockbench.folder / "hosts").write_text("# two\nbench1\nbench2\n")
    for words in (("slurm", "quick", "--shards", "5"), ("parallel", "quick", "--hosts", "hosts")):
        more = ("--", "--blocks", "4") if words[0] == "parallel" else ()
        done = lockbench.run("submit", *words, "--dry-run", "--out", "out", *more)
        assert done.returncode == 0, done.stderr
        assert is_shell(done.stdout)
    assert "{}/2" in done.stdout and "::: 1 2" in done.stdout
    assert [path.name for path in lockbench.folder.iterdir()] == ["hosts"]


@pytest.mark.parametrize(
    "words, said",
    [
        ("slurm quick --shards 5 --out 'a b'", "has a blank"),
        ("slurm quick --shards 5 --out out", "--dry-run"),
        ("parallel quick --hosts hosts --shards 5", "GNU parallel is missing"),
    ],
)
def test_what_only_the_engine_lacks_is_said(lockbench: Program, words: str, said: str) -> None:
    (lockbench.folder / "hosts").write_text("bench1\n")
    empty = {**os.environ, "PATH": "/nowhere"}
    done = lockbench.run("submit", *shlex.split(words), env=empty)
    assert done.returncode == 2 and said in done.stderr
