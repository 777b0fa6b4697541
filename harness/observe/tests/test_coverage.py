# SPDX-License-Identifier: Apache-2.0
"""`lockbench observe` says of a program only what it saw (situations.c)."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from program import Program, wait_until

FOLDER = Path(
    os.environ.get("LOCKBENCH_LOADS", "build/release/harness/observe/tests/lockbench_loads")
)
FOLDER = FOLDER.resolve().parent
LOADS = str(FOLDER / "lockbench_loads")
STATIC = str(FOLDER / "lockbench_static_load")
PLACES = str(FOLDER / "lockbench_places")
SITUATIONS = str(FOLDER / "lockbench_situations")


def observe(lockbench: Program, *command: str, exit_code: int = 0, flags: Any = ()) -> Any:
    """Returns what was recorded of a command, with what was printed."""
    shutil.rmtree(lockbench.folder / "seen", ignore_errors=True)
    done = lockbench.run("observe", "--out", "seen", *flags, "--", *command)
    assert done.returncode == exit_code, done.stderr
    found = json.loads((lockbench.folder / "seen" / "observed.json").read_text(encoding="utf-8"))
    return found | {"text": done.stderr, "printed": done.stdout}


def situation(lockbench: Program, *words: str, **others: Any) -> Any:
    return observe(lockbench, SITUATIONS, *words, **others)


def not_seen(found: Any, program: str, why: str) -> None:
    answer = found["verdict"]["answer"]
    assert found["verdict"]["kind"] == "not_seen", found["text"]
    assert answer.startswith("the program that did the work was not seen: " + program), answer
    assert why in answer
    assert "not your problem" not in found["text"]


def test_an_acquittal_states_what_was_seen(lockbench: Program) -> None:
    found = observe(lockbench, LOADS, "think", "300")
    assert found["verdict"]["kind"] == "not_the_problem", found["text"]
    assert found["verdict"]["notes"][-1].startswith("seen: 1 process, 100 % of the processor time")
    assert "; one run; never seen: " in found["verdict"]["notes"][-1]


@pytest.mark.parametrize(
    "command, program, why",
    [
        (["env", "-i"], "lockbench_loads", "it began with another environment"),
        (["env", "-u", "LD_PRELOAD"], "lockbench_loads", "it began without the library"),
        (["unshare", "-r"], "lockbench_loads", "another user or namespace"),
        (["unshare", "-pf", "--mount-proc"], "lockbench_loads", "another user or namespace"),
        (["setpriv", "--reuid=65534", "--clear-groups"], "lockbench_loads", "another user or"),
    ],
)
def test_a_program_that_began_without_the_library_is_named(
    lockbench: Program, command: list[str], program: str, why: str
) -> None:
    # Others may enter the folders of the test and of the build.
    allowed = subprocess.run([*command, LOADS, "counts", "1"], capture_output=True, check=False)
    if allowed.returncode != 0:
        pytest.skip(f"{command[0]} is not allowed here")
    not_seen(observe(lockbench, *command, LOADS, "think", "1000"), program, why)


def test_a_static_program_of_a_script_is_named(lockbench: Program) -> None:
    script = f"{STATIC} think 1000; exit 3"
    found = observe(lockbench, "sh", "-c", script, exit_code=3)
    not_seen(found, "lockbench_static_load", "it is linked statically")


def test_processes_without_locks_leave_room_for_others(lockbench: Program) -> None:
    script = f"i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i+1)); done; exec {LOADS} think 100"
    found = observe(lockbench, "sh", "-c", script)
    assert found["coverage"]["processes"] >= 102
    assert [one["program"] for one in found["processes"]] == [LOADS]
    assert [one for one in found["coverage"]["unseen"] if one["why"] != "unknown"] == []


def test_a_program_that_runs_on_has_no_verdict(lockbench: Program) -> None:
    pipe = lockbench.folder / "pipe"
    os.mkfifo(pipe)
    found = situation(lockbench, "background", str(pipe))
    (running,) = found["coverage"]["running"]
    answer = found["verdict"]["answer"]
    assert answer.startswith(f"no verdict: lockbench_situations (process {running['pid']}) still")
    assert "start it in the foreground" in answer
    pipe.open("wb").close()  # it ends now
    wait_until(lambda: not Path(f"/proc/{running['pid']}").exists(), "the end of the daemon")


def test_the_library_leaves_room_in_a_limited_address_space(lockbench: Program) -> None:
    assert situation(lockbench, "limited")["processes"][0]["acquisitions"] == 10
    script = f"ulimit -v 500000; exec {LOADS} counts 100"
    found = observe(lockbench, "sh", "-c", script)
    assert found["processes"][0]["acquisitions"] == 401


def test_the_recording_is_small_and_no_part_of_a_core_dump(lockbench: Program) -> None:
    kib, dumped = situation(lockbench, "maps")["printed"].split()
    assert 0 < int(kib) < 4096 and dumped == "0"


def test_retaking_a_mutex_in_a_wait_for_a_condition_is_an_acquisition(lockbench: Program) -> None:
    (seen,) = situation(lockbench, "herd")["processes"][0]["places"]
    assert seen["acquisitions"] == 4 + 100 + seen["condition_waits"]
    # Three of four threads that are woken at once wait for the mutex.
    assert seen["contended"] > 100 and seen["blocked_s"] > 0


def test_a_semaphore_that_others_post_is_an_event(lockbench: Program) -> None:
    (process,) = situation(lockbench, "pool")["processes"]
    assert process["places"] == [] and process["blocked_s"] == 0
    (event,) = process["events"]
    assert (event["kind"], event["acquisitions"]) == ("semaphore event", 400)


def test_a_semaphore_that_its_waiters_post_is_a_lock(lockbench: Program) -> None:
    (process,) = situation(lockbench, "binary")["processes"]
    (lock,) = process["places"]
    assert (lock["kind"], lock["acquisitions"], lock["own_posts"]) == ("semaphore", 400, 400)
    assert process["blocked_s"] > 0


@pytest.mark.parametrize("how", ["cancelled", "jumping"])
def test_a_wait_that_does_not_return_ends_with_its_thread(lockbench: Program, how: str) -> None:
    found = situation(lockbench, how)
    (process,) = found["processes"]
    assert 0 < process["blocked_s"] <= float(found["printed"])


def test_waits_for_locks_that_the_program_makes_of_futexes_are_seen(lockbench: Program) -> None:
    found = situation(lockbench, "futexes")
    (process,) = found["processes"]
    lock = next(one for one in process["places"] if one["kind"] == "futex")
    assert lock["name"].startswith("own_lock situations.c:") or "futex_body" in lock["name"]
    assert lock["contended"] > 0 and lock["blocked_s"] > 0 and lock["threads"] >= 3
    assert found["verdict"]["kind"] == "may_cost"
    assert "only waits are known" in found["text"]


def test_waits_that_no_record_knows_are_noticed(lockbench: Program) -> None:
    if subprocess.run([SITUATIONS, "raw_futexes"], check=False).returncode == 9:
        pytest.skip("there is no code for this kind of processor")
    found = situation(lockbench, "raw_futexes")
    coverage = found["coverage"]
    assert coverage["seen_futex_samples"] < 0.9 * coverage["futex_samples"]
    assert found["verdict"]["kind"] == "partly_seen", found["text"]
    assert "sampled futex waits were of locks that this program makes" in found["text"]


# Their sleeps have no record, and are no locks that were not seen.
def test_threads_that_slept_before_the_observation_are_told_apart(lockbench: Program) -> None:
    found = situation(lockbench, "idle", flags=("--delay", "500ms"))
    coverage = found["coverage"]
    assert coverage["older_sleepers"] == 3
    assert coverage["seen_futex_samples"] == coverage["futex_samples"]
    assert found["verdict"]["kind"] == "not_the_problem", found["text"]
    assert "3 threads were asleep when the observation began, and slept on" in found["text"]


def test_every_place_is_counted(lockbench: Program) -> None:
    found = observe(lockbench, PLACES)
    (process,) = found["processes"]
    assert len(process["places"]) == 2601
    assert process["acquisitions"] == 27000 and found["printed"] == "27000\n"
    assert process["places"][0]["name"].startswith("place_hot ")
    assert found["coverage"]["placeless_acquisitions"] == 0


def test_a_place_is_in_the_library_that_was_loaded_then(lockbench: Program) -> None:
    found = situation(lockbench, "libraries", str(FOLDER))
    if found["printed"].split()[1] != "same":
        pytest.skip("the second library is at other addresses")
    places = found["processes"][0]["places"]
    seen = {Path(one["callers"][0]["module"]).name: one["acquisitions"] for one in places}
    assert seen == {"libobserve_alpha.so": 1, "libobserve_beta.so": 1000}


@pytest.mark.parametrize(
    "words, pairs",
    [(["orders"], 1), (["orders", "one"], 0), (["orders", "around"], 0), (["ordered_places"], 0)],
)
def test_orders_of_locks_that_may_deadlock(
    lockbench: Program, words: list[str], pairs: int
) -> None:
    found = situation(lockbench, *words)
    (process,) = found["processes"]
    assert sum(one[2] for one in process["inversions"]) == pairs
    assert ("possible deadlock: 1 pair of locks" in found["text"]) == (pairs == 1)


def test_a_place_is_the_first_caller_that_is_no_wrapper(lockbench: Program) -> None:
    (process,) = situation(lockbench, "wrappers")["processes"]
    named = {one["name"].split()[0]: one for one in process["places"]}
    assert {name: one["locks"] for name, one in named.items()} == {"reads": 10, "writes": 20}
    assert [one["function"] for one in named["reads"]["callers"]] == [
        "wrapper_lock",
        "guard_begin",
        "reads",
    ]


@pytest.mark.parametrize("name", ["filtered", "strict"])
def test_a_program_may_restrict_its_system_calls(lockbench: Program, name: str) -> None:
    alone = subprocess.run([SITUATIONS, name], check=False)
    if alone.returncode == 9:
        pytest.skip("the kernel has no filters of system calls")
    found = situation(lockbench, name)
    assert sum(one["acquisitions"] for one in found["processes"][0]["places"]) in (10, 1010)
    assert found["verdict"]["kind"] != "not_the_problem"


@pytest.mark.parametrize("name", ["closed", "cloned"])
def test_copies_of_a_process_have_their_own_record(lockbench: Program, name: str) -> None:
    found = situation(lockbench, name)
    counts = {one["forked"]: one["acquisitions"] for one in found["processes"]}
    assert counts == {False: 10, True: 500}


def test_a_program_that_kills_itself_was_seen(lockbench: Program) -> None:
    found = observe(lockbench, LOADS, "killed", "3000000", exit_code=128 + signal.SIGKILL)
    assert found["verdict"]["kind"] != "not_seen", found["text"]
    assert found["coverage"]["seen_processor_s"] >= 0.95 * found["coverage"]["processor_s"]


def test_several_runs_have_a_spread(lockbench: Program) -> None:
    found = observe(lockbench, LOADS, "think", "50", flags=("--repeat", "3"))
    assert found["printed"].count("think 50") == 3
    assert len(found["gains"]) == 3 and found["coverage"]["runs"] == 3
    assert found["verdict"]["notes"][0].startswith("greatest gain of 3 runs: ")
    assert "; 3 runs" in found["verdict"]["notes"][-1]
    broken = observe(lockbench, LOADS, "quits", "5", exit_code=7, flags=("--repeat", "2"))
    assert broken["coverage"]["runs"] == 2


def test_a_program_of_another_c_library_runs_as_alone_and_is_named(lockbench: Program) -> None:
    compiler = "musl-gcc"
    if shutil.which(compiler) is None:
        pytest.skip("musl-gcc is not installed")
    source = lockbench.folder / "spin.c"
    source.write_text(
        "int main(void) { for (volatile long i = 0; i < 200000000; ++i) {} return 3; }\n",
        encoding="utf-8",
    )
    command = [compiler, "spin.c", "-o", "spin"]
    subprocess.run(command, cwd=lockbench.folder, check=True)
    found = observe(lockbench, "sh", "-c", "./spin; exit $?", exit_code=3)
    not_seen(found, "spin", "it uses another C library than glibc")
    assert "Error relocating" not in found["text"]
    refused = lockbench.run("observe", "--", "./spin")
    assert refused.returncode == 2 and "is linked with musl" in refused.stderr


@pytest.mark.skipif("LOCKBENCH_OPENMP" not in os.environ, reason="no OpenMP of GCC")
def test_threads_of_openmp_wait_for_a_lock_only_in_a_critical_section(
    lockbench: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")  # so that they sleep soon
    found = observe(lockbench, os.environ["LOCKBENCH_OPENMP"], "loop")
    assert found["verdict"]["kind"] == "not_the_problem", found["text"]
    found = observe(lockbench, os.environ["LOCKBENCH_OPENMP"], "critical")
    assert found["verdict"]["kind"] == "partly_seen", found["text"]
    assert "sampled futex waits were of locks" in found["text"]
