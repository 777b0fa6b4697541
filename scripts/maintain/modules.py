#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks whether each capability lies in one folder, as its includes tell.

A capability is a part that the rest works without: a folder harness/NAME with a file
capability.txt, which says in a line what it is. `rm -r harness/NAME` deletes it
(scripts/maintain/modules.sh).

Usage: modules.py list    the capabilities
       modules.py check   exits with 1 if a source of the rest includes one of a capability, or if
                          only one capability uses a header of the rest: it belongs to that one
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from check_includes import Include, find_sources, includes_of

ROOT = Path(__file__).resolve().parents[2]
DESCRIPTION = "capability.txt"


def capabilities(root: Path) -> dict[str, str]:
    """The description of each capability, by its name."""
    found = sorted((root / "harness").glob(f"*/{DESCRIPTION}"))
    return {file.parent.name: file.read_text(encoding="utf-8").strip() for file in found}


def owner_of(file: str, names: Iterable[str]) -> str | None:
    """The capability that a file lies in; None of the rest."""
    parts = PurePosixPath(file).parts
    return parts[1] if parts[0] == "harness" and parts[1] in names else None


def is_test(file: str) -> bool:
    """True if the file is a test, which may include everything."""
    return "tests" in PurePosixPath(file).parts


def wrong_includes(includes: Iterable[Include], names: Iterable[str]) -> list[str]:
    """Includes of a capability by the rest."""
    return [
        f"{one.file}:{one.line}: includes {one.path}, of the capability {owner}; "
        "let it add itself, or ask its program"
        for one in includes
        if owner_of(one.file, names) is None and (owner := owner_of(one.path, names))
    ]


def headers_of_one(includes: Iterable[Include], names: Iterable[str]) -> list[str]:
    """Headers of the rest that one capability alone uses. `*_entry.h` are not among them: by them a
    capability adds to a command."""
    users: dict[str, set[str | None]] = defaultdict(set)
    for one in includes:
        own = PurePosixPath(one.file).with_suffix("") == PurePosixPath(one.path).with_suffix("")
        if not own and not one.path.endswith("_entry.h"):
            users[one.path].add(owner_of(one.file, names))
    return [
        f"{header}:1: only {next(iter(owners))} uses it: move it to harness/{next(iter(owners))}"
        for header, owners in sorted(users.items())
        if owner_of(header, names) is None and len(owners) == 1 and None not in owners
    ]


def check(root: Path) -> list[str]:
    """The errors, a line each."""
    names = capabilities(root)
    sources = find_sources(root)
    ours = frozenset(sources)
    includes = [
        one
        for source in sources
        if not is_test(source)
        for one in includes_of(root, source)
        if one.path in ours
    ]
    return wrong_includes(includes, names) + headers_of_one(includes, names)


def main(argv: list[str], root: Path = ROOT) -> int:
    """Does what the first word says."""
    match argv:
        case ["list"]:
            for name, what in capabilities(root).items():
                print(f"{name:12} {what}")
        case ["check"]:
            wrong = check(root)
            print("\n".join(wrong), end="\n" if wrong else "")
            return 1 if wrong else 0
        case ["-h" | "--help"]:
            print(__doc__)
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
