#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recommends a primitive for one case, from a run's cells; `lockbench advise` calls it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from analysis import modules

modules.need("lockbench advise", "pandas", "scipy")

from analysis import advice, command, crossing, loader, wait_limit  # noqa: E402


def parser() -> command.Parser:
    made = command.Parser(prog="lockbench advise", description=__doc__)
    made.add_argument("run", type=Path, metavar="RUN", help="folder of a run")
    made.add_argument("--case", type=case, required=True, metavar="JSON", help="what is asked for")
    made.add_argument("--format", choices=("text", "csv", "markdown", "json"), default="text")
    return made


def case(text: str) -> advice.Case:
    try:
        return advice.Case(**json.loads(text))
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"is no case: {error}") from None


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    run = loader.load(arguments.run)
    if arguments.case.when:
        crossed = crossing.of_run(run, arguments.case)
        sys.stdout.write(crossing.written(crossed, arguments.format))
        return 0 if crossed.answered else command.INCONCLUSIVE
    if arguments.case.wait_limit_ns is not None:
        limited = wait_limit.of_run(run, arguments.case)
        sys.stdout.write(wait_limit.written(limited, arguments.format))
        return 0 if limited.answered else command.INCONCLUSIVE
    found = advice.of_run(run, arguments.case)
    sys.stdout.write(advice.written(found, arguments.format))
    return 0 if found.answered else command.INCONCLUSIVE


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("lockbench advise", body, argv)


if __name__ == "__main__":
    sys.exit(main())
