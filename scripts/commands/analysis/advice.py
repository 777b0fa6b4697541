# SPDX-License-Identifier: Apache-2.0
"""Which primitive suits one case, from the cells of a run: the answer first, then the evidence.
Pure.

The comparisons are those of verdict.py. At one load a primitive is good enough if it is not
significantly slower than the best one, the fastest by the medians, or costs less than
DOES_NOT_MATTER of an operation more; "it does not matter" if the latter holds for the simplest of
all. The simplest one that is good enough is recommended.

If threads sleep between operations, rates say nothing: what a thread sleeps hides what it waits.
Then the best one has the shortest mean wait, and what another one costs more is the median of the
differences, block by block.

If the case names no load, all loads of the nearest cells answer: from the lowest on, one primitive
that is good enough at as many of them as possible, then the next one from there on.

A primitive that the case excludes (by memory or fairness) is listed with its reason and does not
compete.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from analysis import baselines, cells, comparison, core_kinds, locking_cost, readers, snippets
from analysis import tables, unfairness, units, verdict
from analysis.errors import InconclusiveError
from analysis.loader import SATURATED, InputError, Run
from analysis.text import code, markdown

# The maximum distance between the case and a measured cell, in doublings: for example, four times
# the threads and four times the keys.
FAR = 4.0
# Below this share of the rate that was asked for, the answer is about another load.
_REACHED = 0.8
# The most that a choice may cost beyond the best one, as a share of the time from one operation of
# a thread to its next.
DOES_NOT_MATTER = verdict.SAME_WITHIN
_ANOTHER_KIND = 3.0
_OF_A_KIND = "kind:"  # a pinning to the cores of one kind


@dataclass(frozen=True)
class Case:
    """The case of a user, and the acceptable costs. The names are names of columns."""

    threads: int
    keys: int
    asked: str  # the case in words
    workload: str = "counter"
    scenario: str = ""
    mode: str = "timed"
    key_type: str = "u64"
    key_distribution: str = "uniform"
    hold_kind: str = "none"
    hold_ns: float = 0.0
    hold_lines: float = 0.0
    think_kind: str = "none"
    think_ns: float = 0.0
    think_lines: float = 0.0
    load: float | None = None  # that the think time comes from
    rate_per_s: float | None = None  # of all threads, as it was asked for
    any_load: bool = False  # nothing says how often the threads lock
    write_share: float | None = None  # of the operations of readers and writers
    timeout_ns: float = 0.0  # of an acquisition
    capacity: int | None = None  # threads that may hold a key at once
    wait_limit_ns: float | None = None  # the p99 wait must stay below it: wait_limit.py answers
    memory_bytes: int | None = None  # maximum for the locks
    fair: bool = False  # no thread may starve
    cores: str = ""  # the kind of cores on which all threads run; empty: on all cores
    # Two primitives: the question is from how many threads on the first beats the second.
    when: str = ""
    beats: str = ""
    across_machines: bool = False  # the candidates are locks of services
    descriptions: Mapping[str, str] = field(default_factory=dict)  # of primitives, by name


@dataclass(frozen=True)
class Choice:
    """One primitive of the cells that the answer uses."""

    primitive: str
    rank: int  # from 1; 0: excluded
    reason: str


@dataclass(frozen=True)
class AtLoad:
    """The answer of one group of cells."""

    group_index: int  # of the group, in the table
    load: str  # in words
    saturated: bool
    sleeps: bool  # threads, between operations
    rate_per_s: float  # median, of the best
    ranked: list[str]  # best first, without what the case excludes
    behind: list[str]  # of these, what is significantly slower than the first
    good: list[str]  # what is good enough
    operation_ns: float  # time from one operation of a thread to its next, of the best
    extra: dict[str, float]  # what each costs more than the best, as a share of that time
    cost_ns: dict[str, float]  # of locking; empty where it is not known
    wait_p99_ns: dict[str, float]
    starving: list[str]  # what starves threads
    simplest: str | None  # of all; of those that starve no thread, if there are any
    chosen: str | None = None

    @property
    def matters(self) -> bool:
        """True if the simplest choice costs more than the best by a share that counts."""
        return self.simplest is None or self.extra[self.simplest] >= DOES_NOT_MATTER

    @property
    def saves(self) -> bool:
        """True if the best costs less than the simplest choice at all."""
        return self.simplest is not None and self.extra[self.simplest] > 0

    @property
    def name(self) -> str:
        return f"{self.load} ({units.count(self.rate_per_s)} operations/s)"

    def record(self) -> dict[str, Any]:
        best = self.ranked[0] if self.ranked else None
        share = self.extra.get(self.chosen) if self.chosen else None
        return {
            "load": self.load,
            "saturated": self.saturated,
            "operations_per_s": self.rate_per_s,
            "primitive": self.chosen,
            "best": best,
            "matters": self.matters,
            "extra_share": share,
            "extra_ns": None if share is None else share * self.operation_ns,
            "operation_ns": self.operation_ns,
            "locking_ns": self.cost_ns.get(self.chosen or ""),
            "wait_p99_ns": self.wait_p99_ns.get(self.chosen or ""),
        }


@dataclass(frozen=True)
class Advice:
    case: Case
    run: Run
    result: comparison.Result  # only of the cells that the answer uses, without banners
    answer: list[str]  # lines; the first one names the primitive, or says why none is recommended
    primitive: str | None  # if the answer depends on the load: that of the lowest
    loads: list[AtLoad]  # from the lowest on
    significant: bool  # at the load of the choices, every other one is significantly slower
    accuracy: str  # ErrorModel.ratio_words()
    evidence: str  # the load of the choices; empty if there is one load
    choices: list[Choice]
    differences: list[str]  # `16 threads, asked 32`; empty: the cell is exactly the case
    far: bool  # the distance exceeds the maximum
    threads_by_kind: str = ""  # `fast 2, slow 1`; empty: there is one kind of cores
    map: readers.Map | None = None  # of readers and writers, if the run has one like the case

    @property
    def answered(self) -> bool:
        return self.primitive is not None and not self.far

    @property
    def code(self) -> list[str]:
        return code_of(self.primitive, self.case)


def code_of(primitive: str | None, case: Case) -> list[str]:
    """C++ lines to paste; empty if none are known."""
    if primitive is None:
        return []
    several = case.workload == "transfer"
    return snippets.of(primitive, case.key_type, case.keys, several, case.timeout_ns)


def of_run(run: Run, case: Case) -> Advice:
    """Answers from the groups that are nearest to the case. InconclusiveError if no row is valid,
    InputError if no group has two primitives."""
    table = verdict.of_run(run)
    indices = [index for index, group in enumerate(table.groups) if _offers_a_choice(group)]
    if not indices and run.valid.empty:
        raise InconclusiveError(
            f"0 of {len(run.trials)} rows are valid (minimum 1);"
            f" the column `reason` of {run.folder / 'trials.csv'} says why"
        )
    if not indices:
        raise InputError(f"{run.folder}: has no cell with two primitives to choose from")
    distances = {index: distance(table.groups[index].key, case) for index in indices}
    nearest = min(indices, key=lambda one: distances[one][0])
    doublings, differences = distances[nearest]
    far = doublings > FAR
    own = _at_other_loads(table, indices, nearest) if case.any_load else [nearest]
    loads = _chosen(table, [_at_load(run, table, index, case) for index in own])
    shown = _shown(loads)
    group = table.groups[shown.group_index]
    mapped = _map(table, case)
    choices = [
        Choice(label, number, _reason(table, shown, label, case, run.error.name))
        for number, label in enumerate(shown.ranked, 1)
    ] + [Choice(label, 0, why) for label, why in _excluded(group, case).items()]
    names = [table.groups[one.group_index].name for one in loads]
    result = _only(comparison.within(run, comparison.Options()), names, group.key, mapped)
    threads = core_kinds.of_threads(group.rows)
    return Advice(
        case=case,
        run=run,
        result=result,
        answer=_answer(table, loads, differences if far else [], run.error.name)
        + _reached(loads, case)
        + _timed_out(group, loads, case)
        + _of_readers(group, mapped)
        + on_cores(threads, case)
        + _of_slow_cores(result, table, loads),
        primitive=loads[0].chosen,
        loads=loads,
        significant=bool(shown.ranked) and len(shown.behind) == len(shown.ranked) - 1,
        accuracy=_accuracy(run, group),
        evidence=f" at {shown.name}" if len(loads) > 1 else "",
        choices=choices,
        differences=differences,
        far=far,
        threads_by_kind=threads,
        map=mapped,
    )


def on_cores(threads: str, case: Case) -> list[str]:
    """Where the threads ran, if there are several kinds of cores."""
    found = core_kinds.where(threads)
    others = len(core_kinds.kinds_of(threads)) > 1 and not case.cores
    hint = " --cores fast answers for fast cores alone." if others else ""
    return [found + hint] if found else []


def cores_record(threads: str, case: Case) -> dict[str, str]:
    """The same as data; empty if there is one kind."""
    return {"cores": case.cores or "all", "threads_by_kind": threads} if threads else {}


def _of_slow_cores(
    result: comparison.Result, table: verdict.Table, loads: list[AtLoad]
) -> list[str]:
    """What the slow cores got with the primitive chosen at each load, if it is less than their
    share."""
    return [
        f"{f'At {load.name}, ' if len(loads) > 1 else ''}{one.words()}."
        for load in loads
        for one in result.core_kinds
        if one.group == table.groups[load.group_index].name
        and one.primitive == load.chosen
        and one.significantly_less
    ]


def _map(table: verdict.Table, case: Case) -> readers.Map | None:
    """The one with the threads and keys of the case."""
    found = [
        one
        for one in readers.maps(table)
        if case.workload == readers.WORKLOAD
        and (one.threads, one.keys) == (case.threads, case.keys)
    ]
    return max(found, key=lambda one: len(one.fields)) if found else None


def _of_readers(group: verdict.Group, mapped: readers.Map | None) -> list[str]:
    """Who starves, and from where on readers gain."""
    if group.key["workload"] != readers.WORKLOAD:
        return []
    found = [readers.writers(group, group.rows)]
    if mapped is not None:
        first, *rest = readers.answer(mapped)
        found += [first, *(f"  {line}" for line in rest)]
    return [line for line in found if line]


def _timed_out(group: verdict.Group, loads: list[AtLoad], case: Case) -> list[str]:
    """How many operations gave up, if they may."""
    chosen = loads[0].chosen
    if not case.timeout_ns or chosen is None or len(loads) > 1:
        return []
    own = group.rows[(group.rows["label"] == chosen) & group.rows["valid"]]
    began = float((own["operations"] + own["timeouts"]).sum())
    if not began > 0:
        return []
    failed = float(own["timeouts"].sum())
    return [
        f"With {chosen}, {failed:,.0f} of {began:,.0f} operations gave up after"
        f" {units.nanoseconds(case.timeout_ns)}."
    ]


_OF_LOAD = {"think_kind", "think_ns", "think_lines", "load_share", "sample_every"}


def _at_other_loads(table: verdict.Table, indices: list[int], nearest: int) -> list[int]:
    """The groups that differ from the nearest one by their load alone, from the lowest on."""

    def rest(index: int) -> dict[str, Any]:
        key = table.groups[index].key
        return {name: value for name, value in key.items() if name not in _OF_LOAD}

    own = [index for index in indices if rest(index) == rest(nearest)]
    return sorted(own, key=lambda index: -(table.groups[index].key["think_ns"] or 0.0))


def _excluded(group: verdict.Group, case: Case) -> dict[str, str]:
    return {
        label: why for label, rows in _by_label(group) if (why := _ruled_out(rows, group, case))
    }


def _at_load(run: Run, table: verdict.Table, index: int, case: Case) -> AtLoad:
    group = table.groups[index]
    out = _excluded(group, case)
    rows = group.rows[group.rows["valid"] & ~group.rows["label"].isin([*out])]
    rows = locking_cost.with_costs(run, rows)
    sleeps = bool(locking_cost.sleeps_between(rows).any())
    costs = rows.groupby("label", sort=False)["locking_ns"].median().dropna().to_dict()
    ranked = [label for label in group.competitors if label not in out]
    if sleeps:
        ranked.sort(key=lambda label: costs.get(label, math.inf))
    best = rows[rows["label"] == ranked[0]] if ranked else rows
    operation = (locking_cost.threads_at_once(run, best) * best["operation_ns"]).median()
    extra = (
        _longer_waits(rows, ranked, float(operation)) if sleeps else _slower(table, index, ranked)
    )
    behind = [label for label in ranked[1:] if _is_behind(run, table, index, label, ranked[0])]
    tied = [] if sleeps else [label for label in ranked if label not in behind]
    load = group.rows["load"].iloc[0]
    return AtLoad(
        group_index=index,
        load=_load_words(group, float(load)),
        saturated=bool(load == SATURATED),
        sleeps=sleeps,
        rate_per_s=float(best["operations_per_s"].median()),
        ranked=ranked,
        behind=behind,
        good=[
            label
            for label in ranked
            if label in extra and (extra[label] < DOES_NOT_MATTER or label in tied)
        ],
        operation_ns=float(operation),
        extra=extra,
        cost_ns=costs,
        wait_p99_ns=rows.groupby("label")["wait_p99_ns"].median().dropna().to_dict(),
        starving=[label for label in ranked if group.unfair[label]],
        simplest=simplest(table, [index], list(extra)),
    )


def _chosen(table: verdict.Table, loads: list[AtLoad]) -> list[AtLoad]:
    """With what is recommended at each load. No program runs a saturated loop: it decides nothing
    about the loads below it."""
    found: list[AtLoad] = []
    rest = [one for one in loads if not one.saturated]
    while rest:
        common, count = rest[0].good, 1
        while count < len(rest) and any(label in rest[count].good for label in common):
            common = [label for label in common if label in rest[count].good]
            count += 1
        label = simplest(table, [one.group_index for one in rest[:count]], common)
        found += [dataclasses.replace(one, chosen=label) for one in rest[:count]]
        rest = rest[count:]
    for one in loads:
        if one.saturated:
            kept = found[-1].chosen if found else None
            label = kept if kept in one.good else simplest(table, [one.group_index], one.good)
            found.append(dataclasses.replace(one, chosen=label))
    return found


def _shown(loads: list[AtLoad]) -> AtLoad:
    """Whose evidence is listed: the highest load below saturation of the first recommendation."""
    own = [one for one in loads if one.chosen == loads[0].chosen and not one.saturated]
    return own[-1] if own else loads[0]


def _slower(table: verdict.Table, index: int, ranked: list[str]) -> dict[str, float]:
    """The extra time of an operation against the first, as a share; of those compared with it."""
    found = {label: table.between(index, label, ranked[0]) for label in ranked[1:]}
    extra = {label: 1 / one.ratio - 1 for label, one in found.items() if one is not None}
    return {label: 0.0 for label in ranked[:1]} | extra


def _longer_waits(rows: pd.DataFrame, ranked: list[str], operation_ns: float) -> dict[str, float]:
    """The time that a thread waits longer than with the first, as a share of an operation."""
    waits = rows.pivot_table(index="block", columns="label", values="locking_ns")
    known = [label for label in ranked if label in waits]
    return {
        label: float((waits[label] - waits[known[0]]).median()) / operation_ns
        for label in known
        if (waits[label] - waits[known[0]]).notna().any()
    }


def _load_words(group: verdict.Group, load: float) -> str:
    if load == SATURATED:
        return "saturated loop"
    if load == load:
        slept = ", threads sleep" if group.key["think_kind"].startswith("sleep") else ""
        return f"{100 * load:.3g} % load{slept}"
    return cells.describe(group.key, ["think_kind", "think_ns", "think_lines"]) or "no think"


def _offers_a_choice(group: verdict.Group) -> bool:
    return group.metric != "wait_p99_ns" and len(group.competitors) > 1


def _by_label(group: verdict.Group) -> list[tuple[str, pd.DataFrame]]:
    return [(str(label), rows) for label, rows in group.rows.groupby("label", sort=False)]


def _only(
    result: comparison.Result,
    names: list[str],
    key: dict[str, Any],
    mapped: readers.Map | None,
) -> comparison.Result:
    lines = [line for line in result.lines if line.group in names]
    facet = cells.describe({name: one for name, one in key.items() if name not in _OF_LOAD})
    costs = [one for one in result.costs if one.group == facet and len(names) > 1]
    return dataclasses.replace(
        result,
        lines=lines,
        costs=costs,
        core_kinds=[one for one in result.core_kinds if one.group in names],
        readers=[] if mapped is None else [mapped],
        **dict.fromkeys(("scalability", "saturation", "published", "notes", "banners"), []),
    )


def distance(key: dict[str, Any], case: Case) -> tuple[float, list[str]]:
    """The distance of a group from the case, in doublings, and as text."""
    parts: list[tuple[float, str, str]] = []
    for name, thing in (("threads", "thread"), ("keys", "key")):
        found, asked = key[name] or 0, getattr(case, name)
        if found != asked:
            apart = abs(math.log2(max(found, 0.5) / asked))
            parts.append((apart, units.plural(int(found), thing), f"{asked:,}"))
    for name, worth in (("key_type", 1.0), ("workload", 2.0), ("scenario", 2.0), ("mode", 1.0)):
        found, asked = key[name] or "", getattr(case, name)
        if found != asked:
            parts.append((worth, str(found) or "no scenario", str(asked) or "none"))
    found, asked = str(key["key_distribution"] or "uniform"), case.key_distribution
    if found != asked:
        parts.append((_ANOTHER_KIND, found, asked))
    parts += _cores_apart(key, case)
    parts += _work_apart(key, case, "hold")
    parts += _writes_apart(key, case) + _timeouts_apart(key, case)
    if not case.any_load:
        parts += _load_apart(key, case)
    return sum(part[0] for part in parts), [f"{a}, asked {b}" for _, a, b in parts]


def _cores_apart(key: dict[str, Any], case: Case) -> list[tuple[float, str, str]]:
    """By the kind of cores, if either names one."""
    pinning = str(key.get("pinning") or "none")
    found = pinning.removeprefix(_OF_A_KIND) if pinning.startswith(_OF_A_KIND) else ""
    if found == case.cores:
        return []
    words = [f"{one} cores" if one else "all cores" for one in (found, case.cores)]
    return [(_ANOTHER_KIND, words[0], words[1])]


def _writes_apart(key: dict[str, Any], case: Case) -> list[tuple[float, str, str]]:
    found, asked = key["write_share"], case.write_share
    if not found or not asked or math.isclose(found, asked, rel_tol=1e-6):
        return []  # of another workload, which counts already
    words = [f"{100 * one:.3g} % writes" for one in (found, asked)]
    return [(abs(math.log2(found / asked)), words[0], words[1])]


def _timeouts_apart(key: dict[str, Any], case: Case) -> list[tuple[float, str, str]]:
    found, asked = float(key["timeout_ns"] or 0.0), case.timeout_ns
    if found == asked:
        return []
    words = [f"timeout {units.nanoseconds(one)}" if one else "no timeout" for one in (found, asked)]
    return [(_ANOTHER_KIND, words[0], words[1])]


def _load_apart(key: dict[str, Any], case: Case) -> list[tuple[float, str, str]]:
    """By the loads if both have one: the think time of a load depends on the processors."""
    found = key["load_share"]
    if case.load is None or found is None:
        return _work_apart(key, case, "think")
    if math.isclose(found, case.load):
        return []
    words = [f"load {100 * one:.3g} %" for one in (found, case.load)]
    return [(abs(math.log2(found / case.load)), words[0], words[1])]


def _work_apart(key: dict[str, Any], case: Case, what: str) -> list[tuple[float, str, str]]:
    names = [f"{what}_{part}" for part in ("kind", "ns", "lines")]
    asked: dict[str, Any] = {name: getattr(case, name) for name in names}
    found: dict[str, Any] = {
        name: key[name] or (0.0 if name != names[0] else "none") for name in names
    }
    if found == asked:
        return []
    kinds = {found[names[0]], asked[names[0]]} - {"none"}
    worth = _ANOTHER_KIND + 1
    if len(kinds) < 2 and "touch" not in kinds:
        loop = cells.LOOP_NS
        worth = abs(math.log2((found[names[1]] + loop) / (asked[names[1]] + loop)))
    texts = [cells.describe(one, names) or f"no {what}" for one in (found, asked)]
    return [(worth, texts[0], texts[1])] if texts[0] != texts[1] else []


def _ruled_out(rows: pd.DataFrame, group: verdict.Group, case: Case) -> str:
    """Why the case excludes a primitive; empty if it does not."""
    label = str(rows["label"].iloc[0])
    if label == cells.FLOOR:
        return "guards nothing: what the work costs by itself"
    if label not in group.medians:
        return "no trial of it was valid"
    if case.capacity is not None and f"leases={case.capacity}" not in re.split("[:,]", label):
        return f"is not for {units.plural(case.capacity, 'holder')} of a key"
    valid = rows[rows["valid"]]
    if case.memory_bytes is not None:
        size = valid["lock_bytes"].median()
        if size != size:
            return "its memory was not measured"
        if size > case.memory_bytes:
            return f"takes {units.memory(size)}, more than {units.memory(case.memory_bytes)}"
    unfair = unfairness.words(rows)
    return f"starves threads: {unfair}" if case.fair and unfair else ""


def _is_behind(run: Run, table: verdict.Table, index: int, label: str, first: str) -> bool:
    """By more than the error of the ratio, too."""
    found = table.between(index, label, first)
    if found is None or found.verdict != verdict.SLOWER:
        return False
    key = table.groups[index].key
    return run.error.exceeds_error(
        1 / found.ratio, key["threads"] or 1, float(key["hold_ns"] or 0), run.hardware_threads
    )


def simplest(table: verdict.Table, indices: list[int], candidates: list[str]) -> str | None:
    """One of the primitives, best first: one that starves no thread, if there is any; of those the
    most common one; else one whose lines are known."""

    def starves(label: str) -> bool:
        return any(table.groups[index].unfair[label] for index in indices)

    candidates = [one for one in candidates if not starves(one)] or candidates
    if not candidates:
        return None
    usual = baselines.usual(candidates)
    if usual is not None:
        return usual
    return next((one for one in candidates if snippets.of(one, "u64")), candidates[0])


def _valid_rows(table: verdict.Table, index: int, label: str) -> pd.DataFrame:
    rows = table.groups[index].rows
    return rows[(rows["label"] == label) & rows["valid"]]


def _accuracy(run: Run, group: verdict.Group) -> str:
    one = (float(group.key["threads"] or 1), float(group.key["hold_ns"] or 0))
    return run.error.ratio_words([one], run.hardware_threads)


def _reason(table: verdict.Table, at: AtLoad, label: str, case: Case, error: str) -> str:
    first = at.ranked[0]
    if label == first:
        speed = "the best by the medians" if len(at.ranked) > 1 else "no other one is left"
    elif at.sleeps:
        speed = (
            f"costs {_more_or_less(at, label)} than the first" if label in at.extra else "no wait"
        )
    else:
        found = table.between(at.group_index, label, first)
        if found is None:
            speed = "no block has both it and the first"
        else:
            within = found.verdict == verdict.SLOWER and label not in at.behind
            words = found.words() + (f", within {error}" if within else "")
            speed = f"{_ratio(found)} of the speed of the first: {words}"
    name, _, _ = label.partition(":")
    what = case.descriptions.get(name, "")
    unfair = table.groups[at.group_index].unfair[label]
    price = f"{unfairness.MARK} {unfair}" if unfair else ""
    return "; ".join(part for part in (speed, what, price) if part)


def _ratio(one: verdict.Comparison) -> str:
    interval = f" ({tables.interval(one)})" if one.low is not None else ""
    return f"{units.ratio(one.ratio)}{interval}"


def _answer(table: verdict.Table, loads: list[AtLoad], apart: list[str], error: str) -> list[str]:
    lines = []
    if apart:
        lines += [
            f"Not answered: the run is too far from the case ({'; '.join(apart)}).",
            "Measure the case: lockbench advise without --run.",
        ]
    if any(one.chosen is None for one in loads):
        return [*lines, "Nothing that was measured answers the question."]
    word = "Nearest cells: " if apart else "Use "
    if len(loads) > 1:
        return [*lines, f"{word}{_by_load(loads)}", *(_line_of_load(one) for one in loads)]
    one = loads[0]
    lines.append(f"{word}{_choice(one, error)}")
    usual = baselines.usual(list(table.groups[one.group_index].medians))
    found = table.between(one.group_index, one.chosen or "", usual) if usual is not None else None
    if found is not None and not one.sleeps:
        lines.append(f"{_ratio(found)} the speed of {usual}, the usual choice: {found.words()}.")
    elif usual == one.chosen:
        lines.append(f"{one.chosen} is the usual choice too.")
    if len(one.good) > 1:
        lines.append(_price(table, one))
    costs = [_cost(one, label) for label in dict.fromkeys((one.chosen or "", one.ranked[0]))]
    return [*lines, f"Locking costs: {'; '.join(filter(None, costs))}."] if any(costs) else lines


def _reached(loads: list[AtLoad], case: Case) -> list[str]:
    """The rate of the rows, and what to think of it."""
    if case.rate_per_s is None or len(loads) > 1:
        return []
    found = loads[0].rate_per_s
    rates = f"{found:,.0f} operations per second, asked {case.rate_per_s:,.0f}"
    if found >= _REACHED * case.rate_per_s:
        return [f"Measured at {rates}."]
    return [
        f"Measured at {rates}: the threads did not get there, so this is about a lower load. Use a"
        " machine that is quiet, or has more processors (--machine)."
    ]


def _choice(one: AtLoad, error: str) -> str:
    """The sentence about one load, from the chosen primitive on. `error`: the name of that of its
    ratios; empty if there is none."""
    if len(one.ranked) == 1:
        return f"{one.chosen}: no other primitive is left."
    others = [label for label in one.good if label != one.chosen]
    within = f" within {error}" if error else ""
    as_good = f" As good{within}: {', '.join(others)}." if others else ""
    if others and one.chosen == one.simplest and not one.matters:
        alike = all(share < DOES_NOT_MATTER for share in one.extra.values())
        why = "it does not matter here" if one.saves or alike else "no other one is better"
        return f"{one.chosen}, the simplest choice: {why}.{_saved(one)}{as_good}"
    if one.sleeps and one.chosen != one.simplest:
        return f"{one.chosen}: {_simplest_costs(one)}.{as_good}"
    if not others:
        behind = len(one.ranked) - 1
        count = units.plural(behind, "other primitive is", "other primitives are all")
        beyond = f", by more than {error}" if error else ""
        return f"{one.chosen}. Significant: the {count} significantly slower{beyond}."
    return (
        f"{one.chosen}, the simplest of those that are not significantly slower than the best."
        f"{as_good}"
    )


def _saved(one: AtLoad) -> str:
    """Says what the best would save; empty if it saves nothing."""
    if not one.saves:
        return ""
    return (
        f" {one.ranked[0]}, the best, would save {_extra(one, one.chosen or '')};"
        f" less than {units.percent(DOES_NOT_MATTER)} does not matter."
    )


def _simplest_costs(one: AtLoad) -> str:
    simplest = one.simplest or ""
    kind = "that starves no thread" if one.starving else "choice"
    return f"{simplest}, the simplest {kind}, costs {_extra(one, simplest)} more"


def _extra(one: AtLoad, label: str) -> str:
    """`12 ns (0.6 % of an operation)`, against the best."""
    return _of_an_operation(one, one.extra[label])


def _more_or_less(one: AtLoad, label: str) -> str:
    """`12 ns (0.6 % of an operation) more`; the best by the medians may cost more than another."""
    share = one.extra[label]
    return f"{_of_an_operation(one, abs(share))} {'less' if share < 0 else 'more'}"


def _of_an_operation(one: AtLoad, share: float) -> str:
    return f"{units.nanoseconds(share * one.operation_ns)} ({_share(share)} of an operation)"


def _share(share: float) -> str:
    return f"{units.short(100 * share, 2)} %"


def _cost(one: AtLoad, label: str) -> str:
    """`keyed 31 ns (1.2 % of an operation), p99 wait 110 ns`; empty if nothing is known."""
    cost, wait = one.cost_ns.get(label), one.wait_p99_ns.get(label)
    parts = []
    if cost is not None:
        cost = max(0.0, cost)
        whole = one.operation_ns * (1 + one.extra.get(label, 0.0))
        parts.append(f"{units.nanoseconds(cost)} ({_share(cost / whole)} of an operation)")
    if wait is not None:
        parts.append(f"p99 wait {units.nanoseconds(wait)}")
    return f"{label} {', '.join(parts)}" if parts else ""


def _by_load(loads: list[AtLoad]) -> str:
    """`striped up to 50 % load (2 M operations per second); above it keyed.`"""
    own = [one for one in loads if not one.saturated] or loads
    choices = list(dict.fromkeys(one.chosen for one in loads))
    ends = {one.chosen: one for one in own}
    if len(choices) == 1:
        if not any(one.matters for one in loads):
            saved = units.percent(DOES_NOT_MATTER)
            return (
                f"{choices[0]}, the simplest choice: it does not matter here. At no load would"
                f" another one save {saved} of an operation."
            )
        return f"{choices[0]}, at every load."
    parts = []
    for index, label in enumerate(dict.fromkeys(one.chosen for one in own)):
        last = ends[label] is own[-1]
        where = f"up to {ends[label].name}" if not last else "above it" if index else "at loads"
        parts.append(f"{label} {where}")
    if loads[-1].saturated and loads[-1].chosen != own[-1].chosen:
        parts[-1] += " that programs have" if parts[-1].endswith("at loads") else ""
        parts.append(f"{loads[-1].chosen} in the saturated loop, which few programs run")
    return "; ".join(parts) + ". Name the load for one answer: --rate, in operations per second."


def _line_of_load(one: AtLoad) -> str:
    """`10 % load (1 M operations/s): it does not matter; … Locking costs: …`"""
    best, simplest = one.ranked[0], one.simplest or ""
    if one.matters and one.extra[simplest] > one.extra[one.chosen or ""]:
        said = f"{one.chosen}; {_simplest_costs(one)} than {best}"
    elif one.matters:
        said = f"{one.chosen} is not significantly slower than {best}"
    elif one.saves:
        said = f"it does not matter; {_simplest_costs(one)} than {best}"
    else:
        said = f"{simplest}, the simplest choice, is as good as any"
    costs = [_cost(one, label) for label in dict.fromkeys((simplest, one.chosen or "", best))]
    return f"{one.name}: {said}. Locking costs: {'; '.join(filter(None, costs))}."


def _price(table: verdict.Table, one: AtLoad) -> str:
    """Says what the choice costs, in speed, memory and fairness."""
    chosen, best = one.chosen or "", one.ranked[0]
    rows = _valid_rows(table, one.group_index, chosen)
    unfair = table.groups[one.group_index].unfair[chosen]
    found = table.between(one.group_index, chosen, best) if not one.sleeps else None
    size = rows["lock_bytes"].dropna()
    parts = [
        f"{_ratio(found)} the speed of {best}, the best by the medians" if found else "",
        "" if size.empty else f"{units.memory(size.median())} for all locks",
        unfair or ("" if unfairness.asked(rows).empty else "no thread was seen to starve"),
    ]
    return f"Its price: {'; '.join(part for part in parts if part)}."


def written(advice: Advice, form: str) -> str:
    if form == "csv":
        return tables.as_csv(advice.result)
    if form == "json":
        return _as_json(advice)
    return _as_markdown(advice) if form == "markdown" else _as_text(advice)


def _grounds(advice: Advice) -> list[str]:
    found = [f"asked: {advice.case.asked}"]
    if advice.case.rate_per_s is not None:
        found[0] += f", {advice.case.rate_per_s:,.0f} operations per second"
    if advice.case.across_machines:
        found[0] += ", across machines"
        found.append(
            "safe only if: the guarded resource refuses writes with an older token than the last;"
            " a hold may end before its holder knows"
        )
    if advice.differences:
        found.append(f"nearest cells of the run: {'; '.join(advice.differences)}")
    if advice.accuracy:
        found.append(f"accuracy: {advice.accuracy}")
    return [*found, f"rows: {advice.run.folder}/trials.csv"]


def _as_text(advice: Advice) -> str:
    out = [*advice.run.banners, *advice.answer, ""]
    if advice.answered and advice.code:
        out += [*(f"    {line}" for line in advice.code), ""]
    out.append(f"Evidence{advice.evidence}")
    for one in advice.choices:
        out.append(f"  {f'{one.rank}.' if one.rank else '–'} {one.primitive}: {one.reason}")
    out += [f"  {ground}" for ground in _grounds(advice)]
    return "\n".join([*out, ""]) + "\n" + tables.as_text(advice.result)


def _as_markdown(advice: Advice) -> str:
    out = [f"**{markdown(banner)}**\n" for banner in advice.run.banners]
    out += [f"### {markdown(' '.join(advice.answer))}", ""]
    if advice.answered and advice.code:
        out += ["```cpp", *advice.code, "```", ""]
    for one in advice.choices:
        number = f"{one.rank}." if one.rank else "-"
        out.append(f"{number} {code(one.primitive)}: {markdown(one.reason)}")
    out += ["", *(f"- {markdown(ground)}" for ground in _grounds(advice)), ""]
    return "\n".join(out) + "\n" + tables.as_markdown(advice.result)


def _as_json(advice: Advice) -> str:
    document = {
        "comparisons": [one.record() for one in advice.result.table.comparisons],
        "banners": advice.run.banners,
        "asked": advice.case.asked,
        "answer": advice.answer,
        "primitive": advice.primitive,
        "answered": advice.answered,
        "significant": advice.significant,
        "loads": [one.record() for one in advice.loads],
        "accuracy": advice.accuracy,
        "code": advice.code,
        "choices": [dataclasses.asdict(one) for one in advice.choices],
        "differences": advice.differences,
        "far": advice.far,
        "map": advice.map.record() if advice.map is not None else None,
        **cores_record(advice.threads_by_kind, advice.case),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
