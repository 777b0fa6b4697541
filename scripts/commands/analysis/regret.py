# SPDX-License-Identifier: Apache-2.0
"""The cost of choosing one primitive for everything: it against the best of its peers in each cell.

A choice may be several primitives, `keyed+global`: in each cell the faster of them. Which peer is
the best is read off the same figures as the ratio, so among equals a choice looks a little worse
than it is.

A regret table has a line for each group of cells that differ by threads alone, and a column for
each number of threads. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis import cells
from analysis.loader import Run
from analysis.text import markdown_table


@dataclass(frozen=True)
class Meeting:
    """One cell in which the choice and at least one peer were measured."""

    key: dict[str, Any]  # the cell's, without the primitive
    best: str  # of the peers
    ratio: float  # speed of the choice over the best peer's; medians of blocks, paired


@dataclass(frozen=True)
class Regret:
    choice: str
    met: list[Meeting]

    @property
    def geometric_mean(self) -> float:
        return math.exp(sum(math.log(one.ratio) for one in self.met) / len(self.met))

    def below(self, ratio: float) -> list[Meeting]:
        """The cells in which it reaches less of the best peer, the worst first."""
        return sorted((one for one in self.met if one.ratio < ratio), key=lambda one: one.ratio)


def regret(run: Run, choice: str, is_peer: Callable[[str], bool]) -> Regret:
    """`choice`, in each cell where any of it was measured, against the best of the peers there."""
    valid = cells.driven(run.trials[run.trials["valid"]])
    met = []
    for group in cells.groups(valid):
        speeds = group.rows.pivot_table(
            index="block", columns="label", values="operations_per_s", aggfunc="mean"
        )
        chosen = [label for label in choice.split("+") if label in speeds.columns]
        peers = [label for label in speeds.columns if is_peer(label) and label not in chosen]
        if not chosen or not peers:
            continue
        best = speeds[peers].median().idxmax()
        ratios = (speeds[speeds[chosen].median().idxmax()] / speeds[best]).dropna()
        if len(ratios) != 0:
            met.append(Meeting(group.key, str(best), float(np.median(ratios))))
    return Regret(choice, met)


def as_markdown(found: Regret) -> str:
    """A line for each workload, keys and hold; a column for each number of threads."""
    threads = sorted({int(one.key["threads"]) for one in found.met})
    lines: dict[str, dict[int, Meeting]] = {}
    for one in found.met:
        lines.setdefault(_row_name(one.key), {})[int(one.key["threads"])] = one
    heads = ["cell", *(f"{n} thr." for n in threads)]
    rows = [[name, *(_figure(own.get(n)) for n in threads)] for name, own in lines.items()]
    return "\n".join(markdown_table(heads, rows, "l" + "r" * len(threads))) + "\n"


def summary(found: Regret, least: float) -> str:
    worst = found.below(least)
    text = (
        f"{found.choice}: {len(found.met)} cells, geometric mean {found.geometric_mean:.2f} of the"
        f" best peer's speed, {len(worst)} below {least:g}"
    )
    return text + "".join(
        f"\n  {one.ratio:.2f} of {one.best}: {cells.describe(one.key)}" for one in worst
    )


def _figure(one: Meeting | None) -> str:
    return "" if one is None else f"{one.ratio:.2f} {one.best}"


def _row_name(key: dict[str, Any]) -> str:
    # If each thread has a key of its own, the number of keys is the number of threads.
    own = {"keys"} if key["key_distribution"] == "own" else set()
    names: Iterable[str] = [name for name in cells.GROUP if name not in own | {"threads"}]
    return cells.describe(key, _words_of(key, list(names)))


def _words_of(key: dict[str, Any], names: Sequence[str]) -> list[str]:
    shown = {"workload", "scenario", "keys", "key_distribution", "hold_kind", "hold_ns"}
    return [name for name in names if name in shown and key.get(name) is not None]
