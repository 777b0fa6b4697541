# SPDX-License-Identifier: Apache-2.0
"""Names and reasons from a CSV are data: here they are made harmless for each format that does not
escape by itself. The loader makes all text printable, so that a terminal and a text table take it
as it is. HTML escapes by itself: the templates escape whatever is put into them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

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
    # A zero-width word joiner, so that @name notifies no one and a bare address is not a link.
    return line.replace("@", "@\u2060").replace("://", ":\u2060//").replace("www.", "www\u2060.")


def one_line(text: str, limit: int = 400) -> str:
    """Without line ends or control characters, and not endless: see cut()."""
    clean = "".join(c if c.isprintable() else " " for c in text)
    clean = " ".join(clean.split())
    return cut(clean, limit)


def columns(text: str) -> int:
    """Its width on a terminal: wide characters two columns, combining ones none."""
    return len(text) if text.isascii() else sum(map(_column, text))


@lru_cache(maxsize=4096)
def _column(c: str) -> int:
    return 0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1


def cut(text: str, limit: int) -> str:
    """At most `limit` columns, which is 5 or more: of a longer text the beginning and the end,
    since long names often differ at their ends alone."""
    if 2 * len(text) <= limit or columns(text) <= limit:
        return text
    half = (limit - 1) // 2
    end = text[len(text) - fitting(text[::-1], half) :]
    while end and not _column(end[0]):
        end = end[1:]  # a mark without its letter
    return f"{text[: fitting(text, limit - 1 - half)]}…{end}"


def fitting(text: str, limit: int) -> int:
    """How many characters fit into so many columns."""
    wide = 0
    for index, c in enumerate(text):
        wide += _column(c)
        if wide > limit:
            return index
    return len(text)


def cut_apart(texts: Iterable[str], limit: int) -> dict[str, str]:
    """Each text is shortened; texts that would then be equal get a number."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for text in texts:
        short, number = cut(text, limit), 1
        while short in taken and text not in found:
            number += 1
            short = f"{cut(text, limit - len(str(number)) - 3)} ({number})"
        taken.add(short)
        found.setdefault(text, short)
    return found


def code(text: str, limit: int = 2000) -> str:
    """As Markdown's code, whatever backticks it holds."""
    line = one_line(text, limit)
    longest = max((len(run) for run in _runs(line)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}" if "`" in line else f"`{line}`"


def markdown_table(heads: Iterable[str], rows: Iterable[Iterable[str]], align: str) -> list[str]:
    """A table whose cells are Markdown already; `align`: `l` or `r` for each column."""
    rule = "".join("|---" if side == "l" else "|---:" for side in align) + "|"
    head, *body = (f"| {' | '.join(cells)} |" for cells in (heads, *rows))
    return [head, rule, *body]


def _runs(line: str) -> list[str]:
    return ["`" * len(part) for part in "".join(c if c == "`" else " " for c in line).split()]


def spreadsheet(text: str) -> str:
    """As a cell that no spreadsheet takes for a formula: one that begins like one gets an
    apostrophe before it."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r", "\n") else text
