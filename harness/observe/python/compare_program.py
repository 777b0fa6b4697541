#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the locks of a program that `lockbench compare-program` ran with each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[3] / "scripts/commands"))

from analysis import modules  # noqa: E402

modules.need("lockbench compare-program", "pandas", "scipy")

import program_runs  # noqa: E402
from analysis import command, tables, verdict  # noqa: E402


def parser() -> command.Parser:
    made = command.Parser(prog="lockbench compare-program", description=__doc__)
    made.add_argument("folder", type=Path, metavar="DIR", help="folder with program.csv")
    made.add_argument("--baseline", required=True, metavar="LOCK")
    made.add_argument("--metric", choices=program_runs.METRICS, default="wall")
    made.add_argument("--lower-is-better", action="store_true")
    made.add_argument("--format", choices=("text", "csv"), default="text")
    return made


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    lower = arguments.lower_is_better or arguments.metric != "printed"
    run = program_runs.load(arguments.folder, arguments.metric, lower)
    table = verdict.of_run(run, arguments.baseline)
    if arguments.format == "csv":
        print(tables.records_csv(one.record() for one in table.comparisons), end="")
        return 0
    print("\n".join(program_runs.as_text(table, arguments.metric, lower)))
    print(f"rows {arguments.folder / 'program.csv'}")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("lockbench compare-program", body, argv)


if __name__ == "__main__":
    sys.exit(main())
