# SPDX-License-Identifier: Apache-2.0
"""Whoever finds one of our sources alone can tell its licence."""

from __future__ import annotations

import re
from pathlib import Path
from support import ROOT

FOLDERS = (
    "primitives",
    "workloads",
    "harness",
    "scripts",
    "tests",
    "cmake",
    "examples",
    "packaging",
)
SOURCES = ("*.h", "*.cc", "*.c", "*.rs", "*.py", "*.sh", "*.cmake", "CMakeLists.txt")
# The examples that a reader is to copy line by line.
BARE = ROOT / "examples" / "ten-lines"


def licensed(path: Path) -> bool:
    first = path.read_text(encoding="utf-8").splitlines()[:2]  # the first may be #!
    return any("SPDX-License-Identifier: Apache-2.0" in line for line in first)


def sources() -> list[Path]:
    found = [ROOT / "CMakeLists.txt"]
    for folder in FOLDERS:
        for pattern in SOURCES:
            found += (ROOT / folder).rglob(pattern)
    return [path for path in found if BARE not in path.parents and path.stat().st_size]


def test_every_source_begins_with_its_licence() -> None:
    found = sources()
    assert len(found) > 100
    assert [str(path.relative_to(ROOT)) for path in found if not licensed(path)] == []


def test_a_citation_names_this_version_and_licence() -> None:
    header = (ROOT / "primitives" / "version.h").read_text(encoding="utf-8")
    version = ".".join(re.findall(r"#define LOCKBENCH_PRIMITIVES_\w+ (\d+)", header))
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f"version: {version}" in lines and "license: Apache-2.0" in lines
    for member in ("cff-version", "message", "title", "authors"):
        assert any(line.startswith(f"{member}:") for line in lines)


def test_a_source_without_it_is_noticed(tmp_path: Path) -> None:
    bare = tmp_path / "bare.py"
    bare.write_text("import os\n")
    assert not licensed(bare)
