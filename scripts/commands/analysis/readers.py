# SPDX-License-Identifier: Apache-2.0
"""Readers and writers: from which share of reads and from which hold on a lock that readers share
is faster than a mutex. Pure.

The map has the groups of `read_mostly` that differ by the share of writes and by the hold alone, at
one load. In each the fastest lock that readers share is compared with the fastest mutex, by the
medians. One of them wins if it is significantly faster, and by GAIN_THAT_COUNTS or more; if the
comparison is inconclusive, it is not decided.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis import cells, unfairness, units, verdict

WORKLOAD = "read_mostly"
GAIN_THAT_COUNTS = verdict.SAME_WITHIN
SHARED, MUTEX, NEITHER, UNDECIDED = "shared", "mutex", "neither", "undecided"
# Fewer timed waits of writers say nothing of the rare long ones.
LEAST_TIMED_WRITES = 100

QUESTION = "A lock that readers share, or a mutex?"
EXPLAINED = (
    "the faster one, and its speed against the other: shared (a lock that readers share) or mutex;"
    f" ≈ they differ by less than {units.percent(GAIN_THAT_COUNTS)}; ? not decided"
)

_SHARED = re.compile(r"keyed_shared\b|.*\block=(std_shared|absl_shared|tbb_rw|tbb_spin_rw)\b")
# The columns that vary within a map, or follow from what varies.
_VARIES = {"hold_ns", "write_share", "think_kind", "think_ns", "think_lines", "sample_every"}


def is_shared(label: str) -> bool:
    """True if readers hold this primitive together."""
    return _SHARED.match(label) is not None


@dataclass(frozen=True)
class Field:
    """One share of reads with one hold."""

    reads: float
    hold_ns: float
    shared: str  # the fastest lock that readers share
    mutex: str  # the fastest other one
    ratio: float  # speed of the first divided by the speed of the second
    winner: str  # SHARED, MUTEX, NEITHER or UNDECIDED

    @property
    def gain(self) -> float:
        """Speed of the faster one divided by that of the other."""
        return max(self.ratio, 1 / self.ratio)

    def record(self) -> dict[str, Any]:
        return {
            "reads": self.reads,
            "hold_ns": self.hold_ns,
            "winner": self.winner,
            "gain": self.gain,
            "shared": self.shared,
            "mutex": self.mutex,
        }

    @property
    def words(self) -> str:
        """`shared 1.80×`, `≈` or `?`."""
        marks = {NEITHER: "≈", UNDECIDED: "?"}
        return marks.get(self.winner) or f"{self.winner} {units.ratio(self.gain)}"


@dataclass(frozen=True)
class Map:
    load: str  # in words
    threads: int
    keys: int
    fields: list[Field]

    @property
    def holds(self) -> list[float]:
        return sorted({field.hold_ns for field in self.fields})

    @property
    def reads(self) -> list[float]:
        return sorted({field.reads for field in self.fields})

    def at(self, reads: float, hold_ns: float) -> Field | None:
        own = (one for one in self.fields if (one.reads, one.hold_ns) == (reads, hold_ns))
        return next(own, None)

    @property
    def where(self) -> str:
        """`8 threads, 1 key, 50 % load`."""
        threads, keys = units.plural(self.threads, "thread"), units.plural(self.keys, "key")
        return f"{threads}, {keys}, {self.load}"

    def record(self) -> dict[str, Any]:
        """For JSON."""
        about = {"threads": self.threads, "keys": self.keys, "load": self.load}
        return {**about, "fields": [field.record() for field in self.fields]}


def maps(table: verdict.Table) -> list[Map]:
    """Those with two shares of reads and two holds or more, at one load: the same load, the same
    think time, or the same think time by hold."""
    found: dict[str, list[int]] = {}
    for index, group in enumerate(table.groups):
        key = group.key
        if key["workload"] != WORKLOAD or key["mode"] != "timed" or not key["hold_ns"]:
            continue
        rest = {name: one for name, one in key.items() if name not in _VARIES}
        for think in (key["think_ns"], f"{_think_by_hold(key):.3g} x"):
            found.setdefault(repr([rest, key["think_kind"], think]), []).append(index)
    made = {tuple(indices): _map(table, indices) for indices in found.values()}
    return [one for one in made.values() if len(one.holds) > 1 and len(one.reads) > 1]


def _think_by_hold(key: dict[str, Any]) -> float:
    return float(key["think_ns"] or 0.0) / float(key["hold_ns"])


def _map(table: verdict.Table, indices: Sequence[int]) -> Map:
    keys = [table.groups[index].key for index in indices]
    fields = [field for index in indices if (field := _field(table, index)) is not None]
    return Map(_load_words(keys), int(keys[0]["threads"]), int(keys[0]["keys"]), fields)


def _load_words(keys: Sequence[dict[str, Any]]) -> str:
    key = keys[0]
    if key["load_share"]:
        return f"{100 * key['load_share']:.3g} % load"
    if not key["think_ns"]:
        return "saturated loop"
    if len({one["think_ns"] for one in keys}) == 1:
        return cells.describe(key, ["think_kind", "think_ns", "think_lines"])
    return f"think {_think_by_hold(key):.3g}× the hold"


def _field(table: verdict.Table, index: int) -> Field | None:
    group = table.groups[index]
    shared = next((label for label in group.competitors if is_shared(label)), None)
    mutex = next((label for label in group.competitors if not is_shared(label)), None)
    if shared is None or mutex is None:
        return None
    found = table.between(index, shared, mutex)
    if found is None:
        return None
    winner = UNDECIDED if found.verdict == verdict.INCONCLUSIVE else NEITHER
    if abs(math.log(found.ratio)) >= math.log(1 + GAIN_THAT_COUNTS):
        winner = {verdict.FASTER: SHARED, verdict.SLOWER: MUTEX}.get(found.verdict, winner)
    reads = 1 - float(group.key["write_share"])
    return Field(round(reads, 6), float(group.key["hold_ns"]), shared, mutex, found.ratio, winner)


def answer(found: Map) -> list[str]:
    """From which reads on readers gain, a sentence for each hold."""
    lines = [f"{QUESTION} {found.where}:"]
    return lines + [
        f"hold {units.nanoseconds(hold)}: {_of_hold(found, hold)}" for hold in found.holds
    ]


def _of_hold(found: Map, hold: float) -> str:
    """`readers gain from 90 % reads on, up to 99 %: 1.42× to 1.88× the speed of a mutex; not
    decided by these trials at 50 % reads`. Each share of reads is in one of the parts."""
    own = [field for reads in found.reads if (field := found.at(reads, hold)) is not None]
    begin = len(own)
    while begin > 0 and own[begin - 1].winner == SHARED:
        begin -= 1
    said = [_on_from(own[begin:])] + [
        _at([field for field in own[:begin] if field.winner == winner], words)
        for winner, words in (
            (SHARED, "readers gain"),
            (MUTEX, "a mutex is faster"),
            (NEITHER, "they differ by less than counts"),
            (UNDECIDED, "not decided by these trials"),
        )
    ]
    return "; ".join(filter(None, said))


def _on_from(gaining: Sequence[Field]) -> str:
    """`readers gain at 99 % reads: 1.88× the speed of a mutex`; empty without fields."""
    if not gaining:
        return ""
    ends = f"from {_reads(gaining[0])} reads on, up to {_reads(gaining[-1])}"
    where = ends if len(gaining) > 1 else f"at {_reads(gaining[0])} reads"
    return f"readers gain {where}: {_gains(gaining)} the speed of a mutex"


def _at(fields: Sequence[Field], words: str) -> str:
    """`a mutex is faster at 50 %, 90 % reads (1.3× to 1.5×)`; empty without fields."""
    if not fields:
        return ""
    gains = f" ({_gains(fields)})" if fields[0].winner in (SHARED, MUTEX) else ""
    return f"{words} at {', '.join(map(_reads, fields))} reads{gains}"


def _reads(field: Field) -> str:
    return f"{100 * field.reads:.4g} %"


def _gains(fields: Sequence[Field]) -> str:
    least, most = (units.ratio(pick(one.gain for one in fields)) for pick in (min, max))
    return least if least == most else f"{least} to {most}"


def writers(group: verdict.Group, rows: pd.DataFrame) -> str:
    """Says whether writers starve, as far as the trials of a group say it. Each of its threads
    reads and writes, so one that waits too long to write waits too long altogether."""
    starving = {
        shared: "; ".join(
            f"{label} ({words})"
            for label, words in group.unfair.items()
            if words and label != cells.FLOOR and is_shared(label) is shared
        )
        for shared in (True, False)
    }
    if starving[True]:
        others = f" So may threads with a mutex: {starving[False]}." if starving[False] else ""
        return f"Threads that want to write may starve: {starving[True]}.{others}"
    own = unfairness.asked(rows[rows["valid"] & rows["label"].map(is_shared)])
    if own.empty or group.key["write_share"] is None:
        return ""
    worst = own.loc[own["wait_max_ns"].fillna(0.0).idxmax()]
    longest = f"{units.nanoseconds(worst['wait_max_ns'])} with {worst['label']}"
    unfair = own[unfairness.FIGURES].apply(unfairness.of_medians, axis=1).astype(bool)
    if unfair.any():
        return (
            f"In {unfair.sum()} of {len(own)} trials of locks that readers share, a thread starved"
            f" or waited long: at most {longest}."
        )
    writes = own["operations"] * float(group.key["write_share"])
    timed = float((writes / own["sample_every"]).groupby(own["label"]).sum().min())
    if not timed >= LEAST_TIMED_WRITES:
        return (
            f"Too few waits of writers were timed to say whether they starve: about {timed:.0f}"
            f" (minimum {LEAST_TIMED_WRITES})."
        )
    return (
        f"No writer was seen to starve: of each lock that readers share, about {timed:,.0f} waits"
        f" of writers or more were timed; the longest wait of a thread is {longest}."
    )
