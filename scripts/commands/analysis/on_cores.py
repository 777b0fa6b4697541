# SPDX-License-Identifier: Apache-2.0
"""Which primitive on which cores: cells that differ by pinning alone, beside each other. Pure.

Only of a run on a processor with several kinds of cores, whose threads were bound to them in
several ways. A sentence names a primitive as the fastest only if every other one is significantly
slower, and slow cores as poorly served only if the blocks bear that out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from analysis import cells, core_kinds, figure, starvation, summary, units, verdict
from analysis.loader import Run

QUESTION = "Which primitive on which cores?"
_LIMITS = "limit"  # the workload of the machine's limits, which are no locks to choose from
_MOST_NAMED = 3


@dataclass(frozen=True)
class Cores:
    """What was measured with threads on some cores."""

    name: str  # `on slow cores`; no two of a panel are equal
    threads: str  # `fast 2, slow 2`; empty: not bound
    rows: pd.DataFrame  # one a trial, invalid ones too
    ranked: list[str]  # the primitives, the fastest first; those without a valid row are last
    standings: dict[str, summary.Standing]
    shares: dict[str, core_kinds.Shares]  # by primitive, if threads were on several kinds

    @property
    def mixed(self) -> bool:
        return len(core_kinds.kinds_of(self.threads)) > 1

    @property
    def heading(self) -> str:
        return f"{self.name}: {self.threads}" if self.mixed else self.name

    @property
    def slow_part(self) -> float:
        """The part of the operations on the slowest kind, where the threads were on one kind."""
        return float(core_kinds.kinds_of(self.threads) == ["slow"])

    def valid(self, label: str) -> pd.DataFrame:
        return self.rows[self.rows["valid"] & (self.rows["label"] == label)]

    def rate(self, label: str) -> float | None:
        return core_kinds.median(self.valid(label)[verdict.RATE])

    @property
    def leading(self) -> list[str]:
        """The fastest, and what is not significantly different from it; empty if that is all."""
        behind = [one for _, one, _ in self.standings.values() if one == summary.BEHIND]
        if not behind:
            return []
        return [label for label in self.ranked if self._standing(label) != summary.BEHIND]

    def _standing(self, label: str) -> str:
        return self.standings[label][1] if label in self.standings else summary.BEHIND

    @property
    def starved(self) -> list[str]:
        return [str(one) for one in starvation.of(self.rows)["label"].unique()]


@dataclass(frozen=True)
class Panel:
    """One cell without its primitive and its pinning."""

    key: dict[str, Any]
    cores: list[Cores]  # the fastest first

    @property
    def labels(self) -> list[str]:
        return list(dict.fromkeys(label for one in self.cores for label in one.ranked))

    @property
    def least_share(self) -> core_kinds.Shares | None:
        """The primitive that served slow cores worst, if it is significantly less than an equal
        share."""
        found = [share for one in self.cores for share in one.shares.values()]
        less = sorted(
            (one for one in found if one.significantly_less), key=lambda one: one.of_equal
        )
        return less[0] if less else None


def measured(rows: pd.DataFrame) -> bool:
    """True if the threads of a cell were bound in several ways, on cores of several kinds."""
    bound = rows.loc[_is_bound(rows), "pinning"]
    return bool(bound.nunique() > 1)


def _is_bound(rows: pd.DataFrame) -> pd.Series:
    return rows["threads_by_kind"].fillna("") != ""


def panels(run: Run, judged: verdict.Table) -> list[Panel]:
    """Empty unless measured(). `judged`: verdict.of_run()."""
    rows = cells.driven(judged.rows)
    rows = rows[(rows["label"] != cells.FLOOR) & (rows["workload"] != _LIMITS)]
    if not measured(rows):
        return []
    shares = {(one.group, one.primitive): one for one in core_kinds.of(run)}
    groups = [one for one in cells.groups(rows, without={"pinning"}) if measured(one.rows)]
    return [
        Panel(group.key, _cores(group.rows, judged, shares))
        for group in sorted(groups, key=_order_of_cells)
    ]


def _order_of_cells(group: cells.Group) -> list[tuple[int, float, str]]:
    """By load, where there is one, and not by the think time that follows from it."""
    loaded = group.key["load_share"] is not None
    think = [name for name in cells.following("load") if name.startswith("think_")]
    return cells.order({**group.key, **(dict.fromkeys(think) if loaded else {})})


def _cores(
    rows: pd.DataFrame, judged: verdict.Table, shares: dict[tuple[str, str], core_kinds.Shares]
) -> list[Cores]:
    found = []
    for index, own in rows.groupby("group", sort=False):
        group = judged.groups[int(index)]
        labels = [str(label) for label in dict.fromkeys(own["label"])]
        first = [label for label in group.competitors if label in labels]
        where = cells.describe(group.key)
        found.append(
            Cores(
                name=str(group.key["pinning"]),
                threads=str(own["threads_by_kind"].fillna("").iloc[0]),
                rows=own,
                ranked=[*first, *(label for label in labels if label not in first)],
                standings=summary.standing(judged, int(index)),
                shares={one: shares[where, one] for one in labels if (where, one) in shares},
            )
        )
    return _named(sorted(found, key=lambda one: _order(one.threads)))


def _order(threads: str) -> tuple[bool, float]:
    """Fast cores first, mixed ones by how many threads are on fast ones; not bound is last."""
    counts = core_kinds.counts_of(threads)
    ranks = {kind: _rank(kind) for kind in counts}
    total = sum(counts.values()) or 1
    return not counts, sum(ranks[kind] * count for kind, count in counts.items()) / total


def _rank(kind: str) -> float:
    if kind in ("fast", "slow"):
        return 0.0 if kind == "fast" else 100.0
    return float(kind.removeprefix("middle") or 1)


def _named(found: Sequence[Cores]) -> list[Cores]:
    """With names in words; what has the same words names its pinning, too."""
    words = [_words(one.threads) for one in found]
    return [
        replace(one, name=name if words.count(name) == 1 else f"{name} ({one.name})")
        for one, name in zip(found, words)
    ]


def _words(threads: str) -> str:
    kinds = core_kinds.kinds_of(threads)
    if not kinds:
        return "on cores that the kernel chose"
    return f"on {kinds[0]} cores" if len(kinds) == 1 else "on mixed cores"


def sentence(panel: Panel) -> str:
    """`On fast cores global is fastest (2.1 M/s); on mixed cores …`: an answer to QUESTION."""
    said = "; ".join([*_answers(panel), *_starved(panel), *_least_served(panel)])
    return f"{said[:1].upper()}{said[1:]}."


def _answers(panel: Panel) -> list[str]:
    leading = [one.leading for one in panel.cores]
    if not any(leading) and len(panel.labels) > 1:
        return ["no difference between the primitives is significant, on any of these cores"]
    if len(leading[0]) == 1 and all(one == leading[0] for one in leading):
        where = [f"{one.name} ({_rate(one, leading[0][0])})" for one in panel.cores]
        return [f"{_printed(leading[0][0])} is fastest {_joined(where)}"]
    return [_answer(one) for one in panel.cores]


def _answer(one: Cores) -> str:
    if one.leading:
        first, *others = one.leading
        if not others:
            return f"{one.name} {_printed(first)} is fastest ({_rate(one, first)})"
        return (
            f"{one.name} {_printed(first)} ({_rate(one, first)}), not significantly different from"
            f" {_listed(others)}"
        )
    known = [label for label in one.ranked if one.rate(label) is not None]
    if len(known) == 1:
        return f"{one.name} {_printed(known[0])} alone has a valid row ({_rate(one, known[0])})"
    return f"{one.name} no {'difference is significant' if known else 'row is valid'}"


def _starved(panel: Panel) -> list[str]:
    return [
        f"{one.name} threads starved under {_listed(one.starved)}"
        for one in panel.cores
        if one.starved
    ]


def _least_served(panel: Panel) -> list[str]:
    share = panel.least_share
    if share is None:
        return []
    had, equal = core_kinds.percent(share.slow_share), core_kinds.percent(share.equal_share)
    return [
        f"the {core_kinds.kinds_of(share.threads)[-1]} cores had {had} of the operations under"
        f" {_printed(share.primitive)}, where an equal share is {equal}"
    ]


def _rate(one: Cores, label: str) -> str:
    return f"{units.count(one.rate(label) or 0.0)}/s"


def _listed(labels: Iterable[str]) -> str:
    names = [_printed(label) for label in labels]
    if len(names) > _MOST_NAMED:
        names = [*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED} more"]
    return _joined(names)


def _joined(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _printed(label: str) -> str:
    return figure.printable(label, 60)
