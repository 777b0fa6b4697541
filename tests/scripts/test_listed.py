# SPDX-License-Identifier: Apache-2.0
"""ctest runs each test in Python: none is left out of the list of its folder. A command
in Python has the name that users type."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {
    file.parent for tests in (ROOT / "tests", ROOT / "harness") for file in tests.rglob("test_*.py")
}


# Words that are no file's, though a file may have that name.
NO_FILES = re.compile(r"#.*|(?<=lockbench_script_tests\()\w+")


def listed(lists: str) -> set[str]:
    """The words of a CMakeLists.txt that can name a file with tests."""
    return set(re.findall(r"\w+", NO_FILES.sub("", lists)))


@pytest.mark.parametrize("folder", sorted(FOLDERS), ids=lambda folder: folder.name)
def test_each_test_is_in_the_list_of_its_folder(folder: Path) -> None:
    words = listed((folder / "CMakeLists.txt").read_text(encoding="utf-8"))
    for file in folder.glob("test_*.py"):
        assert {file.stem, file.stem.removeprefix("test_")} & words, file


def test_a_group_and_a_comment_list_no_file() -> None:
    lists = "lockbench_script_tests(plot flamegraph)  # report, too\n"
    assert "flamegraph" in listed(lists)
    assert not {"plot", "report"} & listed(lists)


def test_a_command_in_python_calls_itself_as_users_do() -> None:
    source = ROOT / "harness/bench/command/analysis/analysis_entry.cc"
    names = re.findall(r'^    \{"([a-z-]+)", CommandGroup', source.read_text("utf-8"), re.MULTILINE)
    assert len(names) > 3
    for name in names:
        script = (ROOT / "scripts/commands" / f"{name}.py").read_text("utf-8")
        for call in ("modules.need(", "command.run(", "prog="):
            assert f'{call}"lockbench {name}"' in script, name
