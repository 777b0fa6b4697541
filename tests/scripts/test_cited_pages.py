# SPDX-License-Identifier: Apache-2.0
"""Messages and help name no page that the packages lack."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from support import ROOT

PARTS = re.compile(r"lockbench_install_parts\([^)]*\)")  # of a folder
INSTALL = (ROOT / "cmake/install.cmake").read_text(encoding="utf-8") + "\n".join(
    part
    for path in sorted((ROOT / "harness").rglob("CMakeLists.txt"))
    for part in PARTS.findall(path.read_text(encoding="utf-8"))
)
PAGE = re.compile(r"docs/(?:design/)?[a-z-]+\.md")
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def in_cpp(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.lstrip().startswith(("//", "#include")):
            continue
        for literal in LITERAL.findall(line):
            yield from PAGE.findall(literal)


def in_python(text: str) -> Iterator[str]:
    tree = ast.parse(text)
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef)
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, holders) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if id(node) not in documentation:
            yield from PAGE.findall(node.value)


def cited() -> dict[str, Path]:
    found = {}
    for path in sorted((ROOT / "harness").rglob("*.[ch]*")):
        if path.suffix in (".cc", ".h"):
            found.update({page: path for page in in_cpp(path.read_text(encoding="utf-8"))})
    folders = [ROOT / "scripts/commands", *sorted((ROOT / "harness").glob("*/python"))]
    for path in [file for folder in folders for file in sorted(folder.rglob("*.py"))]:
        found.update({page: path for page in in_python(path.read_text(encoding="utf-8"))})
    return found


def test_strings_are_told_from_comments_and_documentation() -> None:
    assert list(in_cpp('// docs/a.md\nsay("see docs/b.md");  // "docs/c.md"')) == [
        "docs/b.md",
        "docs/c.md",
    ]
    assert list(in_python('"""docs/a.md"""\nX = "docs/b.md"\n')) == ["docs/b.md"]


def test_messages_name_pages_that_are_there_and_in_a_package() -> None:
    pages = cited()
    assert "docs/stress.md" in pages and "docs/presets.md" in pages
    for page, path in pages.items():
        assert (ROOT / page).is_file(), f"{path}: {page}: no such page"
        assert page in INSTALL, f"{path}: {page}: cmake/install.cmake does not install it"
