# SPDX-License-Identifier: Apache-2.0
"""The whole way of the data: a preset, trials, rows, pictures and a table."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from program import BINARY, Program, assert_complete, rows_of

ROOT = Path(__file__).resolve().parents[2]

PLAN = """
title = "A little of each"
blocks = 3
mode = "fixed"
operations = 2000
[[sweep]]
primitive = ["global", "keyed", "striped:stripes=64"]
threads = [1, 2]
keys = 64
[[sweep]]
primitive = ["reentrant", "recursive_mutex"]
workload = "nested:mixed_lock_unlock"
[[sweep]]
primitive = "lease:leases=4"
workload = "checkout"
threads = 8
"""


def test_a_small_run_ends_in_pictures_and_a_table(lockbench: Program) -> None:
    (lockbench.folder / "small plan.toml").write_text(PLAN, encoding="utf-8")
    out = lockbench.folder / "my run"
    planned = lockbench.run("run", "small plan.toml", "--dry-run")
    assert planned.stdout.startswith("A little of each\n27 trials in 3 blocks")
    done = lockbench.run("run", "small plan.toml", "--out", "my run")
    assert done.returncode == 0, done.stderr
    assert "Measured my run: 27 trials" in done.stdout
    assert "plot 'my run'" in done.stdout and "compare 'my run'" in done.stdout
    assert_complete(out, 27)
    assert {(row["outcome"], row["lost_updates"]) for row in rows_of(out)} == {("ok", "0")}
    assert {row["primitive"] for row in rows_of(out)} == {
        "global",
        "keyed",
        "striped",
        "reentrant",
        "recursive_mutex",
        "lease",
    }
    meta = json.loads((out / "meta.json").read_text(encoding="utf-8"))
    assert meta["end"]["state"] == "finished" and meta["end"]["trials_done"] == 27
    assert meta["command"] == "lockbench run 'small plan.toml' --out 'my run'"

    plotted = lockbench.run("plot", "my run", "--format", "png")
    assert plotted.returncode == 0, plotted.stderr
    pictures = list(out.rglob("*.png"))
    assert pictures
    assert all(picture.read_bytes().startswith(b"\x89PNG") for picture in pictures)

    reported = lockbench.run("report", "my run")
    assert reported.returncode == 0, reported.stderr
    assert reported.stdout == "my run/report.html\n"
    assert "recursive_mutex" in (out / "report.html").read_text(encoding="utf-8")

    compared = lockbench.run("compare", "my run", "--baseline", "global")
    assert compared.returncode == 0, compared.stderr
    for word in ("global", "keyed", "striped", "ratio", "(A little of each)"):
        assert word in compared.stdout


def commands_of(page: str, containing: str) -> str:
    """The first block of commands on a page that has this text, for the program of the tests."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    return next(block for block in blocks if containing in block)


@pytest.fixture(name="of_tutorial", scope="module")
def of_tutorial_fixture(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The folder in which the commands of the tutorial were entered, with shorter windows."""
    program = Program(tmp_path_factory.mktemp("tutorial"), BINARY)
    (program.folder / "build").mkdir()
    (program.folder / "build" / "release").symlink_to(BINARY.parent)
    for name in ("examples", "scripts"):
        (program.folder / name).symlink_to(ROOT / name)
    script = commands_of("tutorial.md", "--out results/runs/mine")
    shorter = script.replace("--out", "--window 5ms --warmup 1ms --blocks 3 --out")
    assert shorter != script
    subprocess.run(
        ["sh", "-ec", shorter], cwd=program.folder, check=True, stdout=subprocess.DEVNULL
    )
    return program


@pytest.mark.parametrize("example", ["examples/analysis.py", "examples/analysis.R"])
def test_the_examples_analyse_the_run_of_the_tutorial(of_tutorial: Program, example: str) -> None:
    if example.endswith(".R") and shutil.which("Rscript") is None:
        pytest.skip("install the package r-base-core")
    block = commands_of("exports.md", example)
    line = next(one for one in block.splitlines() if example in one)
    line = line.replace("python3", shlex.quote(sys.executable))
    env = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(
        ["sh", "-ec", line],
        cwd=of_tutorial.folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "ratio: speed against global" in done.stdout
    for name in ("medians.csv", "waits.csv"):
        text = (of_tutorial.folder / name).read_text(encoding="utf-8")
        assert all(lock in text for lock in ("global", "keyed", "striped:stripes=64"))
        (of_tutorial.folder / name).unlink()


def test_a_trial_of_the_tutorial_is_found_as_the_page_on_the_method_says(
    of_tutorial: Program,
) -> None:
    block = commands_of("method.md", "results/runs/mine/meta.json")
    line = next(one for one in block.splitlines() if "results/runs/mine" in one)
    found, _, command = line.partition("|")
    assert command.split()[:2] == ["lockbench", "trial"]
    trial = subprocess.run(
        ["sh", "-ec", found], cwd=of_tutorial.folder, check=True, capture_output=True, text=True
    ).stdout
    assert json.loads(trial)["cell"]["primitive"]


def test_scripts_that_find_no_python_say_what_to_install(lockbench: Program) -> None:
    done = lockbench.run("plot", "x", env={"LOCKBENCH_PYTHON": "/nowhere/python3"})
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "LOCKBENCH_PYTHON is /nowhere/python3" in done.stderr
