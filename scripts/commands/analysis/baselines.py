# SPDX-License-Identifier: Apache-2.0
"""Which primitive the others are compared with: the one that the user named, else the
default."""

from __future__ import annotations

import difflib

import pandas as pd

from analysis import cells
from analysis.loader import InputError

# The default baselines: the first of these that a group has.
USUAL_BASELINES = (
    "global:lock=std",
    "global:lock=std_timed",
    "recursive_mutex",
    "lease_condvar",
    "global:lock=std_shared",
    "global",
    "keyed_table",
    "striped_vector",
    "file_flock",
    "redis",  # of the locks of services
    # For lockbench-micro: a base lock, and the least that a plain lock can cost.
    "std",
    "rmw_and_store",
)


def check(trials: pd.DataFrame, baseline: str | None, option: str = "--baseline") -> None:
    """Checks that the run has the primitive that was given to `option`."""
    labels = list(dict.fromkeys(trials["label"]))
    if baseline is None or of_that_name(baseline, labels):
        return
    near = difflib.get_close_matches(baseline, labels, n=1, cutoff=0.4)
    advice = f"did you mean {near[0]}?" if near else f"it has {', '.join(labels[:6])}"
    raise InputError(f"{option} {baseline}: the run has no such primitive; {advice}")


def choose(labels: list[str], wanted: str | None) -> str | None:
    """Chooses among the primitives of a group, in the order of its plan; None if there is no
    choice. The floor is a baseline only if the user names it."""
    if wanted is not None:
        return next(iter(of_that_name(wanted, labels)), None)
    known = [label for label in labels if label != cells.FLOOR]
    if len(known) < 2:
        return None
    return usual(known) or known[0]


def usual(labels: list[str]) -> str | None:
    """The first of the default baselines among them."""
    found = (label for name in USUAL_BASELINES for label in of_that_name(name, labels))
    return next(found, None)


def of_that_name(name: str, labels: list[str]) -> list[str]:
    """The primitive itself; otherwise the primitives with additional parameters."""
    if name in labels:
        return [name]
    return sorted(label for label in labels if label.startswith((f"{name}:", f"{name},")))
