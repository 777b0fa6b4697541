# SPDX-License-Identifier: Apache-2.0
"""scripts/maintain/controls.sh: correct locks, or broken ones, as often as asked for, and what
came of it."""

import json
import os
import shlex
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support import ROOT


SCRIPT = ROOT / "scripts/maintain/controls.sh"
CLEAN = {"verdict": "clean", "figures": {"lock_operations": 100}}


def engines(folder: Path, answer: str) -> dict[str, str]:
    """An environment with engines that know two locks, one of them broken, and answer like this."""
    for name in ("lockbench-sim", "lockbench-sim-mutants"):
        known = "ours\ta lock\t\t\n" if name == "lockbench-sim" else "right\ta lock\t\t\n"
        known += "wrong\ta broken one\texclusion\t\nhidden\ta broken one\t\tunseen here\n"
        (folder / name).write_text(
            f'#!/bin/sh\nif [ "$1" = list ]; then printf %s {shlex.quote(known)}; exit 0; fi\n'
            f"cat >{folder}/order.$$\n{answer}",
            encoding="utf-8",
        )
        (folder / name).chmod(0o755)
    return {**os.environ, "LOCKBENCH_BUILD": str(folder)}


def saying(report: dict[str, Any]) -> str:
    return f"echo {shlex.quote(json.dumps(report, separators=(',', ':')))}\n"


def orders(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(order.read_text()) for order in folder.glob("order.*")]


def run(env: dict[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    command = [SCRIPT, "--engine", "sim", "--seconds", "1", *words]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_every_correct_lock_is_looked_into_with_each_seed(tmp_path: Path) -> None:
    done = run(engines(tmp_path, saying(CLEAN)), "--runs", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    asked = sorted((order["lock"], order["seed"]) for order in orders(tmp_path))
    assert asked == [(name, seed) for name in ("ours", "right") for seed in (1, 2, 3)]
    assert "6 runs: 0 failed, 0 undecided, 0 without a report" in done.stdout
    ours = [line.split() for line in done.stdout.splitlines() if " ours " in line]
    assert ours == [["sim", "ours", "3", "3", "300", "0", "0", "0"]]


def found(oracle: str, seconds: str) -> str:
    """The engine's answer in a shell script; `seconds` may be an expression of the shell."""
    report = {"verdict": "failed", "oracle": oracle, "found_after_s": "WHEN", "figures": {}}
    text = json.dumps(report, separators=(",", ":")).replace('"', '\\"')
    return f'echo "{text}"\n'.replace('\\"WHEN\\"', seconds)


# The seeds 1, 2 and 3 find the fault after 9 s, 1 s and 40 us; the median is 1 s.
def test_of_broken_locks_it_says_how_often_and_after_how_long(tmp_path: Path) -> None:
    seed = "seed=$(sed 's/.*\"seed\":\\([0-9]*\\).*/\\1/' " + f"{tmp_path}/order.$$)\n"
    after = "case $seed in 1) t=9 ;; 2) t=1 ;; *) t=4e-05 ;; esac\n"
    env = engines(tmp_path, seed + after + found("exclusion", "$t"))
    done = run(env, "--broken", "--runs", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {order["lock"] for order in orders(tmp_path)} == {"wrong"}
    assert {order["reruns"] for order in orders(tmp_path)} == {0}
    [line] = [line.split() for line in done.stdout.splitlines() if line.startswith("sim ")]
    assert line == ["sim", "wrong", "6", "6", "0", "1.000", "9.000", "exclusion"]
    assert "6 found as expected, 0 otherwise, 0 not, 0 without a report; 1 of 1" in done.stdout


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (saying(CLEAN), "1 runs: 0 found as expected, 0 otherwise, 1 not, 0 without a report; 0"),
        (found("progress", "1"), "1 runs: 0 found as expected, 1 otherwise, 0 not"),
        ("exit 3\n", "0 not, 1 without a report"),
    ],
)
def test_a_fault_that_is_missed_or_another_one_is_told_by_the_exit_code(
    tmp_path: Path, answer: str, told: str
) -> None:
    env = engines(tmp_path, answer)
    (tmp_path / "lockbench-sim").write_text("#!/bin/sh\n", encoding="utf-8")  # knows no lock
    done = run(env, "--broken", "--runs", "1")
    assert done.returncode == 1
    assert told in done.stdout


def test_a_mode_and_a_lock_can_be_named(tmp_path: Path) -> None:
    done = run(engines(tmp_path, saying(CLEAN)), "--runs", "1", "right/one_core")
    assert done.returncode == 0
    [order] = orders(tmp_path)
    assert (order["lock"], order["mode"], order["budget_ns"]) == ("right", "one_core", 10**9)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (saying({"verdict": "failed", "figures": {}}), "1 failed, 0 undecided"),
        ("exit 3\n", "0 undecided, 1 without a report"),
    ],
)
def test_a_failure_or_a_missing_report_is_told_by_the_exit_code(
    tmp_path: Path, answer: str, told: str
) -> None:
    done = run(engines(tmp_path, answer), "--runs", "1", "--log", str(tmp_path / "log"), "ours")
    assert done.returncode == 1
    assert told in done.stdout
    reports = tmp_path / "log.reports"
    assert reports.exists() == ("failed" in answer)


def test_a_plug_in_is_for_the_engine_of_services(tmp_path: Path) -> None:
    engine = tmp_path / "lockbench-services-engine"
    known = 'printf "with_tokens\\tone\\t\\t\\nwithout\\tanother\\t\\t\\n"'
    engine.write_text(
        f'#!/bin/sh\necho "$@" >>{tmp_path}/words\nif [ "$3" = list ]; then {known}; exit 0; fi\n'
        f"cat >{tmp_path}/order.$$\n{saying(CLEAN)}",
        encoding="utf-8",
    )
    engine.chmod(0o755)
    (tmp_path / "ours.so").touch()
    words = [SCRIPT, "--plugin", str(tmp_path / "ours.so"), "--runs", "2", "with_tokens"]
    env = {**os.environ, "LOCKBENCH_BUILD": str(tmp_path)}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {order["lock"] for order in orders(tmp_path)} == {"with_tokens"}
    assert "2 runs: 0 failed, 0 undecided, 0 without a report" in done.stdout
    for line in (tmp_path / "words").read_text().splitlines():
        option, plugin, *_ = line.split()
        assert option == "--plugin" and plugin.endswith("/ours.so")


def test_what_is_in_the_log_is_not_done_again(tmp_path: Path) -> None:
    env = engines(tmp_path, saying(CLEAN))
    log = str(tmp_path / "log")
    run(env, "--runs", "1", "--log", log)
    done = run(env, "--runs", "2", "--log", log)
    assert "4 runs: 0 failed" in done.stdout
    assert len(orders(tmp_path)) == 4


def test_an_interruption_leaves_no_engine_and_prints_the_table(tmp_path: Path) -> None:
    env = engines(tmp_path, f"echo $$ >{tmp_path}/pid; exec sleep 60\n")
    words = [SCRIPT, "--engine", "sim", "--runs", "1", "ours"]
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 143
    assert "0 runs: 0 failed" in out
    engine = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        while True:  # killed; init may take a moment to bury it
            os.kill(engine, 0)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--runs", "0"], "--runs '0'; say 1 or more"),
        (["--sim"], "unknown argument '--sim'"),
        (["--log"], "--log wants a value"),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, words: list[str], told: str) -> None:
    done = subprocess.run([SCRIPT, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
