# SPDX-License-Identifier: Apache-2.0
"""`lockbench calibrate-machine`: the file of this machine, and predictions with it."""

from __future__ import annotations

import os
import tomllib

from program import Program, rows_of

ONE = ("--primitive", "keyed", "--threads", "1", "--window", "20us", "--blocks", "1")


def test_this_machine_becomes_a_file_that_predicts(lockbench: Program) -> None:
    done = lockbench.run("calibrate-machine", "--name", "mine")
    assert done.returncode == 0, done.stderr
    assert "calibrating: 1 of " in done.stderr
    assert "lockbench predict quick --machine ./mine.toml" in done.stdout
    file = lockbench.folder / "mine.toml"
    text = file.read_text(encoding="utf-8")
    machine = tomllib.loads(text)
    cores, threads = machine["topology"]["cores_per_cluster"], os.sched_getaffinity(0)
    assert 1 <= cores <= len(threads)
    assert "# measured" in text and machine["source"][0]["author"].startswith("lockbench ")
    assert min(machine["access_ns"].values()) >= 0 < machine["access_ns"]["hit"]

    again = lockbench.run("calibrate-machine", "--out", "mine.toml")
    assert (again.returncode, again.stdout) == (0, done.stdout)
    assert "nothing was left to measure: mine.toml" in again.stderr
    assert file.read_text(encoding="utf-8") == text
    other = text.replace("cores_per_cluster", "cores_per_cluster_")
    for there in (other, text.replace('title = "', 'title = "Another ')):
        file.write_text(there, encoding="utf-8")
        refused = lockbench.run("calibrate-machine", "--name", "mine")
        assert refused.returncode == 2 and "not the model of this machine" in refused.stderr
        assert file.read_text(encoding="utf-8") == there
    file.write_text(text, encoding="utf-8")

    words = ("predict", *ONE, "--machine", "./mine.toml", "--out", "run", "--format", "csv")
    predicted = lockbench.run(*words)
    assert predicted.returncode == 0, predicted.stderr
    assert [row["machine"] for row in rows_of(lockbench.folder / "run")] == ["mine"]


def test_one_processor_has_nothing_to_transfer_to(lockbench: Program) -> None:
    processor = min(os.sched_getaffinity(0))
    done = lockbench.run(
        "calibrate-machine",
        "--out",
        "one.toml",
        preexec_fn=lambda: os.sched_setaffinity(0, {processor}),
    )
    assert done.returncode == 0, done.stderr
    text = (lockbench.folder / "one.toml").read_text(encoding="utf-8")
    assert "there is nothing to transfer to" in text and "# assumed: " in text
    assert tomllib.loads(text)["latency_ns"]["matrix"] == [[0]]


def test_here_is_measured_before_it_is_predicted(lockbench: Program) -> None:
    words = ("--machine", "here", "--machine", "graviton3", "--out", "run", "--format", "csv")
    done = lockbench.run("predict", *ONE, *words)
    assert done.returncode == 0, done.stderr
    assert {row["machine"] for row in rows_of(lockbench.folder / "run")} == {"here", "graviton3"}
    copy = (lockbench.folder / "run" / "machines" / "here.toml").read_text(encoding="utf-8")
    assert "lockbench calibrate-machine" in copy
    twice = lockbench.run("predict", *ONE, "--machine", "here", "--machine", "here")
    assert twice.returncode == 2 and "'here' is given twice" in twice.stderr


def test_a_file_that_cannot_be_made_is_no_wrong_word(lockbench: Program) -> None:
    said = ("gone/mine.toml: there is no folder gone",)
    lockbench.refuse("calibrate-machine", "--out", "gone/mine.toml", said=said, code=1)
