# SPDX-License-Identifier: Apache-2.0
"""A machine with a fast core and a slow one, as hwloc is told: what is bound where, and said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from program import Program, meta_of, rows_of

RUN = "run --primitive global --keys 1 --blocks 1 --mode fixed --operations 50 --progress off"

pytestmark = pytest.mark.skipif(
    not {0, 1} <= os.sched_getaffinity(0), reason="needs the processors 0 and 1"
)


def unit(number: int) -> str:
    its = f'cpuset="0x{1 << number:x}" complete_cpuset="0x{1 << number:x}"'
    its += ' nodeset="0x1" complete_nodeset="0x1"'
    return (
        f'<object type="Core" os_index="{number}" {its}>'
        f'<object type="PU" os_index="{number}" {its}></object></object>'
    )


def kind(number: int, efficiency: int, name: str, mhz: int) -> str:
    return (
        f'<cpukind cpuset="0x{1 << number:x}" forced_efficiency="{efficiency}">'
        f'<info name="CoreType" value="{name}"/>'
        f'<info name="FrequencyMaxMHz" value="{mhz}"/></cpukind>'
    )


@pytest.fixture
def hybrid(lockbench: Program, monkeypatch: pytest.MonkeyPatch) -> Program:
    every = 'cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1"'
    file = lockbench.folder / "hybrid.xml"
    file.write_text(
        '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE topology SYSTEM "hwloc2.dtd">'
        f'<topology version="2.0"><object type="Machine" os_index="0" {every}'
        ' allowed_cpuset="0x3" allowed_nodeset="0x1">'
        f'<object type="NUMANode" os_index="0" {every} local_memory="1073741824"></object>'
        f"{unit(0)}{unit(1)}</object>"
        f"{kind(0, 0, 'Small', 2000)}{kind(1, 1, 'Great', 4000)}</topology>",
        encoding="utf-8",
    )
    # The parser that hwloc has without libxml2 wants its lines.
    file.write_text(file.read_text(encoding="utf-8").replace("><", ">\n<"), encoding="utf-8")
    monkeypatch.setenv("HWLOC_XMLFILE", str(file))
    monkeypatch.setenv("HWLOC_THISSYSTEM", "1")
    return lockbench


def bound(program: Program, out: str, words: str) -> tuple[list[tuple[str, str, str]], str]:
    done = program.run(*RUN.split(), *words.split(), "--out", out)
    assert done.returncode == 0, done.stderr
    rows = rows_of(program.folder / out)
    return [(r["threads"], r["pinning"], r["threads_by_kind"]) for r in rows], done.stderr


def test_threads_are_bound_fast_cores_first_and_that_is_said(hybrid: Program) -> None:
    rows, said = bound(hybrid, "usual", "--threads 1,2,3")
    assert sorted(rows) == [
        ("1", "scatter", "fast 1"),
        ("2", "scatter", "fast 1, slow 1"),
        ("3", "scatter", "fast 2, slow 1"),
    ]
    assert "of the usable cores, 1 fast and 1 slow: threads are bound" in said


def test_a_plan_may_name_kinds(hybrid: Program) -> None:
    assert bound(hybrid, "slow", "--threads 2 --pinning kind:slow")[0][0][2] == "slow 2"
    assert bound(hybrid, "mixed", "--threads 4 --pinning mixed:1+3")[0][0][2] == "fast 1, slow 3"
    assert bound(hybrid, "none", "--threads 2 --pinning none")[0][0][2] == ""


def test_the_machine_has_its_kinds(hybrid: Program, lockbench: Program) -> None:
    bound(hybrid, "run", "--threads 1")
    kinds = meta_of(hybrid.folder / "run")["machine"]["core_kinds"]
    assert [(k["kind"], k["type"], k["greatest_mhz"]) for k in kinds] == [
        ("fast", "Great", 4000),
        ("slow", "Small", 2000),
    ]
    said = hybrid.run("doctor").stdout
    assert "1 fast core (Great, 1 thread, at most 4000 MHz) and 1 slow core" in said


def test_where_all_are_equal_there_is_no_word_more(lockbench: Program) -> None:
    rows, said = bound(lockbench, "run", "--threads 2")
    assert rows == [("2", "none", "")]
    assert "core_kinds" not in meta_of(lockbench.folder / "run")["machine"]
    assert "kind" not in said + lockbench.run("doctor").stdout


@pytest.mark.parametrize("pinning", ["kind:slow", "mixed:1+1", "7000"])
def test_cores_that_are_not_there_are_refused_before_anything_is_measured(
    lockbench: Program, pinning: str, tmp_path: Path
) -> None:
    done = lockbench.run(*RUN.split(), "--pinning", pinning, "--out", "refused")
    assert done.returncode == 2 and "pinning " in done.stderr
    assert not (lockbench.folder / "refused").exists()
