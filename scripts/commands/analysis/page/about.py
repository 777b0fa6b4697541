# SPDX-License-Identifier: Apache-2.0
"""The facts that a reader needs beside the figures: what was not valid and why, on what machine and
with what build the run was made, the command that repeats it, and what the method was. Words
only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis import cells, events, starvation, units
from analysis.loader import Run, mapping

_MOST_KINDS = 60


@dataclass(frozen=True)
class Fault:
    """Rows that are not valid for one reason, shown by the first of them."""

    rows: int
    primitives: list[str]
    where: str
    reason: str


@dataclass(frozen=True)
class Faults:
    kinds: list[Fault]
    more: int  # rows of kinds that there was no room for
    rows: int
    again: int  # trials that were measured once more and then were valid
    starved: list[Fault]  # no fault of the measurement: a result


def faults(run: Run) -> Faults:
    """Reasons that differ by their figures only are one."""
    is_starved = run.trials["outcome"] == starvation.OUTCOME
    invalid = run.trials[~run.trials["valid"] & ~is_starved]
    final = run.final.loc[run.final.index.intersection(invalid.index)]
    again = len(invalid) - len(final)
    found = _kinds(invalid)
    more = sum(fault.rows for fault in found[_MOST_KINDS:])
    return Faults(found[:_MOST_KINDS], more, len(invalid), again, _starved(run.trials[is_starved]))


def _starved(rows: pd.DataFrame) -> list[Fault]:
    """One for each cell, the longest first."""
    by_cell = rows.groupby(cells.codes(rows, [*cells.GROUP, "label"]), sort=False)
    return [
        Fault(
            rows=len(own),
            primitives=[own["label"].iloc[0]],
            where=cells.describe(cells.key_of(own.iloc[0])),
            reason=starvation.words(own),
        )
        for _, own in sorted(by_cell, key=lambda one: -one[1]["starved_s"].max())
    ]


def _kinds(invalid: pd.DataFrame) -> list[Fault]:
    kinds: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in invalid.to_dict("records"):
        row["why"] = cells.reason(row)
        kinds.setdefault((row["workload"], cells.kind_of(row["why"])), []).append(row)
    return [
        Fault(
            rows=len(found),
            primitives=list(dict.fromkeys(row["label"] for row in found)),
            where=cells.describe(cells.key_of(found[0])),
            reason=found[0]["why"],
        )
        for found in sorted(kinds.values(), key=len, reverse=True)
    ]


def facts(run: Run) -> list[tuple[str, list[tuple[str, str]]]]:
    """Machine, build and calibration, as far as the run records them."""
    calibration = run.about("calibration")
    found = [
        ("Machine", [*_machine(run.about("machine")), *(("Limit", one) for one in run.limits)]),
        ("Build", _build(run.about("build"))),
        ("Calibration", [(w, _shown(calibration.get(n), units.nanoseconds)) for n, w in _CLOCKS]),
    ]
    shown = [(name, [line for line in lines if line[1]]) for name, lines in found]
    return [(name, lines) for name, lines in shown if lines]


def _shown(value: Any, words: Callable[[float], str]) -> str:
    """Empty if the run does not record it."""
    return words(value) if isinstance(value, (int, float)) else ""


def command(run: Run) -> str:
    recorded = run.meta.get("command")
    return recorded if isinstance(recorded, str) else ""


def target_note(run: Run) -> str:
    """That the preset was sized for another machine."""
    target = run.about("target")
    return str(target.get("note", "")) if target.get("matches") is False else ""


def surroundings(run: Run) -> list[str]:
    """The rows' report of what else was going on, each a sentence."""
    trials = run.final
    notes = []
    for column, start in (
        ("other_cpu_share", "Other processes used"),
        ("steal_share", "The host took"),
    ):
        share = trials[column].dropna()
        if len(share):
            notes.append(
                f"{start} {_percent(share.median())} of the machine's time in the median trial and"
                f" {_percent(share.max())} at most ({column})."
            )
    stopped = trials["throttled_s"].dropna() if "throttled_s" in trials else trials["trial"][:0]
    if (stopped > 0).any():
        notes.append(
            f"A quota of CPU time stopped threads in {int((stopped > 0).sum()):,} of"
            f" {units.plural(len(trials), 'trial')}, for"
            f" {units.nanoseconds(1e9 * stopped.max())} of all processors together at most"
            " (throttled_s)."
        )
    late = trials["idle_lateness_mean_ns"].dropna()
    if len(late):
        notes.append(
            "In open loops, an operation for which a thread was ready began"
            f" {units.nanoseconds(late.median())} late in the median trial and"
            f" {units.nanoseconds(late.max())} at most; this is the harness's own part of a wait"
            " (idle_lateness_mean_ns)."
        )
    return notes


def _percent(share: float) -> str:
    return f"{units.short(100 * share, 2)} %" if share >= 0.0005 else "less than 0.05 %"


_COUNTS = (("packages", "package"), ("cores", "core"), ("hardware_threads", "hardware thread"))
_CLOCKS = (
    ("clock_ns", "One reading of the clock"),
    ("floor_untimed_ns", "Floor: an operation, no wait timed"),
    ("floor_sampled_ns", "Floor: 1 wait in 64 timed"),
    ("floor_timed_ns", "Floor: every wait timed"),
)


def _machine(machine: Mapping[str, Any]) -> list[tuple[str, str]]:
    counts = [
        _shown(machine.get(name), lambda count: units.plural(int(count), word))
        for name, word in _COUNTS
    ]
    usable = machine.get("usable_threads")
    if isinstance(usable, int) and usable != machine.get("hardware_threads"):
        counts.append(f"{usable} of them usable")
    caches = machine.get("caches")
    return [
        ("Processor", " ".join(str(machine.get("cpu_model") or "").split())),
        ("Cores", ", ".join(filter(None, counts))),
        ("Kinds of cores", _core_kinds(machine.get("core_kinds"))),
        ("Caches", ", ".join(map(_cache, caches)) if isinstance(caches, list) else ""),
        ("Memory", _shown(machine.get("memory_bytes"), units.memory)),
        *(
            (n.capitalize(), str(machine.get(n) or ""))
            for n in ("governor", "kernel", "hypervisor")
        ),
    ]


def _core_kinds(kinds: Any) -> str:
    """Empty where all cores are of one kind."""
    found = [mapping(kind) for kind in kinds] if isinstance(kinds, list) else []
    return ", ".join(
        f"{kind.get('cores', '?')} {kind.get('kind', '')} ("
        + ", ".join(
            filter(
                None,
                [
                    str(kind.get("type") or ""),
                    units.plural(int(kind.get("hardware_threads") or 0), "thread"),
                    f"{kind['greatest_mhz']:,} MHz" if kind.get("greatest_mhz") else "",
                ],
            )
        )
        + ")"
        for kind in found
    )


def _cache(cache: Any) -> str:
    if not isinstance(cache, dict):
        return str(cache)
    kind = {"data": "d", "instruction": "i"}.get(str(cache.get("kind")), "")
    size = _shown(cache.get("bytes"), units.memory) or "?"
    return f"L{cache.get('level', '?')}{kind} {cache.get('number', '?')} × {size}"


def _build(build: Mapping[str, Any]) -> list[tuple[str, str]]:
    commit = str(build.get("commit") or "")[:12]
    if commit and build.get("modified"):
        commit += ", with changes"
    libraries = mapping(build.get("libraries"))
    return [
        ("lockbench", str(build.get("version") or "")),
        ("Commit", commit),
        ("Compiler", str(build.get("compiler") or "")),
        ("Flags", str(build.get("flags") or "")),
        ("Libraries", ", ".join(f"{name} {version}" for name, version in libraries.items())),
    ]


def cannot(run: Run, table: pd.DataFrame) -> list[str]:
    """Says what this run cannot show, and which run would."""
    valid = run.valid
    if valid.empty:
        return ["No row is valid, so no figure is shown. The reasons are listed below."]
    limits = []
    if valid["block"].nunique() == 1:
        limits.append(
            "Only one block was measured: how much figures vary is unknown, and no difference is"
            " significant. Run five blocks (--blocks 5) or more."
        )
    if valid.loc[valid["label"] != cells.FLOOR, "label"].nunique() == 1:
        limits.append("Only one primitive was measured: there is nothing to compare.")
    if valid["threads"].nunique() == 1:
        limits.append(
            f"Only one number of threads was measured ({units.number(valid['threads'].iloc[0])}):"
            " how throughput grows with threads is not shown."
        )
    if valid["wait_p50_ns"].isna().all():
        limits.append("No wait was timed: waits are not shown.")
    if uncounted := events.missing(valid):
        limits.append(uncounted)
    # The floor guards nothing: with several threads it is not valid by design.
    guarded = table[table["label"] != cells.FLOOR]
    if (guarded["blocks"] < guarded["planned"]).any():
        short = int((guarded["blocks"] < guarded["planned"]).sum())
        limits.append(
            f"{short:,} of {units.plural(len(guarded), 'cell')}"
            f" {'has' if short == 1 else 'have'} invalid or starved blocks."
        )
    return limits
