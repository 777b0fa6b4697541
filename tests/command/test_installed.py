# SPDX-License-Identifier: Apache-2.0
"""The first five minutes of somebody who installed lockbench: what docs/add-a-primitive.md says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from program import BINARY, PATIENCE_S, assert_complete, rows_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "add-a-primitive.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.skipif(
    "LOCKBENCH_BUILD" not in os.environ, reason="wants the build that is installed"
)

LIBRARY = """
cmake_minimum_required(VERSION 3.25)
project(page LANGUAGES CXX)
find_package(lockbench REQUIRED)
add_executable(page page_of_examples.cc)
target_link_libraries(page PRIVATE lockbench::primitives)
"""


def block(language: str) -> str:
    """The page's first block in that language."""
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


class Installed:
    """lockbench as installed, moved somewhere else after that."""

    def __init__(self, prefix: Path) -> None:
        self.env = {
            **os.environ,
            "PATH": f"{prefix / 'bin'}:{os.environ['PATH']}",
            "CMAKE_PREFIX_PATH": str(prefix),
            "LOCKBENCH_PYTHON": sys.executable,
        }
        if ccache := shutil.which("ccache"):
            self.env["CMAKE_CXX_COMPILER_LAUNCHER"] = ccache

    def sh(self, folder: Path, script: str) -> str:
        """What the commands print; all of them must succeed."""
        done = subprocess.run(
            ["bash", "-euxc", script],
            cwd=folder,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=4 * PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def installed() -> Installed:
    # Always the same place, so that ccache knows what it compiles there.
    build = Path(os.environ["LOCKBENCH_BUILD"])
    first, second = build / "installed-first", build / "installed"
    for prefix in (first, second):
        shutil.rmtree(prefix, ignore_errors=True)
    subprocess.run(
        ["cmake", "--install", str(build), "--prefix", str(first)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    first.rename(second)
    return Installed(second)


@pytest.fixture(scope="module")
def workplace() -> Path:
    folder = Path(os.environ["LOCKBENCH_BUILD"]) / "installed-work"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def test_the_page_s_ten_lines_are_the_example() -> None:
    example = ROOT / "examples" / "ten-lines"
    assert block("cpp") == (example / "my_lock.cc").read_text(encoding="utf-8")
    assert block("cmake") == (example / "CMakeLists.txt").read_text(encoding="utf-8")
    assert len(block("cpp").strip().splitlines()) <= 10


def test_write_build_list_run_stress_report(installed: Installed, workplace: Path) -> None:
    (workplace / "my_lock.cc").write_text(block("cpp"), encoding="utf-8")
    (workplace / "CMakeLists.txt").write_text(block("cmake"), encoding="utf-8")
    # So short, it may stay inconclusive, or find that a lock which barges is unfair.
    commands = block("sh").replace("--budget 20s", "--budget 2s || (($? > 3))")
    commands = commands.replace("--out mine", "--blocks 2 --window 20ms --keys 8 --out mine")
    said = installed.sh(workplace, commands)
    assert "global:lock=my_lock" in said
    assert "keyed_table:lock=my_lock" in said
    assert f"from build{os.sep}my_locks.so" in said
    assert_complete(workplace / "mine", 12)
    assert {row["lost_updates"] for row in rows_of(workplace / "mine")} == {"0"}
    assert (workplace / "mine" / "report.html").exists()


def test_presets_come_from_where_it_was_installed(installed: Installed, tmp_path: Path) -> None:
    assert "quick" in installed.sh(tmp_path, "lockbench list presets")
    assert "trials in" in installed.sh(tmp_path, "lockbench run quick --dry-run")


def test_the_primitives_are_a_library_of_headers(installed: Installed, tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests" / "plugin" / "page_of_examples.cc", tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(LIBRARY, encoding="utf-8")
    installed.sh(tmp_path, "cmake -S . -B build >/dev/null && cmake --build build && build/page")


def test_nothing_installed_knows_the_checkout(installed: Installed) -> None:
    prefix = Path(os.environ["LOCKBENCH_BUILD"]) / "installed"
    for file in prefix.rglob("*"):
        if file.is_file() and file.suffix in {".cmake", ".h", ".py", ".toml", ".bash", ".1"}:
            assert str(ROOT) not in file.read_text(encoding="utf-8"), file


def test_the_program_says_its_version_compiler_and_libraries(
    installed: Installed, tmp_path: Path
) -> None:
    said = installed.sh(tmp_path, "lockbench --version")
    assert said.startswith("lockbench ")
    assert BINARY.exists()
    for word in ("GNU", "abseil", "tbb", "glibc"):
        assert word in said
