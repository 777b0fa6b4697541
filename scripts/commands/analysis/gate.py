# SPDX-License-Identifier: Apache-2.0
"""Tells if a run may pass: from its comparison with a baseline (verdict.py) to an exit code. Pure.

slower        significantly slower, and by more than the share: comparison.slower_than()
undecided     not slower in that sense, but the interval reaches below 1 - share, so that the blocks
              do not exclude a slowdown of that size; or there is no interval
passed        the others: the interval excludes a slowdown of that size
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from analysis import command, comparison, tables, units
from analysis.sections import Table
from analysis.text import markdown as as_words
from analysis.verdict import Comparison

SHARE = 0.05
MOST_LINES = 40


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Adds the flags of every command that ends with a gate's exit code."""
    parser.add_argument(
        "--fail-if-slower",
        type=command.share,
        default=SHARE,
        metavar="SHARE",
        help=f"fails if a cell is significantly slower, and by more than this ({100 * SHARE:g}%%)",
    )
    parser.add_argument(
        "--allow-inconclusive",
        action="store_true",
        help="passes what the blocks leave open, instead of exit 4",
    )
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")


@dataclass(frozen=True)
class Gate:
    result: comparison.Result
    share: float
    slower: list[Comparison]
    undecided: list[Comparison]
    compared: int
    allow_undecided: bool

    @property
    def exit_code(self) -> int:
        if self.slower:
            return command.FOUND
        if not self.compared:
            return command.INCONCLUSIVE  # allowed or not: there are no blocks that leave it open
        if self.undecided and not self.allow_undecided:
            return command.INCONCLUSIVE
        return command.SUCCESS

    @property
    def words(self) -> str:
        """The answer in one line."""
        margin = f"{100 * self.share:.3g} %"
        whole = units.plural(self.compared, "cell")
        if self.slower:
            return f"failed: {len(self.slower)} of {whole} slower by more than {margin}"
        if not self.compared:
            return "inconclusive: no cell has valid rows in both runs"
        if self.undecided:
            said = f"{len(self.undecided)} of {whole} may be slower by more than {margin}"
            needed = max((one.needed or 0 for one in self.undecided), default=0)
            more = f"; about {needed:,} blocks needed" if needed else ""
            return f"{'passed' if self.allow_undecided else 'inconclusive'}: {said}{more}"
        return f"passed: none of {whole} is slower by more than {margin}"


def of(result: comparison.Result, share: float, allow_undecided: bool = False) -> Gate:
    found = result.table.comparisons
    slower = comparison.slower_than(result, share)
    others = [one for one in found if not comparison.is_slower(one, share)]
    undecided = [one for one in others if one.low is None or one.low < 1 - share]
    return Gate(result, share, slower, undecided, len(found), allow_undecided)


def written(gate: Gate, markdown: bool = False) -> str:
    """The answer first, then the evidence, then the limits."""
    found = [_table("Slower", gate.slower), _table("Undecided", gate.undecided)]
    shown = [table for table in found if table.rows]
    notes = gate.result.notes
    if markdown:
        out = [f"**{as_words(banner)}**\n" for banner in gate.result.banners]
        out += [f"**{as_words(gate.words)}**", "", as_words(gate.result.heading), ""]
        out += [line for table in shown for line in tables.section_markdown(table)]
        out += [f"- {as_words(note)}" for note in notes]
    else:
        out = [*gate.result.banners, gate.words, gate.result.heading, ""]
        out += [line for table in shown for line in tables.section_text(table)]
        out += notes
    return "\n".join(out).rstrip() + "\n"


def record(gate: Gate) -> dict[str, Any]:
    return {
        "banners": gate.result.banners,
        "answer": gate.words,
        "exit_code": gate.exit_code,
        "fail_if_slower": gate.share,
        "compared": gate.compared,
        "slower": [one.record() for one in gate.slower],
        "undecided": [one.record() for one in gate.undecided],
        "notes": gate.result.notes,
    }


def _table(title: str, found: list[Comparison]) -> Table:
    shown = sorted(found, key=lambda one: one.ratio)[:MOST_LINES]
    rows = [
        [one.primitive, units.ratio(one.ratio), tables.interval(one), one.cell] for one in shown
    ]
    more = [f"{len(found) - len(shown)} more"] if len(shown) < len(found) else []
    return Table(title, ["primitive", "ratio", "interval", "cell"], rows, more)
