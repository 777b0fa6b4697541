# SPDX-License-Identifier: Apache-2.0
"""ctest runs each test in Python: none is left out of the list of its folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {
    file.parent for tests in (ROOT / "tests", ROOT / "harness") for file in tests.rglob("test_*.py")
}


@pytest.mark.parametrize("folder", sorted(FOLDERS), ids=lambda folder: folder.name)
def test_each_test_is_in_the_list_of_its_folder(folder: Path) -> None:
    words = set(re.findall(r"\w+", (folder / "CMakeLists.txt").read_text(encoding="utf-8")))
    for file in folder.glob("test_*.py"):
        assert {file.stem, file.stem.removeprefix("test_")} & words, file
