#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says what the holds of a program's locks are worth, from the runs of `lockbench whatif`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[3] / "scripts/commands"))

from analysis import modules  # noqa: E402

modules.need("lockbench whatif", "jinja2", "pandas", "scipy")

import program_runs  # noqa: E402
import worth  # noqa: E402
from analysis import command, tables, units  # noqa: E402
from observed import whatif_page  # noqa: E402


def parser() -> command.Parser:
    made = command.Parser(prog="lockbench whatif", description=__doc__)
    made.add_argument("folder", type=Path, metavar="DIR", help="folder with whatif.csv")
    made.add_argument("--metric", choices=program_runs.METRICS, default="wall")
    made.add_argument("--lower-is-better", action="store_true")
    made.add_argument("--format", choices=("text", "csv"), default="text")
    made.add_argument(
        "--is-known",
        action="store_true",
        help="print nothing; exit with 0 if more blocks would tell little, else with 4",
    )
    # Of a run that a signal ended, when what is known has been said.
    made.add_argument("--exit-code", type=int, default=0, help=argparse.SUPPRESS)
    return made


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    answer = worth.load(arguments.folder, arguments.metric, arguments.lower_is_better)
    if arguments.is_known:
        return 0 if answer.is_known else command.INCONCLUSIVE
    if arguments.format == "csv":
        print(tables.records_csv(one.record() for one in answer.places), end="")
        return int(arguments.exit_code)
    page = arguments.folder / whatif_page.PAGE
    page.write_text(whatif_page.page(answer), encoding="utf-8")
    print("\n".join(as_text(answer)))
    print(f"page {page}\nrows {arguments.folder / 'whatif.csv'}")
    return arguments.exit_code or (0 if answer.is_known else command.INCONCLUSIVE)


def as_text(answer: worth.Answer) -> list[str]:
    rows = worth.table(answer.places)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]
    return [
        *worth.sentences(answer),
        "",
        *lines,
        f"of {units.plural(answer.blocks, 'block')}; shares of the {answer.measured_by}"
        f" ({answer.figure(answer.median)}), waits of all waits; holds: one after the other",
    ]


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("lockbench whatif", body, argv)


if __name__ == "__main__":
    sys.exit(main())
