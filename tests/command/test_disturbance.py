# SPDX-License-Identifier: Apache-2.0
"""A trial that something disturbed is measured again, and every attempt is kept."""

from __future__ import annotations

import re

import pytest

from program import Program, meta_of, rows_of
from surroundings import cpu_quota

# One operation takes fifty times as long as the window.
STRETCHED = ("--primitive", "global", "--threads", "1", "--window", "1ms", "--warmup", "0")
RUN = ("run", *STRETCHED, "--hold", "sleep:50ms", "--blocks", "2", "--out", "out")


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_disturbed_trial_is_measured_three_times_and_the_run_is_inconclusive(
    lockbench: Program, form: str
) -> None:
    done = lockbench.run(*RUN, "--sample-every", "1", "--progress", "bar", "--format", form)
    assert done.returncode == 4
    assert "inconclusive: 0 of 6 rows are valid (minimum 1)" in done.stderr
    assert "`reason` of out/trials.csv" in done.stderr
    rows = rows_of(lockbench.folder / "out")
    assert [(row["trial"], row["attempt"]) for row in rows] == [
        (trial, attempt) for trial in "01" for attempt in "012"
    ]
    for row in rows:
        assert (row["outcome"], row["valid"], row["lost_updates"]) == ("ok", "false", "0")
        assert "longer than asked for" in row["disturbance"]
        assert row["reason"] == row["disturbance"]
    assert form == "json" or "2 × global, counter: the window took" in done.stdout
    # A trial counts as done when its last attempt is.
    shown = re.findall(r"(\d)/2 trials, \d+:\d\d (?:left|in all)(.*)\x1b", done.stderr)
    assert [count for count, _ in shown] == list("0001112")
    assert "disturbed, attempt 3 of 3: global" in shown[2][1]
    # All attempts stand in the latencies, under their number.
    lines = (lockbench.folder / "out" / "latency.csv").read_text(encoding="utf-8").splitlines()
    column = lines[0].split(",").index("attempt")
    timed = {row["attempt"] for row in rows if row["wait_samples"] not in ("", "0")}
    assert {line.split(",")[column] for line in lines[1:]} == timed


def test_a_run_records_what_the_machine_did_beside_it(lockbench: Program) -> None:
    words = ("run", "--primitive", "global", "--threads", "1", "--window", "1ms", "--blocks", "1")
    done = lockbench.run(*words, "--patience", "0", "--out", "out")
    assert "waits up to" not in done.stderr
    meta = meta_of(lockbench.folder / "out")
    surroundings = meta["surroundings"]
    assert surroundings["most_interference"] == 0.05
    assert (surroundings["patience_s"], surroundings["waited_s"]) == (0, 0)
    for moment in ("findings_at_start", "findings_at_end"):
        for finding in surroundings[moment]:
            assert finding["severity"] in ("note", "problem")
            assert finding["name"] and finding["what"]


def test_without_patience_interference_is_recorded_and_the_row_stays_valid(
    lockbench: Program,
) -> None:
    words = ("run", "--primitive", "global", "--threads", "1,2,4", "--window", "20ms")
    lockbench.run(*words, "--blocks", "2", "--patience", "0", "--out", "out")
    rows = rows_of(lockbench.folder / "out")
    assert rows
    for row in rows:
        assert not row["interference"] or row["disturbance"] != row["interference"]


def test_a_quota_of_cpu_time_is_counted_marked_and_part_of_the_machine(lockbench: Program) -> None:
    words = ("run", "--primitive", "global", "--threads", "1", "--window", "300ms", "--blocks", "1")
    try:
        # So little that it stops the thread on a busy machine, too.
        with cpu_quota(0.1) as enter:
            process = lockbench.start(*words, "--patience", "1ms", "--out", "out", preexec_fn=enter)
            _, err = process.communicate()
    except PermissionError as error:
        pytest.skip(str(error))
    assert process.returncode == 0, err
    row = rows_of(lockbench.folder / "out")[-1]
    assert int(row["throttled_periods"]) >= 1
    assert float(row["throttled_s"]) > 0
    assert "the quota of CPU time stopped the threads for" in row["interference"]
    assert row["valid"] == "true"
    meta = meta_of(lockbench.folder / "out")
    assert meta["machine"]["cpu_quota"] == 0.1
    assert meta["surroundings"]["busy"]
    lockbench.run(*words, "--patience", "0", "--out", "free")
    said = lockbench.run("compare", "out", "free", "--fail-if-slower", "5%")
    assert said.returncode == 2
    assert "different machines (cpu_quota 0.1 and None)" in said.stderr
