# SPDX-License-Identifier: Apache-2.0
"""The promises of plug-ins' locks, in C++ and in C, and what `stress` makes of them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from patience import look_until
from program import PLUGINS, Program

CHECKOUT = Path(__file__).resolve().parents[2]
PROMISING = str(PLUGINS / "promising.so")

# A budget for what fails: the first failure ends it, soon unless the machine is busy.
UNTIL_FOUND = "40s"


def report_of(
    lockbench: Program, plugin: str, lock: str, engine: str, budget: str = "1500ms", *words: str
) -> dict[str, Any]:
    done = lockbench.run(
        *("stress", lock, "--plugin", plugin, "--engine", engine, "--budget", budget),
        *("--format", "json", *words),
    )
    assert done.returncode in (0, 3, 4, 5), done.stderr
    # One line for each form of the lock.
    reports: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    failed = [report for report in reports if report["verdict"] == "failed"]
    return (failed or reports)[0]


def compiled_as_plain_c(source: Path, folder: Path) -> str:
    """Compiled as the header says, without CMake and without C++."""
    made = folder / source.with_suffix(".so").name
    words = "gcc -std=c11 -O2 -Wall -Wextra -pedantic -Werror -shared -fPIC".split()
    include = f"-I{CHECKOUT / 'harness' / 'plugin' / 'public'}"
    subprocess.run([*words, include, str(source), "-o", str(made)], check=True)
    return str(made)


@pytest.fixture(name="plain_c")
def plain_c_fixture(tmp_path: Path) -> str:
    return compiled_as_plain_c(CHECKOUT / "tests" / "plugin" / "c_promises.c", tmp_path)


@pytest.mark.parametrize("engine", ["sim", "real"])
def test_a_semaphore_admits_as_many_as_it_promises(lockbench: Program, engine: str) -> None:
    sound = report_of(lockbench, PROMISING, "three", engine)
    assert sound["lock"] == "global:lock=three"
    assert sound["verdict"] == "clean", sound
    broken = report_of(lockbench, PROMISING, "four", engine, UNTIL_FOUND)
    assert broken["oracle"] == "exclusion", broken


@pytest.mark.parametrize("engine", ["sim", "real"])
def test_permits_go_to_the_first_that_waits(lockbench: Program, engine: str) -> None:
    sound = look_until(
        lambda report: report["evaluations"].get("fairness", 0) > 0,
        lambda seconds, _: report_of(lockbench, PROMISING, "handing", engine, f"{seconds}s"),
    )
    assert sound["verdict"] == "clean", sound
    assert sound["evaluations"]["fairness"] > 0, sound
    broken = report_of(lockbench, PROMISING, "handing_last", engine, UNTIL_FOUND)
    assert broken["oracle"] == "fairness", broken


def test_order_is_checked_where_the_threads_suffice_and_else_named(lockbench: Program) -> None:
    few = report_of(lockbench, PROMISING, "handing_3", "sim")
    assert few["verdict"] == "clean" and few["evaluations"]["fairness"] > 0, few
    many = report_of(lockbench, PROMISING, "handing_66", "sim")
    assert many["verdict"] == "clean" and "fairness" not in many["evaluations"], many
    assert any("the order of arrival, for which" in remark for remark in many["remarks"]), many


# It spins on the clock, which it may read for the first time when virtual time has passed already.
@pytest.mark.parametrize("engine", ["sim", "real"])
def test_a_timed_base_lock_is_timed_in_each_engine(lockbench: Program, engine: str) -> None:
    report = report_of(lockbench, PROMISING, "flag_timed", engine)
    assert report["verdict"] == "clean", report
    if engine == "sim":  # which names what it explored, its own programs among them
        explored = [one["program"] for one in report["explored"]]
        assert "L0 R4000000 U | W0:400000 U" in explored, explored


def test_a_table_has_no_more_room_than_its_locks(lockbench: Program) -> None:
    for lock in ("narrow", "keyed_table:lock=narrow"):
        report = report_of(lockbench, PROMISING, lock, "real")
        assert report["verdict"] == "clean", report


def test_a_program_with_an_act_that_the_lock_lacks_is_refused(lockbench: Program) -> None:
    done = lockbench.run("stress", "overreaching", "--plugin", PROMISING, "--budget", "1s")
    assert done.returncode == 2
    assert "program `W0:5 U`: W needs timeouts; leave it out, or promise that" in done.stderr


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc on this machine")
def test_a_lock_in_plain_c_is_held_to_its_promises(lockbench: Program, plain_c: str) -> None:
    # It has timeouts; in a keyed_table, which offers none, none may be expected.
    for lock in ("c_ticket", "keyed_table:lock=c_ticket"):
        assert report_of(lockbench, plain_c, lock, "real")["verdict"] == "clean"
    listed = lockbench.run("list", "primitives", "--plugin", plain_c).stdout.splitlines()
    said = {line.split()[0]: line for line in listed if "c_ticket" in line}
    assert "[timed, fair, " in said["global:lock=c_ticket"], listed
    assert "timed" not in said["keyed_table:lock=c_ticket"], listed
    three = report_of(lockbench, plain_c, "c_three", "real", UNTIL_FOUND)
    assert three["oracle"] in ("residue", "model", "progress", "cycle"), three
    shared = report_of(lockbench, plain_c, "c_shared", "real", UNTIL_FOUND)
    assert shared["oracle"] in ("independence", "cycle", "progress", "model"), shared


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc on this machine")
def test_a_lock_in_plain_c_gets_no_key_that_it_has_no_room_for(
    lockbench: Program, plain_c: str
) -> None:
    report = report_of(lockbench, plain_c, "c_rooms", "real")
    assert report["verdict"] == "clean", report
    assert any(remark.endswith("keys below 4") for remark in report["remarks"]), report["remarks"]
    words = ["--plugin", plain_c, "--engine", "real", "--program", "L3 U", "--budget", "1s"]
    done = lockbench.run("stress", "c_rooms", *words)
    assert done.returncode == 2
    assert ": needs keys up to 4, one of them unused" in done.stderr


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc on this machine")
def test_a_lock_between_processes_is_tested_by_processes(
    lockbench: Program, tmp_path: Path
) -> None:
    plugin = compiled_as_plain_c(CHECKOUT / "tests" / "plugin" / "processes.c", tmp_path)
    sound = report_of(lockbench, plugin, "region", "proc")
    assert sound["verdict"] == "clean", sound
    assert sound["figures"]["call_places"] > 0, sound
    broken = report_of(lockbench, plugin, "region_closes", "proc", "10s")
    assert broken["oracle"] in ("exclusion", "conservation"), broken
    # Where one process waits for itself, the kernel refuses, and the lock aborts.
    folded = report_of(lockbench, plugin, "region_folds", "proc", "30s")
    assert folded["oracle"] in ("exclusion", "conservation", "crash", "independence"), folded
    assert report_of(lockbench, plugin, "robust", "proc")["verdict"] == "clean"
    # In an epoch that kills, those that wait for the key may stand still before that is tried.
    inherited = report_of(lockbench, plugin, "robust_once", "proc", "10s", "--mode", "plain")
    assert inherited["oracle"] == "residue", inherited
    assert "after a process died that held key 0" in str(inherited), inherited
    # Between the threads of one process it need not exclude anything.
    done = lockbench.run("stress", "region", "--plugin", plugin, "--engine", "real")
    assert done.returncode == 2
    assert "none of the engines named knows any of the locks named" in done.stderr


def test_promises_that_contradict_each_other_are_refused(lockbench: Program) -> None:
    done = lockbench.run("stress", "--plugin", str(PLUGINS / "c_wrong.so"))
    assert done.returncode == 2
    assert "lock 'c_wrong': it promises to be reentrant and a capacity of 3; " in done.stderr
