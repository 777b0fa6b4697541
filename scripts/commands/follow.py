#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Answers, line by line, which comparisons of a running run are still open."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from analysis import modules

modules.need("follow", "pandas", "scipy")

from analysis import command, follow, verdict  # noqa: E402


def parser() -> command.Parser:
    made = command.Parser(prog="follow", description=__doc__)
    made.add_argument("run", type=Path, metavar="RUN", help="folder of the run")
    made.add_argument("--baseline", metavar="P", help="primitive to compare with")
    made.add_argument(
        "--same-within", type=command.share, default=verdict.SAME_WITHIN, metavar="SHARE"
    )
    return made


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    for answer in follow.answers(
        iter(sys.stdin.readline, ""), arguments.run, arguments.baseline, arguments.same_within
    ):
        print(answer, flush=True)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("follow", body, argv)


if __name__ == "__main__":
    sys.exit(main())
