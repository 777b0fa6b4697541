# SPDX-License-Identifier: Apache-2.0
"""The Debian packages, and the first five minutes of somebody who installed them: what
docs/add-a-primitive.md says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from installation import BUILD, PACKAGES, ROOT, UNPACKED, Installed, block, empty, wants_build
from program import assert_complete, rows_of

pytestmark = wants_build


@pytest.fixture(scope="module")
def packages() -> dict[str, Path]:
    """The packages by name, unpacked as if they were installed."""
    empty(PACKAGES)
    subprocess.run(
        ["cpack", "-G", "DEB", "-B", str(PACKAGES)],
        cwd=BUILD,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    shutil.rmtree(PACKAGES / "_CPack_Packages")
    files = {file.name.partition("_")[0]: file for file in PACKAGES.glob("*.deb")}
    for file in files.values():
        subprocess.run(["dpkg-deb", "--extract", str(file), str(PACKAGES / "root")], check=True)
    return files


def field(package: Path, name: str) -> str:
    """One field of the package's description."""
    return subprocess.run(
        ["dpkg-deb", "--field", str(package), name], check=True, capture_output=True, text=True
    ).stdout.strip()


def contents() -> Iterator[str]:
    for file in UNPACKED.rglob("*"):
        yield str(file.relative_to(UNPACKED))


def test_there_are_a_program_and_a_library(packages: dict[str, Path]) -> None:
    assert set(packages) == {"lockbench", "liblockbench-dev"}
    assert "libc6" in field(packages["lockbench"], "Depends")
    assert "python3-pandas" in field(packages["lockbench"], "Recommends")
    assert "libstdc++-dev" in field(packages["liblockbench-dev"], "Depends")


def test_what_depends_on_the_architecture_has_a_folder_for_it(packages: dict[str, Path]) -> None:
    triplet = subprocess.run(
        ["g++", "-print-multiarch"], check=True, capture_output=True, text=True
    ).stdout.strip()
    assert triplet
    held = set(contents())
    assert f"lib/{triplet}/cmake/lockbench/lockbenchConfig.cmake" in held
    assert f"lib/{triplet}/liblockbench_loop.a" in held
    assert [path for path in held if re.match(r"lib/[^/]*\.a|lib/cmake", path)] == []


def test_the_packages_hold_all_that_was_built(packages: dict[str, Path]) -> None:
    held = set(contents())
    engines = {file.name for file in BUILD.glob("lockbench-*") if os.access(file, os.X_OK)}
    engines -= {"lockbench-micro", "lockbench-truth"}  # another program, and a test's
    for engine in engines:
        assert engine.endswith("-mutants") or f"libexec/lockbench/{engine}" in held
    files = """
        bin/lockbench bin/lockbench-micro libexec/lockbench/lockbench-proc
        share/bash-completion/completions/lockbench share/doc/lockbench/copyright
        share/lockbench/scripts/commands/plot.py share/lockbench/scripts/commands/report.py
        share/lockbench/workloads/presets/quick.toml share/man/man1/lockbench.1.gz
        share/zsh/vendor-completions/_lockbench include/lockbench/plugin.h
        include/lockbench/c_lock.h include/lockbench/keyed_mutex.h
        include/lockbench/headers/primitives/keyed_mutex.h share/pkgconfig/lockbench-primitives.pc
        share/doc/liblockbench-dev/docs/use.md share/doc/liblockbench-dev/docs/design/keyed.md
        share/doc/liblockbench-dev/examples/use/accounts.cc
    """.split()
    # The scripts that capabilities add.
    for script in (ROOT / "harness").glob("*/python/*.py"):
        files.append(f"share/lockbench/{script.relative_to(ROOT)}")
    for file in files:
        assert file in held


@pytest.mark.skipif(shutil.which("lintian") is None, reason="install the package lintian")
def test_lintian_finds_nothing(packages: dict[str, Path]) -> None:
    files = [str(file) for file in packages.values()]
    done = subprocess.run(
        ["lintian", "--allow-root", "--fail-on", "error,warning", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_page_s_ten_lines_are_the_example() -> None:
    example = ROOT / "examples" / "ten-lines"
    assert block("cpp") == (example / "my_lock.cc").read_text(encoding="utf-8")
    assert block("cmake") == (example / "CMakeLists.txt").read_text(encoding="utf-8")
    assert len(block("cpp").strip().splitlines()) <= 10


# Compiled with all workloads, which takes most of a minute. test_examples.py goes the same way with
# a lock in C, and test_installed.py compiles the words of the page.
@pytest.mark.long
@pytest.mark.usefixtures("packages")
def test_write_build_list_run_stress_report() -> None:
    folder = empty(PACKAGES / "ten-lines")
    (folder / "my_lock.cc").write_text(block("cpp"), encoding="utf-8")
    (folder / "CMakeLists.txt").write_text(block("cmake"), encoding="utf-8")
    # So short, it may stay inconclusive.
    commands = block("sh").replace("--budget 20s", "--budget 2s || (($? > 3))")
    commands = commands.replace("--out mine", "--blocks 2 --mode fixed --keys 8 --out mine")
    said = Installed(UNPACKED).sh(folder, commands)
    assert "global:lock=my_lock" in said
    assert "keyed_table:lock=my_lock" in said
    assert f"from build{os.sep}my_locks.so" in said
    assert_complete(folder / "mine", 12)
    assert {row["lost_updates"] for row in rows_of(folder / "mine")} == {"0"}
    assert (folder / "mine" / "report.html").exists()
