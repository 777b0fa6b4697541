#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says what choosing one primitive for everything would cost: its speed in each cell, over that of
the best of its peers there."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence

from analysis import modules

modules.need("regret", "numpy", "pandas", "scipy")

from analysis import command, loader  # noqa: E402
from analysis.regret import as_markdown, regret, summary  # noqa: E402

# What is not ours: other libraries' locks, and what is built of the C++ library's.
PEERS = (
    r"lock=(std|absl|tbb\w*|pthread_spin)\b|^(keyed_(table|table64|absl|tbb|leaky)|striped_vector"
    r"|recursive_mutex|lease_(condvar|tbb|moodycamel|semaphore))\b"
)


def pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from None


def parser() -> command.Parser:
    made = command.Parser(prog="regret", description=__doc__)
    made.add_argument("run", metavar="RUN", help="folder of a run")
    made.add_argument(
        "choices",
        nargs="+",
        metavar="PRIMITIVE",
        help="as the run names it; A+B: the faster of both, in each cell",
    )
    made.add_argument(
        "--peers",
        type=pattern,
        default=pattern(PEERS),
        metavar="REGEX",
        help="what it is compared with [what is not lockbench's own]",
    )
    made.add_argument(
        "--least",
        type=float,
        default=0.9,
        metavar="RATIO",
        help="names the cells below this (0.9)",
    )
    return made


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    run = loader.load(arguments.run)
    for choice in arguments.choices:
        found = regret(run, choice, lambda label: arguments.peers.search(label) is not None)
        if not found.met:
            known = ", ".join(sorted(set(run.trials["label"])))
            raise loader.InputError(
                f"{choice}: not measured beside a peer in {arguments.run}; the run has {known}"
            )
        print(f"{summary(found, arguments.least)}\n\n{as_markdown(found)}")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("regret", body, argv)


if __name__ == "__main__":
    sys.exit(main())
