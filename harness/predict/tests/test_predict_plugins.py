# SPDX-License-Identifier: Apache-2.0
"""`lockbench predict --plugin`: locks that know nothing of lockbench's platform, and peers."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest
from installation import ROOT
from program import PLUGINS, Program, rows_of

PREDICTED = PLUGINS / "predicted.so"
PAUSE_NS = 40  # of the machine

Times = dict[str, list[float]]


def predicted(lockbench: Program, folder: Path, *locks: str, words: tuple[str, ...] = ()) -> Times:
    """Nanoseconds of an operation, with one lock for all keys, by 1 and 4 threads."""
    cells = [word for lock in locks for word in ("--primitive", f"global:lock={lock}")]
    cells += ["--keys", "1", "--hold", "0", "--threads", "1,4", "--window", "100us"]
    cells += ["--blocks", "1", "--machine", str(machine(folder)), "--format", "csv"]
    done = lockbench.run("predict", *words, *cells, "--out", str(folder / "run"))
    assert done.returncode == 0, done.stderr
    times: Times = {}
    for row in sorted(rows_of(folder / "run"), key=lambda row: int(row["threads"])):
        assert (row["valid"], row["lost_updates"]) == ("true", "0"), row
        times.setdefault(row["params"].removeprefix("lock="), []).append(
            1e9 / float(row["operations_per_s"])
        )
    return times


def machine(folder: Path) -> Path:
    text = (ROOT / "harness/predict/machines/i7-1165g7.toml").read_text(encoding="utf-8")
    lines = [
        f"pause = {PAUSE_NS}" if line.startswith("pause =") else line for line in text.split("\n")
    ]
    file = folder / "four.toml"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def times(tmp_path_factory: pytest.TempPathFactory) -> Times:
    folder = tmp_path_factory.mktemp("plugin")
    lockbench = Program(folder)
    locks = ["on_platform", "on_atomics", "mutex", "std"]
    locks += ["with_data", "with_pauses", "with_nodes", "with_volatile"]
    return predicted(lockbench, folder, *locks, words=("--plugin", str(PREDICTED)))


def test_accesses_of_a_lock_cost_the_same_however_they_are_written(times: Times) -> None:
    assert times["on_atomics"] == pytest.approx(times["on_platform"], rel=0.02)
    # The model lacks one part of std::mutex: who holds it.
    assert times["mutex"] == pytest.approx(times["std"], rel=0.2)
    assert times["on_atomics"][1] > 2 * times["on_atomics"][0]


def test_data_that_a_lock_guards_is_transferred(times: Times) -> None:
    alone, four = (times["with_data"][i] - times["on_atomics"][i] for i in (0, 1))
    assert abs(alone) < 1 and four > 20


@pytest.mark.skipif(platform.machine() != "x86_64", reason="pauses are free elsewhere")
def test_pauses_take_their_time(times: Times) -> None:
    assert times["with_pauses"][0] - times["mutex"][0] == pytest.approx(100 * PAUSE_NS, rel=0.05)


def test_stores_do_not_outlive_their_memory(times: Times) -> None:
    # The rows of both numbers of threads are valid, and the stores take their time.
    assert times["with_nodes"][0] > times["mutex"][0] + 5


def test_a_store_that_is_not_atomic_comes_after_earlier_ones(times: Times) -> None:
    assert times["with_volatile"][1] > times["with_volatile"][0]  # and its rows are valid


def failing(lockbench: Program, folder: Path, lock: str) -> subprocess.CompletedProcess[str]:
    words = ("--primitive", f"global:lock={lock}", "--threads", "2", "--keys", "1", "--blocks", "1")
    return lockbench.run(
        *("predict", "--plugin", str(PREDICTED), *words, "--window", "50us", "--hold", "0"),
        *("--machine", "graviton3", "--out", str(folder)),
    )


def test_updates_that_a_broken_lock_loses_are_counted(lockbench: Program, tmp_path: Path) -> None:
    failing(lockbench, tmp_path / "run", "two_steps")
    (row,) = rows_of(tmp_path / "run")
    assert row["valid"] == "false" and int(row["lost_updates"]) > 0


def test_a_call_that_cannot_be_simulated_is_named(lockbench: Program, tmp_path: Path) -> None:
    done = failing(lockbench, tmp_path / "run", "polls")
    said = done.stdout + done.stderr
    assert done.returncode != 0 and "calls poll, which a simulation cannot decide" in said


def test_a_plugin_that_is_not_built_for_predictions_is_refused(
    lockbench: Program, tmp_path: Path
) -> None:
    words = ("--primitive", "global", "--machine", "graviton3", "--out", str(tmp_path / "run"))
    done = lockbench.run("predict", "--plugin", str(PLUGINS / "c_locks.so"), *words)
    assert done.returncode == 2
    assert "not built for predictions" in done.stderr and "PREDICT" in done.stderr


def test_a_file_that_is_missing_is_named_as_the_user_named_it(
    lockbench: Program, tmp_path: Path
) -> None:
    missing = str(tmp_path / "missing.so")
    done = lockbench.run("predict", "--plugin", missing, "--primitive", "global")
    assert done.returncode == 2
    assert f"{missing}: no such file" in done.stderr


def test_peers_are_predicted_by_their_own_names(lockbench: Program, tmp_path: Path) -> None:
    times = predicted(lockbench, tmp_path, "tbb_spin", "tbb_queuing", "pthread_spin")
    for alone, four in times.values():
        assert 5 < alone < four
