# SPDX-License-Identifier: Apache-2.0
"""`lockbench observe`, on programs whose load is known (loads.c)."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from described_machine import describe, kind
from program import Program, wait_until

LOADS = os.environ.get("LOCKBENCH_LOADS", "build/release/harness/observe/tests/lockbench_loads")
STATIC = os.environ.get("LOCKBENCH_STATIC_LOAD", LOADS.replace("loads", "static_load"))
OWN = os.environ.get("LOCKBENCH_OWN_LOCKS", LOADS.replace("loads", "own_locks"))
LOADS, STATIC, OWN = (str(Path(path).resolve()) for path in (LOADS, STATIC, OWN))


def observe(lockbench: Program, *load: str, exit_code: int = 0, flags: tuple[str, ...] = ()) -> Any:
    """Returns what was recorded of a load."""
    done = lockbench.run("observe", "--out", "seen", *flags, "--", LOADS, *load)
    assert done.returncode == exit_code, done.stderr
    number = load[1] if len(load) > 1 else "1000"
    assert done.stdout.splitlines()[0] == f"{load[0]} {number}"
    found = json.loads((lockbench.folder / "seen" / "observed.json").read_text(encoding="utf-8"))
    return found | {"text": done.stderr}


def place(found: Any, function: str, process: int = 0) -> Any:
    """The only place in that function."""
    places = found["processes"][process]["places"]
    named = [one for one in places if one["name"].split()[0] == function]
    assert len(named) == 1, [one["name"] for one in places]
    return named[0]


@pytest.mark.parametrize(
    "load, function, expected",
    [
        ("counts 5000", "count_body", {"acquisitions": 20000, "threads": 4, "locks": 1}),
        ("crowd 10", "count_body", {"acquisitions": 10000, "threads": 1000, "locks": 1}),
        ("c11 5000", "c11_body", {"threads": 6, "locks": 1, "failed_tries": 1}),
        ("condition 50", "condition", {"acquisitions": 100, "condition_waits": 50}),
        ("many", "many", {"acquisitions": 99999, "locks": 99999}),
        ("again 500", "again", {"acquisitions": 500, "locks": 500}),
        ("recursive 100", "recursive", {"acquisitions": 100, "recursions": 100}),
        ("quits 100", "count_body", {"acquisitions": 100}),
        ("killed 100", "count_body", {"acquisitions": 100}),
        ("around", "begin", {"acquisitions": 2}),
    ],
)
def test_counts_are_exact(
    lockbench: Program, load: str, function: str, expected: dict[str, int]
) -> None:
    ends = {"quits": 7, "killed": 128 + signal.SIGKILL}
    found = observe(lockbench, *load.split(), exit_code=ends.get(load.split()[0], 0))
    seen = place(found, function)
    assert {name: seen[name] for name in expected} == expected
    # Debug information is there.
    (caller,) = seen["callers"]
    assert caller["file"].endswith("loads.c") and caller["line"] > 0


@pytest.mark.skipif(not {0, 1} <= os.sched_getaffinity(0), reason="needs the processors 0 and 1")
@pytest.mark.parametrize("processor, kind_of_it", [(0, "slow"), (1, "fast")])
def test_on_which_cores_holds_end_is_told_where_there_are_several_kinds(
    lockbench: Program, monkeypatch: pytest.MonkeyPatch, processor: int, kind_of_it: str
) -> None:
    describe(lockbench, monkeypatch, kind(0, 0, "Small", 2000) + kind(1, 1, "Great", 4000))
    words = ("observe", "--out", "seen", "--", "taskset", "-c", str(processor), LOADS)
    done = lockbench.run(*words, "counts", "5000")
    assert done.returncode == 0, done.stderr
    found = json.loads((lockbench.folder / "seen/observed.json").read_text(encoding="utf-8"))
    seen = place(found, "count_body")
    assert [one["kind"] for one in seen["holds_by_kind"]] == ["fast", "slow"]
    holds = {one["kind"]: one["holds"] for one in seen["holds_by_kind"]}
    assert holds[kind_of_it] == sum(holds.values()) == seen["hold"]["samples"] > 0
    (head,) = (line for line in done.stderr.splitlines() if line.startswith("place "))
    assert head.endswith("holds on slow cores")


def test_on_a_machine_with_one_kind_of_cores_nothing_is_said_of_them(lockbench: Program) -> None:
    found = observe(lockbench, "counts", "5000")
    assert "holds_by_kind" not in place(found, "count_body")
    assert "slow cores" not in found["text"]


def test_a_program_in_a_long_path_has_its_names(lockbench: Program) -> None:
    folder = lockbench.folder.joinpath(*["d" * 90] * 5)
    folder.mkdir(parents=True)
    program = str(shutil.copy(LOADS, folder / "loads"))
    done = lockbench.run("observe", "--out", "seen", "--", program, "counts", "100")
    assert done.returncode == 0, done.stderr
    found = json.loads((lockbench.folder / "seen/observed.json").read_text(encoding="utf-8"))
    assert place(found, "count_body")["callers"][0]["module"] == program
    words = ("--observed", "seen", "--place", "count_body", "--", program, "counts", "100")
    done = lockbench.run("substitute", "--lock", "futex", *words)
    assert done.returncode == 0, done.stderr


def test_every_kind_of_lock_is_recorded(lockbench: Program) -> None:
    found = observe(lockbench, "kinds", "1000")
    kinds = {one["kind"]: one for one in found["processes"][0]["places"]}
    assert kinds["rwlock"]["shared_acquisitions"] == 1000
    assert kinds["rwlock"]["acquisitions"] == 1100
    assert kinds["spin lock"]["acquisitions"] == 1000
    assert kinds["semaphore"]["acquisitions"] == 1001
    assert kinds["semaphore"]["failed_tries"] == 1


def test_a_thread_that_waits_is_contended_and_its_wait_is_timed(lockbench: Program) -> None:
    found = observe(lockbench, "contended")
    seen = place({"processes": [{"places": [found["processes"][0]["places"][0]]}]}, "holder_body")
    assert (seen["acquisitions"], seen["contended"], seen["threads"]) == (40, 20, 2)
    assert seen["wait"]["samples"] == 20
    # The other thread holds for 5 ms after it says so.
    assert 0.1 <= seen["blocked_s"] <= found["wall_s"]
    assert seen["greatest_gain"] > 0.05
    assert "how much locks cost is not known" in found["text"]


def test_hold_and_think_are_those_of_the_program(lockbench: Program) -> None:
    found = observe(lockbench, "think", "300")
    seen = place(found, "think")
    # At least this long; a busy machine makes some longer, and few the median.
    assert 19_000 <= seen["hold"]["p50_ns"] <= 60_000
    assert 95_000 <= seen["think"]["p50_ns"] <= 300_000
    assert found["text"].lstrip().startswith("locks are not your problem")


def test_a_wait_for_a_condition_is_no_hold(lockbench: Program) -> None:
    seen = place(observe(lockbench, "condition", "100"), "condition")
    assert seen["hold"]["samples"] == 200  # before and after each wait
    assert seen["hold"]["p50_ns"] < 500_000  # the wait takes 1 ms


def test_popularity_follows_zipfs_law(lockbench: Program) -> None:
    seen = place(observe(lockbench, "zipf", "100000"), "zipf")
    assert abs(seen["zipf"] - 1) < 0.2 and seen["locks"] == 99


def test_locks_taken_in_both_orders_are_reported(lockbench: Program) -> None:
    found = observe(lockbench, "inversion")
    assert found["processes"][0]["inversions"] == [[0, 1, 1]]
    assert "possible deadlock" in found["text"]


def test_a_fork_has_its_own_record(lockbench: Program) -> None:
    found = observe(lockbench, "forks", "500")
    counts = {one["forked"]: one for one in found["processes"]}
    assert counts[False]["acquisitions"] == 501 and counts[True]["acquisitions"] == 1000
    assert counts[True]["parent"] == counts[False]["pid"]


def test_a_program_that_is_executed_has_its_own_record(lockbench: Program) -> None:
    script = f"{LOADS} counts 100; exec {LOADS} counts 200"
    done = lockbench.run("observe", "--out", "seen", "--", "sh", "-c", script)
    assert done.returncode == 0, done.stderr
    found = json.loads((lockbench.folder / "seen/observed.json").read_text(encoding="utf-8"))
    assert sorted(one["acquisitions"] for one in found["processes"]) == [401, 801]


def test_the_preset_can_be_run(lockbench: Program) -> None:
    observe(lockbench, "think", "100")
    dry = lockbench.run("run", "seen/observed.toml", "--dry-run", "-v")
    assert dry.returncode == 0, dry.stderr
    # On a busy machine, a thread that waits for a processor looks like one that sleeps.
    assert re.search(r"think (sleep:)?mix of ", dry.stdout)


def test_locks_of_the_program_itself_are_observed(lockbench: Program) -> None:
    alone = subprocess.run([OWN, "2000"], capture_output=True, text=True, check=True)
    done = lockbench.run("observe", "--out", "seen", "--", OWN, "2000")
    assert (done.returncode, done.stdout) == (0, alone.stdout), done.stderr
    found = json.loads((lockbench.folder / "seen/observed.json").read_text(encoding="utf-8"))
    places = sorted(found["processes"][0]["places"], key=lambda one: int(one["locks"]))
    assert [one["name"] for one in places if "own_locks.cc:" not in one["name"]] == []
    figures = ("acquisitions", "locks", "threads")
    assert [[one[name] for name in figures] for one in places] == [[4000, 1, 2], [8000, 10, 2]]
    assert places[1]["hottest_share"] == pytest.approx(0.55)


@pytest.mark.parametrize(
    "where, acquisitions, contended",
    [
        ("asleep", 2, 1),
        ("asleep_for_a_condition", 2, 1),
        ("asleep_in_try_lock", 1, 1),
        ("asleep_in_unlock", 1, 0),
    ],
)
def test_what_such_a_lock_sleeps_on_is_a_part_of_it(
    lockbench: Program, where: str, acquisitions: int, contended: int
) -> None:
    done = lockbench.run("observe", "--out", "seen", "--", OWN, where)
    assert done.returncode == 0, done.stderr
    found = json.loads((lockbench.folder / "seen/observed.json").read_text(encoding="utf-8"))
    (process,) = found["processes"]
    (place,) = process["places"]
    assert (place["kind"], place["acquisitions"]) == ("mutex", acquisitions)
    assert (place["contended"], process["events"]) == (contended, [])
    # The whole wait is there, and not only the time until the thread slept.
    assert place["blocked_s"] >= float(done.stdout)


def test_advice_for_an_observation_is_asked_with_its_load(lockbench: Program) -> None:
    observe(lockbench, "think", "100")
    done = lockbench.run("advise", "--observed", "seen", "--budget", "1s", "--patience", "0")
    assert "--budget: 3 cells" in done.stderr and done.returncode == 2  # of one load, with one key
    asked = "The load at think loads.c"
    assert done.stderr.startswith(asked)


@pytest.mark.parametrize(
    "flags, told",
    [
        (["--observed", "none"], "none/observed.json: "),
        (["--observed", "seen", "--place", "9"], "--place: seen/observed.json has places 1 to 2"),
        (
            ["--observed", "seen", "--keys", "3"],
            "--observed: says the whole case; leave out --keys",
        ),
        (["--place", "2", "--threads", "2", "--keys", "1"], "--place: names a place of an"),
        (["--observed", "other"], "other/observed.json: "),
    ],
)
def test_an_observation_that_cannot_be_used_is_told(
    lockbench: Program, flags: list[str], told: str
) -> None:
    observe(lockbench, "think", "100")
    (lockbench.folder / "other").mkdir()
    (lockbench.folder / "other/observed.json").write_text("{}", encoding="utf-8")
    done = lockbench.run("advise", *flags)
    assert done.returncode == 2
    assert done.stderr.startswith(f"lockbench advise: {told}"), done.stderr


def test_a_preset_is_checked_against_its_program(lockbench: Program) -> None:
    observe(lockbench, "contended", "1000")
    done = lockbench.run("observe", "--check", "seen")
    assert done.returncode in (0, 4), done.stderr
    lines = done.stderr.splitlines()
    assert lines[0].startswith("holder_body loads.c")
    assert lines[1].split() == ["the", "program", "its", "preset", "factor"]
    assert lines[2].split()[:3] == ["contended", "50", "%"]


def test_a_place_can_be_several_callers(lockbench: Program) -> None:
    for callers, functions in (("1", ["take"]), ("2", ["take < left", "take < right"])):
        found = observe(lockbench, "wrapped", flags=("--callers", callers, "--place", "^take"))
        names = [one["name"] for one in found["processes"][0]["places"]]
        assert sorted(re.sub(r" loads.c:[0-9]+", "", name) for name in names) == functions
        (lockbench.folder / "seen").rename(lockbench.folder / callers)


def test_only_the_places_that_were_asked_for_remain(lockbench: Program) -> None:
    found = observe(lockbench, "kinds", flags=("--place", "^begin "))
    assert [one["name"].split()[0] for one in found["processes"][0]["places"]] == ["begin"]
    refused = lockbench.run("observe", "--place", "(", "--", LOADS, "counts")
    assert refused.returncode == 2 and "is no regular expression" in refused.stderr


def test_the_start_can_be_skipped(lockbench: Program) -> None:
    found = observe(lockbench, "counts", "10", flags=("--delay", "60min"))
    assert found["processes"] == []
    assert "before the observation began (--delay 3600 s)" in found["text"]


def test_input_output_and_signals_are_the_programs(lockbench: Program) -> None:
    script = "cat; echo err >&2; exit 3"
    done = lockbench.run("observe", "--out", "a", "--", "sh", "-c", script, stdin=subprocess.PIPE)
    assert done.returncode == 3 and "err\n" in done.stderr
    # The program has a handler; lockbench waits for what it makes of the signal.
    script = "trap 'echo caught; exit 5' INT TERM; echo ready; while :; do sleep 0.01; done"
    for number, name in ((signal.SIGTERM, "b"), (signal.SIGINT, "c")):
        running = lockbench.start("observe", "--out", name, "--", "sh", "-c", script)
        assert running.stdout.readline() == "ready\n"
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
        assert (out, running.returncode) == ("caught\n", 5), err
        assert (lockbench.folder / name / "observed.json").exists()


def test_what_cannot_be_observed_is_one_line(lockbench: Program) -> None:
    (lockbench.folder / "there").mkdir()
    (lockbench.folder / "text").write_text("no program\n", encoding="utf-8")
    (lockbench.folder / "text").chmod(0o755)
    cases = [
        (("--", "no-such-program"), "'no-such-program' is no program on the PATH"),
        (("--", "./missing"), "'./missing' is no program"),
        (("--", STATIC, "counts"), "is linked statically"),
        (("--", "./text"), "is neither a program nor a script"),
        (("--out", "there", "--", LOADS, "counts"), "there: exists already"),
        ((), "name the program after --"),
        (("--",), "name the program after --"),
    ]
    for words, expected in cases:
        done = lockbench.run("observe", *words)
        assert done.returncode == 2, (words, done.stderr)
        assert expected in done.stderr and done.stderr.count("\n") == 1, done.stderr
    script = lockbench.folder / "script"
    script.write_text(f"#!/bin/sh\n{LOADS} counts 10\n", encoding="utf-8")
    script.chmod(0o755)
    done = lockbench.run("observe", "--", "./script")
    assert done.returncode == 0 and "is a script; the locks of its interpreter" in done.stderr


def test_the_folder_is_named_after_the_program(lockbench: Program) -> None:
    done = lockbench.run("observe", "--", LOADS, "counts", "10")
    assert done.returncode == 0
    folders = list((lockbench.folder / "results/observed").iterdir())
    assert len(folders) == 1 and "lockbench-loads" in folders[0].name
    assert wait_until(lambda: (folders[0] / "observed.toml").exists(), "the preset")
