# SPDX-License-Identifier: Apache-2.0
"""Names and reasons from a CSV are data: here they are made harmless for each format that does not
escape by itself. The loader makes all text printable, so that a terminal and a text table take it
as it is. HTML escapes by itself: the templates escape whatever is put into them."""

from __future__ import annotations

_MARKS = "\\`*_[]<>#|~&$"


def printable(text: str) -> str:
    """With each character that ends the line, commands a terminal or reorders what is shown written
    as an escape (`\\n`, `\\x1b`, `\\u202e`)."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def markdown(text: str, limit: int = 400) -> str:
    """As words of one line of Markdown: no mark-up, no HTML, no table's border, no mention."""
    line = one_line(text, limit)
    for mark in _MARKS:
        line = line.replace(mark, f"\\{mark}")
    # A zero-width word joiner: @name notifies nobody, a bare address is no link.
    return line.replace("@", "@\u2060").replace("://", ":\u2060//").replace("www.", "www\u2060.")


def one_line(text: str, limit: int = 400) -> str:
    """Without line ends or control characters, and not endless."""
    clean = "".join(c if c.isprintable() else " " for c in text)
    clean = " ".join(clean.split())
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def code(text: str, limit: int = 2000) -> str:
    """As Markdown's code, whatever backticks it holds."""
    line = one_line(text, limit)
    longest = max((len(run) for run in _runs(line)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}" if "`" in line else f"`{line}`"


def _runs(line: str) -> list[str]:
    return ["`" * len(part) for part in "".join(c if c == "`" else " " for c in line).split()]


def spreadsheet(text: str) -> str:
    """As a cell that no spreadsheet takes for a formula: one that begins like one gets an
    apostrophe before it."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r", "\n") else text
