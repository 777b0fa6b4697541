#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the primitives of a run with a baseline, or two runs cell by cell."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence

from analysis import modules

modules.need("compare", "pandas", "scipy")

from analysis import command, comparison, loader, tables, verdict  # noqa: E402

TOO_SLOW = 3
MOST_LINES = 48  # of --brief: two screens


def parser() -> command.Parser:
    made = command.Parser(prog="compare", description=__doc__)
    made.add_argument("runs", nargs="+", metavar="RUN", help="folder of a run; one or two")
    made.add_argument(
        "--baseline",
        metavar="P",
        help="primitive to compare with (one run), or the only one to compare (two)",
    )
    made.add_argument("--format", choices=("text", "csv", "markdown", "json"), default="text")
    made.add_argument(
        "--brief",
        action="store_true",
        help="as text and Markdown: the most telling groups of cells only",
    )
    made.add_argument(
        "--same-within",
        type=command.share,
        default=verdict.SAME_WITHIN,
        metavar="SHARE",
        help="differences up to this do not matter (5%%)",
    )
    made.add_argument(
        "--fail-if-slower",
        type=command.share,
        metavar="SHARE",
        help="exit 3 if anything is significantly slower, and by more than this",
    )
    made.add_argument(
        "--force", action="store_true", help="compare runs of different machines or builds"
    )
    return made


def compared(arguments: argparse.Namespace) -> comparison.Result:
    if len(arguments.runs) > 2:
        raise loader.InputError(f"{len(arguments.runs)} runs given; one or two can be compared")
    runs = [loader.load(folder) for folder in arguments.runs]
    for note in (note for run in runs for note in run.notes):
        command.tell("compare", note)
    options = comparison.Options(
        baseline=arguments.baseline, same_within=arguments.same_within, force=arguments.force
    )
    if len(runs) == 2:
        return comparison.between(runs[0], runs[1], options)
    return comparison.within(runs[0], options)


def written(result: comparison.Result, form: str, brief: bool) -> str:
    if form == "csv":
        return tables.as_csv(result)
    if form == "json":
        return tables.as_json(result)
    if brief:
        result = comparison.brief(result, MOST_LINES)
    if form == "markdown":
        return tables.as_markdown(result)
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal else None
    return tables.as_text(result, width, colour=terminal and "NO_COLOR" not in os.environ)


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    result = compared(arguments)
    sys.stdout.write(written(result, arguments.format, arguments.brief))
    if arguments.fail_if_slower is None:
        return 0
    slower = comparison.slower_than(result, arguments.fail_if_slower)
    for line in slower:
        command.tell(
            "compare",
            f"slower: {line.primitive}, {result.table.groups[line.group].name}: {line.ratio:.3f}×",
        )
    return TOO_SLOW if slower else 0


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("compare", body, argv)


if __name__ == "__main__":
    sys.exit(main())
