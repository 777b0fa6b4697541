# SPDX-License-Identifier: Apache-2.0
"""Whatever stops a run, its finished trials are kept, and it can be gone on with."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from program import (
    Program,
    assert_complete,
    assert_interrupted_leaves_no_files,
    is_running,
    rows_of,
    trial_of,
    wait_until,
    with_temporary_folder,
    without_advice,
)

TRIALS = 24
FIXED = ("--primitive", "global", "--threads", "1", "--mode", "fixed", "--operations", "1")
SHORT = ("run", *FIXED, "--hold", "sleep:30ms", "--blocks", str(TRIALS), "--out", "out")
LONG = ("run", *FIXED, "--hold", "sleep:10min", "--blocks", "2", "--out", "out")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_keeps_the_rows_and_tells_how_to_go_on(
    lockbench: Program, number: int, code: int
) -> None:
    out = lockbench.folder / "out"
    process = lockbench.start(*SHORT, "--progress", "off")
    wait_until(lambda: len(rows_of(out)) >= 2, "no rows")
    process.send_signal(number)
    err = without_advice(process.communicate()[1])
    assert process.returncode == code
    kept = rows_of(out)
    assert 2 <= len(kept) < TRIALS
    assert err.count("\n") == 1, err
    assert err.startswith(f"Interrupted: {len(kept)} of {TRIALS} trials are kept")

    resumed = lockbench.go_on_as_told(err)
    assert resumed.returncode == 0, resumed.stderr
    assert_complete(out, TRIALS)
    assert rows_of(out)[: len(kept)] == kept
    assert f"Measured out: {TRIALS} trials" in resumed.stdout


@pytest.mark.parametrize("times", [1, 2])
def test_a_signal_does_not_wait_for_a_long_trial(lockbench: Program, times: int) -> None:
    """Sent twice, it is one: timeout(1) signals its child and then the child's group."""
    process = lockbench.start(*LONG)
    child = trial_of(process.pid)
    for _ in range(times):
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "0 of 2 trials are kept" in err
    assert not is_running(child)


def test_ctrl_c_reaches_the_run_and_not_its_child(lockbench: Program) -> None:
    process = lockbench.start(*LONG, start_new_session=True)
    trial_of(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert rows_of(lockbench.folder / "out") == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "words",
    [
        ("stress", "file", "--engine", "proc", "--budget", "10min"),
        ("run", "--primitive", "file", "--hold", "sleep:10min", *FIXED[2:], "--out", "out"),
    ],
    ids=lambda words: words[0],
)
def test_who_is_interrupted_leaves_no_temporary_files(
    lockbench: Program, words: tuple[str, ...], number: int
) -> None:
    assert_interrupted_leaves_no_files(lockbench, words, number)


def test_a_signal_that_was_ignored_stays_ignored(lockbench: Program) -> None:
    out = lockbench.folder / "out"
    ignoring = 'trap "" HUP INT; exec "$@"'
    process = lockbench.start(
        "-c", ignoring, "sh", str(lockbench.binary), *SHORT, executable="/bin/sh"
    )
    wait_until(lambda: len(rows_of(out)) >= 2, "no rows")
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 0
    assert_complete(out, TRIALS)


def test_ctrl_c_ends_a_comparison_that_hangs(lockbench: Program) -> None:
    python = lockbench.folder / "python3"
    called = lockbench.folder / "called"
    python.write_text(
        f'#!/bin/sh\n[ "$1" = -c ] && exit\ntrap "" INT TERM\n: >{called}\nsleep 1000\n',
        encoding="utf-8",
    )
    python.chmod(0o755)
    words = ("run", *FIXED, "--blocks", "2", "--progress", "off", "--out", "out")
    process = lockbench.start(*words, env={**os.environ, "LOCKBENCH_PYTHON": str(python)})
    wait_until(called.exists, "nothing is compared")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Interrupted: all trials are kept; to compare them: " in err
    assert_complete(lockbench.folder / "out", 2)


def test_a_killed_run_takes_its_child_with_it(lockbench: Program) -> None:
    process = lockbench.start(*LONG, env=with_temporary_folder(lockbench))
    child = trial_of(process.pid)
    process.kill()
    process.communicate()
    wait_until(lambda: not is_running(child), "the trial outlived its run")


def test_a_killed_run_is_gone_on_with(lockbench: Program) -> None:
    out = lockbench.folder / "out"
    process = lockbench.start(*SHORT, env=with_temporary_folder(lockbench))
    wait_until(lambda: len(rows_of(out)) >= 2, "no rows")
    process.kill()
    process.communicate()
    kept = rows_of(out)

    # The last row torn in two, as by a crash in the middle of writing.
    with (out / "trials.csv").open("a", encoding="utf-8") as file:
        file.write("1,torn")
    resumed = lockbench.run("run", "--resume", "out")
    assert resumed.returncode == 0, resumed.stderr
    assert "its last line had no end" in resumed.stderr
    assert_complete(out, TRIALS)
    assert rows_of(out)[: len(kept)] == kept


NOTHING_LEFT = f"lockbench run: nothing was left to measure: all {TRIALS} trials have their row\n"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    "edits",
    [
        (),
        # The kill comes after the last row and before the end of the run is recorded.
        (('"finished"', '"running"'),),
        # Nothing is added to the rows, so it does not matter who could add to them.
        (('"compiler": "', '"compiler": "another '), ('"cpu_model": "', '"cpu_model": "another ')),
    ],
    ids=["finished", "killed at its end", "another build and machine"],
)
def test_a_run_without_missing_rows_ends_again_as_it_ended(
    lockbench: Program, edits: tuple[tuple[str, str], ...]
) -> None:
    first = lockbench.run(*SHORT, "--progress", "off")
    out = lockbench.folder / "out"
    meta = out / "meta.json"
    text = meta.read_text(encoding="utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    meta.write_text(text, encoding="utf-8")
    before = contents(out)
    for _ in range(2):
        again = lockbench.run("run", "--resume", "out", "--save-baseline", "main")
        assert again.returncode == first.returncode == 0, again.stderr
        assert again.stdout == first.stdout
        assert again.stderr.startswith(NOTHING_LEFT)
        after = contents(out)
        assert '"finished"' in after["meta.json"].decode()
        if '"running"' not in text:
            assert after == before
        assert after | {"meta.json": b""} == before | {"meta.json": b""}
    assert (lockbench.folder / "results" / "baselines" / "main").resolve() == out.resolve()


def test_a_run_without_a_valid_row_is_inconclusive_again(lockbench: Program) -> None:
    words = [
        *("--primitive", "keyed", "--threads", "1", "--blocks", "1"),
        # Ten seconds of holds, and no time for them.
        *("--mode", "fixed", "--operations", "1000", "--hold", "sleep:10ms"),
        *("--time-limit", "200ms"),
    ]
    for repeated in (
        (("run", *words, "--out", "out"), ("run", "--resume", "out")),
        (("run", *words, "--shard", "1/1", "--out", "one"),) * 2,
    ):
        done, again = (lockbench.run(*command) for command in repeated)
        assert done.returncode == again.returncode == 4, again.stderr
        assert again.stdout == done.stdout
        assert "nothing was left to measure: its trial has its row" in again.stderr


def test_a_run_that_is_going_on_is_not_resumed(lockbench: Program) -> None:
    process = lockbench.start(*LONG)
    trial_of(process.pid)
    resumed = lockbench.run("run", "--resume", "out")
    assert resumed.returncode == 2
    assert "another process is writing there" in resumed.stderr
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 143


def test_a_full_disk_keeps_whole_rows(lockbench: Program) -> None:
    out = lockbench.folder / "out"
    # latency.csv grows by some thousand bytes a trial, fills the disk first, and well before its
    # end; meta.json, with a few hundred a trial, has room.
    words = ("--threads", "4", "--operations", "2000", "--sample-every", "1", "--hold", "1us")
    many = ("--primitive", "keyed", "--mode", "fixed", "--blocks", "40", *words)
    done = lockbench.run("run", *many, "--out", "out", "--progress", "off", file_limit=40 << 10)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    assert "ulimit -f" in done.stderr
    kept = rows_of(out)
    assert 0 < len(kept) < 40
    assert f"{len(kept)} of 40 trials are kept" in done.stderr
    assert (out / "trials.csv").read_text(encoding="utf-8").endswith("\n")

    assert lockbench.go_on_as_told(done.stderr).returncode == 0
    assert_complete(out, 40)
    assert rows_of(out)[: len(kept)] == kept


def test_a_disk_without_any_room_refuses_the_run(lockbench: Program) -> None:
    done = lockbench.run(*SHORT, file_limit=0)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "out/meta.json" in done.stderr
    assert not [path for path in (lockbench.folder / "out").glob("*")]
