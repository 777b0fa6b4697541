#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures a trial of a run once more, and draws where its processor time goes."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis import modules

modules.need("lockbench flamegraph", "pandas")

from analysis import command, selection  # noqa: E402
from analysis.errors import InputError  # noqa: E402
from analysis.loader import Run  # noqa: E402

EXAMPLES = """
Of several cells, it takes the one with the most threads, then the fewest keys, and says which.
FILE.svg is the picture. FILE.folded has the stacks, one a line with its number of samples, as
flamegraph.pl, speedscope and inferno read them.

Examples
  lockbench flamegraph results/runs/mine --primitive keyed
  lockbench flamegraph results/runs/mine --primitive 'striped.*' --where threads=8,keys=64 \\
    --out striped.svg

It needs perf (Debian: linux-perf).

Exit codes: 0 drawn, 1 perf could not record it, 2 bad input.
"""


def parser() -> command.Parser:
    made = command.Parser(prog="lockbench flamegraph", description=__doc__, epilog=EXAMPLES)
    made.add_argument("run", metavar="RUN", help="folder of a run")
    made.add_argument(
        "--primitive", metavar="P", help="a primitive, or a regular expression for its whole name"
    )
    selection.add_option(made)
    made.add_argument("--out", type=Path, metavar="FILE.svg", help="(PRIMITIVE.svg)")
    made.add_argument("--program", default="lockbench", help=argparse.SUPPRESS)
    return made


def chosen(run: Run) -> dict[str, Any]:
    """The plan's trial of the cell with the most threads, then the fewest keys, in its first
    block."""
    trials = run.about("plan").get("trials")
    if not isinstance(trials, list):
        raise InputError(f"{run.folder / 'meta.json'}: has no plan; name a run of lockbench run")
    rows = run.trials.sort_values(
        ["threads", "keys", "block"], ascending=[False, True, True], kind="stable"
    )
    number = int(rows["trial"].iloc[0])
    for trial in trials:
        if trial.get("number") == number:
            found: dict[str, Any] = trial
            return found
    raise InputError(f"{run.folder / 'meta.json'}: its plan has no trial {number}")


def plugins_of(run: Run) -> list[str]:
    return [word for one in run.plugins for word in ("--plugin", str(one.get("file")))]


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    where = list(arguments.where)
    if arguments.primitive is not None:
        where += selection.conditions(f"primitive={arguments.primitive}")
    run = selection.load(arguments.run, where)
    trial = chosen(run)
    cell = trial["cell"]
    picture: Path = arguments.out or Path(re.sub(r"[^\w.-]+", "-", cell["primitive"]) + ".svg")
    command.print_note(
        "lockbench flamegraph",
        f"{cell['primitive']}, {cell['workload']}, threads {cell['threads']}, keys {cell['keys']}",
    )
    words = [arguments.program, "trial", *plugins_of(run), "--flamegraph", str(picture)]
    done = subprocess.run(
        words, input=json.dumps(trial), stdout=subprocess.DEVNULL, text=True, check=False
    )
    if done.returncode:
        raise command.EndedBy(done.returncode)
    print(picture, picture.with_suffix(".folded"), sep="\n")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("lockbench flamegraph", body, argv)


if __name__ == "__main__":
    sys.exit(main())
