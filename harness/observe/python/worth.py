# SPDX-License-Identifier: Apache-2.0
"""What the holds of a program's locks are worth: from the rows of `lockbench whatif` to a record
for each place. Pure, but for load().

Worth         A program runs as it is, and with each hold of one place changed by a share f: of
              itself if it looks shorter, of the mean hold if it is longer. The times of one block
              are paired (verdict.py has the ratio and its interval, which holds at every look). If
              the program's time changes by the share c, its holds decide the share c / f of it:
              those on the critical path.
Shorter       Where no more threads run than there are processors, the holds look shorter: for each,
              all other threads pause, and the pauses are left out of the time (harness/observe/
              recorder/pauses.h). That is what shorter holds gain.
Longer        Elsewhere, and for a number that the program prints, they are longer. What shorter
              ones gain is at most as much: the time of a program is the length of its longest chain
              of work, so it grows with a hold ever faster (it is convex), and the line through two
              longer ones is above what a shorter one takes off.
Bounds        No gain of holds that are a fifth shorter is more than a fifth of all holds, one after
              the other, and all waits; and without holds, than all holds and waits.
Known         The gain of a fifth, to 1 % of the time or a fifth of itself as far as the runs tell;
              or that it is less than 1 %. A gain below nothing is none.
Interval      What the runs tell, and a quarter of the share to both sides for what they do not (a
              thread that waits less often need not sleep). So much it takes until the interval
              holds the gain of 18 of 20 programs of known gain (docs/data/whatif-truth.csv).
Source        Curtsinger and Berger, "Coz: Finding Code that Counts with Causal Profiling", SOSP
              2015, slows down all other threads to learn what a faster line of code gives. Chen and
              Stenstroem, "Critical Lock Analysis", SC 2012, say why waits do not.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

import program_runs
from analysis import units, verdict
from analysis.errors import InputError

FIFTH = 0.2
# A place is worth a change if a hold that is shorter by a fifth gains this share of the time.
MATTERS_FROM = 0.01
_KNOWN_WITHIN = 0.01
_SAME_WORK_FROM = 0.98
_KNOWN_SHARE = 0.2
_METHOD_SHARE = 0.25
_WAITS_MATTER_FROM = 0.05  # of the time
# That a program gains no more than this share of its time without holds is true of nearly all.
_TELLS_NOTHING_FROM = 0.995
_SCHEMA_VERSION = 2
_AS_IT_IS = "0"


@dataclass(frozen=True)
class Worth:
    """One place. Shares are of what the program is measured by: usually its time."""

    name: str
    kind: str
    locks: int
    hot_locks: int  # that have nine tenths of the waits
    reads_share: float  # of its acquisitions
    waits_share: float  # of the time in which a thread waited for any lock of its process
    holds_share: float  # all its holds together, one after the other; may be above 1
    blocked_share: float  # of the time: in which a thread waited for any lock
    most_gain_share: float  # of the time: an upper bound, for holds shorter by a fifth
    looks_shorter: bool  # its holds did, so its gains are those of shorter holds, and no bounds
    changed_share: float  # of all holds together: by which they were longer, or looked shorter
    share: float  # that its holds decide
    low_of_runs: float | None  # of the interval that the runs tell; None below 3 blocks
    high_of_runs: float | None
    blocks: int
    is_rate: bool = False  # more of what the program is measured by is faster
    holds_kept: float = 1.0  # the number of holds when they were longer, of that as it is

    @property
    def decides(self) -> float:
        """The share that its holds decide: no more than they take."""
        return min(self.share, self.holds_share, 1.0)

    @property
    def low(self) -> float | None:
        """Of the share's interval, with what the runs do not tell; None below 3 blocks."""
        return None if self.low_of_runs is None else self.low_of_runs - self._method_error

    @property
    def high(self) -> float | None:
        return None if self.high_of_runs is None else self.high_of_runs + self._method_error

    @property
    def _method_error(self) -> float:
        return _METHOD_SHARE * abs(self.share)

    @property
    def is_impossible(self) -> bool:
        """Longer holds cost more than holds of this length can."""
        return self.low is not None and self.low > self._most_share

    @property
    def gain(self) -> float:
        """Of a hold that is shorter by a fifth: less time, or a higher rate."""
        return self._gain_of(FIFTH * self.decides)

    @property
    def gain_low(self) -> float | None:
        return None if self.low is None else self._gain_of_a_fifth(self.low)

    @property
    def gain_high(self) -> float | None:
        return None if self.high is None else self._gain_of_a_fifth(self.high)

    @property
    def gain_most(self) -> float:
        return self.gain if self.gain_high is None else self.gain_high

    @property
    def gain_text(self) -> str:
        """`2.7 %`, or `at most 2.7 %`."""
        if self.looks_shorter:
            return percent(self.gain)
        return f"at most {percent(self.gain_most)}"

    @property
    def gain_without_holds(self) -> float:
        """At most; infinite for a rate that nothing else limits."""
        most = self.share if self.high is None else self.high
        return self._gain_of(max(0.0, min(most, self._most_share)))

    @property
    def _most_share(self) -> float:
        return min(self.holds_share + self.blocked_share, 1.0)

    def _gain_of_a_fifth(self, share: float) -> float:
        return self._gain_of(min(FIFTH * share, self.most_gain_share))

    def _gain_of(self, time_share: float) -> float:
        if not self.is_rate:
            return time_share
        return math.inf if time_share >= 1 else 1 / (1 - time_share) - 1

    @property
    def matters(self) -> bool:
        """Known to gain."""
        return self.low is not None and self.low > 0 and self.gain >= MATTERS_FROM

    @property
    def does_less(self) -> bool:
        """When its holds were longer, there were fewer of them. So a program does that runs for a
        given time, and its time says nothing of its locks."""
        return not self.is_rate and self.holds_kept < _SAME_WORK_FROM

    @property
    def is_nothing(self) -> bool:
        """Known to gain next to nothing."""
        known = self.gain_high is not None and self.gain_high < MATTERS_FROM
        return known and not self.does_less

    @property
    def is_known(self) -> bool:
        if self.low_of_runs is None or self.high_of_runs is None or self.gain_high is None:
            return False
        low = self._gain_of_a_fifth(self.low_of_runs)
        high = self._gain_of_a_fifth(self.high_of_runs)
        half = (high - max(0.0, low)) / 2
        is_small = self.gain_high < MATTERS_FROM
        return is_small or half <= max(_KNOWN_WITHIN, _KNOWN_SHARE * abs(self.gain))

    def record(self) -> dict[str, Any]:
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        derived = (
            "low",
            "high",
            "gain",
            "gain_low",
            "gain_high",
            "gain_most",
            "gain_without_holds",
        )
        return fields | {name: getattr(self, name) for name in derived}


@dataclass(frozen=True)
class Answer:
    """All that `lockbench whatif` found."""

    command: list[str]
    metric: str
    lower_is_better: bool
    median: float  # of the program as it is
    greatest_gain: float  # of all locks together, as observed
    is_no_problem: bool  # by the observation: all was seen, and locks cost next to nothing
    places: list[Worth]  # the most worth first
    blocks: int

    @property
    def is_known(self) -> bool:
        return all(place.is_known for place in self.places)

    @property
    def measured_by(self) -> str:
        return {"wall": "time", "cpu": "processor time"}.get(self.metric, "number that it prints")

    def figure(self, value: float) -> str:
        return units.digits(value) if self.metric == "printed" else units.seconds(value)


def load(folder: Path, metric: str, lower_is_better: bool) -> Answer:
    """InputError says what is missing."""
    facts = _json(folder / "whatif.json")
    if facts.get("schema_version") != _SCHEMA_VERSION:
        raise InputError(f"{folder / 'whatif.json'}: is of another version of lockbench")
    observed = _json(folder / "observed.json")
    path = folder / "whatif.csv"
    if not path.is_file():
        raise InputError(f"{path}: no such file; the program was not run with changed holds")
    rows = _whole_blocks(pd.read_csv(path), len(facts["places"]) + 1)
    rows["wall_s"] -= rows["pauses_s"]
    if rows.empty:
        raise InputError(f"{path}: has no whole block")
    lower = lower_is_better or metric != "printed"
    run = program_runs.as_run(path, rows, rows["variant"].astype(str), metric, lower)
    table = verdict.of_run(run, _AS_IT_IS)
    compared = {one.primitive: one for one in table.comparisons}
    places = [
        _worth(
            place,
            _observed_place(observed, place),
            compared[str(i + 1)],
            _holds(rows, i + 1),
            facts["holds_kept_when_longer"],
            observed["coverage"]["window_s"],
            not lower,
        )
        for i, place in enumerate(facts["places"])
    ]
    return Answer(
        command=list(observed["command"]),
        metric=metric,
        lower_is_better=lower,
        median=table.groups[0].medians[_AS_IT_IS],
        greatest_gain=max(one["greatest_gain"] for one in observed["processes"]),
        is_no_problem=observed["verdict"]["kind"] == "not_the_problem",
        places=sorted(places, key=lambda one: -one.share),
        blocks=int(rows["block"].nunique()),
    )


def _json(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"{path}: not what `lockbench whatif` writes: {error}") from None


def _whole_blocks(rows: pd.DataFrame, variants: int) -> pd.DataFrame:
    """The last block may have been interrupted."""
    return rows[rows.groupby("block")["variant"].transform("nunique") == variants]


def _holds(rows: pd.DataFrame, variant: int) -> tuple[float, float]:
    """The mean number of the place's holds in the program as it is, and with changed ones."""
    holds = rows[f"holds_{variant}"]
    as_it_is = holds[(rows["variant"] == 0) & (holds > 0)]
    return float(as_it_is.mean()), float(holds[rows["variant"] == variant].mean())


def _observed_place(
    observed: dict[str, Any], place: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    process = observed["processes"][place["process"]]
    return process, process["places"][place["place"]]


def _worth(
    measured: dict[str, Any],
    observed: tuple[dict[str, Any], dict[str, Any]],
    compared: verdict.Comparison,
    holds: tuple[float, float],
    kept_when_longer: float,
    window_s: float,
    is_rate: bool,
) -> Worth:
    """`holds`: in a run as it is, and in one in which they were changed. It is not all of them if
    another place was the first to acquire some of the locks."""
    process, place = observed
    changed = measured["change_ns"] / place["hold"]["mean_ns"] * holds[1] / measured["acquisitions"]
    looks_shorter = measured["looks_shorter"]

    def share(ratio_of_speeds: float) -> float:
        slower = (1 / ratio_of_speeds - 1) / changed
        return -slower if looks_shorter else slower

    ends = [None if one is None else share(one) for one in (compared.high, compared.low)]
    low, high = reversed(ends) if looks_shorter else ends

    return Worth(
        name=measured["name"],
        kind=place["kind"],
        locks=place["locks"],
        hot_locks=place["hot_locks"],
        reads_share=place["shared_acquisitions"] / max(1, place["acquisitions"]),
        waits_share=min(1.0, measured["blocked_s"] / max(1e-12, process["blocked_s"])),
        holds_share=measured["holds_s"] / max(1e-12, window_s),
        blocked_share=process["blocked_s"] / max(1e-12, window_s),
        most_gain_share=measured["most_gain_s"] / max(1e-12, window_s),
        looks_shorter=looks_shorter,
        changed_share=changed,
        share=share(compared.ratio),
        low_of_runs=low,
        high_of_runs=high,
        blocks=compared.blocks,
        is_rate=is_rate,
        holds_kept=kept_when_longer if looks_shorter else holds[1] / max(1.0, holds[0]),
    )


def sentences(answer: Answer) -> list[str]:
    """What was found, the place that is worth most first; and what to do."""
    said = [_about(answer, place) for place in answer.places]
    idle = max(answer.places, key=lambda one: one.waits_share)
    if idle.waits_share >= 0.3 and idle.is_nothing:
        said.append(
            f"{idle.name} has {percent(idle.waits_share)} of the waits: shorter holds there gain"
            " nothing all the same."
        )
    return [*said, _next(answer)]


def _about(answer: Answer, place: Worth) -> str:
    if place.low is None or place.high is None:
        return f"{place.name}: not known; that takes 3 blocks."
    if place.does_less:
        return (
            f"{place.name}: with longer holds, there were {percent(1 - place.holds_kept)} fewer of"
            f" them. If the program runs for a given time, the {answer.measured_by} says nothing of"
            " its locks: measure what it does (--metric)."
        )
    if place.is_nothing:
        return f"{place.name}: shorter holds gain nothing ({interval(place)}){_unseen(place)}."
    if place.low <= 0 and place.is_known:
        return (
            f"{place.name}: a hold shorter by a fifth gains little, if anything: at most"
            f" {percent(place.gain_most)} ({_by(place)}{interval(place)}){_unseen(place)}."
        )
    if place.low <= 0:
        return (
            f"{place.name}: not known yet; a hold shorter by a fifth gains {place.gain_text}"
            f" ({_by(place)}{interval(place)})."
        )
    doubt = ""
    if place.is_impossible:
        doubt = (
            " That is more than holds of this length can decide: other programs had the processors,"
            " or the holds sleep, and work in their place does not."
        )
    return (
        f"{place.name}: {_decided(answer, place)} holds on the critical path. A hold shorter by a"
        f" fifth gains {place.gain_text} ({_by(place)}{interval(place)}){_without_holds(place)}."
        f"{doubt}"
    )


def _by(place: Worth) -> str:
    return "" if place.looks_shorter else "by longer holds, "


def _unseen(place: Worth) -> str:
    """Longer holds do not tell what threads save that wait less often and need not sleep."""
    if place.looks_shorter or place.waits_share * place.blocked_share < _WAITS_MATTER_FROM:
        return ""
    return "; what it costs to wake its waiters is not in that"


def _decided(answer: Answer, place: Worth) -> str:
    """`of 3.01 s, 410 ms (360 ms to 470 ms) are its`. No more than its holds take."""
    if answer.metric == "printed":
        return f"{percent(place.decides)} of what it prints is decided by its"
    most = min(1.0, place.holds_share)
    of, low, high = (
        units.seconds(min(most, max(0.0, share or 0.0)) * answer.median)
        for share in (place.decides, place.low, place.high)
    )
    return f"of {answer.figure(answer.median)}, {of} ({low} to {high}) are its"


def _without_holds(place: Worth) -> str:
    """`; no hold at all at most 14 %`; empty if that could be all of the time."""
    if place.gain_without_holds >= _TELLS_NOTHING_FROM:
        return ""
    return f"; no hold at all at most {percent(place.gain_without_holds)}"


def percent(share: float) -> str:
    """`2.7 %`."""
    return f"{units.short(100 * share, 2)} %"


def interval(place: Worth) -> str:
    """`2.4 to 3.1 %`, of a hold shorter by a fifth."""
    if place.gain_low is None or place.gain_high is None:
        return "-"
    low, high = (units.short(100 * one, 2) for one in (place.gain_low, place.gain_high))
    return f"{low} to {high} %"


def _next(answer: Answer) -> str:
    best = answer.places[0]
    if any(place.does_less for place in answer.places):
        return "To try next: --metric with a number that says how much the program did."
    if best.matters:
        return f"To try next: {_change_of(best)}."
    if not answer.is_known:
        return "To try next: more blocks (--blocks), a quieter machine or a greater --longer."
    if answer.is_no_problem:
        return "To try next: nothing about locks; they are not your problem."
    return (
        "To try next: another lock (lockbench compare-program): if threads wait long, it is not"
        " because these holds are long."
    )


def _change_of(place: Worth) -> str:
    if place.reads_share >= 0.5:
        return f"shorten what {place.name} does while it reads; readers share the lock already"
    if place.locks > 1 and place.hot_locks < place.locks / 2:
        count = units.plural(place.hot_locks, "lock")
        has = "has" if place.hot_locks == 1 else "have"
        return (
            f"of the {place.locks:,} locks of {place.name}, {count} {has} nine tenths of the waits:"
            " spread what they protect over more locks, or shorten the section"
        )
    if place.locks > 1:
        return f"shorten the critical section of {place.name}; its locks are used evenly"
    return (
        f"shorten the critical section of {place.name}, or split its lock by what the section works"
        " on (a lock for readers and writers, if most of it only reads)"
    )


def table(places: Sequence[Worth]) -> list[list[str]]:
    """The header, and a row for each place."""
    rows = [
        [
            "place",
            "waits",
            "holds",
            "decide",
            "a fifth less",
            "interval",
            "no hold: at most",
        ]
    ]
    for one in places:
        rows.append(
            [
                one.name,
                percent(one.waits_share),
                percent(one.holds_share),
                percent(one.decides),
                one.gain_text,
                interval(one),
                percent(one.gain_without_holds),
            ]
        )
    return rows
