#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the project knows of each capability outside of the capability's own folders.

A capability is a part that the rest works without. A file capability.txt in its main folder says
its name, its paths, and the words by which others would name it. This script counts the lines that
match these words and lie outside of these paths, and holds the counts against scripts/modules.csv,
where they may only fall.

Usage: modules.py list             the capabilities
       modules.py outside NAME     the lines outside that know it
       modules.py paths NAME       its paths, one on a line (scripts/modules.sh deletes them)
       modules.py check            exits with 1 if a count has grown
       modules.py update           writes the counts of today
"""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DESCRIPTION = "capability.txt"
COUNTS = "scripts/modules.csv"

# What tells of the past, is made of other files, or holds figures alone.
NOT_CODE = re.compile(
    r"^(CHANGELOG\.md$|results/|docs/(images|data|laboratory|man|animations)/|scripts/modules\.)"
    r"|\.(csv|svg|png|json|toml)$"
)


@dataclass(frozen=True)
class Capability:
    """What a capability's file says."""

    name: str
    paths: tuple[str, ...]
    words: re.Pattern[str]

    def owns(self, path: str) -> bool:
        """Whether a file lies in one of its paths."""
        return any(path == own or path.startswith(f"{own}/") for own in self.paths)


def parse(text: str) -> Capability:
    """Lines of `key: words`, of which an indented one continues the line before."""
    values: dict[str, str] = {}
    for line in re.sub(r"\n +", " ", text).splitlines():
        if not line or line.startswith("#"):
            continue
        key, colon, words = line.partition(":")
        if not colon or key not in {"name", "paths", "words"}:
            raise ValueError(f"'{line}' is none of name, paths, words, with a colon")
        values[key] = words.strip()
    if missing := {"name", "paths", "words"} - set(values):
        raise ValueError(f"says nothing of {', '.join(sorted(missing))}")
    pattern = re.compile("|".join(values["words"].split()), re.IGNORECASE)
    return Capability(values["name"], tuple(values["paths"].split()), pattern)


def tracked(root: Path) -> list[str]:
    """The files of the checkout that git knows, and those that it would add."""
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
    return [file for file in sorted(set(done.stdout.splitlines())) if (root / file).is_file()]


def capabilities(root: Path, files: list[str]) -> dict[str, Capability]:
    """All capabilities, by name."""
    found = {}
    for file in files:
        if Path(file).name != DESCRIPTION:
            continue
        try:
            one = parse((root / file).read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from error
        for path in one.paths:
            if not (root / path).exists():
                raise ValueError(f"{file}: there is no {path}")
        found[one.name] = one
    return found


def lines_outside(one: Capability, root: Path, files: list[str]) -> Iterator[tuple[str, int, str]]:
    """File, number and text of each line outside that names the capability."""
    for file in files:
        if one.owns(file) or NOT_CODE.search(file):
            continue
        try:
            text = (root / file).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if one.words.search(line):
                yield file, number, line


def counts(root: Path) -> dict[str, int]:
    """Of each capability, how many lines outside know it."""
    files = tracked(root)
    found = capabilities(root, files)
    return {name: sum(1 for _ in lines_outside(found[name], root, files)) for name in sorted(found)}


def known_counts(root: Path) -> dict[str, int]:
    """The counts that may only fall."""
    with (root / COUNTS).open(encoding="utf-8", newline="") as table:
        return {row["capability"]: int(row["lines_outside"]) for row in csv.DictReader(table)}


def complaints(now: dict[str, int], before: dict[str, int]) -> list[str]:
    """What is wrong with the counts of today."""
    wrong = []
    for name, count in now.items():
        if name not in before:
            wrong.append(f"{name}: not in {COUNTS}; run scripts/modules.py update")
        elif count > before[name]:
            wrong.append(
                f"{name}: {count} lines outside of its folders know it (most {before[name]}); "
                f"`scripts/modules.py outside {name}` shows them"
            )
        elif count < before[name]:
            wrong.append(f"{name}: {count} lines outside, fewer than {before[name]}; run update")
    return wrong + [f"{name}: gone; run scripts/modules.py update" for name in before.keys() - now]


def update(root: Path) -> None:
    """Writes the counts of today."""
    with (root / COUNTS).open("w", encoding="utf-8", newline="") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["capability", "lines_outside"])
        writer.writerows(counts(root).items())


def main(argv: list[str], root: Path = ROOT) -> int:
    """Does what the first word says."""
    match argv:
        case ["list"]:
            for name, count in counts(root).items():
                print(f"{name:12} {count:5} lines outside")
        case ["outside" | "paths" as what, name]:
            files = tracked(root)
            found = capabilities(root, files)
            if name not in found:
                print(
                    f"modules.py: '{name}' is none of {', '.join(sorted(found))}", file=sys.stderr
                )
                return 2
            if what == "paths":
                print("\n".join(found[name].paths))
            else:
                for file, number, line in lines_outside(found[name], root, files):
                    print(f"{file}:{number}: {line.strip()}")
        case ["check"]:
            wrong = complaints(counts(root), known_counts(root))
            print("\n".join(wrong), end="\n" if wrong else "")
            return 1 if wrong else 0
        case ["update"]:
            update(root)
        case ["-h" | "--help"]:
            print(__doc__)
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except ValueError as error:
        print(f"modules.py: {error}", file=sys.stderr)
        sys.exit(2)
