#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the page of a stress run from the JSON that `lockbench stress --report` sends."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from analysis import modules

modules.need("stress_report", "jinja2")

from analysis import command, files, stress  # noqa: E402


def parser() -> command.Parser:
    made = command.Parser(prog="stress_report", description=__doc__)
    made.add_argument("file", metavar="FILE", type=Path, help="where to write the page")
    return made


def _runs_seen_from(page: Path) -> str:
    """The link to the index of all runs; empty if there is none below the current folder."""
    runs = files.RUNS / files.INDEX
    return quote(os.path.relpath(runs, page.parent)) if runs.exists() else ""


def main(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    text = stress.page(stress.Run.parse(json.load(sys.stdin)), _runs_seen_from(arguments.file))
    files.write(arguments.file, text)
    return 0


if __name__ == "__main__":
    sys.exit(command.run("stress_report", main, None))
