# SPDX-License-Identifier: Apache-2.0
"""ctest runs each test of a script: none is left out of the list."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIST = HERE / "CMakeLists.txt"
CALL = re.compile(r"^lockbench_script_test\((\w+)(?: (\w+))?\)$", re.MULTILINE)


def test_each_test_of_a_script_is_in_the_list() -> None:
    listed = {
        Path(folder) / f"test_{name}.py"
        for name, folder in CALL.findall(LIST.read_text(encoding="utf-8"))
    }
    there = {file.relative_to(HERE) for file in HERE.rglob("test_*.py")}
    assert there <= listed
