# SPDX-License-Identifier: Apache-2.0
"""`lockbench stress` as users meet it: what it says, and how it ends."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from program import PATIENCE_S, Program, saying, wait_until, with_engine

CLEAN: dict[str, Any] = {
    "engine": "sim",
    "lock": "mine",
    "verdict": "clean",
    "evaluations": {"exclusion": 1},
    "promises": {},
    "figures": {},
    "remarks": [],
    "seconds": 0.1,
}
FOUND: dict[str, Any] = {
    "oracle": "exclusion",
    "what": "two are inside",
    "how": "PCT",
    "found_after_s": 0.1,
    "replay": {
        "options": ["--engine", "sim"],
        "exact": True,
        "reruns": 0,
        "failures": 0,
        "command_s": 0.0,
        "command_failed": False,
    },
    "trace": ["step 1, thread 0 has key 0"],
}


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (saying(CLEAN), 0),
        ("echo 'lockbench: client: no such act' >&2; exit 2\n", 2),
        (saying({**CLEAN, **FOUND, "verdict": "failed"}), 3),
        ("kill -SEGV $$\n", 3),
        ("exit 3\n", 1),
        ("echo no report\n", 1),
        (saying({**CLEAN, "verdict": "inconclusive"}), 4),
    ],
)
def test_the_exit_code_says_what_came_of_it(tmp_path: Path, answer: str, code: int) -> None:
    assert with_engine(tmp_path, answer).run("stress", "--budget", "1s").returncode == code


def test_an_engine_that_no_test_needs_is_not_asked_for_its_locks(tmp_path: Path) -> None:
    engine = with_engine(tmp_path, saying(CLEAN))
    other = tmp_path / "lockbench-real"
    other.write_text("#!/bin/sh\ntouch asked\nprintf 'native\\ta lock\\t\\t\\t\\n'\n")
    other.chmod(0o755)
    assert engine.run("stress", "mine", "--engine", "sim", "--budget", "1s").returncode == 0
    assert not (tmp_path / "asked").exists()
    # What is unknown is so to all engines.
    unknown = engine.run("stress", "natve", "--engine", "sim", "--budget", "1s")
    assert unknown.returncode == 2 and "did you mean 'native'?" in unknown.stderr, unknown.stderr
    assert (tmp_path / "asked").exists()


def test_a_base_lock_s_own_name_is_proposed(lockbench: Program) -> None:
    done = lockbench.run("stress", "pthread_spn", "--budget", "1s")
    assert done.returncode == 2 and "did you mean 'pthread_spin'?" in done.stderr, done.stderr


def test_results_are_recorded_for_reports(tmp_path: Path) -> None:
    broken = {**CLEAN, **FOUND, "verdict": "failed"}
    for answer in (CLEAN, broken):
        page = ("--report", "page.json") if answer is broken else ()
        with_engine(tmp_path, saying(answer)).run("stress", "mine", "--budget", "1s", *page)
    record = (tmp_path / "results" / "stress.jsonl").read_text(encoding="utf-8")
    clean, failed = (json.loads(line) for line in record.splitlines())
    assert (clean["lock"], clean["engine"], clean["verdict"]) == ("mine", "sim", "clean")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", clean["at"])
    assert "oracle" not in clean and "command" not in clean and "page" not in clean
    assert failed["oracle"] == "exclusion" and failed["page"] == str(tmp_path / "page.json")
    assert failed["command"].startswith("lockbench stress mine --engine sim")


@pytest.mark.parametrize(
    "words", [("--program", "L0 U"), ("--program", "L0 U", "--schedule", "1"), ("--weaken",)]
)
def test_a_part_of_a_test_is_not_recorded(tmp_path: Path, words: tuple[str, ...]) -> None:
    with_engine(tmp_path, saying(CLEAN)).run("stress", "mine", "--budget", "1s", *words)
    assert (tmp_path / "sim.json").exists() and not (tmp_path / "results").exists()


def test_a_record_that_cannot_be_written_is_noted_once(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file", encoding="utf-8")
    done = with_engine(tmp_path, saying(CLEAN)).run("stress", "--budget", "1s")
    assert done.returncode == 0
    assert done.stderr.count("not recorded for reports") == 1
    assert "results/stress.jsonl: Not a directory" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_record_in_a_folder_that_may_not_be_written_says_so(tmp_path: Path) -> None:
    program = with_engine(tmp_path, saying(CLEAN))
    tmp_path.chmod(0o500)
    done = program.run("stress", "--budget", "1s")
    tmp_path.chmod(0o700)
    assert "results: cannot be made: Permission denied" in done.stderr


def test_an_engine_is_told_what_to_look_into(tmp_path: Path) -> None:
    highest = 2**64 - 1  # engines derive seeds of 64 bits, and say them in their replays
    words = ["stress", "mine", "--budget", "1s", "--seed", str(highest)]
    with_engine(tmp_path, saying(CLEAN)).run(*words)
    order = json.loads((tmp_path / "sim.json").read_text(encoding="utf-8"))
    assert order["lock"] == "mine"
    assert order["seed"] == highest
    assert 0.9e9 < order["budget_ns"] <= 1e9


def test_a_report_names_the_machine_and_the_command_that_has_the_finding_again(
    tmp_path: Path,
) -> None:
    engine = with_engine(tmp_path, saying({**CLEAN, **FOUND, "verdict": "failed"}))
    report = json.loads(engine.run("stress", "--budget", "1s", "--format", "json").stdout)
    assert report["command"] == "lockbench stress mine --engine sim"
    assert "hardware threads" in report["machine"]


def test_a_failure_that_seldom_comes_back_was_seen_once(tmp_path: Path) -> None:
    for failures, said in ((2, "Seen once; it happened again in 2"), (3, "It happened again in 3")):
        replay = {**FOUND["replay"], "exact": False, "reruns": 10, "failures": failures}
        found = {**CLEAN, **FOUND, "replay": replay, "verdict": "failed"}
        told = with_engine(tmp_path, saying(found)).run("stress", "--budget", "1s").stdout
        assert f"  {said} of 10 reruns of:\n" in told


def test_of_a_long_trace_the_terminal_shows_the_end_and_json_all(tmp_path: Path) -> None:
    trace = [f"step {i}, thread 0 requests key 0" for i in range(100)]
    engine = with_engine(tmp_path, saying({**CLEAN, **FOUND, "trace": trace, "verdict": "failed"}))
    told = engine.run("stress", "--budget", "1s").stdout
    assert "… 60 earlier steps: --report FILE.html and --format json have them\n" in told
    assert "step 59," not in told and "step 60," in told and "step 99," in told
    report = json.loads(engine.run("stress", "--budget", "1s", "--format", "json").stdout)
    assert report["trace"] == trace


def test_a_page_of_the_run_is_written_beside_what_is_printed(lockbench: Program) -> None:
    words = ["stress", "spin_two_steps", "--engine", "sim", "--budget", "1s"]
    printed = lockbench.run(*words, "--report", "page.html")
    assert printed.returncode == 3
    assert "oracle exclusion" in printed.stdout
    page = (lockbench.folder / "page.html").read_text(encoding="utf-8")
    assert page.endswith("</html>\n") and "spin_two_steps" in page
    assert '"word": "lock+0"' in page
    assert lockbench.run(*words, "--report", "page.json").returncode == 3
    made_of = json.loads((lockbench.folder / "page.json").read_text(encoding="utf-8"))
    (report,) = made_of["reports"]
    assert report["steps"][-1]["wrong"] and report["command"].startswith("lockbench stress spin")
    assert "lifetime" in made_of["oracles"]


def test_under_c11_the_model_and_what_it_leaves_out_are_named(lockbench: Program) -> None:
    words = ("--engine", "sim", "--memory", "c11", "--budget", "1s", "--format", "json")
    failed = json.loads(lockbench.run("stress", "flags_raised_in_no_order", *words).stdout)
    assert failed["oracle"] == "exclusion"
    assert failed["command"].endswith("--memory c11"), failed["command"]
    assert any("store old  [" in step for step in failed["trace"]), failed["trace"]
    clean = json.loads(lockbench.run("stress", "spin", *words).stdout)
    assert clean["verdict"] == "clean"
    assert any("leaves out load buffering" in remark for remark in clean["remarks"])


def test_our_own_locks_are_explored_under_tso_and_then_under_c11(lockbench: Program) -> None:
    words = ("stress", "global", "--engine", "sim", "--budget", "1s")
    clean = lockbench.run(*words)
    said = clean.stdout
    assert clean.returncode == 0 and "global, sim: clean" in said
    assert re.search(r"whole: .* under tso with at most", said), said
    assert re.search(r"whole: .* under c11 with at most", said), said
    assert said.index("under tso: ") < said.index("under c11: ")
    assert said.count("\n") < 40, said
    assert "--format json name these programs" in said
    explored = json.loads(lockbench.run(*words, "--format", "json").stdout)["explored"]
    bounds = [one["bound"] for one in explored if one["program"] == "L0 U | L0 U" and one["whole"]]
    assert [bound.split()[1] for bound in bounds] == ["tso", "c11"], bounds
    one = lockbench.run(*"stress global --engine sim --budget 300ms --memory tso".split()).stdout
    assert "under c11" not in one
    assert "what ARM and POWER allow was not explored: say --memory tso,c11" in one


def test_an_exhaustive_exploration_ends_with_all_or_is_inconclusive(lockbench: Program) -> None:
    words = "stress global --exhaustive --memory c11 --format json --program".split()
    whole = lockbench.run(*words, "L0 U | L0 U", "--preemptions", "1", "--budget", "20s")
    report = json.loads(whole.stdout)
    assert whole.returncode == 0 and report["verdict"] == "clean", report
    assert report["seconds"] < 10  # of 20
    assert "at random" not in whole.stdout
    parted = lockbench.run(*words, "L0 U L0 U | L0 U L0 U | L0 U L0 U", "--budget", "100ms")
    assert parted.returncode == 4
    (explored,) = json.loads(parted.stdout)["explored"]
    assert explored["program"] == "L0 U L0 U | L0 U L0 U | L0 U L0 U"
    assert not explored["whole"] and explored["bound"].startswith("under c11 "), explored


@pytest.mark.long
@pytest.mark.parametrize("program", ["L0 U | L0 U", "L0 U | T0 U", "L0 U L0 U | L0 U L0 U"])
def test_each_of_our_locks_is_explored_completely_under_c11(
    lockbench: Program, program: str
) -> None:
    """With two preemptions; docs/laboratory/stress-results.md has what came of it."""
    words = "stress --exhaustive --memory c11 --preemptions 2 --budget 10min --format json"
    process = lockbench.start(*words.split(), "--program", program)
    out, err = process.communicate(timeout=900)
    reports = [json.loads(line) for line in out.splitlines()]
    assert len(reports) > 20, err
    for report in reports:
        assert report["verdict"] != "failed", report
        bounds = ("in every interleaving under c11", "under c11 with at most 2 preemptions")
        assert report["explored"], report
        for explored in report["explored"]:
            assert explored["whole"] and explored["program"] == program, report
            assert explored["bound"].startswith(bounds), report


@pytest.mark.parametrize("lock", ["striped", "stripe_word"])
def test_of_the_simulated_stripes_some_keys_have_one_and_others_another(
    lockbench: Program, lock: str
) -> None:
    """Else two keys never met, or never did without each other."""

    def look(program: str) -> str:
        options = ["--engine", "sim", "--program", program, "--budget", "1s"]
        return lockbench.run("stress", lock, *options).stdout

    apart = look("L0 A1 U | L1 U")
    assert "whole: `L0 A1 U | L1 U`" in apart
    assert "failed" not in apart
    assert "failed, oracle independence" in look("L1 A1 U | L2 U")


@pytest.mark.parametrize(("program", "schedule"), [("L0 U | L0 U", "-"), ("L0 U", "1")])
def test_a_schedule_that_breaks_nothing_is_inconclusive(
    lockbench: Program, program: str, schedule: str
) -> None:
    words = ["stress", "global", "--engine", "sim", "--program", program, "--schedule", schedule]
    result = lockbench.run(*words)
    assert result.returncode == 4
    assert "one schedule was replayed under tso and broke nothing" in result.stdout


def test_a_broken_lock_fails_and_again_by_the_command_that_is_printed(
    lockbench: Program,
) -> None:
    first = lockbench.run(
        "stress", "spin_two_steps", "--engine", "sim", "--budget", "4s", "--format", "json"
    )
    assert first.returncode == 3
    report = json.loads(first.stdout)
    again = lockbench.run(*shlex.split(report["command"])[1:], "--format", "json")
    assert again.returncode == 3
    assert json.loads(again.stdout)["what"] == report["what"]


@pytest.mark.long  # the broken lock is built for real threads with LOCKBENCH_LONG_TESTS alone
def test_what_real_threads_show_is_looked_for_in_simulation_too(lockbench: Program) -> None:
    result = lockbench.run("stress", "spin_nothing", "--engine", "real", "--budget", "4s")
    assert result.returncode == 3
    assert "reruns of:" in result.stdout
    assert "sim reproduces it each time, oracle exclusion" in result.stdout


def test_a_killed_owner_is_what_fails_the_published_file_lock(lockbench: Program) -> None:
    result = lockbench.run("stress", "file_as_published", "--engine", "proc", "--budget", "4s")
    assert result.returncode == 3
    # Killed while it held the key, or within its call that took it; what sees it first depends on
    # when the others call.
    assert re.search("oracle (progress|residue)", result.stdout), result.stdout
    killed = "which (was killed|no process holds)|not free after a process died"
    assert re.search(killed, result.stdout), result.stdout


def test_a_self_test_of_one_lock_is_one_line_of_the_matrix(lockbench: Program) -> None:
    result = lockbench.run(
        "stress", "spin_nothing", "--self-test", "--engine", "sim", "--budget", "1s"
    )
    assert result.returncode == 0, result.stdout
    assert result.stdout.startswith("sim   spin_nothing")
    assert "1 of 1 broken locks detected" in result.stdout


def test_a_terminal_shows_how_far_the_engine_is(lockbench: Program) -> None:
    shown = lockbench.on_a_terminal(120, "stress", "global", "--engine", "sim", "--budget", "1s")
    assert "1/1  sim  global" in shown
    assert "schedules  0 failures" in shown


def interrupted(program: Program, order: Path, of: str, *words: str) -> tuple[int, str, str]:
    """Ends it by Ctrl-C when an engine was asked, by `order`, for the lock `of`."""
    process = program.start("stress", *words)
    wait_until(
        lambda: order.exists() and f'"{of}"' in order.read_text(encoding="utf-8"),
        "the engine has its order",
    )
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    return process.returncode, out, err


def test_an_interrupted_investigation_says_where_it_was(tmp_path: Path) -> None:
    engine = with_engine(tmp_path, "exec sleep 60\n")
    code, out, err = interrupted(engine, tmp_path / "sim.json", "mine", "--budget", "1s")
    assert (code, out) == (130, "")
    assert err == "lockbench stress: interrupted in mine by sim, 1 of 1; what was printed stands\n"


def test_an_interrupted_simulation_says_nothing_of_what_another_engine_found(
    tmp_path: Path,
) -> None:
    with_engine(tmp_path, "exec sleep 60\n")
    found: dict[str, Any] = {**CLEAN, **FOUND, "engine": "real", "verdict": "failed"}
    program = with_engine(tmp_path, saying(found), "real")
    words = ("--engine", "real", "--budget", "4s", "--format", "json")
    code, out, err = interrupted(program, tmp_path / "sim.json", "mine", *words)
    assert code == 130
    report = json.loads(out)
    assert (report["engine"], report["verdict"]) == ("real", "failed")
    assert report["remarks"] == []
    assert "interrupted in sim after mine by real, 1 of 1" in err


def test_an_interrupted_self_test_prints_the_matrix_so_far(tmp_path: Path) -> None:
    found = saying({**CLEAN, **FOUND, "verdict": "failed"})
    answer = f"if grep -q mine sim-mutants.json; then\n{found}else exec sleep 60; fi\n"
    locks = "mine\ta lock\texclusion\t\t\nother\ta lock\texclusion\t\t\n"
    program = with_engine(tmp_path, answer, "sim-mutants", locks)
    words = ("--self-test", "--budget", "1s")
    code, out, err = interrupted(program, tmp_path / "sim-mutants.json", "other", *words)
    assert code == 130
    assert out.startswith("sim   mine")
    assert "0 rounds and a part of one, unfinished, seeds 1 to 1" in out
    assert err == "lockbench stress: interrupted in other by sim, 2 of 2 of round 1\n"


def test_the_script_for_control_runs_writes_orders_that_engines_read() -> None:
    """tests/scripts/test_controls.py has engines of its own."""
    checkout = Path(__file__).resolve().parents[2]
    script = str(checkout / "scripts/maintain/controls.sh")
    command = [script, "--engine", "sim", "--runs", "1", "--seconds", "1"]
    done = subprocess.run([*command, "spin"], capture_output=True, text=True, check=False)
    assert re.search(r"\d runs: 0 failed, 0 undecided, 0 without a report", done.stdout), done
