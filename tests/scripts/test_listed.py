# SPDX-License-Identifier: Apache-2.0
"""ctest runs each test in Python: none is left out of the list of its folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
CALL = re.compile(r"^lockbench_script_test\((\w+)(?: (\w+))?\)$", re.MULTILINE)
FOLDERS = {file.parent for file in TESTS.rglob("test_*.py") if HERE not in file.parents}


def test_each_test_of_a_script_is_in_the_list() -> None:
    listed = {
        Path(folder) / f"test_{name}.py"
        for file in HERE.rglob("CMakeLists.txt")
        for name, folder in CALL.findall(file.read_text(encoding="utf-8"))
    }
    there = {file.relative_to(HERE) for file in HERE.rglob("test_*.py")}
    assert there <= listed


@pytest.mark.parametrize("folder", sorted(FOLDERS), ids=lambda folder: folder.name)
def test_each_test_of_the_program_is_in_the_list_of_its_folder(folder: Path) -> None:
    words = set(re.findall(r"\w+", (folder / "CMakeLists.txt").read_text(encoding="utf-8")))
    for file in folder.glob("test_*.py"):
        assert {file.stem, file.stem.removeprefix("test_")} & words, file
