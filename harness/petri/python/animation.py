#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes an animation of a Petri net from the JSON that `lockbench model --animation` sends."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[3] / "scripts/commands"))

from analysis import modules  # noqa: E402

modules.need("animation", "jinja2")

import animated  # noqa: E402
from analysis import command, files  # noqa: E402


def parser() -> command.Parser:
    made = command.Parser(prog="animation", description=__doc__)
    made.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        help="where to write: .svg is a strip of pictures, anything else a page",
    )
    made.add_argument(
        "--last", action="store_true", help="only the last marking, as one picture (.svg)"
    )
    return made


def main(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    trace = json.load(sys.stdin)
    if arguments.file.suffix == ".svg":
        text = animated.strip(trace, last=arguments.last)
    else:
        text = animated.page(trace)
    files.write(arguments.file, text)
    return 0


if __name__ == "__main__":
    sys.exit(command.run("animation", main, None))
