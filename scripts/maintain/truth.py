#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares measurements with results that are known in advance; truth.sh runs it."""

from __future__ import annotations

import argparse
import random
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "commands"))

from analysis import modules  # noqa: E402

modules.need("truth", "pandas", "scipy")

from analysis import command, loader, marked  # noqa: E402
from promises import crowded, figures, finding, kills, lab as labs, simulated  # noqa: E402

CHECKS = {
    "tables": simulated.tables,
    "small": simulated.small,
    "delay": figures.delay,
    "load": figures.load,
    "loaded-delay": figures.loaded_delay,
    "stall": figures.stall,
    "twins": figures.twins,
    "slower": figures.slower,
    "unfair": figures.unfair,
    "scalability": figures.scalability,
    "crowded": crowded.crowded,
    "kills": kills.kills,
    "quick-twice": figures.quick_twice,
}
ON_REQUEST = "quick-twice"


def parser() -> command.Parser:
    made = command.Parser(prog="truth", description=__doc__)
    made.add_argument("--program", type=Path, required=True, help="lockbench-truth, as built")
    made.add_argument("--only", action="append", choices=sorted(CHECKS), metavar="NAME")
    made.add_argument("--markdown", type=Path, metavar="FILE")
    made.add_argument("--kills", type=int, default=1000, metavar="N")
    made.add_argument("--with-quick-twice", type=float, metavar="MINUTES")
    made.add_argument("--seed", type=int, metavar="N")
    made.add_argument("--keep", action="store_true")
    return made


def wanted(arguments: argparse.Namespace) -> list[str]:
    if arguments.only:
        return [name for name in CHECKS if name in arguments.only]
    apart = arguments.with_quick_twice
    return [name for name in CHECKS if name != ON_REQUEST or apart is not None]


def checked(name: str, lab: labs.Lab) -> finding.Finding:
    """One promise; what cannot be measured is not kept, and the others still are looked at."""
    start = time.monotonic()
    lab.print_progress(f"{name} …")
    try:
        found = CHECKS[name](lab)
    except (labs.RunFailed, loader.InputError) as error:
        found = finding.Finding(name, "could be measured", str(error), kept=False)
    word = "kept" if found.kept else "NOT KEPT"
    lab.print_progress(f"{name}: {word}: {found.found} ({time.monotonic() - start:.0f} s)")
    return found


def write_markdown(path: Path, table: str) -> None:
    """Between the marks of a file that has them; else the whole file."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if "<!-- truth -->" in text:
        table = marked.replaced(text, "truth", f"\n{table}\n")
    path.write_text(table, encoding="utf-8")


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    if arguments.kills < 1:
        raise loader.InputError(f"--kills {arguments.kills}: wants 1 or more")
    seed = secrets.randbits(32) if arguments.seed is None else arguments.seed
    folder = Path(tempfile.mkdtemp(prefix="lockbench-truth-"))
    lab = labs.Lab(
        program=arguments.program.resolve(),
        folder=folder,
        seed=seed,
        draw=random.Random(seed),
        kills=arguments.kills,
        minutes_apart=arguments.with_quick_twice or 0.0,
    )
    try:
        found = [checked(name, lab) for name in wanted(arguments)]
    finally:
        if arguments.keep:
            lab.print_progress(f"runs are kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    print(finding.as_text(found))
    if arguments.markdown is not None:
        where = f"{lab.machine or 'no machine asked'}, seed {seed}"
        write_markdown(arguments.markdown, finding.as_markdown(found, where))
    return 0 if all(one.kept for one in found) else 1


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("truth", body, argv)


if __name__ == "__main__":
    sys.exit(main())
