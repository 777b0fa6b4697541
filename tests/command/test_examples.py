# SPDX-License-Identifier: Apache-2.0
"""Each example builds against the packages as they are, is measured, and does not fail."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from installation import PACKAGES, PAGE, ROOT, UNPACKED, Installed, empty, wants_build
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
    """Not failed: so short a run may stay inconclusive."""
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


@pytest.fixture(scope="module")
def zoo() -> Path:
    """With what is found on this machine; no sources of others are named."""
    return build("zoo")


def verdict(folder: Path, plugin: str, lock: str, memory: str) -> str:
    """The verdict of the simulated engine: its first line."""
    words = f"stress {lock} --plugin ./{plugin}.so --engine sim --memory {memory} --budget 2s"
    said = Installed(UNPACKED).sh(folder, f"lockbench {words} || (($? > 2))")
    return next(line for line in said.splitlines() if ", sim: " in line)


PUBLISHED = {
    "musl_file": ("tso", "progress"),
    "musl_semaphore": ("tso", "lifetime"),
    "nuttx_ticket": ("tso", "exclusion"),
    "tbb_notify": ("c11", "progress"),
}


@pytest.mark.parametrize("lock", PUBLISHED)
@pytest.mark.long
def test_a_published_fault_is_found_and_its_repair_is_clean(zoo: Path, lock: str) -> None:
    memory, oracle = PUBLISHED[lock]
    said = verdict(zoo, "published_locks", f"{lock}_before", memory)
    assert f"failed, oracle {oracle}" in said
    for memory_model in ("tso", "c11"):
        assert "clean" in verdict(zoo, "published_locks", f"{lock}_after", memory_model)


FOUND = ["std_locks std_mutex", "std_locks std_shared_mutex", "tbb_locks tbb_queuing_mutex"]


@pytest.mark.parametrize("lock", FOUND)
@pytest.mark.long
def test_a_lock_of_another_author_is_clean_as_it_is(zoo: Path, lock: str) -> None:
    plugin, _, name = lock.partition(" ")
    if not (zoo / f"{plugin}.so").exists():
        pytest.skip("the library's headers are not installed")
    for memory_model in ("tso", "c11"):
        assert "clean" in verdict(zoo, plugin, name, memory_model)


@pytest.mark.skipif(not CONCURRENCY_KIT.exists(), reason="install the package libck-dev")
@pytest.mark.long
def test_concurrency_kit_s_locks(zoo: Path) -> None:
    locks = [f"global:lock=ck_{name}" for name in ("ticket", "mcs", "clh")]
    measure(zoo, "ck_locks.so", *locks, "striped:lock=ck_mcs,stripes=4")
    stress(zoo, "ck_locks.so", "real", *locks)
    assert "clean" in verdict(zoo, "ck_locks", "ck_ticket", "tso")


@pytest.mark.skipif(not NSYNC.exists(), reason="install the package libnsync-dev")
@pytest.mark.long
def test_nsync_s_mutex(zoo: Path) -> None:
    measure(zoo, "nsync_lock.so", "global:lock=nsync", "keyed_table:lock=nsync")
    stress(zoo, "nsync_lock.so", "real", "global:lock=nsync")


STRESS_IT = PAGE[PAGE.index("## 2. Stress it") : PAGE.index("## 3. ")]


@pytest.mark.long
def test_the_page_s_second_step_is_true_as_written() -> None:
    """Its files and its commands, in their order; each ends as the page says."""
    folder = empty(PACKAGES / "their-lock")
    blocks = re.findall(r"```(cpp|cmake|sh)\n(.*?)```", STRESS_IT, re.DOTALL)
    files = [text for language, text in blocks if language != "sh"]
    for name, text in zip(("their_lock.h", "my_locks.cc", "CMakeLists.txt"), files, strict=True):
        (folder / name).write_text(text, encoding="utf-8")
    commands = [text for language, text in blocks if language == "sh"]
    run = Installed(UNPACKED).sh
    run(folder, commands[0])
    for failing in commands[1:4]:
        said = run(folder, f"{failing.strip()} || (($? == 3))")
        assert "oracle ordering" in said
        assert "their_lock.h:1" in said
    assert (folder / "failure.html").exists()
    for clean in commands[4:6]:  # repaired: under both models, and under tso alone
        assert "sim: clean" in run(folder, clean)


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
