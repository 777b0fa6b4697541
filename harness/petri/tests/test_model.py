# SPDX-License-Identifier: Apache-2.0
"""lockbench model: nets of locks and of files, their results, and what is refused."""

from __future__ import annotations

import re
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from program import (
    Program,
    assert_interrupted_leaves_no_files,
    catches,
    saying,
    wait_until,
    with_engine,
)

ROOT = Path(__file__).resolve().parents[3]
RACE = ROOT / "harness/petri/models/race.pnml"

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")


def test_a_correct_lock_is_proved_correct(lockbench: Program) -> None:
    done = lockbench.run("model", "keyed")
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.splitlines()[2].startswith("Verdict      correct: no deadlock, ")
    assert re.search(r"^Deadlocks +none$", done.stdout, re.MULTILINE)
    assert "366 explored (1,744 without symmetry reduction): complete" in done.stdout
    assert "at most one thread is inside a, because" in done.stdout


def test_a_deadlock_has_a_counterexample(lockbench: Program) -> None:
    done = lockbench.run("model", "striped", "--threads", "2", "--nested", "--order", "opposite")
    assert done.returncode == 3 and done.stderr == ""
    assert "Verdict      incorrect: deadlock" in done.stdout
    assert "thread 1 acquires stripe 1; thread 2 acquires stripe 2" in done.stdout
    assert "thread 1 holds stripe 1 and wants stripe 2" in done.stdout


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (("--markings", "50"), "incomplete, limit of markings reached (--markings)"),
        (("--memory", "1MiB"), "incomplete, memory limit reached (--memory)"),
        (("--budget", "1ns"), "incomplete, time limit reached (--budget)"),
    ],
)
def test_a_limit_ends_the_search(lockbench: Program, limit: tuple[str, str], said: str) -> None:
    done = lockbench.run("model", "keyed", "--threads", "5", *limit)
    assert done.returncode == 4
    assert "Verdict      undecided: " in done.stdout
    assert said in done.stdout


def test_invariants_do_not_depend_on_the_limits_of_the_search(lockbench: Program) -> None:
    done = lockbench.run("model", "keyed", "--markings", "50")
    assert "at most one thread is inside a, because" in done.stdout


def test_the_memory_limit_holds(lockbench: Program) -> None:
    words = ("keyed", "--threads", "5", "--keys", "4", "--no-symmetry", "--memory", "100MB")
    done = lockbench.run("model", *words, "--budget", "10min")
    assert done.returncode == 4 and "memory limit reached" in done.stdout
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 120_000_000 / 1024


def test_an_interrupted_search_prints_its_partial_result(lockbench: Program) -> None:
    large = ("--threads", "9", "--keys", "9", "--no-symmetry", "--memory", "2GiB")
    process = lockbench.start("model", "keyed", *large, "--budget", "10min")
    wait_until(lambda: catches(process.pid, signal.SIGINT), "the signal is not waited for")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "lockbench model: interrupted; the result covers the part searched\n"
    assert "States" in out


@pytest.mark.long
def test_eight_threads_and_four_keys_are_searched_completely(lockbench: Program) -> None:
    done = lockbench.run("model", "keyed", "--threads", "8", "--keys", "4", "--budget", "4min")
    assert done.returncode == 0
    assert "5,339,966" in done.stdout and "58,895,421,768" in done.stdout


def test_exported_pnml_has_the_same_result(lockbench: Program) -> None:
    words = ("model", "lease", "--threads", "3", "--leases", "3", "--nested")
    built = lockbench.run(*words, "--no-symmetry", "--pnml", "net.pnml")
    read = lockbench.run("model", "--file", "net.pnml")
    assert built.returncode == read.returncode == 3
    for label in ("States", "Deadlocks", "Home states"):
        line = re.compile(rf"^{label} .*$", re.MULTILINE)
        assert line.findall(built.stdout) == line.findall(read.stdout)


def test_a_trace_is_checked_against_a_net(lockbench: Program) -> None:
    trace = lockbench.folder / "trace.txt"
    lines = ["thread 1 acquires a", "thread 1 releases a", "thread 2 acquires a"]
    trace.write_text("\n".join(lines), encoding="utf-8")
    assert lockbench.run("model", "keyed", "--trace", "trace.txt").returncode == 0
    trace.write_text("\n".join([lines[0], lines[2], lines[1]]), encoding="utf-8")
    done = lockbench.run("model", "keyed", "--trace", "trace.txt")
    assert done.returncode == 3
    assert "Verdict      refused: event 2, 'thread 2 acquires a'" in done.stdout


def test_the_shipped_lock_conforms_to_its_net(lockbench: Program) -> None:
    for words in (["keyed"], ["timed_hold"], ["global", "--lock", "parking"]):
        done = lockbench.run("model", *words, "--conform", "--budget", "500ms")
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.startswith("Verdict      conforms: ")


def test_native_threads_conform_too(lockbench: Program) -> None:
    words = ("--conform", "--engine", "real", "--budget", "500ms")
    for model in ("keyed", "global", "timed_hold"):
        done = lockbench.run("model", model, *words)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.startswith("Verdict      conforms: ")


def test_the_file_lock_between_processes_conforms(lockbench: Program) -> None:
    done = lockbench.run("model", "file", "--conform", "--budget", "2s")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Verdict      conforms: ")
    assert "processes killed" in done.stdout


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            "echo ' 7 executions'; echo ' 1234 executions'; touch told; exec sleep 60\n",
            "interrupted; no disagreement in 1234 executions so far",
        ),
        ("touch told; exec sleep 60\n", "interrupted before the first execution"),
    ],
)
def test_an_interrupted_conformance_run_prints_its_progress(
    tmp_path: Path, answer: str, said: str
) -> None:
    engine = with_engine(tmp_path, answer, locks="keyed\ta lock\t\t\t\n")
    process = engine.start("model", "keyed", "--conform")
    wait_until((tmp_path / "told").exists, "the engine has not answered")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err == f"lockbench model: {said}\n"


@pytest.mark.parametrize(
    ("model", "engine"), [("keyed", "sim"), ("keyed", "real"), ("file", "proc")]
)
def test_without_an_execution_there_is_no_verdict(
    lockbench: Program, model: str, engine: str
) -> None:
    words = ("model", model, "--conform", "--engine", engine, "--budget")
    done = lockbench.run(*words, "1ns")
    assert done.returncode == 4, done.stdout + done.stderr
    assert done.stdout.startswith(f"Verdict      undecided: no execution of {model} in ")
    assert "use a larger --budget\n" in done.stdout


def test_without_a_verdict_on_any_execution_there_is_none(tmp_path: Path) -> None:
    report = {
        "engine": "sim",
        "lock": "keyed",
        "verdict": "inconclusive",
        "evaluations": {},
        "promises": {},
        "figures": {"executions": 12, "events": 0},
        "remarks": ["not checked in 12 executions"],
        "seconds": 0.1,
    }
    engine = with_engine(tmp_path, saying(report), locks="keyed\ta lock\t\t\t\n")
    done = engine.run("model", "keyed", "--conform")
    assert done.returncode == 4
    assert done.stdout == (
        "Verdict      undecided: no verdict on any execution of keyed; 12 executions, 0.1 s\n"
        "Coverage     not checked in 12 executions\n"
    )


def test_a_file_that_cannot_be_written_is_named(lockbench: Program) -> None:
    for flag, path in (
        ("--pnml", "nowhere/net.pnml"),
        ("--promela", "/dev/full"),
        ("--dot", "nowhere/net.dot"),
    ):
        done = lockbench.run("model", "keyed", flag, path)
        assert done.returncode == 1
        assert done.stderr.startswith(f"lockbench model: {path}: ") and done.stderr.count("\n") == 1


def test_a_search_prints_its_cost(lockbench: Program) -> None:
    done = lockbench.run("model", "keyed", "--threads", "6", "--keys", "3")
    assert re.search(
        r"^Cost .* million states per second, \d+ bytes each$", done.stdout, re.MULTILINE
    )
    # A small search is too short to measure.
    assert "Cost" not in lockbench.run("model", "keyed").stdout


@needs_dot
def test_graphviz_draws_the_exported_net(lockbench: Program) -> None:
    assert lockbench.run("model", "--file", str(RACE), "--dot", "net.dot").returncode == 0
    drawn = subprocess.run(
        ["dot", "-Tsvg", str(lockbench.folder / "net.dot")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert drawn.stderr == ""
    assert drawn.stdout.count("<ellipse") == 6 and "process 1" in drawn.stdout


@needs_dot
def test_animations_are_written(lockbench: Program) -> None:
    for name, end in (("race.html", "</html>\n"), ("race.svg", "</svg>\n")):
        done = lockbench.run("model", "--file", str(RACE), "--animation", name)
        assert done.returncode == 0, done.stderr
        text = (lockbench.folder / name).read_text(encoding="utf-8")
        assert text.endswith(end) and "process 0 reads" in text
    done = lockbench.run("model", "--file", str(RACE), "--animation", "nowhere/race.html")
    assert done.returncode == 1
    assert (
        done.stderr
        == "lockbench model: nowhere/race.html: cannot be written: No such file or directory\n"
    )


def test_a_net_too_large_for_an_animation_is_refused(lockbench: Program) -> None:
    words = ("keyed", "--threads", "20", "--markings", "10", "--animation", "net.html")
    done = lockbench.run("model", *words)
    assert done.returncode == 1 and "(maximum 400); --dot exports it" in done.stderr


def test_without_graphviz_the_message_names_the_package(lockbench: Program) -> None:
    (lockbench.folder / "empty").mkdir()
    env = {"PATH": str(lockbench.folder / "empty"), "LOCKBENCH_PYTHON": sys.executable}
    done = lockbench.run("model", "global", "--animation", "net.html", env=env)
    assert done.returncode == 1 and "install graphviz" in done.stderr


def test_a_malformed_net_gets_line_and_reason(lockbench: Program) -> None:
    places = "".join(f"<place id='p{i}'/>\n" for i in range(1_000_000))
    text = "<pnml><net id='n'>\n" + places
    (lockbench.folder / "net.pnml").write_text(text, encoding="utf-8")

    def at_most_200_mb_and_a_second() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (1, 1))

    done = lockbench.run("model", "--file", "net.pnml", preexec_fn=at_most_200_mb_and_a_second)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "net.pnml:10002: more than 10000 places" in done.stderr


@pytest.mark.long
def test_examples_of_the_help_work(lockbench: Program) -> None:
    text = lockbench.run("model", "--help").stdout
    examples = re.findall(r"^  lockbench (model .*)$", text, re.MULTILINE)
    assert len(examples) >= 5
    (lockbench.folder / "log.txt").write_text("thread 1 takes a\n", encoding="utf-8")
    for example in examples:
        if "mine.pnml" in example or ("--animation" in example and not shutil.which("dot")):
            continue
        assert lockbench.run(*example.split()).returncode in (0, 3), example


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_check_that_is_interrupted_leaves_no_temporary_files(
    lockbench: Program, number: int
) -> None:
    words = ("model", "file", "--conform", "--budget", "10min")
    assert_interrupted_leaves_no_files(lockbench, words, number)
