#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of a run, beside its CSV."""

from __future__ import annotations

import argparse
import logging
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from analysis import modules

modules.need("plot", "matplotlib", "pandas", "scipy")

from analysis import cells, command, figure, loader  # noqa: E402
from analysis.pictures import PICTURES  # noqa: E402

FORMATS = ("png", "svg")


def formats(text: str) -> list[str]:
    """`png,svg`, each once."""
    found = [name.strip().lower() for name in text.split(",")]
    for name in found:
        if name not in FORMATS:
            raise argparse.ArgumentTypeError(f"{name!r} is not a format; {', '.join(FORMATS)} are")
    return list(dict.fromkeys(found))


def parser() -> command.Parser:
    made = command.Parser(prog="plot", description=__doc__)
    made.add_argument("run", metavar="RUN", help="folder of a run")
    made.add_argument("--out", metavar="DIR", type=Path, help="where to write (RUN/plots)")
    made.add_argument("--format", type=formats, default=list(FORMATS), help="png,svg")
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


def draw_all(run: loader.Run, out: Path, wanted: Sequence[str]) -> int:
    """Writes every picture that the run has something for; says how many."""
    drawn = 0
    for name, draw in PICTURES.items():
        made = draw(run)
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


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    run = loader.load(arguments.run)
    for note in run.notes:
        command.tell("plot", note)
    if run.valid.empty:
        raise loader.InputError(
            f"{run.folder / 'trials.csv'}: no row is valid, so no figure may be shown;"
            f" {cells.left_out(run.trials)}"
        )
    out = folder_for(run, arguments.out)
    figure.use_style()
    if not draw_all(run, out, arguments.format):
        raise loader.InputError(f"{run.folder / 'trials.csv'}: its rows hold no figure to draw")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    # A glyph that the font lacks is drawn as a box; that is no news for the reader.
    warnings.filterwarnings("ignore", message="Glyph .* missing")
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    return command.run("plot", body, argv)


if __name__ == "__main__":
    sys.exit(main())
