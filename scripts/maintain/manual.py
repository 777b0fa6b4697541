#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the commands in docs/man/lockbench.1, as `lockbench --help` lists them.

Usage: manual.py LOCKBENCH     (a built program, such as build/release/lockbench)
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "man" / "lockbench.1"
BEGIN = ".SH COMMANDS\n"
END = ".PP\n.B lockbench\n.I COMMAND\n"


def commands_in(help_text: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """The headings of the help, each with its commands and what they do."""
    groups: list[tuple[str, list[tuple[str, str]]]] = []
    for line in help_text.partition("First steps")[0].splitlines():
        if heading := re.fullmatch(r"([A-Z][a-z ]+):", line):
            groups.append((heading[1], []))
        elif command := re.fullmatch(r"  ([a-z][a-z-]*) +(\S.*)", line):
            groups[-1][1].append((command[1], command[2]))
        elif groups and groups[-1][1] and (more := re.fullmatch(r" {10,}(\S.*)", line)):
            name, summary = groups[-1][1][-1]
            groups[-1][1][-1] = (name, f"{summary} {more[1]}")
    return [(heading, commands) for heading, commands in groups if commands]


def escaped(text: str) -> str:
    """Text for troff."""
    return text.replace("\\", "\\e").replace("-", "\\-")


def section(help_text: str) -> str:
    """The section COMMANDS."""
    lines = [BEGIN]
    for heading, commands in commands_in(help_text):
        lines.append(f".SS {heading}\n")
        for name, summary in commands:
            lines.append(f".TP\n.B {escaped(name)}\n{escaped(summary)}\n")
    return "".join(lines)


def page_with(page: str, help_text: str) -> str:
    """The page with the commands of this help."""
    begin, end = page.index(BEGIN), page.index(END)
    return page[:begin] + section(help_text) + page[end:]


def main(argv: list[str]) -> int:
    """Writes the page."""
    if len(argv) != 1 or argv[0] in {"-h", "--help"}:
        print(__doc__)
        return 0 if argv and argv[0] in {"-h", "--help"} else 2
    done = subprocess.run([argv[0], "--help"], capture_output=True, text=True, check=True)
    PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), done.stdout), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
