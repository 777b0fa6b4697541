# SPDX-License-Identifier: Apache-2.0
"""The promises of plug-ins' locks, in C++ and in C, and what `stress` makes of them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from patience import assert_clean, failures_of, look_until, reports_of
from program import PLUGINS, Program

CHECKOUT = Path(__file__).resolve().parents[2]
PROMISING = PLUGINS / "promising.so"


def failure_of(lockbench: Program, plugin: Path, lock: str, *words: str) -> dict[str, Any]:
    """The first report of a form that failed."""
    failed = failures_of(lockbench, plugin, lock, *words)
    assert failed, lock
    return next(iter(failed.values()))


def compiled_as_plain_c(source: Path, folder: Path) -> Path:
    """Compiled as the header says, without CMake and without C++."""
    made = folder / source.with_suffix(".so").name
    words = "gcc -std=c11 -O2 -Wall -Wextra -pedantic -Werror -shared -fPIC".split()
    include = f"-I{CHECKOUT / 'harness' / 'plugin' / 'public'}"
    subprocess.run([*words, include, str(source), "-o", str(made)], check=True)
    return made


@pytest.fixture(name="plain_c")
def plain_c_fixture(tmp_path: Path) -> Path:
    return compiled_as_plain_c(CHECKOUT / "tests" / "plugin" / "c_promises.c", tmp_path)


@pytest.mark.parametrize("engine", ["sim", "real"])
def test_a_semaphore_admits_as_many_as_it_promises(lockbench: Program, engine: str) -> None:
    sound = assert_clean(lockbench, PROMISING, "three", "--engine", engine)
    assert "global:lock=three" in sound
    broken = failure_of(lockbench, PROMISING, "four", "--engine", engine)
    assert broken["oracle"] == "exclusion", broken


@pytest.mark.parametrize("engine", ["sim", "real"])
def test_permits_go_to_the_first_that_waits(lockbench: Program, engine: str) -> None:
    sound = look_until(
        lambda reports: all(one["evaluations"].get("fairness", 0) > 0 for one in reports.values()),
        lambda seconds, seed: reports_of(
            *(lockbench, PROMISING, "handing", "--engine", engine), seconds=seconds, seed=seed
        ),
    )
    for report in sound.values():
        assert report["verdict"] == "clean", report
        assert report["evaluations"]["fairness"] > 0, report
    broken = failure_of(lockbench, PROMISING, "handing_last", "--engine", engine)
    assert broken["oracle"] == "fairness", broken


def test_order_is_checked_where_the_threads_suffice_and_else_named(lockbench: Program) -> None:
    for few in assert_clean(lockbench, PROMISING, "handing_3", "--engine", "sim").values():
        assert few["evaluations"]["fairness"] > 0, few
    for many in assert_clean(lockbench, PROMISING, "handing_66", "--engine", "sim").values():
        assert "fairness" not in many["evaluations"], many
        assert any("the order of arrival, for which" in one for one in many["remarks"]), many


# It spins on the clock, which it may read for the first time when virtual time has passed already.
@pytest.mark.parametrize("engine", ["sim", "real"])
def test_a_timed_base_lock_is_timed_in_each_engine(lockbench: Program, engine: str) -> None:
    reports = assert_clean(lockbench, PROMISING, "flag_timed", "--engine", engine)
    if engine == "sim":  # which names what it explored, its own programs among them
        report = reports["global:lock=flag_timed"]
        explored = [one["program"] for one in report["explored"]]
        assert "L0 R4000000 U | W0:400000 U" in explored, explored


def test_a_table_has_no_more_room_than_its_locks(lockbench: Program) -> None:
    for lock in ("narrow", "keyed_table:lock=narrow"):
        assert_clean(lockbench, PROMISING, lock, "--engine", "real")


def test_a_program_with_an_act_that_the_lock_lacks_is_refused(lockbench: Program) -> None:
    done = lockbench.run("stress", "overreaching", "--plugin", str(PROMISING), "--budget", "1s")
    assert done.returncode == 2
    assert "program `W0:5 U`: W needs timeouts; leave it out, or promise that" in done.stderr


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc on this machine")
def test_a_lock_in_plain_c_is_held_to_its_promises(lockbench: Program, plain_c: Path) -> None:
    # It has timeouts; in a keyed_table, which offers none, none may be expected.
    for lock in ("c_ticket", "keyed_table:lock=c_ticket"):
        assert_clean(lockbench, plain_c, lock, "--engine", "real")
    listed = lockbench.run("list", "primitives", "--plugin", str(plain_c)).stdout.splitlines()
    said = {line.split()[0]: line for line in listed if "c_ticket" in line}
    assert "[timed, fair, " in said["global:lock=c_ticket"], listed
    assert "timed" not in said["keyed_table:lock=c_ticket"], listed
    three = failure_of(lockbench, plain_c, "c_three", "--engine", "real")
    assert three["oracle"] in ("residue", "model", "progress", "cycle"), three
    shared = failure_of(lockbench, plain_c, "c_shared", "--engine", "real")
    assert shared["oracle"] in ("independence", "cycle", "progress", "model"), shared


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc on this machine")
def test_a_lock_in_plain_c_gets_no_key_that_it_has_no_room_for(
    lockbench: Program, plain_c: Path
) -> None:
    for report in assert_clean(lockbench, plain_c, "c_rooms", "--engine", "real").values():
        assert any(one.endswith("keys below 4") for one in report["remarks"]), report["remarks"]
    words = ["--plugin", str(plain_c), "--engine", "real", "--program", "L3 U", "--budget", "1s"]
    done = lockbench.run("stress", "c_rooms", *words)
    assert done.returncode == 2
    assert ": needs keys up to 4, one of them unused" in done.stderr


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc on this machine")
def test_a_lock_between_processes_is_tested_by_processes(
    lockbench: Program, tmp_path: Path
) -> None:
    plugin = compiled_as_plain_c(CHECKOUT / "tests" / "plugin" / "processes.c", tmp_path)
    proc = ("--engine", "proc")
    for sound in assert_clean(lockbench, plugin, "region", *proc).values():
        assert sound["figures"]["call_places"] > 0, sound
    broken = failure_of(lockbench, plugin, "region_closes", *proc)
    assert broken["oracle"] in ("exclusion", "conservation"), broken
    # Where one process waits for itself, the kernel refuses, and the lock aborts.
    folded = failure_of(lockbench, plugin, "region_folds", *proc)
    assert folded["oracle"] in ("exclusion", "conservation", "crash", "independence"), folded
    assert_clean(lockbench, plugin, "robust", *proc)
    # In an epoch that kills, those that wait for the key may stand still before that is tried.
    inherited = failure_of(lockbench, plugin, "robust_once", *proc, "--mode", "plain")
    assert inherited["oracle"] == "residue", inherited
    assert "after a process died that held key 0" in str(inherited), inherited
    # Between the threads of one process it need not exclude anything.
    done = lockbench.run("stress", "region", "--plugin", str(plugin), "--engine", "real")
    assert done.returncode == 2
    assert "none of the engines named knows any of the locks named" in done.stderr


def test_promises_that_contradict_each_other_are_refused(lockbench: Program) -> None:
    done = lockbench.run("stress", "--plugin", str(PLUGINS / "c_wrong.so"))
    assert done.returncode == 2
    assert "lock 'c_wrong': it promises to be reentrant and a capacity of 3; " in done.stderr
