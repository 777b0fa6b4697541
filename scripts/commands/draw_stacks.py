#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the flame graph, and writes its stacks beside it, for `lockbench trial --flamegraph`.

Standard input: JSON with the path of the data of perf, and the trial.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from analysis import command, files, flamegraph
from analysis.errors import InputError


def parser() -> command.Parser:
    made = command.Parser(prog="draw_stacks", description=__doc__)
    made.add_argument("file", metavar="FILE.svg", type=Path, help="where to write the picture")
    return made


def stacks_in(data: str) -> flamegraph.Stacks:
    """Stacks that perf prints. Inlined functions are left out: perf needs minutes for them."""
    words = ["--input", data, "--no-inline", "--fields", "tid,ip,sym,dso"]
    # A file, because perf would wait if it filled a pipe that is not read meanwhile.
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        try:
            with subprocess.Popen(
                ["perf", "script", *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
                encoding="utf-8",
                errors="replace",
            ) as process:
                stacks = flamegraph.read(process.stdout or ())
        except FileNotFoundError as error:
            raise InputError("no program perf is on the PATH; install linux-perf") from error
        if process.returncode == 0:
            return stacks
        said.seek(0)
        last = (said.read().strip().splitlines() or ["it does not say why"])[-1]
    raise InputError(f"`perf script` failed with exit code {process.returncode}: {last}")


def main(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    trial = json.load(sys.stdin)
    stacks = stacks_in(trial["data"])
    if not stacks:
        raise InputError(
            "perf took no sample: the trial used too little processor time; a longer window helps"
        )
    made = flamegraph.svg(
        stacks,
        flamegraph.Heading(trial["primitive"], trial["cell"], int(trial["samples_per_s"])),
    )
    files.write(arguments.file, made)
    files.write(arguments.file.with_suffix(".folded"), flamegraph.folded(stacks))
    return 0


if __name__ == "__main__":
    sys.exit(command.run("draw_stacks", main, None))
