# SPDX-License-Identifier: Apache-2.0
"""modules.py counts the lines that know a capability outside of its folders: they only fall."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import modules
from support import ROOT, Capture

DESCRIPTION = "name: nets\npaths: harness/nets\n  docs/nets.md\nwords: fishing harness/nets\n"


@pytest.fixture(name="tree")
def tree_fixture(tmp_path: Path) -> Path:
    """A checkout with one capability, which two lines outside know."""
    files = {
        "harness/nets/capability.txt": DESCRIPTION,
        "harness/nets/net.cc": "// A fishing net\n",
        "docs/nets.md": "Fishing nets\n",
        "harness/list.cc": '#include "harness/nets/net.h"\nint list();\n// prints fishing nets\n',
        "CHANGELOG.md": "Fishing nets\n",
        "scripts/modules.csv": "capability,lines_outside\nnets,2\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    return tmp_path


def test_lines_outside_of_its_paths_count(tree: Path) -> None:
    assert modules.counts(tree) == {"nets": 2}
    assert modules.main(["check"], tree) == 0


def test_a_line_more_is_told(tree: Path, capsys: Capture) -> None:
    (tree / "harness/more.cc").write_text("// of fishing\n", encoding="utf-8")
    assert modules.main(["check"], tree) == 1
    assert "nets: 3 lines outside of its folders know it (most 2)" in capsys.readouterr().out


def test_a_line_less_is_written_down(tree: Path, capsys: Capture) -> None:
    (tree / "harness/list.cc").write_text("int list();\n", encoding="utf-8")
    assert modules.main(["check"], tree) == 1
    assert "fewer than 2; run update" in capsys.readouterr().out
    assert modules.main(["update"], tree) == 0
    assert modules.main(["check"], tree) == 0


def test_a_capability_without_a_number_is_told() -> None:
    (wrong,) = modules.complaints({"new": 3}, {})
    assert "new: not in scripts/modules.csv" in wrong
    (wrong,) = modules.complaints({}, {"old": 3})
    assert "old: gone" in wrong


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: x\npaths: a\n", "says nothing of words"),
        ("name x\n", "'name x' is none of name, paths, words, with a colon"),
    ],
)
def test_a_description_that_says_too_little_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        modules.parse(text)


def test_a_path_that_is_not_there_is_refused(tree: Path) -> None:
    (tree / "docs/nets.md").unlink()
    with pytest.raises(ValueError, match=r"capability\.txt: there is no docs/nets\.md"):
        modules.counts(tree)


def test_each_capability_of_this_checkout_is_found() -> None:
    described = [file for file in modules.tracked(ROOT) if Path(file).name == modules.DESCRIPTION]
    assert len(modules.counts(ROOT)) == len(described) > 0
