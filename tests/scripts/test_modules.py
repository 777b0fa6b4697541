# SPDX-License-Identifier: Apache-2.0
"""modules.py tells what of a capability lies in another folder, as the includes say."""

from __future__ import annotations

from pathlib import Path

import pytest

import modules
from support import ROOT, Capture


@pytest.fixture(name="tree")
def tree_fixture(tmp_path: Path) -> Path:
    """A checkout with one capability. Two sources use text.h, and the capability net.h alone."""
    files = {
        "harness/nets/capability.txt": "Fishing nets\n",
        "harness/nets/net.h": "int knots();\n",
        "harness/nets/net.cc": '#include "harness/nets/net.h"\n#include "harness/base/text.h"\n',
        "harness/base/text.h": "",
        "harness/base/file.cc": '#include "harness/base/text.h"\n',
        "tests/nets_test.cc": '#include "harness/nets/net.h"\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def said(tree: Path, capsys: Capture) -> str:
    assert modules.main(["check"], tree) == 1
    return capsys.readouterr().out


def test_a_capability_in_one_folder_is_right(tree: Path) -> None:
    assert modules.main(["check"], tree) == 0


def test_an_include_of_a_capability_is_told(tree: Path, capsys: Capture) -> None:
    (tree / "harness/base/file.cc").write_text('#include "harness/nets/net.h"\n' * 2)
    assert "harness/base/file.cc:2: includes harness/nets/net.h, of the capability nets" in said(
        tree, capsys
    )


def test_a_header_that_only_a_capability_uses_is_told(tree: Path, capsys: Capture) -> None:
    (tree / "harness/base/file.cc").write_text("int none();\n")
    assert said(tree, capsys) == (
        "harness/base/text.h:1: only nets uses it: move it to harness/nets\n"
    )


def test_its_own_source_and_tests_are_no_users(tree: Path, capsys: Capture) -> None:
    (tree / "harness/base/file.cc").rename(tree / "harness/base/text.cc")
    (tree / "tests/text_test.cc").write_text('#include "harness/base/text.h"\n')
    assert "only nets uses it" in said(tree, capsys)


def test_each_capability_says_what_it_is() -> None:
    found = modules.capabilities(ROOT)
    assert found and all(what and "\n" not in what for what in found.values())
