# SPDX-License-Identifier: Apache-2.0
"""Advice for one case: measured, or taken from a run whose cells fit."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess

import pytest

from program import Program, rows_of, skip_unless_valid, wait_until

CASE = ("advise", "--threads", "2", "--keys", "1")
# One key leaves three primitives, which are soon measured.
QUICK = (*CASE, "--hold", "200ns", "--budget", "4s", "--progress", "off")


def answer_in(printed: str) -> str:
    """The text from the answer on: what says that the machine was busy may stand above it."""
    return re.sub(r"\A(Measured on a busy machine: .*\n)+", "", printed)


Answered = tuple[Program, subprocess.CompletedProcess[str]]


@pytest.fixture(name="answered", scope="module")
def answered_fixture(
    tmp_path_factory: pytest.TempPathFactory,
) -> Answered:
    """The case that several tests ask about, measured once: the run is in `out`."""
    lockbench = Program(tmp_path_factory.mktemp("advise"))
    done = lockbench.run(*QUICK, "--out", "out")
    skip_unless_valid(lockbench.folder / "out")
    return lockbench, done


def test_a_case_is_measured_and_each_primitive_has_its_reason(answered: Answered) -> None:
    lockbench, done = answered
    assert done.returncode == 0, done.stderr
    assert re.match(r"Use \S+[,:.;]? ", answer_in(done.stdout))
    for load in ("50 % load", "saturated loop"):
        assert re.search(rf"^{load} \(.* operations/s\): .* Locking costs: ", done.stdout, re.M)
    for primitive in ("global", "keyed", "global:lock=std"):
        assert re.search(rf"^  [123]\. {primitive}: .*", done.stdout, re.MULTILINE)
    assert "asked: counter, 2 threads, 1 key, hold 200ns" in done.stdout
    assert "rows: out/trials.csv" in done.stdout
    assert "std::scoped_lock guard(" in done.stdout.partition("Evidence")[0]
    rows = rows_of(lockbench.folder / "out")
    assert len({row["block"] for row in rows}) >= 7
    assert {(row["threads"], row["keys"], row["hold_ns"]) for row in rows} == {("2", "1", "200")}
    assert {row["preset"] for row in rows} == {"advise"}
    assert {row["load_share"] for row in rows} == {"0.5", ""}


def test_a_run_answers_without_measuring_and_says_how_far_it_is(lockbench: Program) -> None:
    words = ("--primitive", "global", "--primitive", "keyed", "--threads", "1,2", "--keys", "8")
    flags = ("--hold", "1us", "--window", "100ms", "--blocks", "2", "--out", "out")
    measured = lockbench.run("run", *words, *flags)
    skip_unless_valid(lockbench.folder / "out")
    assert measured.returncode == 0, measured.stderr
    before = (lockbench.folder / "out" / "trials.csv").read_bytes()
    answered = ("--hold", "1us", "--run", "out")
    near = lockbench.run("advise", "--threads", "2", "--keys", "16", *answered)
    assert near.returncode == 0, near.stderr
    assert "nearest cells of the run: 8 keys, asked 16" in near.stdout
    assert "far" not in near.stdout
    exact = lockbench.run("advise", "--threads", "2", "--keys", "8", *answered)
    assert answer_in(exact.stdout).startswith("Use ") and "nearest" not in exact.stdout
    assert (lockbench.folder / "out" / "trials.csv").read_bytes() == before


def test_a_case_of_which_no_trial_is_valid_has_no_answer(lockbench: Program) -> None:
    # One operation takes twenty times as long as the window.
    words = ("--primitive", "global", "--primitive", "keyed", "--threads", "1", "--window", "1ms")
    flags = ("--hold", "sleep:20ms", "--blocks", "1", "--out", "out")
    lockbench.run("run", *words, "--warmup", "0", *flags)
    done = lockbench.run("advise", "--threads", "1", "--keys", "1", "--run", "out")
    assert (done.returncode, done.stdout) == (4, "")
    assert "inconclusive: 0 of 6 rows are valid (minimum 1); the column `reason` of" in done.stderr


def test_what_takes_too_much_memory_is_ruled_out(answered: Answered) -> None:
    lockbench, _ = answered
    flags = ("--hold", "200ns", "--run", "out")
    little = lockbench.run(*CASE, *flags, "--memory", "1KiB")
    assert little.returncode == 0
    assert re.search(r"– keyed: takes [\d.]+ KiB, more than 1 KiB", little.stdout)
    nothing = lockbench.run(*CASE, *flags, "--memory", "1")
    assert nothing.returncode == 4
    assert "Nothing that was measured answers the question" in nothing.stdout


def test_an_interrupted_one_says_how_to_go_on_and_then_answers(lockbench: Program) -> None:
    process = lockbench.start(*QUICK, "--out", "out")
    wait_until(lambda: rows_of(lockbench.folder / "out"), "no row")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and out == ""
    command = shlex.split(err.rpartition("to go on: ")[2])
    assert command[1:3] == ["run", "--resume"]
    resumed = lockbench.run(*command[1:])
    skip_unless_valid(lockbench.folder / "out")
    assert resumed.returncode == 0, resumed.stderr
    answered = lockbench.run(*CASE, "--hold", "200ns", "--run", "out")
    assert answered.returncode == 0 and answer_in(answered.stdout).startswith("Use ")
    again = lockbench.run(*command[1:])
    assert (again.returncode, again.stdout) == (0, resumed.stdout)
