# SPDX-License-Identifier: Apache-2.0
"""`lockbench substitute` and `compare-program`: the promises of POSIX hold with each lock."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from program import BINARY, Program, installed_at

_TESTS = Path("build/release/harness/observe/tests/substitute")
CONTRACT = str(Path(os.environ.get("LOCKBENCH_CONTRACT", _TESTS / "lockbench_contract")).resolve())
BROKEN = str(
    Path(os.environ.get("LOCKBENCH_BROKEN", _TESTS / "liblockbench_substitute_broken.so")).resolve()
)
RWLOCKS = str(Path(os.environ.get("LOCKBENCH_RWLOCKS", _TESTS / "lockbench_rwlocks")).resolve())
BROKEN_RWLOCK = str(
    Path(
        os.environ.get(
            "LOCKBENCH_BROKEN_RWLOCK", _TESTS / "liblockbench_substitute_broken_rwlock.so"
        )
    ).resolve()
)
FOR_RWLOCKS = ["absl_shared", "rwlock_adaptive", "tbb_rw", "tbb_spin_rw"]
LOCKS = sorted(
    path.stem.removeprefix("liblockbench_substitute_")
    for path in BINARY.parent.glob("liblockbench_substitute_*.so")
)


def test_there_are_locks() -> None:
    assert {"adaptive", "futex", "tbb_spin", *FOR_RWLOCKS} <= set(LOCKS)


@pytest.mark.parametrize("lock", ["std", *LOCKS])
def test_posix_holds_for_rwlocks_with(lock: str, lockbench: Program) -> None:
    done = lockbench.run("substitute", "--lock", lock, "--", RWLOCKS)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("lock", ["std", *LOCKS])
def test_readers_hold_a_lock_together_unless_it_is_a_mutex(lock: str, lockbench: Program) -> None:
    done = lockbench.run("substitute", "--lock", lock, "--", RWLOCKS, "together")
    alone = lock == "rwlock_adaptive"
    assert (done.returncode, done.stdout) == (0, "alone\n" if alone else "together\n")


def test_the_rwlocks_are_the_locks_indeed(lockbench: Program) -> None:
    """A broken lock lets a reader in while a thread writes, which the others do not."""
    for lock in ("std", *FOR_RWLOCKS):
        done = lockbench.run("substitute", "--lock", lock, "--", RWLOCKS, "count", "20000")
        assert (done.returncode, done.stdout) == (0, "lost 0, changed 0\n"), lock
    done = lockbench.run("substitute", "--lock", BROKEN_RWLOCK, "--", RWLOCKS)
    assert done.returncode == 1
    assert re.search(r"other\.read is 0, not \d+", done.stdout)


def test_the_rwlocks_of_a_place_are_replaced(lockbench: Program) -> None:
    observed = lockbench.run("observe", "--out", "seen", "--", RWLOCKS, "together")
    assert observed.returncode == 0, observed.stderr
    words = ("substitute", "--lock", "rwlock_adaptive")
    place = ("--observed", "seen", "--place", "^together")
    done = lockbench.run(*words, *place, "--", RWLOCKS, "together")
    assert (done.returncode, done.stdout) == (0, "alone\n"), done.stderr


def test_a_place_of_another_kind_of_lock_is_refused(lockbench: Program) -> None:
    observed = lockbench.run("observe", "--out", "seen", "--", RWLOCKS, "count", "20000")
    assert observed.returncode == 0, observed.stderr
    words = ("--observed", "seen", "--place", "add_and_read", "--", RWLOCKS, "count", "2000")
    chosen = lockbench.run("substitute", "--lock", "tbb_rw", *words)
    assert (chosen.returncode, chosen.stdout) == (0, "lost 0, changed 0\n"), chosen.stderr
    other = lockbench.run("substitute", "--lock", "futex", *words)
    assert (other.returncode, other.stdout) == (2, "")
    assert "--place: matches none of the 0 places of kind mutex" in other.stderr


@pytest.mark.parametrize("lock", ["std", *LOCKS])
def test_posix_holds_with(lock: str, lockbench: Program) -> None:
    done = lockbench.run("substitute", "--lock", lock, "--", CONTRACT)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def installed_in(folder: Path) -> Program:
    """The program and its libraries in another folder."""
    binary = installed_at(folder, "lockbench-observe")
    for file in BINARY.parent.glob("liblockbench_*.so"):
        shutil.copy(file, folder / file.name)
    return Program(folder.parent, binary)


@pytest.mark.parametrize("name", ["with a space", "with:colon", "with$ORIGIN"])
def test_the_lock_is_loaded_from_any_folder(name: str, tmp_path: Path) -> None:
    lockbench = installed_in(tmp_path / name)
    for command in (("substitute", "--lock", "futex"), ("observe", "--out", "seen")):
        done = lockbench.run(*command, "--", "cat", "/proc/self/maps")
        assert done.returncode == 0, done.stderr
        library = f"/{name}/liblockbench_{'observe' if command[0] == 'observe' else 'substitute'}"
        assert library in done.stdout, done.stderr


def test_a_program_that_does_not_load_the_lock_is_named(lockbench: Program) -> None:
    words = ("substitute", "--lock", "futex", "--")
    done = lockbench.run(*words, "env", "-i", CONTRACT)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"{CONTRACT}: not seen to load the lock; " in done.stderr
    assert done.stderr.count("\n") == 1
    for below in (f"env -i {CONTRACT}; exit 3", f"unset LD_PRELOAD; {CONTRACT}; exit 3"):
        done = lockbench.run(*words, "sh", "-c", below)
        assert done.returncode == 3 and f"{CONTRACT}: not seen to load " in done.stderr


def test_a_lock_that_was_not_loaded_has_no_row(lockbench: Program) -> None:
    words = ("--out", "out", "--lock", "std", "--lock", "futex", "--", "env", "-i", CONTRACT)
    done = lockbench.run("compare-program", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{CONTRACT}: not seen to load the lock futex; " in done.stderr
    rows = (lockbench.folder / "out/program.csv").read_text(encoding="utf-8")
    assert "futex" not in rows


def test_numbers_with_a_comma_are_understood_or_refused(lockbench: Program) -> None:
    script = 'case "$LD_PRELOAD" in *futex*) echo "Zeit: 1,25 s";; *) echo "Zeit: 1,5 s";; esac'
    words = ("compare-program", "--blocks", "6", "--lock", "std", "--lock", "futex", "--metric")
    shell = ("--lower-is-better", "--", "sh", "-c")
    done = lockbench.run(*words, "Zeit: ([0-9,.]+) s", *shell, script)
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if line.startswith("futex"))
    assert line.split()[-1] == "faster" and " 1.25 " in line
    for printed in ("1,234", "inf"):
        done = lockbench.run(*words, "Zeit: (.+) s", *shell, f"echo Zeit: {printed} s")
        assert (done.returncode, done.stdout) == (2, "") and f"'{printed}' " in done.stderr


def lost(lockbench: Program, lock: str, *flags: str) -> list[int]:
    """How many additions to each of two numbers are lost with this lock."""
    done = lockbench.run("substitute", "--lock", lock, *flags, "--", CONTRACT, "count", "300000")
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.removeprefix("lost ").split()]


def test_the_mutexes_are_the_locks_indeed(lockbench: Program) -> None:
    """A broken lock loses updates, which the program's own mutexes do not."""
    assert lost(lockbench, "std") == [0, 0]
    assert min(lost(lockbench, BROKEN)) > 0


@pytest.mark.parametrize("lock", ["std", *LOCKS])
def test_a_recursive_mutex_excludes_whatever_calls_a_filter_refuses(
    lock: str, lockbench: Program
) -> None:
    """Who the owner is takes no system call."""
    words = ("substitute", "--lock", lock, "--", CONTRACT, "filtered", "100000")
    done = lockbench.run(*words)
    assert (done.returncode, done.stdout) == (0, "lost 0\n"), done.stderr


def test_only_the_mutexes_of_a_place_are_replaced(lockbench: Program) -> None:
    seen = lockbench.run("observe", "--out", "seen", "--", CONTRACT, "count", "1000")
    assert seen.returncode == 0, seen.stderr
    one, other = lost(lockbench, BROKEN, "--observed", "seen", "--place", "add_to_other")
    assert one == 0 < other
    assert lost(lockbench, "adaptive", "--observed", "seen", "--place", "add_to_one") == [0, 0]
    refused = lockbench.run(
        *("substitute", "--lock", "futex", "--observed", "seen", "--place", "nothing"),
        *("--", "true"),
    )
    assert refused.returncode == 2 and "add_to_one contract.c:" in refused.stderr


def test_the_places_of_a_program_that_was_built_anew_are_refused(lockbench: Program) -> None:
    own = lockbench.folder / "own"
    shutil.copy(CONTRACT, own)
    assert lockbench.run("observe", "--out", "seen", "--", str(own), "count", "9").returncode == 0
    later = (lockbench.folder / "seen/observed.json").stat().st_mtime + 10
    os.utime(own, (later, later))
    words = ("substitute", "--lock", "futex", "--observed", "seen", "--place", "add_to")
    done = lockbench.run(*words, "--", str(own), "count", "9")
    assert done.returncode == 2 and "own is newer than seen/observed.json" in done.stderr


def test_an_interpreter_with_threads_works(lockbench: Program) -> None:
    """Python's own locks are made of semaphores and conditions."""
    code = (
        "import threading, queue\n"
        "q = queue.Queue(1)\n"
        "t = threading.Thread(target=lambda: [q.put(i) for i in range(1000)])\n"
        "t.start(); print(sum(q.get() for _ in range(1000))); t.join()\n"
    )
    for lock in LOCKS:
        done = lockbench.run("substitute", "--lock", lock, "--", "python3", "-c", code)
        assert (done.returncode, done.stdout) == (0, "499500\n"), done.stderr


def test_the_programs_end_is_its_own(lockbench: Program) -> None:
    done = lockbench.run(
        "substitute", "--lock", "futex", "--", "sh", "-c", "cat; exit 3", stdin=subprocess.PIPE
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


@pytest.mark.parametrize(
    "words, expected",
    [
        (("substitute", "--", "true"), "--lock: not given"),
        (("substitute", "--lock", "adaptive"), "name the program after --"),
        (("substitute", "--lock", "keyed", "--", "true"), "these locks can: std, "),
        (("substitute", "--lock", "tbb_queuing", "--", "true"), "cannot take the place"),
        (("substitute", "--lock", "./no.so", "--", "true"), "No such file"),
        (
            ("substitute", "--lock", "futex", "--place", "x", "--", "true"),
            "say --observed DIR",
        ),
        (
            ("substitute", "--lock", "futex", "--observed", "d", "--", "true"),
            "--observed: is for --place",
        ),
        (
            ("substitute", "--lock", "futex", "--observed", "no", "--place", "x", "--", "true"),
            "name the folder that `lockbench observe` wrote",
        ),
        (("substitute", "--lock", "std", "--", "no-such-program"), "is no program on the PATH"),
        (("compare-program", "--lock", "std", "--", "true"), "name two locks or more"),
        (
            ("compare-program", "--lock", "std", "--lock", "futex", "--metric", "(", "--", "true"),
            "--metric: is neither wall nor cpu, and '(' is no regular expression: missing ): (",
        ),
        (
            ("compare-program", "--lock", "std", "--lock", "futex", "--metric", "x", "--", "true"),
            "nothing matches 'x' in what true with std prints",
        ),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], expected: str, lockbench: Program) -> None:
    done = lockbench.run(*words)
    assert done.returncode == 2, done.stderr
    assert expected in done.stderr and done.stderr.count("\n") == 1


def test_a_run_that_fails_ends_the_comparison(lockbench: Program) -> None:
    words = ("compare-program", "--lock", "std", "--lock", "futex", "--", "sh", "-c")
    done = lockbench.run(*words, "echo broke >&2; exit 5")
    assert done.returncode == 1 and "with exit code 5: broke" in done.stderr


@pytest.mark.parametrize("lower", [False, True])
def test_a_known_difference_is_found(lower: bool, lockbench: Program) -> None:
    """The program prints twice as much if another library was loaded into it."""
    script = 'case "$LD_PRELOAD" in *futex*) echo score 20.5 ;; *) echo score 10.2 ;; esac'
    done = lockbench.run(
        *("compare-program", "--out", "out", "--blocks", "6", "--lock", "std", "--lock", "futex"),
        *("--lock", "adaptive", "--metric", "score ([0-9.]+)"),
        *(("--lower-is-better",) if lower else ()),
        *("--", "sh", "-c", script),
    )
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert lines["futex"].split()[-1] == ("slower" if lower else "faster")
    assert lines["adaptive"].split()[-1] == "same"
    assert re.search(r"0\.49[0-9]" if lower else r"2\.01", lines["futex"])
    with (lockbench.folder / "out/program.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 18 and all(float(row["wall_s"]) > 0 for row in rows)
    assert {row["lock"] for row in rows if row["block"] == "0"} == {"std", "futex", "adaptive"}
    again = lockbench.run(
        *("compare-program", "--out", "out", "--lock", "std", "--lock", "futex", "--", "true")
    )
    assert again.returncode == 2 and "out: exists already" in again.stderr
