# SPDX-License-Identifier: Apache-2.0
"""ctest runs each test in Python: none is left out of the list of its folder. And what is listed
twice for commands in Python is the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from analysis import command

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {
    file.parent for tests in (ROOT / "tests", ROOT / "harness") for file in tests.rglob("test_*.py")
}


@pytest.mark.parametrize("folder", sorted(FOLDERS), ids=lambda folder: folder.name)
def test_each_test_is_in_the_list_of_its_folder(folder: Path) -> None:
    words = set(re.findall(r"\w+", (folder / "CMakeLists.txt").read_text(encoding="utf-8")))
    for file in folder.glob("test_*.py"):
        assert {file.stem, file.stem.removeprefix("test_")} & words, file


def test_scripts_that_are_commands_are_called_so_in_their_messages() -> None:
    source = ROOT / "harness/bench/command/analysis/analysis_entry.cc"
    scripts = re.findall(
        r'^    \{"([a-z-]+)", CommandGroup', source.read_text("utf-8"), re.MULTILINE
    )
    assert len(scripts) > 3
    missing = set(scripts) - set(command.COMMANDS)
    assert not missing, f"name them in COMMANDS of scripts/commands/analysis/command.py: {missing}"
