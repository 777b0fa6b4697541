# SPDX-License-Identifier: Apache-2.0
"""Plug-ins: what works is measured beside lockbench's own, what is broken costs its rows alone."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from installation import ROOT
from program import PLUGINS, Program, assert_complete, keep_rows, rows_of, wait_until

C_LOCKS = str(PLUGINS / "c_locks.so")
BUILD = Path(os.environ.get("LOCKBENCH_BUILD", "build/release"))
BROKEN = str(PLUGINS / "broken.so")

PLAN = """
title = "One that works among those that do not"
blocks = 1
mode = "fixed"
operations = 3
threads = 2
[[sweep]]
primitive = [
  "sound", "throwing", "throwing_anything", "aborting", "never_returning", "open", "global"
]
"""

ONE_TRIAL = (
    f"--plugin {C_LOCKS} --primitive c_stripes --mode fixed --operations 1 --threads 1 --out out"
)


def refused(lockbench: Program, plugin: str, command: str = "run") -> str:
    """The one line that is said of a plug-in that cannot be used."""
    words = ["--primitive", "global"] if command == "run" else []
    begin = f"lockbench {command}: --plugin: plug-in {plugin}: "
    said = lockbench.refuse(command, *words, "--plugin", plugin, "--out", "out", said=(begin,))
    return said.removeprefix(begin)


def test_broken_locks_cost_their_own_rows(lockbench: Program) -> None:
    (lockbench.folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    done = lockbench.run("run", "plan.toml", "--plugin", BROKEN, "--out", "out")
    assert done.returncode == 0, done.stderr
    assert_complete(lockbench.folder / "out", 7)
    rows = {row["primitive"]: row for row in rows_of(lockbench.folder / "out")}
    assert {name: row["outcome"] for name, row in rows.items()} == {
        "sound": "ok",
        "global": "ok",
        "throwing": "failed",
        "throwing_anything": "crashed",
        "aborting": "crashed",
        "never_returning": "deadlock",
        "open": "ok",
    }
    assert rows["sound"]["lost_updates"] == "0"
    assert rows["throwing"]["reason"] == "no room for this lock"
    assert "Aborted" in rows["aborting"]["reason"]


def test_a_plug_in_s_lock_is_measured_and_proves_itself(lockbench: Program) -> None:
    done = lockbench.run(
        *("run", "--plugin", C_LOCKS, "--mode", "fixed", "--operations", "100", "--threads", "2"),
        *("--primitive", "global:lock=c_spin", "--primitive", "striped:lock=c_spin,stripes=3"),
        *("--primitive", "keyed_table:lock=c_spin", "--primitive", "c_stripes"),
        *("--blocks", "1", "--hold", "0", "--out", "out"),
    )
    assert done.returncode == 0, done.stderr
    rows = rows_of(lockbench.folder / "out")
    assert [row["outcome"] for row in rows] == ["ok"] * 4
    assert [row["lost_updates"] for row in rows] == ["0"] * 4
    assert "c_locks.so is called through the C interface: " in done.stderr
    assert "c_locks.so is called through the C interface: " in " ".join(
        done.stdout.split()  # beside the figures
    )


def test_shards_and_resumed_runs_want_the_same_build_of_a_plug_in(lockbench: Program) -> None:
    plugin = lockbench.folder / "locks.so"
    plugin.write_bytes(Path(C_LOCKS).read_bytes())
    plan = "run --plugin locks.so --primitive c_stripes --primitive global --mode fixed"
    words = [*plan.split(), *"--operations 1 --threads 1,2 --blocks 1".split()]
    for shard in ("1/2", "2/2"):
        done = lockbench.run(*words, "--shard", shard, "--out", shard[0])
        assert done.returncode == 0, done.stderr
        if shard == "1/2":  # a byte after the end of what is loaded: another file, the same locks
            plugin.write_bytes(plugin.read_bytes() + b"0")
    merged = lockbench.run("merge", "all", "1", "2")
    assert merged.returncode == 2
    assert "1 and 2: different builds (plug-in locks.so, file_hash " in merged.stderr
    again = lockbench.run(*words, "--shard", "1/2", "--out", "1")
    assert again.returncode == 2
    assert "a shard that was begun with another build (plug-in locks.so, " in again.stderr


@pytest.mark.parametrize(
    "flag, said",
    [
        ("-DWITHOUT_PROMISES", "static constexpr lockbench::Promises kPromises"),
        ("-DALONE", "takes a lock with .* that is not reentrant"),
        ("-DTWO", "several_locks_of_a_file_are_added_in_one_LOCKBENCH_PLUGIN"),
    ],
)
def test_the_compiler_names_what_a_plug_in_lacks(flag: str, said: str) -> None:
    generated = BUILD / "generated"
    words = [
        "-std=c++20",
        "-fsyntax-only",
        "-DLOCKBENCH_STRESS_ONLY",
        f"-I{ROOT}",
        f"-I{generated}",
    ]
    source = str(ROOT / "tests/plugin/unmakeable.cc")
    done = subprocess.run(
        ["c++", *words, flag, source], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert re.search("error: .*" + said, done.stderr), done.stderr


def test_a_plug_in_for_stress_alone_says_so_when_it_is_to_be_measured(lockbench: Program) -> None:
    said = refused(lockbench, str(PLUGINS / "promising.so"))
    assert said.startswith("built for `lockbench stress` alone, with ")
    assert "no STRESS_ONLY" in said


def test_list_says_where_each_comes_from(lockbench: Program) -> None:
    listed = lockbench.run("list", "primitives", "--plugin", C_LOCKS).stdout.splitlines()
    ours = [line for line in listed if line.startswith("  global:lock=std ")]
    theirs = [line for line in listed if line.startswith("  global:lock=c_spin ")]
    assert "from" not in ours[0]
    assert theirs[0].endswith(f"[from {C_LOCKS}]")


def test_the_path_s_plug_ins_are_there_and_its_broken_ones_are_told_of(lockbench: Program) -> None:
    folder = lockbench.folder / "plug-ins"
    folder.mkdir()
    (folder / "a.so").write_text("no library", encoding="utf-8")
    (folder / "b.so").symlink_to(C_LOCKS)
    env = {**os.environ, "LOCKBENCH_PLUGIN_PATH": str(folder)}
    done = lockbench.run("list", "primitives", env=env)
    assert done.returncode == 0
    assert "global:lock=c_spin" in done.stdout
    assert done.stderr.startswith(f"lockbench: LOCKBENCH_PLUGIN_PATH: plug-in {folder}/a.so: ")
    assert done.stderr.endswith("; going on without it\n")


@pytest.mark.parametrize(
    "name, said",
    [
        ("missing_symbol.so", "undefined symbol: _Z7nowherev"),
        ("no_plugin.so", "a library, and no plug-in: "),
        ("stale.so", "it was built with lockbench 0.0.1 by GNU 4.2, and this is lockbench "),
        ("other_headers.so", ", as this program, but with other headers or options: "),
        ("crashing.so", "the process that loaded it was ended by signal 6 (Aborted)"),
        ("exiting.so", "ended the process that loaded it before it said which locks it brings; "),
        ("c_old.so", "its `lockbench_c_locks` is of version 0, and this lockbench, "),
        ("c_half.so", "lock number 0 lacks a name, a summary or a function; "),
        ("nowhere.so", "no such file; "),
    ],
)
def test_a_plug_in_that_cannot_be_used_is_refused(lockbench: Program, name: str, said: str) -> None:
    assert said in refused(lockbench, str(PLUGINS / name))


# A plug-in for stress alone, which adds nothing to what is measured.
@pytest.mark.parametrize(
    "names, said",
    [
        ("two two", "brings two locks named 'global:lock=two'; give one another name"),
        ("a:b", "'a:b' cannot name a lock; take lower-case letters, digits and underscores"),
        ("a,b", "'a,b' cannot name a lock; "),
        ("a=b", "'a=b' cannot name a lock; "),
        (" a", "'' cannot name a lock; "),
        ("std", "brings 'global:lock=std', which lockbench has already; give it another name"),
    ],
)
def test_names_are_checked_in_every_plug_in(lockbench: Program, names: str, said: str) -> None:
    env = {**os.environ, "LOCKBENCH_TEST_NAMES": names}
    file = str(PLUGINS / "named.so")
    begin = f"lockbench stress: plug-in {file}: {said}"
    lockbench.refuse("stress", "--plugin", file, "--list", said=(begin,), env=env)


def test_what_a_plug_in_prints_when_it_is_loaded_is_shown(lockbench: Program) -> None:
    file = str(PLUGINS / "named.so")
    env = {**os.environ, "LOCKBENCH_TEST_SAYS": "hello"}
    said = ("wrote 'hello' to standard output when it was loaded",)
    lockbench.refuse("list", "primitives", "--plugin", file, said=said, env=env)


def test_how_a_plug_in_was_compiled_is_recorded_and_told(lockbench: Program) -> None:
    file = str(PLUGINS / "alike.so")
    words = ("--mode", "fixed", "--operations", "1", "--threads", "1", "--out", "out")
    locks = ("--primitive", "global:lock=alike", "--primitive", "global:lock=c_spin")
    done = lockbench.run("run", "--plugin", file, "--plugin", C_LOCKS, *locks, *words)
    assert done.returncode == 0, done.stderr
    meta = json.loads((lockbench.folder / "out" / "meta.json").read_text(encoding="utf-8"))
    by_name = {Path(one["file"]).name: one for one in meta["plugins"]}
    assert "differs" not in by_name["alike.so"]
    theirs = by_name["c_locks.so"]
    assert theirs["optimisation"] == "none" and not theirs["assertions"]
    assert "-O0" in theirs["flags"].split()
    said = "c_locks.so was not compiled as lockbench: optimisation none (lockbench: "
    assert said in done.stderr
    assert said in " ".join(done.stdout.split())  # beside the figures
    for command in ("report", "compare"):
        told = lockbench.run(
            command, "out", *(["--format", "text"] if command == "compare" else [])
        )
        assert said in " ".join((told.stdout + told.stderr).split()), command


def test_what_is_no_library_is_refused(lockbench: Program) -> None:
    file = lockbench.folder / "text.so"
    for text, said in (
        (b"no library", "cannot be loaded (file too short"),
        (b"no library" * 1000, "cannot be loaded (invalid ELF header"),
        (Path(C_LOCKS).read_bytes()[:3000], ""),  # cut off
    ):
        file.write_bytes(text)
        assert said in refused(lockbench, str(file))
    folder = str(lockbench.folder)
    assert refused(lockbench, folder) == "a folder; name a plug-in's file in it\n"


def test_what_hangs_when_it_is_loaded_is_refused(lockbench: Program) -> None:
    pipe = lockbench.folder / "pipe.so"  # that nobody ever writes to
    os.mkfifo(pipe)
    assert "did not say what it has within 10 s" in refused(lockbench, str(pipe))


def test_a_c_lock_that_cannot_be_made_fails_its_rows(lockbench: Program) -> None:
    done = lockbench.run(
        *("run", "--plugin", str(PLUGINS / "c_unmade.so"), "--mode", "fixed"),
        *("--primitive", "global:lock=c_unmade", "--operations", "1", "--threads", "1"),
        *("--blocks", "1", "--out", "out"),
    )
    assert done.returncode == 4
    rows = rows_of(lockbench.folder / "out")
    assert [row["outcome"] for row in rows] == ["failed"]
    assert rows[0]["reason"] == "lock 'c_unmade' could not be made: its create() returned NULL"


def test_a_name_that_is_taken_is_refused(lockbench: Program) -> None:
    said = ("brings 'global:lock=c_spin', which ", "has already; give it another name")
    lockbench.refuse("list", "--plugin", C_LOCKS, "--plugin", C_LOCKS, said=said)


def test_a_run_with_plug_ins_is_not_resumed_without_them(lockbench: Program) -> None:
    words = [*ONE_TRIAL.split(), "--blocks", "2"]
    assert lockbench.run("run", *words).returncode == 0
    keep_rows(lockbench.folder / "out", -1)
    said = ("1 and 0 plug-ins: name by --plugin what it measures",)
    lockbench.refuse("run", "--resume", "out", said=said)
    assert lockbench.run("run", "--resume", "out", "--plugin", C_LOCKS).returncode == 0
    assert_complete(lockbench.folder / "out", 2)


def test_an_interrupted_run_says_how_to_go_on_with_its_plug_ins(lockbench: Program) -> None:
    words = (*ONE_TRIAL.split(), "--hold", "sleep:50ms", "--blocks", "40", "--progress", "off")
    process = lockbench.start("run", *words)
    wait_until(lambda: rows_of(lockbench.folder / "out"), "no rows")
    process.send_signal(signal.SIGINT)
    err = process.communicate()[1]
    assert process.returncode == 130
    assert err.endswith(f"run --resume out --plugin {C_LOCKS}\n"), err
    assert lockbench.go_on_as_told(err).returncode == 0
    assert_complete(lockbench.folder / "out", 40)


def test_a_trial_finds_its_plug_in_by_name_or_on_the_path(lockbench: Program) -> None:
    words = [*ONE_TRIAL.split(), "--blocks", "1"]
    assert lockbench.run("run", *words).returncode == 0
    meta = (lockbench.folder / "out" / "meta.json").read_text(encoding="utf-8")
    trial = re.search(r'\{"number":.*\}\}', meta)
    assert trial is not None
    file = lockbench.folder / "trial.json"
    file.write_text(trial[0], encoding="utf-8")

    def repeat(*flags: str, **env: str) -> int:
        with file.open(encoding="utf-8") as text:
            return lockbench.run("trial", *flags, stdin=text, env={**os.environ, **env}).returncode

    assert repeat() == 2
    assert repeat("--plugin", C_LOCKS) == 0
    assert repeat(LOCKBENCH_PLUGIN_PATH=C_LOCKS) == 0


def test_stress_fails_a_plug_in_s_broken_lock_and_says_how_to_repeat_it(
    lockbench: Program,
) -> None:
    done = lockbench.run("stress", "open", "--plugin", BROKEN, "--engine", "real", "--budget", "5s")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "exclusion" in done.stdout
    assert f"--plugin {BROKEN}" in done.stdout


def test_stress_knows_the_locks_of_the_path_s_plug_ins(lockbench: Program) -> None:
    env = {**os.environ, "LOCKBENCH_PLUGIN_PATH": BROKEN}
    done = lockbench.run("stress", "open", "--engine", "real", "--budget", "5s", env=env)
    assert done.returncode == 3, done.stdout + done.stderr
    assert f"--plugin {BROKEN}" in done.stdout


def test_stress_fails_what_crashes_and_what_never_returns(lockbench: Program) -> None:
    for lock, oracle in (("aborting", "crash"), ("never_returning", "progress")):
        done = lockbench.run(
            *("stress", lock, "--plugin", BROKEN, "--engine", "real", "--budget", "5s")
        )
        assert done.returncode == 3, done.stdout + done.stderr
        assert f"{lock}, real: failed, oracle {oracle}" in done.stdout
