#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what README.md and docs/choosing.md say of speed was measured.

A sentence or a cell of a table that compares speeds needs an entry in docs/data/claims.toml, which
names the words, a CSV file with measurements, the rows in it, and the bound that all of them keep:

  [[claim]]
  page = "docs/choosing.md"
  text = "faster than `std::recursive_mutex` at one thread"
  source = "results/reference/epyc-2vcpu/quick/comparisons.csv"
  where = {primitive = "reentrant", baseline = "recursive_mutex", threads = "1"}
  at_least = 1.0      # or at_most; of the column `ratio`, unless `column` names another

A list in `where` stands for each of its values: all combinations need a row.

Exits with 1 if a sentence has no entry, if an entry's words are not on its page, or if a row breaks
its bound.
"""

from __future__ import annotations

import csv
import itertools
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/choosing.md")
CLAIMS = "docs/data/claims.toml"
COMPARES = re.compile(
    r"\b(fast(er|est)|slow(er|est|s)|cheap(er|est)|times as|orders of magnitude)"
    r"|\bcosts? (little|less)|within \d+ %|\d ?×"
)
_CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def statements(page: str) -> list[str]:
    """Sentences of prose and cells of tables, without code blocks, each on one line."""
    found: list[str] = []
    for part in re.split(r"\n\s*\n|\n(?=[-|#])|\n(?=\d+\. )", _CODE.sub("", page)):
        cells = part.split("|") if part.startswith("|") else re.split(r"(?<=[.:;]) +", _line(part))
        found += [_line(cell) for cell in cells]
    return [one for one in found if one]


def _line(text: str) -> str:
    return " ".join(text.split())


def unfounded(page: str, claims: list[dict[str, Any]]) -> list[str]:
    """The statements of a page that compare, and that no claim has the words of."""
    return [
        one
        for one in statements(page)
        if COMPARES.search(one) and not any(_line(claim["text"]) in one for claim in claims)
    ]


def broken(claim: dict[str, Any], rows: list[dict[str, str]]) -> str:
    """Why the measured rows do not bear the claim; empty if they do."""
    own = []
    for wanted in _combinations(claim["where"]):
        fitting = [row for row in rows if wanted.items() <= row.items()]
        if not fitting:
            return f"no row has {wanted}"
        own += fitting
    column = claim.get("column", "ratio")
    values = [float(row[column]) for row in own]
    least, most = claim.get("at_least"), claim.get("at_most")
    if least is None and most is None:
        return "has neither at_least nor at_most"
    if least is not None and min(values) < least:
        return f"{column} is {min(values):.3g} in a row, less than {least:g}"
    if most is not None and max(values) > most:
        return f"{column} is {max(values):.3g} in a row, more than {most:g}"
    return ""


def _combinations(where: dict[str, str | list[str]]) -> list[dict[str, str]]:
    values = [value if isinstance(value, list) else [value] for value in where.values()]
    return [dict(zip(where, chosen)) for chosen in itertools.product(*values)]


def check(root: Path) -> list[str]:
    """The errors, a line each."""
    claims = tomllib.loads((root / CLAIMS).read_text(encoding="utf-8")).get("claim", [])
    found = []
    for name in PAGES:
        page = (root / name).read_text(encoding="utf-8")
        own = [claim for claim in claims if claim["page"] == name]
        found += [f"{name}: no entry in {CLAIMS} for: {one}" for one in unfounded(page, own)]
        known = " ".join(statements(page))
        found += [
            f"{CLAIMS}: {name} does not say: {claim['text']}"
            for claim in own
            if _line(claim["text"]) not in known
        ]
    for claim in claims:
        with (root / claim["source"]).open(encoding="utf-8", newline="") as lines:
            reason = broken(claim, list(csv.DictReader(lines)))
        if reason:
            found.append(f"{claim['page']}: {claim['text']!r}: {claim['source']}: {reason}")
    return found


def main() -> int:
    found = check(ROOT)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
