# SPDX-License-Identifier: Apache-2.0
"""`--where`: some cells of a run, by the values of their fields. Pure.

    threads=8,keys=64          all of it must hold
    load=10%|saturated         one of several values
    primitive=keyed.*          a regular expression for the whole name

Costs of locking are still computed with the floor of the whole run.
"""

from __future__ import annotations

import argparse
import difflib
import re
from dataclasses import replace
from pathlib import Path

import pandas as pd

from analysis import loader, locking_cost, units
from analysis.errors import InputError
from analysis.loader import Run

# By the name that `run` has for it: the column.
_NUMBERS = {
    "threads": "threads",
    "keys": "keys",
    "hold": "hold_ns",
    "think": "think_ns",
    "load": "load",
    "rate": "rate_per_s",
    "writes": "write_share",
}
_TEXTS = ("primitive", "workload", "scenario", "mode", "key-type", "key-distribution", "pinning")
FIELDS = (*_NUMBERS, *_TEXTS)
_SCALES = {**units.NANOSECONDS, "%": 0.01, "k": 1e3, "M": 1e6, "": 1.0}
_NEXT = re.compile(rf",\s*(?=(?:{'|'.join(FIELDS)})=)")

HELP = (
    "only these cells: fields and values as `run` has them, separated by commas, as"
    " threads=8,keys=64; a|b: one of several; primitive: a regular expression for the whole name"
)

Condition = tuple[str, str]


def add_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--where", type=conditions, default=[], metavar="FIELD=VALUE,...", help=HELP
    )


def conditions(text: str) -> list[Condition]:
    """`threads=8,keys=64` -> fields and values."""
    found = []
    for part in _NEXT.split(text.strip()):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not value:
            raise argparse.ArgumentTypeError(f"{part!r} is not FIELD=VALUE, as threads=8")
        if name not in FIELDS:
            near = difflib.get_close_matches(name, FIELDS, n=1, cutoff=0.5)
            advice = f"did you mean {near[0]}?" if near else f"there are {', '.join(FIELDS)}"
            raise argparse.ArgumentTypeError(f"no field {name!r}; {advice}")
        if name in _NUMBERS:
            for one in value.split("|"):
                _number(name, one)
        elif name == "primitive":
            _check_expression(value)
        found.append((name, value))
    return found


def _check_expression(value: str) -> None:
    try:
        re.compile(value)
    except re.error as error:
        raise argparse.ArgumentTypeError(
            f"primitive={value}: is no regular expression: {error}"
        ) from None


def _number(name: str, text: str) -> float:
    if name == "load" and text == "saturated":
        return loader.SATURATED
    value = units.quantity(text, _SCALES)
    if value is None:
        raise argparse.ArgumentTypeError(f"{name}={text}: is not a number, as 8, 200ns or 50%")
    return value


def load(folder: str | Path, where: list[Condition], lenient: bool = False) -> Run:
    """The run in the folder, or the part of it that was asked for."""
    run = loader.load(folder, lenient)
    return selected(run, where) if where else run


def selected(run: Run, where: list[Condition]) -> Run:
    """InputError if nothing is left."""
    kept = pd.Series(True, index=run.trials.index)
    for name, value in where:
        own = _matching(run.trials, name, value)
        if not (kept & own).any():
            raise InputError(
                f"--where {name}={value}: no cell of {run.folder} matches; it has"
                f" {_values(run.trials[kept], name)}"
            )
        kept &= own
    rows = run.trials[kept]
    note = (
        f"{run.folder}: {len(rows):,} of {units.plural(len(run.trials), 'row')} selected by"
        " --where; the error rate holds for these comparisons, if their results did not choose them"
    )
    return replace(run, trials=rows, notes=(*run.notes, note), whole=run)


def _matching(trials: pd.DataFrame, name: str, value: str) -> pd.Series:
    if name == "primitive":
        return trials["label"].map(lambda label: re.fullmatch(value, label) is not None)
    if name in _NUMBERS:
        column = trials[_NUMBERS[name]]
        found = pd.Series(False, index=trials.index)
        for one in (_number(name, text) for text in value.split("|")):
            found |= (column - one).abs() <= 1e-9 * max(1.0, one)
        return found
    return trials[name.replace("-", "_")].isin(value.split("|"))


def _values(trials: pd.DataFrame, name: str) -> str:
    column = _NUMBERS.get(name, "label" if name == "primitive" else name.replace("-", "_"))
    values = sorted(trials[column].dropna().unique())[:12]
    if name in ("hold", "think"):
        return ", ".join(map(units.nanoseconds, values))
    if name in ("load", "writes"):
        return ", ".join(map(locking_cost.load_words, values)) or "no load"
    shown = map(units.number, values) if name in _NUMBERS else map(str, values)
    return ", ".join(shown) or f"no {name}"
