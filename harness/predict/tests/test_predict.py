# SPDX-License-Identifier: Apache-2.0
"""`lockbench predict`: rows of machines that are models, from the command line to the CSV."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from installation import ROOT
from program import Program, keep_rows, rows_of

MODELS = ROOT / "harness/predict/machines"
CELLS = ("--primitive", "global", "--primitive", "keyed", "--keys", "4", "--hold", "20ns")
SMALL = (*CELLS, "--threads", "2", "--window", "20us", "--blocks", "1", "--format", "csv")


def predict(lockbench: Program, folder: Path, *words: str) -> list[dict[str, str]]:
    done = lockbench.run("predict", *SMALL, *words, "--out", str(folder))
    assert done.returncode == 0, done.stderr
    return rows_of(folder)


def test_predictions_are_rows_that_say_so(lockbench: Program, tmp_path: Path) -> None:
    rows = predict(lockbench, tmp_path / "a", "--machine", "i7-1165g7", "--machine", "graviton3")
    assert [row["machine"] for row in rows] == ["i7-1165g7"] * 2 + ["graviton3"] * 2
    for row in rows:
        assert (row["predicted"], row["valid"], row["lost_updates"]) == ("true", "true", "0")
        assert int(row["operations"]) > 100 and row["cpu_user_s"] == row["peak_rss_bytes"] == ""
    model = (MODELS / "graviton3.toml").read_text(encoding="utf-8")
    assert (tmp_path / "a" / "machines" / "graviton3.toml").read_text(encoding="utf-8") == model

    again = predict(lockbench, tmp_path / "b", "--machine", "graviton3")
    figures = ("operations", "window_s", "wait_p50_ns", "thread_operations_min")
    told = {(row["primitive"], tuple(row[name] for name in figures)) for row in rows[2:]}
    assert {(row["primitive"], tuple(row[name] for name in figures)) for row in again} == told

    compared = lockbench.run("compare", str(tmp_path / "b"))
    assert compared.returncode == 0 and "prediction for AWS Graviton3" in compared.stdout


def test_an_interrupted_prediction_goes_on(lockbench: Program, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    whole = predict(lockbench, folder, "--machine", "i7-1165g7")
    keep_rows(folder, -1)
    refused = lockbench.run("run", "--resume", str(folder))
    assert refused.returncode == 2 and "lockbench predict --resume" in refused.stderr
    done = lockbench.run("predict", "--resume", str(folder), "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert [row["operations"] for row in rows_of(folder)] == [row["operations"] for row in whole]
    again = lockbench.run("predict", "--resume", str(folder), "--format", "csv")
    assert (again.returncode, again.stdout) == (0, done.stdout)
    assert "nothing was left to predict" in again.stderr


def test_each_primitive_that_the_predictor_lists_can_be_predicted(
    lockbench: Program, tmp_path: Path
) -> None:
    predictor = lockbench.binary.parent / "lockbench-predicted-trial"
    listed = subprocess.run([predictor, "list"], capture_output=True, text=True, check=True).stdout
    known = [line.split() for line in listed.splitlines() if not line.startswith("none ")]
    assert len({name for name, *_ in known}) > 10
    for workload in ("counter", "read_mostly", "checkout", "nested"):
        for key_type in ("u64", "string") if workload == "counter" else ("u64",):
            folder = tmp_path / f"{workload}-{key_type}"
            chosen = [name for name, keys, *can in known if keys == key_type and workload in can]
            if workload != "read_mostly":  # of others, the catalog has these for it alone
                chosen = [name for name in chosen if not re.search("std_shared|spin_rw", name)]
            words = [word for name in chosen for word in ("--primitive", name)]
            words += ["--workload", workload, "--key-type", key_type]
            words += ["--keys", "1" if workload == "nested" else "4"]
            words += ["--threads", "2", "--window", "20us", "--blocks", "1"]
            words += ["--writes", "50%"] if workload == "read_mostly" else []
            done = lockbench.run("predict", *words, "--machine", "graviton3", "--out", str(folder))
            assert done.returncode == 0 and "left out" not in done.stderr, done.stderr
            rows = rows_of(folder)
            assert [row["valid"] for row in rows] == ["true"] * len(chosen), rows


def rates(lockbench: Program, folder: Path, *words: str, window: str = "2ms") -> dict[str, float]:
    """Operations per second by primitive, of 4 threads."""
    cells = ("--threads", "4", "--window", window, "--blocks", "1", "--machine", "i7-1165g7")
    done = lockbench.run("predict", *cells, *words, "--format", "csv", "--out", str(folder))
    assert done.returncode == 0, done.stderr
    rows = rows_of(folder)
    assert {row["valid"] for row in rows} == {"true"}, rows
    return {row["primitive"]: float(row["operations_per_s"]) for row in rows}


def test_readers_share_a_lock_and_writers_do_not(lockbench: Program, tmp_path: Path) -> None:
    words = ["--primitive", "keyed", "--primitive", "keyed_shared", "--workload", "read_mostly"]
    words += ("--keys", "1", "--hold", "5us")
    reading = rates(lockbench, tmp_path / "reading", *words, "--writes", "0")
    assert reading["keyed_shared"] > 3 * reading["keyed"]
    writing = rates(lockbench, tmp_path / "writing", *words, "--writes", "100%")
    assert writing["keyed_shared"] < 1.5 * writing["keyed"]


def test_names_are_keys_as_numbers_are(lockbench: Program, tmp_path: Path) -> None:
    words = ("--primitive", "keyed", "--primitive", "keyed_table64", "--keys", "64")
    numbers = rates(lockbench, tmp_path / "numbers", *words)
    names = rates(lockbench, tmp_path / "names", *words, "--key-type", "string")
    assert {row["key_type"] for row in rows_of(tmp_path / "names")} == {"string"}
    for primitive, rate in numbers.items():
        assert names[primitive] == pytest.approx(rate, rel=0.5)


def test_a_hold_beyond_the_limit_ends_for_the_waiter(lockbench: Program, tmp_path: Path) -> None:
    """The thread of the lock that watches the deadlines is simulated, too."""
    words = ("--primitive", "keyed_limited:hold_limit_ms=1", "--keys", "1")
    rates(lockbench, tmp_path / "late", *words, "--hold", "3ms", window="50ms")
    (late,) = rows_of(tmp_path / "late")
    assert int(late["expired_holds"]) > 5 and int(late["refused_writes"]) > 5, late
    rates(lockbench, tmp_path / "timely", *words, "--hold", "20us")
    (timely,) = rows_of(tmp_path / "timely")
    assert timely["expired_holds"] == timely["refused_writes"] == "0"


def row_of_spinning_threads(lockbench: Program, folder: Path, *words: str) -> dict[str, str]:
    cell = ["--primitive", "global:lock=tbb_queuing", "--keys", "1", "--window", "1s"]
    cell += ("--sample-every", "0", "--blocks", "1", "--machine", "graviton3")
    done = lockbench.run("predict", *cell, *words, "--format", "csv", "--out", str(folder))
    assert done.returncode == 0, done.stderr
    (row,) = rows_of(folder)
    assert row["valid"] == "true" and float(row["window_s"]) < 0.9, row
    return row


def test_a_window_lasts_until_each_thread_has_operations(
    lockbench: Program, tmp_path: Path
) -> None:
    """A million accesses of 64 threads that spin are three operations of each."""
    row = row_of_spinning_threads(lockbench, tmp_path / "a", "--threads", "64", "--hold", "20us")
    assert int(row["thread_operations_min"]) >= 20 and row["reason"] == ""


def test_a_window_that_has_too_many_accesses_says_so(lockbench: Program, tmp_path: Path) -> None:
    row = row_of_spinning_threads(lockbench, tmp_path / "a", "--threads", "64", "--hold", "100us")
    assert int(row["thread_operations_min"]) < 20
    assert "window cut after 16000000 accesses" in row["reason"]


def test_a_prediction_without_its_model_does_not_go_on(lockbench: Program, tmp_path: Path) -> None:
    predict(lockbench, tmp_path / "run", "--machine", "graviton3")
    keep_rows(tmp_path / "run", -1)
    (tmp_path / "run" / "machines" / "graviton3.toml").unlink()
    done = lockbench.run("predict", "--resume", str(tmp_path / "run"))
    assert done.returncode == 2 and "graviton3.toml: No such file" in done.stderr, done.stderr
    assert "put the run's copy of the machine back" in done.stderr


def test_a_primitive_that_is_left_out_has_a_reason(lockbench: Program, tmp_path: Path) -> None:
    reasons = {
        "global:lock=absl": "a part of it is compiled code of a library, whose accesses nothing",
        "keyed_tbb": "a part of it is compiled code of a library, whose accesses nothing",
        "file": "files and processes are not in the model",
        "keyed_as_published": "it is not compiled for predictions",
    }
    for primitive, reason in reasons.items():
        out = str(tmp_path / primitive)
        words = ("--primitive", primitive, "--keys", "1", "--machine", "graviton3", "--out", out)
        done = lockbench.run("predict", *words)
        assert done.returncode == 2
        assert f"no cell of the plan can be predicted: primitive {primitive} ({reason}" in (
            done.stderr
        )


def test_advice_for_a_machine_is_predicted(lockbench: Program, tmp_path: Path) -> None:
    case = ("advise", "--machine", "i7-1165g7", "--threads", "2", "--keys", "4", "--hold", "200ns")
    done = lockbench.run(*case, "--progress", "off", "--out", str(tmp_path / "a"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Predicted by the model of a machine, not measured")
    assert "accuracy: Where predictions were measured" in done.stdout
    assert "3 cells left out that cannot be predicted: primitive keyed_absl" in done.stderr
    rows = rows_of(tmp_path / "a")
    assert {(row["machine"], row["predicted"], row["threads"]) for row in rows} == {
        ("i7-1165g7", "true", "2")
    }
    assert {row["block"] for row in rows} == {"0", "1", "2", "3", "4"}
    assert "striped:lock=std" in {f"{row['primitive']}:{row['params'][:8]}" for row in rows}
    # The model has 4 cores, so two threads reach 50 % of one of 4 keys.
    loads = {(row["load_share"], row["think_kind"], row["think_ns"]) for row in rows}
    assert loads == {("0.05", "exp", "1800"), ("0.25", "exp", "200"), ("", "none", "")}


def test_from_how_many_threads_on_is_answered(lockbench: Program, tmp_path: Path) -> None:
    two = ("--when", "keyed", "--beats", "global")
    case = ("advise", "--machine", "i7-1165g7", "--threads", "3", "--keys", "16", *two)
    done = lockbench.run(*case, "--progress", "off", "--out", str(tmp_path / "a"))
    assert done.returncode in (0, 4), done.stderr
    assert "threads  keyed / global" in done.stdout
    rows = rows_of(tmp_path / "a")
    assert {(row["primitive"], row["threads"]) for row in rows} == {
        (primitive, threads) for primitive in ("keyed", "global") for threads in ("1", "2", "3")
    }
    again = lockbench.run("advise", *case[3:], "--run", str(tmp_path / "a"), "--format", "json")
    assert '"threads_by_model"' in again.stdout


def test_leases_of_many_shards_are_predicted_alike_in_each_block(
    lockbench: Program, tmp_path: Path
) -> None:
    """Threads that make an object of their own at the same time do not disturb each other's."""
    cells = ("--workload", "checkout", "--primitive", "lease:leases=8", "--keys", "64")
    words = (*cells, "--threads", "8", "--hold", "0", "--blocks", "3", "--format", "csv")
    done = lockbench.run("predict", *words, "--machine", "graviton3", "--out", str(tmp_path / "a"))
    assert done.returncode == 0, done.stderr
    rates = [float(row["operations_per_s"]) for row in rows_of(tmp_path / "a")]
    assert len(rates) == 3 and max(rates) < 1.5 * min(rates)


def preset_of(folder: Path, threads: str, target: str = "Graviton3") -> str:
    preset = folder / "part.toml"
    preset.write_text(
        f'title = "t"\ntarget = "{target}"\nblocks = 1\nwarmup = "1ms"\nwindow = "2ms"\n'
        f'primitive = "global"\nkeys = 1\nthreads = {threads}\n',
        encoding="utf-8",
    )
    return str(preset)


def test_what_has_too_many_threads_is_left_to_predictions(
    lockbench: Program, tmp_path: Path
) -> None:
    preset = preset_of(tmp_path, "[1, 1000]")
    words = ("--up-to-processors", "--out", str(tmp_path / "measured"))
    done = lockbench.run("run", preset, *words)
    assert done.returncode in (0, 4), done.stderr  # 4: a busy machine leaves no row valid
    assert "leaves out 1000, which lockbench predict predicts" in done.stderr
    assert {row["threads"] for row in rows_of(tmp_path / "measured")} == {"1"}

    preset = preset_of(tmp_path, "1000")
    done = lockbench.run("run", preset, "--up-to-processors", "--out", str(tmp_path / "none"))
    assert done.returncode == 2 and "all cells have more threads (1000) than the" in done.stderr


def test_a_preset_is_predicted_for_the_model_of_its_target(
    lockbench: Program, tmp_path: Path
) -> None:
    words = ("--out", str(tmp_path / "a"), "--format", "csv")
    done = lockbench.run("predict", preset_of(tmp_path, "[1, 2]"), *words)
    assert done.returncode == 0, done.stderr
    assert {row["machine"] for row in rows_of(tmp_path / "a")} == {"graviton3"}
    for wrong in ("quick", preset_of(tmp_path, "1", "nix")):
        done = lockbench.run("predict", wrong)
        assert done.returncode == 2 and "--machine: not given; name a machine" in done.stderr


def test_the_list_ends_with_the_machines(lockbench: Program) -> None:
    everything = json.loads(lockbench.run("list", "--format", "json").stdout)
    assert list(everything)[-1] == "machines"
    assert "i7-1165g7" in [one["name"] for one in everything["machines"]]


def test_threads_compute_at_the_speed_of_their_kind_of_core(
    lockbench: Program, tmp_path: Path
) -> None:
    pinnings = ("kind:fast", "kind:slow", "mixed:2+2")
    words = [word for pinning in pinnings for word in ("--pinning", pinning)]
    words += ["--primitive", "global", "--keys", "1", "--threads", "4", "--hold", "1us"]
    words += ["--window", "1ms", "--blocks", "1", "--format", "csv", "--sample-every", "1"]
    folder = tmp_path / "kinds"
    done = lockbench.run("predict", *words, "--machine", "i7-12700k", "--out", str(folder))
    assert done.returncode == 0, done.stderr
    rows = {row["pinning"]: row for row in rows_of(folder)}
    assert [rows[pinning]["threads_by_kind"] for pinning in pinnings] == [
        "fast 4",
        "slow 4",
        "fast 2, slow 2",
    ]
    fast, slow = (float(rows[pinning]["operations_per_s"]) for pinning in pinnings[:2])
    assert 0.5 < slow / fast < 0.65
    assert 0 < float(rows["mixed:2+2"]["slow_operations_share"]) < 0.5


def test_cores_that_a_machine_does_not_have_are_left_out(
    lockbench: Program, tmp_path: Path
) -> None:
    done = lockbench.run(
        "predict", *SMALL, "--pinning", "kind:slow", "--machine", "i7-1165g7", "--out", "none"
    )
    assert done.returncode == 2
    assert "i7-1165g7: pinning kind:slow: the usable cores are of one kind" in done.stderr


def test_advice_for_a_model_with_several_kinds_of_cores(lockbench: Program, tmp_path: Path) -> None:
    two = ("--when", "keyed", "--beats", "global", "--format", "json")
    case = ("advise", "--machine", "m1", "--threads", "2", "--keys", "4", *two, "--cores", "slow")
    done = lockbench.run(*case, "--progress", "off", "--out", str(tmp_path / "a"))
    assert done.returncode in (0, 4), done.stderr
    answer = json.loads(done.stdout)
    assert (answer["cores"], answer["threads_by_kind"]) == ("slow", "slow 2")
    assert "on slow cores" in answer["asked"] and "on slow cores" in answer["answer"][-1]
    assert {row["pinning"] for row in rows_of(tmp_path / "a")} == {"kind:slow"}


@pytest.mark.parametrize(
    ("machine", "cores", "said"),
    [
        ("i7-1165g7", "fast", "the usable cores of i7-1165g7 are of one kind"),
        ("m1", "middle", "the usable cores of m1 are fast and slow"),
    ],
)
def test_advice_for_cores_that_a_model_does_not_have(
    lockbench: Program, machine: str, cores: str, said: str
) -> None:
    words = ("advise", "--machine", machine, "--threads", "2", "--keys", "4", "--cores", cores)
    done = lockbench.run(*words, "--progress", "off")
    assert done.returncode == 2 and said in done.stderr
