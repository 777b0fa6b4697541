# SPDX-License-Identifier: Apache-2.0
"""A machine with a fast core and a slow one, as hwloc is told: what is bound where, and said."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from described_machine import describe, kind
from program import Program, meta_of, rows_of, skip_unless_valid

RUN = "run --primitive global --keys 1 --blocks 1 --mode fixed --operations 50 --progress off"

pytestmark = pytest.mark.skipif(
    not {0, 1} <= os.sched_getaffinity(0), reason="needs the processors 0 and 1"
)


@pytest.fixture
def uniform(lockbench: Program, monkeypatch: pytest.MonkeyPatch) -> Program:
    describe(lockbench, monkeypatch, "")
    return lockbench


@pytest.fixture
def hybrid(lockbench: Program, monkeypatch: pytest.MonkeyPatch) -> Program:
    kinds = kind(0, 0, "Small", 2000) + kind(1, 1, "Great", 4000)
    describe(lockbench, monkeypatch, kinds)
    return lockbench


def bound(program: Program, out: str, words: str) -> tuple[list[tuple[str, str, str]], str]:
    done = program.run(*RUN.split(), *words.split(), "--out", out)
    assert done.returncode == 0, done.stderr
    rows = rows_of(program.folder / out)
    return [(r["threads"], r["pinning"], r["threads_by_kind"]) for r in rows], done.stderr


def test_threads_are_bound_fast_cores_first_and_that_is_said(hybrid: Program) -> None:
    rows, said = bound(hybrid, "usual", "--threads 1,2,3")
    assert sorted(rows) == [
        ("1", "scatter", "fast 1"),
        ("2", "scatter", "fast 1, slow 1"),
        ("3", "scatter", "fast 2, slow 1"),
    ]
    assert "of the usable cores, 1 fast and 1 slow: threads are bound" in said


def test_a_plan_may_name_kinds(hybrid: Program) -> None:
    assert bound(hybrid, "slow", "--threads 2 --pinning kind:slow")[0][0][2] == "slow 2"
    assert bound(hybrid, "mixed", "--threads 4 --pinning mixed:1+3")[0][0][2] == "fast 1, slow 3"
    rows, said = bound(hybrid, "none", "--threads 2 --pinning none")
    assert rows[0][2] == "" and "the kernel chooses the kind anew in each trial" in said


def test_the_machine_has_its_kinds(hybrid: Program) -> None:
    bound(hybrid, "run", "--threads 1")
    kinds = meta_of(hybrid.folder / "run")["machine"]["core_kinds"]
    assert [(k["kind"], k["type"], k["greatest_mhz"]) for k in kinds] == [
        ("fast", "Great", 4000),
        ("slow", "Small", 2000),
    ]
    said = hybrid.run("doctor").stdout
    assert "1 fast core (Great, 1 thread, at most 4000 MHz) and 1 slow core" in said


def test_where_all_are_equal_there_is_no_word_more(uniform: Program) -> None:
    rows, said = bound(uniform, "run", "--threads 2")
    assert rows == [("2", "none", "")]
    meta = meta_of(uniform.folder / "run")
    assert "core_kinds" not in meta["machine"] and "core_speeds" not in meta["calibration"]
    assert "kind" not in said + uniform.run("doctor").stdout


def test_the_speed_of_each_kind_is_measured(hybrid: Program) -> None:
    bound(hybrid, "run", "--threads 1")
    speeds = meta_of(hybrid.folder / "run")["calibration"]["core_speeds"]
    assert [one["kind"] for one in speeds] == ["fast", "slow"]
    assert speeds[0]["speed"] == 1 and speeds[1]["speed"] > 0


def test_the_slow_cores_are_compared_with_the_fast_ones(hybrid: Program) -> None:
    words = "run --primitive global --keys 1 --blocks 1 --threads 2 --hold 1us --sample-every 1"
    done = hybrid.run(*words.split(), "--progress", "off", "--out", "run")
    assert done.returncode == 0, done.stderr
    (row,) = (row for row in rows_of(hybrid.folder / "run") if row["valid"] == "true")
    assert 0 < float(row["slow_operations_share"]) < 1
    assert float(row["fast_wait_p99_ns"]) > 0 and float(row["slow_wait_p99_ns"]) > 0
    assert "Kinds of cores" in hybrid.run("compare", "run").stdout


def test_limits_allow_for_slow_cores_unless_the_user_says_them(hybrid: Program) -> None:
    limits = {}
    for name, words in {
        "fast": "--pinning kind:fast",
        "slow": "--pinning kind:slow",
        "asked": "--pinning kind:slow --time-limit 9s",
    }.items():
        bound(hybrid, name, f"--threads 1 --hold 10ms {words}")
        (trial,) = meta_of(hybrid.folder / name)["plan"]["trials"]
        limits[name] = trial["cell"]["time_limit"]
    assert limits["asked"] == "9s"
    assert limits["slow"] != limits["fast"]


def test_the_fast_processor_of_a_trial_is_one(lockbench: Program) -> None:
    done = lockbench.run("trial", "--fast-processor", "0,1")
    assert done.returncode == 2 and "'0,1' is no processor's number" in done.stderr


def test_fixed_work_and_one_kind_have_nothing_to_compare(hybrid: Program) -> None:
    bound(hybrid, "fixed", "--threads 2")
    bound(hybrid, "fast", "--threads 2 --pinning kind:fast")
    for folder in ("fixed", "fast"):
        (row,) = rows_of(hybrid.folder / folder)
        assert row["slow_operations_share"] == ""


@pytest.mark.parametrize("pinning", ["kind:slow", "mixed:1+1", "7000"])
def test_cores_that_are_not_there_are_refused_before_anything_is_measured(
    uniform: Program, pinning: str
) -> None:
    done = uniform.run(*RUN.split(), "--pinning", pinning, "--out", "refused")
    assert done.returncode == 2 and "pinning " in done.stderr
    assert not (uniform.folder / "refused").exists()


ADVISE = ("advise", "--threads", "1", "--keys", "1", "--load", "saturated", "--budget", "4s")


def advised(program: Program, out: str, *words: str) -> tuple[dict[str, Any], str]:
    flags = ("--progress", "off", "--format", "json", "--out", out)
    done = program.run(*ADVISE, *words, *flags)
    assert done.returncode in (0, 4), done.stderr
    skip_unless_valid(program.folder / out)
    return json.loads(done.stdout), done.stderr


def test_advice_is_for_the_cores_that_are_asked_for(hybrid: Program) -> None:
    slow, said = advised(hybrid, "slow", "--cores", "slow")
    assert "1 fast and 1 slow; threads are bound to those that were asked for" in said
    assert (slow["cores"], slow["threads_by_kind"]) == ("slow", "slow 1")
    assert slow["asked"].endswith("on slow cores")
    assert {row["pinning"] for row in rows_of(hybrid.folder / "slow")} == {"kind:slow"}
    every, said = advised(hybrid, "all")
    assert (every["cores"], every["threads_by_kind"]) == ("all", "fast 1")
    assert "of the usable cores, 1 fast and 1 slow" in said
    again = hybrid.run(
        "advise", "--threads", "1", "--keys", "1", "--cores", "fast", "--run", "slow"
    )
    assert "nearest cells of the run: slow cores, asked fast cores" in again.stdout


def test_advice_for_cores_that_are_not_there_is_refused(uniform: Program) -> None:
    done = uniform.run(*ADVISE, "--cores", "fast", "--out", "refused")
    assert done.returncode == 2
    assert "--cores fast: the usable cores of this machine are of one kind" in done.stderr
    assert not (uniform.folder / "refused").exists()


def test_advice_where_all_are_equal_has_no_word_of_it(uniform: Program) -> None:
    answer, said = advised(uniform, "out")
    assert "cores" not in answer and "threads_by_kind" not in answer
    assert "cores" not in said
