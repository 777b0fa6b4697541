#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decides whether a run is slower than a baseline, for continuous integration: exit 0 if nothing is
slower, 3 if something is, 4 if the blocks do not suffice."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from analysis import modules

modules.need("lockbench gate", "pandas", "scipy")

from analysis import baselines, command, comparison, errors, gate, loader, saved  # noqa: E402
from analysis import verdict  # noqa: E402

EXAMPLES = """
The error rate holds for all cells together: if nothing became slower, at most 5 % of gates fail.
What a gate cannot see: the baseline was measured earlier, and the machine may have changed since
then; and a new build lays out its code in another way, which alone changes speeds by a few percent.
Therefore leave a margin (5 % or more), measure baseline and run on one quiet machine, and save the
baseline anew when the machine changes.

Examples
  lockbench run quick --blocks 10 --save-baseline main
  lockbench run quick --blocks 10 --out results/runs/change
  lockbench gate results/runs/change --against main --fail-if-slower 5%

Exit codes: 0 nothing is slower by more than the share, 2 bad input, 3 something is, 4 the intervals
leave it open (0 with --allow-inconclusive), or no cell has valid rows in both runs.
"""


def parser() -> command.Parser:
    made = command.Parser(prog="lockbench gate", description=__doc__, epilog=EXAMPLES)
    made.add_argument("run", metavar="RUN", help="folder of the run to check")
    made.add_argument(
        "--against",
        required=True,
        metavar="NAME",
        help="baseline (run --save-baseline NAME), or folder of a run",
    )
    made.add_argument("--primitive", metavar="P", help="checks this primitive alone")
    gate.add_flags(made)
    return made


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    old = loader.load(saved.folder_of(arguments.against, "--against"))
    new = loader.load(arguments.run)
    if old.folder.resolve() == new.folder.resolve():
        raise errors.InputError(
            f"--against {arguments.against}: is {arguments.run} itself; name a run that was"
            " measured before it"
        )
    baselines.check(new.final, arguments.primitive, "--primitive")
    for note in (*old.notes, *new.notes):
        command.print_note("lockbench gate", note)
    options = comparison.Options(
        baseline=arguments.primitive, same_within=verdict.SAME_WITHIN, any_build=True
    )
    result = comparison.between(old, new, options)
    found = gate.of(result, arguments.fail_if_slower, arguments.allow_inconclusive)
    if arguments.format == "json":
        print(json.dumps(gate.record(found), indent=2, ensure_ascii=False))
    else:
        sys.stdout.write(gate.written(found, markdown=arguments.format == "markdown"))
    return found.exit_code


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("lockbench gate", body, argv)


if __name__ == "__main__":
    sys.exit(main())
