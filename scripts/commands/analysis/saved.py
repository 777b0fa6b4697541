# SPDX-License-Identifier: Apache-2.0
"""Runs that were saved as a baseline: `lockbench run --save-baseline NAME` leaves a link
results/baselines/NAME to the run's folder."""

from __future__ import annotations

import difflib
from pathlib import Path

from analysis.errors import InputError

FOLDER = Path("results") / "baselines"


def folder_of(name: str, option: str) -> Path:
    """The folder of a baseline, by its name, or of a run. `option`: what it was given to."""
    link = FOLDER / name
    if link.is_dir():
        return link.resolve()
    if link.is_symlink():
        raise InputError(f"{option} {name}: its run {link.readlink()} is gone; save it again")
    if Path(name).is_dir():
        return Path(name)
    known = names()
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"{FOLDER} has {', '.join(known) or 'none'}"
    raise InputError(
        f"{option} {name}: no baseline has this name ({hint}); save one with lockbench run"
        f" --save-baseline {name}, or name a run's folder"
    )


def names() -> list[str]:
    if not FOLDER.is_dir():
        return []
    return sorted(link.name for link in FOLDER.iterdir() if link.is_symlink() or link.is_dir())


def names_of(run: Path) -> list[str]:
    """The baselines that lead to this folder."""
    return [name for name in names() if (FOLDER / name).resolve() == run.resolve()]
