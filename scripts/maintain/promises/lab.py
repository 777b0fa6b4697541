# SPDX-License-Identifier: Apache-2.0
"""Where runs are made: the program, a folder, what is drawn."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis import loader


class RunFailed(Exception):
    """A run ended otherwise than well; the message is one line."""


@dataclass
class Lab:
    program: Path
    folder: Path
    seed: int
    draw: random.Random
    kills: int = 1000
    minutes_apart: float = 0.0
    machine: str = ""  # as the first run recorded it

    def print_progress(self, message: str) -> None:
        print(f"truth: {message}", file=sys.stderr, flush=True)

    def run(
        self, name: str, words: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> loader.Run:
        """A whole run, with a seed of its own."""
        out = self.folder / name
        command = [str(self.program), "run", *words, "--out", str(out), "--progress", "off"]
        command += ["--seed", str(self.draw.randrange(1, 1 << 31))]
        ended = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **(environment or {})},
        )
        if ended.returncode != 0:
            said = (ended.stderr.strip() or ended.stdout.strip()).splitlines()
            raise RunFailed(f"run {name}: exit {ended.returncode}: {said[-1] if said else ''}")
        run = loader.load(out)
        self.machine = self.machine or run.machine
        return run
