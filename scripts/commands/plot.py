#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of a run, beside its CSV; of several machines, their ratios side by side."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from analysis import modules

modules.need("lockbench plot", "matplotlib", "pandas", "scipy")

from matplotlib.figure import Figure  # noqa: E402

from analysis import cells, command, figure, loader, machines, selection  # noqa: E402
from analysis.pictures import OF_MACHINES, PICTURES  # noqa: E402

FORMATS = ("png", "svg")


def formats(text: str) -> list[str]:
    """`png,svg`, each once."""
    found = [name.strip().lower() for name in text.split(",")]
    for name in found:
        if name not in FORMATS:
            raise argparse.ArgumentTypeError(f"{name!r} is not a format; {', '.join(FORMATS)} are")
    return list(dict.fromkeys(found))


EXAMPLES = """
Examples
  lockbench plot results/runs/mine                               writes RUN/plots
  lockbench plot results/runs/mine --where threads=8 --out here  these cells alone
  lockbench plot runs/epyc runs/xeon --format svg                two machines side by side

Exit codes: 0 drawn, 1 a picture could not be written, 2 bad input.
"""


def parser() -> command.Parser:
    made = command.Parser(prog="lockbench plot", description=__doc__, epilog=EXAMPLES)
    made.add_argument(
        "runs",
        nargs="+",
        metavar="RUN",
        help="folder of a run; several: a run of each machine, or a merged run",
    )
    made.add_argument("--out", metavar="DIR", type=Path, help="where to write (RUN/plots)")
    made.add_argument("--format", type=formats, default=list(FORMATS), help="png,svg")
    selection.add_option(made)
    return made


def folder_for(run: loader.Run, wanted: Path | None) -> Path:
    out = wanted or run.folder / "plots"
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise loader.InputError(
            f"{out}: cannot be made: {error.strerror}; name a writable folder with --out"
        ) from None
    return out


def draw_all(
    pictures: Mapping[str, Callable[[], Figure | None]], out: Path, wanted: Sequence[str]
) -> int:
    """Writes every picture that there is something for; says how many."""
    drawn = 0
    for name, draw in pictures.items():
        made = draw()
        if made is None:
            continue
        drawn += 1
        for form in wanted:
            path = out / f"{name}.{form}"
            try:
                figure.save(made, path)
            except OSError as error:
                raise loader.InputError(f"{path}: cannot be written: {error.strerror}") from None
            print(path, flush=True)
    return drawn


def pictures_of(runs: Sequence[loader.Run]) -> dict[str, Callable[[], Figure | None]]:
    members = machines.fleet(runs)
    if len(members) > 1:
        if not machines.differ([one.run for one in members]):
            raise loader.InputError(
                f"{len(runs)} runs of one machine given; plot draws one run, or a run of each of"
                " several machines; compare and report take several"
            )
        return {name: partial(draw, members) for name, draw in OF_MACHINES.items()}
    return {name: partial(draw, members[0].run) for name, draw in PICTURES.items()}


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    runs = [selection.load(folder, arguments.where) for folder in arguments.runs]
    for note in (note for run in runs for note in run.notes):
        command.print_note("lockbench plot", note)
    for run in runs:
        if run.valid.empty:
            raise loader.InputError(
                f"{run.folder / 'trials.csv'}: no row is valid, so no figure may be shown;"
                f" {cells.left_out(run.trials)}"
            )
    pictures = pictures_of(runs)
    out = folder_for(runs[0], arguments.out)
    figure.use_style()
    if not draw_all(pictures, out, arguments.format):
        raise loader.InputError(f"{runs[0].folder / 'trials.csv'}: its rows hold no figure to draw")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("lockbench plot", body, argv)


if __name__ == "__main__":
    sys.exit(main())
