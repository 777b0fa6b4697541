# SPDX-License-Identifier: Apache-2.0
"""Each example builds against the packages as they are, is measured, and does not fail."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from installation import PACKAGES, ROOT, UNPACKED, Installed, empty, wants_build
from program import assert_complete, rows_of

pytestmark = wants_build

EXAMPLES = ROOT / "examples"
CONCURRENCY_KIT = Path("/usr/include/ck_spinlock.h")
NSYNC = Path("/usr/include/nsync.h")


def build(name: str) -> Path:
    """The folder in which the example was built."""
    folder = empty(PACKAGES / name)
    Installed(UNPACKED).sh(folder, f"cmake -S {EXAMPLES / name} -B . >/dev/null && cmake --build .")
    return folder


def measure(folder: Path, plugin: str, *primitives: str) -> None:
    """Each row is there, and proves that nothing was lost."""
    words = " ".join(f"--primitive {primitive}" for primitive in primitives)
    Installed(UNPACKED).sh(
        folder,
        f"lockbench run --plugin ./{plugin} {words} --threads 1,2 --keys 8 --hold 0"
        f" --mode fixed --blocks 1 --out of-{plugin.replace(os.sep, '-')}",
    )
    run = folder / f"of-{plugin.replace(os.sep, '-')}"
    assert_complete(run, 2 * len(primitives))
    rows = rows_of(run)
    assert {row["outcome"] for row in rows} == {"ok"}
    assert {(row["lost_updates"], row["violations"]) for row in rows} == {("0", "0")}
    assert all(int(row["operations"]) > 0 for row in rows)


def stress(folder: Path, plugin: str, engine: str, *locks: str) -> None:
    """Not failed: so short a run may stay inconclusive, or find a lock that barges unfair."""
    said = Installed(UNPACKED).sh(
        folder,
        f"lockbench stress --plugin ./{plugin} --engine {engine} --budget 3s || (($? > 3))",
    )
    for lock in locks:
        assert lock in said
    assert "failed" not in said


def test_a_program_that_uses_the_locks() -> None:
    folder = build("use/find_package")
    assert "ada has 3000" in Installed(UNPACKED).sh(folder, "./accounts")


@pytest.mark.skipif(not CONCURRENCY_KIT.exists(), reason="install the package libck-dev")
@pytest.mark.long
def test_concurrency_kit_s_locks() -> None:
    folder = build("concurrency-kit")
    locks = [f"global:lock=ck_{name}" for name in ("ticket", "mcs", "clh")]
    measure(folder, "ck_locks.so", *locks, "striped:lock=ck_mcs,stripes=4")
    stress(folder, "ck_locks.so", "real", *locks)


@pytest.mark.skipif(not NSYNC.exists(), reason="install the package libnsync-dev")
@pytest.mark.long
def test_nsync_s_mutex() -> None:
    folder = build("nsync")
    measure(folder, "nsync_lock.so", "global:lock=nsync", "keyed_table:lock=nsync")
    stress(folder, "nsync_lock.so", "real", "global:lock=nsync")


@pytest.mark.long
def test_locks_that_are_there_already() -> None:
    folder = build("twin")
    measure(folder, "own_twin.so", "global", "global:lock=own_twin")
    measure(folder, "std_twin.so", "global:lock=std", "global:lock=std_twin")


@pytest.mark.long
def test_simulated_queue_locks() -> None:
    folder = build("simulated")
    measure(folder, "queue_locks.so", "global:lock=ticket", "striped:lock=mcs,stripes=4")
    stress(folder, "queue_locks.so", "sim", "global:lock=ticket", "global:lock=mcs")


def test_locks_in_c() -> None:
    folder = build("c")
    measure(folder, "c_locks.so", "global:lock=c_spin", "c_stripes")


@pytest.mark.skipif(shutil.which("cargo") is None, reason="install the packages rustc and cargo")
@pytest.mark.long
def test_locks_in_rust() -> None:
    folder = empty(PACKAGES / "rust")
    manifest = EXAMPLES / "rust" / "Cargo.toml"
    Installed(UNPACKED).sh(
        folder,
        f"cargo build --release --offline --manifest-path {manifest} --target-dir .",
    )
    plugin = f"release{os.sep}librust_locks.so"
    measure(folder, plugin, "global:lock=rust_spin")
