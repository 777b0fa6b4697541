# SPDX-License-Identifier: Apache-2.0
"""`lockbench observe --pid`: the waits of programs that run already, in any language.

What is asserted are places and kinds; a wait is not asked how long it took. Where a process may not
watch others, the tests are skipped with the reason that lockbench gives.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from program import Program

_TESTS = Path("build/release/harness/observe/tests")
LOADS = str(
    Path(os.environ.get("LOCKBENCH_ATTACH_LOADS", _TESTS / "lockbench_attach_loads")).resolve()
)
STATIC = str(
    Path(
        os.environ.get("LOCKBENCH_STATIC_ATTACH_LOADS", _TESTS / "lockbench_static_attach_loads")
    ).resolve()
)

RUST = """
use std::sync::{Condvar, Mutex};
static SERVED: Mutex<u64> = Mutex::new(0);
static CALLS: Mutex<u64> = Mutex::new(0);
static CALLED: Condvar = Condvar::new();
fn nap(ms: u64) { std::thread::sleep(std::time::Duration::from_millis(ms)); }
#[inline(never)] fn serve() { let mut held = SERVED.lock().unwrap(); nap(1); *held += 1; }
#[inline(never)] fn idle() {
    let mut calls = CALLS.lock().unwrap();
    while *calls == 0 { calls = CALLED.wait(calls).unwrap(); }
    *calls -= 1;
}
fn main() {
    for _ in 0..4 { std::thread::spawn(|| loop { serve() }); }
    std::thread::spawn(|| loop { idle() });
    println!("runs");
    loop { nap(2); *CALLS.lock().unwrap() += 1; CALLED.notify_one(); }
}
"""

JAVA = """
public class Locks {
  static final Object served = new Object();
  static void serve() throws Exception { synchronized (served) { Thread.sleep(1); } }
  public static void main(String[] none) throws Exception {
    for (int i = 0; i < 4; ++i) {
      new Thread(() -> { try { for (;;) serve(); } catch (Exception ended) { } }).start();
    }
    System.out.println("runs");
  }
}
"""


@contextmanager
def running(*words: str) -> Iterator[int]:
    """The number of a process that has said that it runs."""
    pipe = subprocess.PIPE  # what reads its input waits for the test, whatever the tests' input is
    process = subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True)
    try:
        assert process.stdout is not None and process.stdout.readline() == "runs\n"
        yield process.pid
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


@lru_cache(maxsize=1)
def obstacle() -> str:
    """Why this machine does not let a process watch others; empty: it does."""
    if shutil.which("bpftrace") is None:
        return "there is no bpftrace"
    least = "tracepoint:syscalls:sys_enter_futex { exit(); } interval:ms:1 { exit(); }"
    done = subprocess.run(["bpftrace", "-e", least], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"bpftrace cannot be used: {done.stderr.strip()}"


def watch(lockbench: Program, pid: int, *flags: str) -> tuple[dict[str, Any], str]:
    """Returns what was observed, and what was said of it."""
    if obstacle():
        pytest.skip(obstacle())
    done = lockbench.run("observe", "--pid", str(pid), "--duration", "300ms", "--out", "o", *flags)
    if "observe: --pid: " in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    found = json.loads((lockbench.folder / "o/observed.json").read_text(encoding="utf-8"))
    assert found["end"] is None
    return dict(found), done.stderr


def names(found: dict[str, Any], what: str) -> str:
    (process,) = found["processes"]
    return "\n".join(f"{place['kind']} {place['name']}" for place in process[what])


@pytest.mark.parametrize("program", [LOADS, STATIC])
def test_waits_for_a_mutex_are_found_where_it_is_acquired(program: str, lockbench: Program) -> None:
    with running(program, "mutex") as pid:
        found, said = watch(lockbench, pid)
    assert said.startswith("how much locks cost is not known: ")
    place = found["processes"][0]["places"][0]
    assert place["name"].startswith("(anonymous namespace)::serve")
    # Three wait at any time; where processors are short, one may hold it for the whole window.
    assert place["kind"] == "futex" and place["locks"] == 1 and place["threads"] in (3, 4)
    assert place["blocked_s"] > 0.5 * found["wall_s"]
    assert "acquisitions without a wait" in said and "start it with `lockbench observe" in said


@pytest.mark.parametrize("program", [LOADS, STATIC])
def test_idle_threads_are_no_locks(program: str, lockbench: Program) -> None:
    with running(program, "condition") as pid:
        found, said = watch(lockbench, pid)
    assert "idle" in names(found, "events")
    (process,) = found["processes"]
    idle = sum(event["blocked_s"] for event in process["events"])
    locks = sum(place["blocked_s"] for place in process["places"])
    assert locks < 0.1 * idle and "how much locks cost" not in said


def test_a_herd_that_a_condition_wakes_waits_for_the_mutex(lockbench: Program) -> None:
    with running(LOADS, "herd") as pid:
        found, said = watch(lockbench, pid)
    assert "join_herd" in names(found, "places") and "join_herd" in names(found, "events")
    assert said.startswith("how much locks cost is not known: ")


@pytest.mark.parametrize("program", [LOADS, STATIC])
def test_a_lock_that_the_program_makes_of_a_futex(program: str, lockbench: Program) -> None:
    with running(program, "futex") as pid:
        found, said = watch(lockbench, pid)
    assert "futex " in names(found, "places") and said.startswith(
        "how much locks cost is not known: "
    )


def test_abseil(lockbench: Program) -> None:
    with running(LOADS, "absl") as pid:
        found, _ = watch(lockbench, pid)
    assert "serve_absl" in names(found, "places") and "idle_absl" in names(found, "events")
    assert "idle_absl" not in names(found, "places")


def test_rust(lockbench: Program) -> None:
    if shutil.which("rustc") is None:
        pytest.skip("there is no rustc")
    (lockbench.folder / "load.rs").write_text(RUST, encoding="utf-8")
    build = ["rustc", "-O", "-g", "load.rs"]
    made = subprocess.run(build, cwd=lockbench.folder, capture_output=True, check=False)
    if made.returncode != 0:
        pytest.skip("rustc is too old for the program")
    with running(str(lockbench.folder / "load")) as pid:
        found, said = watch(lockbench, pid)
    assert "load::serve" in names(found, "places") and said.startswith(
        "how much locks cost is not known: "
    )
    assert "load::idle" in names(found, "events")
    assert "load::idle" not in names(found, "places")


def test_java_has_a_tool_of_its_own(lockbench: Program) -> None:
    if shutil.which("javac") is None:
        pytest.skip("there is no javac")
    (lockbench.folder / "Locks.java").write_text(JAVA, encoding="utf-8")
    subprocess.run(["javac", "Locks.java"], cwd=lockbench.folder, check=True)
    with running("java", "-cp", str(lockbench.folder), "Locks") as pid:
        found, said = watch(lockbench, pid)
    assert (
        found["coverage"]["runtimes"] == ["Java"] and found["verdict"]["kind"] != "not_the_problem"
    )
    assert "jcmd PID JFR.start" in said


def test_nothing_that_waits_is_no_acquittal(lockbench: Program) -> None:
    """Acquisitions without a wait are not seen from outside."""
    with running("sh", "-c", "echo runs; read none") as pid:
        found, said = watch(lockbench, pid)
    assert found["verdict"]["kind"] == "partly_seen"
    assert "no thread of " in said and "waited for a lock while it was watched" in said


def test_the_process_goes_on(lockbench: Program) -> None:
    with running(LOADS, "mutex") as pid:
        watch(lockbench, pid, "--place", "serve")
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        assert "TracerPid:\t0" in state
        os.kill(pid, signal.SIGTERM)


@pytest.mark.parametrize(
    "words, said",
    [
        (("--pid", "0"), "'0' is no number of a process"),
        (("--pid", "x"), "'x' is no number of a process"),
        (("--pid", "4194305"), "there is no process 4194305"),
        (("--pid", "1", "--delay", "1s"), "leave out --delay"),
        (("--pid", "1", "--check", "d"), "--check measures a preset"),
        (("--pid", "1", "--", "true"), "leave out the program"),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], said: str, lockbench: Program) -> None:
    done = lockbench.run("observe", *words)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_what_is_missing_is_named(lockbench: Program) -> None:
    """Without bpftrace on the PATH; whoever may not use it is told that first."""
    done = lockbench.run("observe", "--pid", str(os.getpid()), env={"PATH": "/nowhere"})
    assert done.returncode == 1
    told: Callable[[str], bool] = done.stderr.__contains__
    assert (
        told("there is no program bpftrace; install it")
        or told("needs root")
        or told("outside of this container")
    )
