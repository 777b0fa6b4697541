#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows the cost of one primitive for all cells: on each machine, its speed divided by the speed of
the fastest primitive; and the primitive that costs least on the machine where it costs most."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence

from analysis import modules

modules.need("lockbench regret", "numpy", "pandas", "scipy")

from analysis import command, fleet_tables, likeness, loader, machines  # noqa: E402
from analysis.fleet import Fleet  # noqa: E402
from analysis.regret import as_markdown, regret, summary  # noqa: E402

# The primitives that are not ours: other libraries' locks, and what is built of the C++ library's.
PEERS = (
    r"lock=(std|absl|tbb\w*|pthread_spin)\b|^(keyed_(table|table64|absl|tbb|leaky)|striped_vector"
    r"|recursive_mutex|lease_(condvar|tbb|moodycamel|semaphore))\b"
)


def pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from None


EXAMPLES = """
Examples
  lockbench regret results/runs/mine                             every primitive, ranked
  lockbench regret results/runs/mine --primitive keyed           keyed, in each cell
  lockbench regret results/runs/mine --primitive keyed+striped   the faster of both, in each cell
  lockbench regret runs/epyc runs/xeon --primitive keyed --least 0.8

Exit codes: 0 done, 2 bad input.
"""


def parser() -> command.Parser:
    made = command.Parser(prog="lockbench regret", description=__doc__, epilog=EXAMPLES)
    made.add_argument(
        "runs", nargs="+", metavar="RUN", help="folder of a run; several: one of each machine"
    )
    made.add_argument(
        "--primitive",
        action="append",
        default=[],
        metavar="P",
        help="what this one costs, in each cell; A+B: the faster of both, in each cell [all of"
        " them, ranked]",
    )
    made.add_argument(
        "--peers",
        type=pattern,
        default=pattern(PEERS),
        metavar="REGEX",
        help="with --primitive: what it is compared with [what is not lockbench's own]",
    )
    made.add_argument(
        "--least",
        type=float,
        default=0.9,
        metavar="RATIO",
        help="with --primitive: names the cells below this (0.9)",
    )
    return made


def told_of(run: loader.Run, choice: str, arguments: argparse.Namespace) -> str:
    """Says what one choice costs on one machine."""
    found = regret(run, choice, lambda label: arguments.peers.search(label) is not None)
    if not found.met:
        known = ", ".join(sorted(set(run.trials["label"])))
        raise loader.InputError(
            f"{choice}: not measured beside a peer in {run.folder}; the run has {known}"
        )
    return f"{summary(found, arguments.least)}\n\n{as_markdown(found)}"


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    runs = [loader.load(folder) for folder in arguments.runs]
    for note in (note for run in runs for note in run.notes):
        command.print_note("lockbench regret", note)
    likeness.check_kinds(runs)
    members = machines.fleet(runs)
    if not arguments.primitive:
        sys.stdout.write(fleet_tables.choices_text(Fleet(members)))
        return 0
    for one in members:
        for choice in arguments.primitive:
            for banner in one.run.banners:
                print(banner)
            if len(members) > 1:
                print(one.name)
            print(told_of(one.run, choice, arguments))
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("lockbench regret", body, argv)


if __name__ == "__main__":
    sys.exit(main())
