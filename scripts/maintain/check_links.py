#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every relative link of every Markdown page leads to a file and a heading that exist.

Usage: check_links.py [ROOT]

A link to an address (https:, mailto:) is not checked. Text in code blocks and code spans is not a
link. Exits with 1 if a link is broken, and prints one line for each.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from pages import anchor

# In a link, the text may contain pictures, and the target has at most one pair of parentheses.
LINK = re.compile(r"\]\(\s*<?([^()\s>]*(?:\([^()\s]*\))?[^()\s>]*)>?(?:\s+\"[^\"]*\")?\s*\)")
FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
CODE = re.compile(r"(`+)[^`]+?\1")
HEADING = re.compile(r"^#{1,6} +(.*?)(?: +#+)?$")
ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def prose_of(text: str) -> Iterator[tuple[int, str]]:
    """The numbered lines of a page that are not inside of a fenced code block."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if not fence and mark:
            fence = mark[1]
        elif fence:
            if mark and mark[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
        else:
            yield number, line


def anchors_of(text: str) -> set[str]:
    """The names of a page's headings. The second of two equal headings gets the suffix -1."""
    seen: Counter[str] = Counter()
    names = set()
    for _, line in prose_of(text):
        heading = HEADING.match(line)
        if heading:
            shown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1])
            name = anchor(shown)
            names.add(f"{name}-{seen[name]}" if seen[name] else name)
            seen[name] += 1
    return names


def links_of(text: str) -> Iterator[tuple[int, str]]:
    """The line numbers and targets of a page's links. A link's text may begin a line earlier."""
    for number, line in prose_of(text):
        for link in LINK.finditer(CODE.sub("", line)):
            yield number, link[1]


def broken(page: Path, root: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    for number, target in links_of(text):
        if ADDRESS.match(target):
            continue
        path, _, name = target.partition("#")
        file = page.parent / unquote(path) if path else page
        where = f"{page.relative_to(root)}:{number}"
        if not file.exists():
            yield f"{where}: {target}: there is no such file"
        elif name and file.suffix == ".md":
            if name not in anchors_of(file.read_text(encoding="utf-8")):
                yield f"{where}: {target}: the page has no such heading"


def pages_of(root: Path) -> list[Path]:
    """The pages that git tracks; without git, all pages below the folder."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "*.md"],
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        found = [root / name for name in listed.stdout.split("\0") if name]
        return [page for page in found if page.is_file()]
    return sorted(root.rglob("*.md"))


def main(argv: list[str]) -> int:
    root = Path(argv[0]).resolve() if argv else Path(__file__).resolve().parents[2]
    wrong = [line for page in pages_of(root) for line in broken(page, root)]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
