# SPDX-License-Identifier: Apache-2.0
"""An installation by `cmake --install` works where it is put, and where it is moved to later."""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from installation import BUILD, ROOT, Installed, wants_build
from program import BINARY

pytestmark = wants_build

LIBRARY = """
cmake_minimum_required(VERSION 3.25)
project(page LANGUAGES CXX)
find_package(lockbench REQUIRED COMPONENTS primitives)
add_executable(page page_of_examples.cc)
target_link_libraries(page PRIVATE lockbench::primitives)
"""

UNKNOWN = """
cmake_minimum_required(VERSION 3.25)
project(page LANGUAGES CXX)
find_package(lockbench COMPONENTS kettle)
message(STATUS "found: ${lockbench_FOUND}, ${lockbench_NOT_FOUND_MESSAGE}")
"""


@pytest.fixture(scope="module")
def installed() -> Installed:
    first, second = BUILD / "installed-first", BUILD / "installed"
    for prefix in (first, second):
        shutil.rmtree(prefix, ignore_errors=True)
    subprocess.run(
        ["cmake", "--install", str(BUILD), "--prefix", str(first)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    first.rename(second)
    return Installed(second)


def test_presets_come_from_where_it_was_installed(installed: Installed, tmp_path: Path) -> None:
    assert "quick" in installed.sh(tmp_path, "lockbench list presets")
    assert "trials in" in installed.sh(tmp_path, "lockbench run quick --dry-run")


def test_the_primitives_are_a_library_of_headers(installed: Installed, tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests" / "plugin" / "page_of_examples.cc", tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(LIBRARY, encoding="utf-8")
    installed.sh(tmp_path, "cmake -S . -B build >/dev/null && cmake --build build && build/page")


def snippets() -> Iterator[tuple[str, str]]:
    """The C++ of all pages that includes a header: a name, and the text without its indentation.
    What includes another file of its page is compiled where the steps of this page are tested."""
    for page in sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]):
        blocks = re.findall(r"^( *)```cpp\n(.*?)^\1```$", page.read_text("utf-8"), re.S | re.M)
        for number, (_, text) in enumerate(blocks, 1):
            if "#include" in text and '#include "their_lock.h"' not in text:
                yield f"{page.stem}-{number}", textwrap.dedent(text)


def test_every_page_s_snippet_compiles_against_what_is_installed(
    installed: Installed, tmp_path: Path
) -> None:
    named = dict(snippets())
    assert {"README-1", "use-1", "tutorial-1", "reference-1"} <= named.keys()
    assert named["README-1"] == named["use-1"] == named["tutorial-1"]
    for name, text in named.items():
        assert '#include "' not in text, f"{name}: installed headers are <lockbench/…>"
        (tmp_path / f"{name}.cc").write_text(text, encoding="utf-8")
    include = f"-I {installed.prefix}/include -I {installed.prefix}/include/lockbench/headers"
    options = "-std=c++20 -Wall -DLOCKBENCH_STRESS_ONLY -fsyntax-only"
    installed.sh(tmp_path, f"for file in *.cc; do c++ {options} {include} -x c++ $file; done")


def test_a_component_that_is_not_there_is_told_of(installed: Installed, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(UNKNOWN, encoding="utf-8")
    said = installed.sh(tmp_path, "cmake -S . -B build")
    assert "no component 'kettle'; there are primitives, peers, plugin" in said


def test_nothing_installed_knows_the_checkout(installed: Installed) -> None:
    for file in installed.prefix.rglob("*"):
        if file.is_file() and file.suffix in {".cmake", ".h", ".py", ".toml", ".bash", ".pc", ".1"}:
            assert str(ROOT) not in file.read_text(encoding="utf-8"), file


def test_the_program_says_its_version_compiler_and_libraries(
    installed: Installed, tmp_path: Path
) -> None:
    said = installed.sh(tmp_path, "lockbench --version")
    assert said.startswith("lockbench ")
    assert BINARY.exists()
    for word in ("GNU", "abseil", "tbb", "glibc"):
        assert word in said
