# SPDX-License-Identifier: Apache-2.0
"""Locks that know nothing of lockbench::platform, before the engines of threads."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from program import PLUGINS, Program

from tiers import rest_long

UNPORTED = str(PLUGINS / "unported.so")


def look(lockbench: Program, lock: str, engine: str, budget: str = "400ms") -> tuple[int, str]:
    words = ["--plugin", UNPORTED, "--engine", engine, "--budget", budget]
    # A base lock's own name stands for `global:lock=NAME`.
    done = lockbench.run("stress", lock, *words)
    return done.returncode, done.stdout


CORRECT = """
    raw_flag raw_fenced raw_condvar raw_thread_node raw_helper raw_future raw_shared_mutex
    raw_semaphore raw_volatile_fenced raw_once raw_barrier raw_word raw_errorcheck raw_robust
    raw_halves raw_channels raw_requeue raw_lazy_released raw_replaced raw_napping raw_quiet
    raw_drawn raw_object raw_served raw_owned raw_served_nested raw_comparing raw_local_counts
    raw_local_node raw_volatile_ticket_fenced raw_builtin_release
    raw_clocked raw_clocked_wall
""".split()


@pytest.mark.parametrize("lock", rest_long(CORRECT, 6))
def test_a_correct_lock_is_simulated_as_it_is(lockbench: Program, lock: str) -> None:
    code, said = look(lockbench, lock, "sim")
    assert code == 0, said
    assert "sim: clean" in said


@pytest.mark.parametrize(
    ("lock", "oracle"),
    [
        ("raw_flag_two_steps", "exclusion"),
        ("raw_flag_relaxed_unlock", "ordering"),
        ("raw_unfenced", "ordering"),
        ("raw_plain_release", "ordering"),
        ("raw_condvar_tells_nobody", "progress"),
        ("raw_wakes_others", "progress"),
        ("raw_semaphore_counts_outside", "ordering"),
        ("raw_semaphore_granted", "exclusion"),
        ("raw_semaphore_timed_out", "model"),
        ("raw_word_granted", "exclusion"),
        ("raw_word_timed_out", "model"),
        ("raw_clocked_past", "model"),
        ("raw_clocked_never", "model"),
        ("raw_clocked_coarse", "model"),
        ("raw_semaphore_past", "model"),
        ("raw_semaphore_coarse", "model"),
        ("raw_replaced_plain", "lifetime"),
        ("raw_quiet_late", "lifetime"),
        ("raw_comparing_late", "lifetime"),
        ("raw_local_node_late", "lifetime"),
        ("raw_napping_last_first", "fairness"),
        ("raw_drawn_unserved", "fairness"),
        ("raw_served_returns", "fairness"),
        ("raw_owned_stays", "exclusion"),
        ("raw_object_kept", "residue"),
    ],
)
def test_a_broken_lock_fails_by_its_fault(lockbench: Program, lock: str, oracle: str) -> None:
    code, said = look(lockbench, lock, "sim")
    assert code == 3, said
    assert f"oracle {oracle}" in said


def test_what_reproduces_a_failure_of_native_threads_names_the_plug_in(lockbench: Program) -> None:
    code, said = look(lockbench, "raw_flag_two_steps", "real", budget="40s")
    assert code == 3, said
    (line,) = re.findall(r"sim reproduces it each time, oracle \w+: lockbench (.*)", said)
    again = lockbench.run(*shlex.split(line))
    assert "--plugin" in line and again.returncode == 3, (line, again.stderr)


def test_a_data_race_names_both_lines(lockbench: Program) -> None:
    _, said = look(lockbench, "raw_semaphore_counts_outside", "sim")
    (race,) = re.findall("a data race: thread .*", said)
    assert race.count("unported.cc:") == 2
    assert "Adapter<" not in race  # the functions are the harness's own, with the lock's inlined


def test_a_thread_that_spins_without_pause_waits_once_it_repeats_itself(
    lockbench: Program,
) -> None:
    words = ["raw_fenced", "--plugin", UNPORTED, "--exhaustive", "--program", "L0 U | L0 U"]
    done = lockbench.run(*"stress --memory tso --preemptions 2 --budget 20s".split(), *words)
    explored = re.search(r"whole: .* (\d+) executions", done.stdout)
    assert explored, done.stdout
    assert int(explored[1]) < 300  # thousands, if each poll of a loop were a point of its own


def explore_all(lockbench: Program, lock: str, program: str) -> tuple[int, str]:
    done = lockbench.run(
        *("stress", lock, "--plugin", UNPORTED, "--memory", "c11", "--budget", "20s"),
        *("--exhaustive", "--program", program),
    )
    return done.returncode, done.stdout


# One spins, one waits at a node of the thread before it, and one sleeps.
@pytest.mark.parametrize("lock", ["raw_flag", "raw_thread_node", "raw_word"])
def test_two_threads_are_explored_in_every_interleaving(lockbench: Program, lock: str) -> None:
    code, said = explore_all(lockbench, lock, "L0 U | L0 U")
    assert code == 0, said
    explored = re.search(r"whole: \S.* in every interleaving under c11: (\d+) executions", said)
    assert explored, said
    assert int(explored[1]) < 1000, said
    assert "preemptions" not in said


def test_three_threads_are_explored_in_every_interleaving(lockbench: Program) -> None:
    code, said = explore_all(lockbench, "raw_thread_node", "L0 U | L0 U | L0 U")
    assert code == 0 and "in every interleaving under c11" in said, said


# A try that is refused was due or not, whichever of two unordered events came first.
def test_programs_that_try_are_explored_with_a_bound_too(lockbench: Program) -> None:
    _, said = explore_all(lockbench, "raw_thread_node", "L0 U | T0 U")
    assert "in every interleaving under c11" in said
    assert "under c11 with at most 3 preemptions" in said


@pytest.mark.parametrize("lock", ["raw_flag_relaxed_unlock", "raw_local_node_late", "raw_unfenced"])
def test_a_failure_in_some_interleaving_is_replayed(lockbench: Program, lock: str) -> None:
    code, said = explore_all(lockbench, lock, "L0 U | L0 U")
    assert code == 3 and "(every interleaving, c11)" in said, said
    (line,) = re.findall(r"lockbench (stress .*--schedule .*)", said)
    again = lockbench.run(*shlex.split(line))
    assert again.returncode == 3, (line, again.stdout, again.stderr)


def test_the_command_of_a_failure_can_be_given_to_a_shell(
    lockbench: Program, tmp_path: Path
) -> None:
    folder = tmp_path / """it's "so" """
    folder.mkdir()
    for form in ("unported.so", "unported.sim.so"):
        shutil.copy(PLUGINS / form, folder)
    plugin = str(folder / "unported.so")
    done = lockbench.run("stress", "raw_unfenced", "--plugin", plugin, "--engine", "sim")
    (line,) = re.findall(r"lockbench (stress .*--schedule .*)", done.stdout)
    again = shlex.split(line)
    assert again[again.index("--plugin") + 1] == plugin
    assert lockbench.run(*again).returncode == 3, line


@pytest.mark.parametrize(
    ("lock", "why"),
    [
        ("raw_volatile_fenced", "it has volatile accesses"),
        ("raw_napping", "it reads a clock"),
        ("raw_requeue", "it moves sleepers from one word to another"),
        ("raw_semaphore", "a call of the library reads as an update does, and then stores nothing"),
    ],
)
def test_why_only_few_preemptions_were_explored_is_said(
    lockbench: Program, lock: str, why: str
) -> None:
    _, said = explore_all(lockbench, lock, "L0 U | L0 U")
    assert f"not every interleaving was explored, only those with few preemptions: {why}" in said
    assert "in every interleaving" not in said


def test_a_lock_of_a_plug_in_is_explored_under_both_models(lockbench: Program) -> None:
    _, said = look(lockbench, "raw_flag", "sim")
    assert said.index("  under tso: ") < said.index("  under c11: "), said


@pytest.mark.parametrize("lock", ["raw_volatile", "raw_volatile_ticket"])
def test_what_x86_forgives_is_clean_under_tso_and_fails_under_c11(
    lockbench: Program, lock: str
) -> None:
    code, said = look(lockbench, lock, "sim", budget="2s")
    assert code == 3, said
    assert re.match(r".*failed, oracle ordering, .*, c11\)\n", said), said
    assert re.search(r"under tso, which is x86, none of \d+ executions failed", said), said
    words = ["--plugin", UNPORTED, "--engine", "sim", "--memory", "tso", "--budget", "400ms"]
    assert lockbench.run("stress", lock, *words).returncode == 0


def test_a_failure_that_reads_no_old_value_is_not_said_to_be_one_of_other_processors(
    lockbench: Program,
) -> None:
    words = ["--plugin", UNPORTED, "--engine", "sim", "--memory", "c11", "--budget", "4s"]
    done = lockbench.run("stress", "raw_condvar_tells_nobody", *words)
    assert done.returncode == 3, done.stdout
    assert "reads an old value: it is an interleaving that x86 has, too" in done.stdout


def test_the_orders_that_a_lock_of_a_plug_in_needs_are_named(lockbench: Program) -> None:
    words = ["raw_flag", "--plugin", UNPORTED, "--weaken", "--budget", "1s"]
    said = lockbench.run("stress", *words).stdout
    assert re.search(r"needed: \S*unported\.cc:\d+: store release → relaxed", said), said


def test_an_object_that_is_made_and_not_published_is_a_data_race(lockbench: Program) -> None:
    code, said = look(lockbench, "raw_lazy", "sim")
    assert code == 3, said
    assert "of which only the second is atomic" in said
    assert "instrumented.cc" not in said


@pytest.mark.parametrize(("lock", "call"), [("raw_poll", "poll"), ("raw_read", "read")])
def test_what_no_simulation_decides_is_named_and_is_not_clean(
    lockbench: Program, lock: str, call: str
) -> None:
    code, said = look(lockbench, lock, "sim")
    assert code == 4, said
    assert "cannot be simulated: " in said
    assert f"calls {call}," in said
    assert "PipeLock" in said


def test_a_lock_that_waits_in_the_kernel_is_named_and_does_not_hang(lockbench: Program) -> None:
    code, said = look(lockbench, "raw_pipe", "sim")
    assert code == 4, said
    assert "cannot be simulated: no call comes back from " in said
    assert "PipeLock" in said


# The second one is built by lockbench_add_simulated_plugin().
def test_a_lock_in_c_is_simulated(lockbench: Program) -> None:
    plugin = str(PLUGINS / "two_steps_as_they_are.so")
    words = ["--engine", "sim", "--budget", "2s", "--format", "json"]
    done = lockbench.run("stress", "c_two_steps", "--plugin", plugin, *words)
    assert done.returncode == 3, done.stderr
    assert json.loads(done.stdout)["oracle"] in ("exclusion", "ordering", "conservation")


@pytest.mark.parametrize("name", ["two_steps", "two_steps_as_they_are"])
def test_native_threads_are_delayed_between_accesses(lockbench: Program, name: str) -> None:
    plugin = str(PLUGINS / f"{name}.so")
    words = ["--mode", "access_delays", "--plugin", plugin, "--engine", "real", "--budget", "40s"]
    done = lockbench.run("stress", "global:lock=c_two_steps", *words)
    assert done.returncode == 3, done.stdout
    assert "(access_delays)" in done.stdout


def test_a_lock_without_a_build_for_delays_says_so(lockbench: Program) -> None:
    words = ["--mode", "access_delays", "--engine", "real", "--budget", "1s"]
    done = lockbench.run("stress", "global:lock=std", *words)
    assert done.returncode == 2
    assert "was not compiled for it" in done.stderr


def test_a_source_that_was_not_instrumented_is_named(lockbench: Program) -> None:
    plugin = str(PLUGINS / "partly.so")
    done = lockbench.run("stress", "--plugin", plugin, "--engine", "sim", "--budget", "1s")
    assert done.returncode == 2, done.stdout
    assert "compiled without instrumentation: partly_plain.c; " in done.stderr
    assert "lockbench_add_simulated_plugin()" in done.stderr


def test_a_plug_in_that_was_not_built_for_simulation_says_how(lockbench: Program) -> None:
    plugin = str(PLUGINS / "c_locks.so")
    done = lockbench.run("stress", "--plugin", plugin, "--engine", "sim", "--budget", "1s")
    assert done.returncode == 2, done.stdout
    assert "compiled without instrumentation, which the engine `sim` needs" in done.stderr
    assert "lockbench_add_simulated_plugin()" in done.stderr


def test_functions_with_atomic_instructions_of_their_own_are_named_by_the_build() -> None:
    script = Path(__file__).resolve().parents[2] / "cmake" / "lockbench_audit.cmake"
    objdump = shutil.which("objdump")
    assert objdump is not None

    def audit(name: str) -> str:
        words = [f"-DLIBRARY={PLUGINS / name}", f"-DOBJDUMP={objdump}", "-P", str(script)]
        done = subprocess.run(["cmake", *words], capture_output=True, text=True, check=True)
        return done.stderr

    assert "take_plainly" in audit("partly.sim.so")
    assert "give_plainly" not in audit("partly.sim.so")
    assert audit("unported.sim.so") == ""
