# SPDX-License-Identifier: Apache-2.0
"""An error within a trial costs its row alone."""

from __future__ import annotations

import os
import re
import signal

from program import (
    Program,
    assert_complete,
    children_of,
    last_attempts,
    rows_of,
    trial_of,
    valid_in,
    wait_until,
)

DEADLOCK = """
title = "As many threads as leases, each of which wants two"
blocks = 1
mode = "fixed"
threads = 1
operations = 5
time_limit = "10min"
[[sweep]]
primitive = ["lease_as_published:leases=1", "lease_condvar:leases=1"]
workload = ["checkout", "checkout:second_lease"]
"""

CRASHES = """
title = "Two long trials among short ones"
blocks = 1
mode = "fixed"
[[sweep]]
primitive = ["global", "keyed"]
operations = 1
hold = "sleep:600s"
[[sweep]]
primitive = ["global", "keyed"]
operations = 10
threads = [1, 2]
"""


def test_a_deadlock_costs_its_row_alone_and_is_told(lockbench: Program) -> None:
    (lockbench.folder / "plan.toml").write_text(DEADLOCK, encoding="utf-8")
    done = lockbench.run("run", "plan.toml", "--out", "out")
    assert done.returncode == 0, done.stderr
    rows = last_attempts(lockbench.folder / "out")
    outcomes = {(row["primitive"], row["scenario"]): row for row in rows}
    for primitive in ("lease_as_published", "lease_condvar"):
        assert outcomes[primitive, ""]["outcome"] == "ok"
        assert outcomes[primitive, ""]["valid"] == "true" or outcomes[primitive, ""]["disturbance"]
        stuck = outcomes[primitive, "second_lease"]
        assert stuck["outcome"] == "deadlock"
        assert stuck["valid"] == "false"
        assert "threads 0, of 1" in stuck["reason"]
        assert f"1 × {primitive}:leases=1, checkout:second_lease: deadlock:" in done.stdout
    assert f"4 trials, {valid_in(rows) or 'none'} of them valid" in done.stdout


def seed_that_puts_long_trials_first(lockbench: Program) -> str:
    for seed in map(str, range(1000)):
        done = lockbench.run("run", "plan.toml", "--dry-run", "-v", "--seed", seed)
        trials = done.stdout.partition("\n\n")[2].splitlines()
        if trials and all("sleep:600s" in line for line in trials[:2]):
            return seed
    raise AssertionError("no seed draws that order")


def test_a_crash_costs_its_row_alone_and_names_its_signal(lockbench: Program) -> None:
    (lockbench.folder / "plan.toml").write_text(CRASHES, encoding="utf-8")
    seed = seed_that_puts_long_trials_first(lockbench)
    out = lockbench.folder / "out"
    process = lockbench.start("run", "plan.toml", "--seed", seed, "--out", "out")
    for index, number in enumerate((signal.SIGKILL, signal.SIGSEGV)):
        # Each row is written after its child is gone: whoever is there now measures the next one.
        wait_until(lambda: len(rows_of(out)) == index, f"no {index} rows")
        os.kill(trial_of(process.pid), number)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr

    assert_complete(out, 6)
    rows = rows_of(out)
    killed, faulted = rows[:2]
    assert killed["outcome"] == faulted["outcome"] == "crashed"
    assert "signal 9 (Killed)" in killed["reason"]
    assert "signal 11 (Segmentation fault)" in faulted["reason"]
    assert killed["operations"] == "" and killed["valid"] == "false"
    rest = last_attempts(out)
    assert [row["outcome"] for row in rest].count("ok") == 4
    assert f"6 trials, {valid_in(rest) or 'none'} of them valid" in stdout


def test_the_article_counts_and_only_no_lock_loses_updates(lockbench: Program) -> None:
    words = ("--primitive", "none", "--primitive", "keyed", "--hold", "sleep:200ms")
    done = lockbench.run("run", "article-21x6", "--blocks", "1", *words, "--out", "out")
    # Only `keyed` can be valid; on a busy machine it may be disturbed each time.
    disturbed = valid_in(rows_of(lockbench.folder / "out")) == 0
    assert done.returncode == (4 if disturbed else 0), done.stderr
    rows = {row["primitive"]: row for row in rows_of(lockbench.folder / "out")}
    assert rows["keyed"]["counts"] == "6 2 5 3 2 3"
    assert rows["keyed"]["lost_updates"] == "0"
    assert rows["keyed"]["outcome"] == "ok"
    assert rows["none"]["counts"] == "1 1 1 1 1 1"
    assert rows["none"]["lost_updates"] == "15"
    assert rows["none"]["valid"] == "false"
    assert re.search(r"1 × none, counter: lost 15 updates", done.stdout)


def test_workers_are_processes_if_the_user_asks(lockbench: Program) -> None:
    words = ["--processes", "--workload", "counter,accounts", "--primitive", "file_robust_mutex"]
    words += ["--key-type", "string", "--mode", "fixed", "--operations", "4", "--threads", "3"]
    words += ["--keys", "2", "--hold", "sleep:100ms", "--blocks", "1", "--patience", "0"]
    process = lockbench.start("run", *words, "--out", "out")

    def workers() -> bool:
        trials = children_of(process.pid)
        return any(len(list(children_of(trial))) == 3 for trial in trials)

    wait_until(workers, "no trial with three processes")
    _, stderr = process.communicate(timeout=100)
    assert process.returncode in (0, 4), stderr  # 4: a busy machine disturbed all of them
    rows = last_attempts(lockbench.folder / "out")
    assert [(row["workload"], row["scenario"]) for row in rows] in (
        [("counter", "processes"), ("accounts", "processes")],
        [("accounts", "processes"), ("counter", "processes")],
    )
    for row in rows:
        assert row["outcome"] == "ok", row
        assert (row["operations"], row["lost_updates"], row["violations"]) == ("12", "0", "0"), row
        assert sum(map(int, row["counts"].split())) == 12
