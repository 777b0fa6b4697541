# SPDX-License-Identifier: Apache-2.0
"""Which primitive keeps the p99 wait below a limit, and up to which rate. Pure.

The cells are open loops, so a wait counts from when its operation was due. At one rate a primitive
holds the limit if its p99 wait is at most that in three quarters of the trials, and it keeps up
with the arrivals (saturation.py). It holds it up to a rate if it does at each lower one that was
measured, too.

Of those that hold it at the rate that was asked for, the simplest is recommended; without a rate,
the simplest of those that hold it up to the highest one.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis import baselines, cells, core_kinds, saturation, snippets, units
from analysis.advice import FAR, Case, code_of, cores_record, distance, on_cores
from analysis.errors import InconclusiveError, InputError
from analysis.loader import Run
from analysis.text import code, markdown, markdown_table, spreadsheet


@dataclass(frozen=True)
class Held:
    """One primitive."""

    primitive: str
    up_to_per_s: float | None  # the highest measured rate at which it holds the limit; None: none
    not_at_per_s: float | None  # the next measured rate; None: it holds the limit at each
    waits_ns: dict[float, float]  # by rate: the median of the p99 waits

    def holds_at(self, rate: float) -> bool:
        return self.up_to_per_s is not None and self.up_to_per_s >= rate

    @property
    def words(self) -> str:
        """`up to 20,000/s, not at 28,000/s`."""
        if self.up_to_per_s is None:
            return f"not at {units.whole(self.not_at_per_s or 0)}/s, the lowest that was measured"
        if self.not_at_per_s is None:
            return f"up to {units.whole(self.up_to_per_s)}/s, the highest that was measured"
        return f"up to {units.whole(self.up_to_per_s)}/s, not at {units.whole(self.not_at_per_s)}/s"


@dataclass(frozen=True)
class Limited:
    run: Run
    case: Case
    held: list[Held]  # the highest rates first
    primitive: str | None
    differences: list[str]
    far: bool
    threads_by_kind: str = ""  # `fast 2, slow 1`; empty: there is one kind of cores

    @property
    def answered(self) -> bool:
        return self.primitive is not None and not self.far

    @property
    def limit(self) -> str:
        return units.nanoseconds(self.case.wait_limit_ns or 0.0)

    @property
    def code(self) -> list[str]:
        return code_of(self.primitive, self.case)

    @property
    def of_choice(self) -> Held | None:
        return next((one for one in self.held if one.primitive == self.primitive), None)


def of_run(run: Run, case: Case) -> Limited:
    """InputError if the run has no open loop with waits; InconclusiveError if none is valid."""
    found = saturation.groups(run.valid)
    if not found:
        if saturation.groups(run.trials):
            raise InconclusiveError(
                f"0 of {len(run.trials)} rows are valid (minimum 1); the column `reason` of"
                f" {run.folder / 'trials.csv'} says why"
            )
        raise InputError(f"{run.folder}: has no open loop; measure the case without --run")
    distances = [distance({"rate_per_s": None, **group.key}, case) for group in found]
    nearest = min(range(len(found)), key=lambda index: distances[index][0])
    doublings, differences = distances[nearest]
    rows = found[nearest].rows
    rows = rows[rows["label"] != cells.FLOOR]
    held = [
        _held(str(label), own, case.wait_limit_ns or 0.0)
        for label, own in rows.groupby("label", sort=False)
        if own["wait_p99_ns"].notna().any()
    ]
    held.sort(key=lambda one: -(one.up_to_per_s or 0.0))
    threads = core_kinds.of_threads(rows)
    return Limited(run, case, held, _chosen(held, case), differences, doublings > FAR, threads)


def _held(label: str, own: pd.DataFrame, limit_ns: float) -> Held:
    timed = own[own["wait_p99_ns"].notna()]
    saturated = set(saturation.saturated_rates(own))
    waits = timed.groupby("rate_per_s")["wait_p99_ns"]
    within = (timed["wait_p99_ns"] <= limit_ns).groupby(timed["rate_per_s"]).mean()
    up_to = not_at = None
    for rate, share in within.sort_index().items():
        if share < 0.75 or rate in saturated:
            not_at = float(rate)
            break
        up_to = float(rate)
    medians = {float(rate): float(wait) for rate, wait in waits.median().items()}
    return Held(label, up_to, not_at, medians)


def _chosen(held: list[Held], case: Case) -> str | None:
    """The simplest of those that are good enough."""
    if case.rate_per_s is not None:
        good = [one.primitive for one in held if one.holds_at(_asked_rate(held, case))]
    else:
        most = max((one.up_to_per_s or 0.0 for one in held), default=0.0)
        good = [one.primitive for one in held if most and one.up_to_per_s == most]
    if not good:
        return None
    known = (label for label in good if snippets.of(label, case.key_type))
    return baselines.usual(good) or next(known, good[0])


def _asked_rate(held: list[Held], case: Case) -> float:
    """The measured rate that answers for the one that was asked for: the least that is not below
    it, up to rounding; else infinity."""
    rates = sorted({rate for one in held for rate in one.waits_ns})
    asked = (case.rate_per_s or 0.0) * 0.999
    return next((rate for rate in rates if rate >= asked), float("inf"))


def answer(found: Limited) -> list[str]:
    """Sentences; the first one answers."""
    return _answer(found) + on_cores(found.threads_by_kind, found.case)


def _answer(found: Limited) -> list[str]:
    if found.far:
        return [
            f"Not answered: the run is too far from the case ({'; '.join(found.differences)}).",
            "Measure the case: lockbench advise without --run.",
        ]
    chosen = found.of_choice
    if chosen is None:
        return [_nothing(found)]
    others = [one for one in found.held if one.primitive != found.primitive]
    farther = [one for one in others if (one.up_to_per_s or 0) > (chosen.up_to_per_s or 0)]
    alike = [one for one in others if one.up_to_per_s == chosen.up_to_per_s]
    lines = [
        f"Use {chosen.primitive}: its p99 wait is at most {found.limit} {chosen.words} (operations"
        " of all threads; in three quarters of the trials)."
    ]
    if farther:
        lines.append(f"Farther: {'; '.join(f'{one.primitive} {one.words}' for one in farther)}.")
    if alike:
        lines.append(f"As far: {', '.join(one.primitive for one in alike)}.")
    return lines


def _nothing(found: Limited) -> str:
    rate = _asked_rate(found.held, found.case)
    if found.case.rate_per_s is None:
        rate = min((rate for one in found.held for rate in one.waits_ns), default=rate)
    waits = {one.primitive: one.waits_ns[rate] for one in found.held if rate in one.waits_ns}
    if not waits:
        return "Nothing was measured at the rate of the case."
    best = min(waits, key=lambda label: waits[label])
    return (
        f"No primitive that was measured has a p99 wait of at most {found.limit} at"
        f" {units.whole(rate)} operations per second; the shortest is that of {best}:"
        f" {units.nanoseconds(waits[best])}."
    )


def written(found: Limited, form: str) -> str:
    forms = {"json": _as_json, "csv": _as_csv, "markdown": _as_markdown}
    return forms.get(form, _as_text)(found)


_TABLE = "p99 wait by operations per second, median of the trials"


def _table(found: Limited) -> list[list[str]]:
    """A head, and a row for each primitive."""
    rates = sorted({rate for one in found.held for rate in one.waits_ns})
    rows = [["primitive", *map(units.whole, rates)]]
    for one in found.held:
        waits = (one.waits_ns.get(rate) for rate in rates)
        rows.append([one.primitive, *("–" if w is None else units.nanoseconds(w) for w in waits)])
    return rows


def _grounds(found: Limited) -> list[str]:
    grounds = [f"asked: {found.case.asked}, p99 wait at most {found.limit}"]
    if found.differences:
        grounds.append(f"nearest cells of the run: {'; '.join(found.differences)}")
    return [*grounds, f"rows: {found.run.folder}/trials.csv"]


def _as_text(found: Limited) -> str:
    out = [*found.run.banners, *answer(found), ""]
    if found.answered and found.code:
        out += [*(f"    {line}" for line in found.code), ""]
    rows = _table(found)
    widths = [max(map(len, column)) for column in zip(*rows)]
    out.append(_TABLE)
    for label, *waits in rows:
        fields = (f"{wait:>{width}}" for wait, width in zip(waits, widths[1:]))
        out.append("  ".join(["", f"{label:<{widths[0]}}", *fields]))
    return "\n".join([*out, "", *_grounds(found)]) + "\n"


def _as_markdown(found: Limited) -> str:
    out = [f"**{markdown(banner)}**\n" for banner in found.run.banners]
    out += [f"### {markdown(' '.join(answer(found)))}", ""]
    if found.answered and found.code:
        out += ["```cpp", *found.code, "```", ""]
    head, *rows = _table(found)
    out += [_TABLE, ""]
    body = [[code(label), *waits] for label, *waits in rows]
    out += [*markdown_table(head, body, "l" + "r" * (len(head) - 1)), ""]
    return "\n".join([*out, *(f"- {markdown(ground)}" for ground in _grounds(found))]) + "\n"


def _as_csv(found: Limited) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["primitive", "rate_per_s", "wait_p99_ns"])
    for one in found.held:
        for rate, wait in one.waits_ns.items():
            writer.writerow([spreadsheet(one.primitive), f"{rate:.0f}", f"{wait:.0f}"])
    return out.getvalue()


def _as_json(found: Limited) -> str:
    chosen = found.of_choice
    document: dict[str, Any] = {
        "banners": found.run.banners,
        "asked": found.case.asked,
        "wait_limit_ns": found.case.wait_limit_ns,
        "answer": answer(found),
        "primitive": found.primitive,
        "answered": found.answered,
        "up_to_per_s": chosen.up_to_per_s if chosen else None,
        "not_at_per_s": chosen.not_at_per_s if chosen else None,
        "held": [
            {
                "primitive": one.primitive,
                "up_to_per_s": one.up_to_per_s,
                "not_at_per_s": one.not_at_per_s,
                "wait_p99_ns": {f"{rate:.0f}": wait for rate, wait in one.waits_ns.items()},
            }
            for one in found.held
        ],
        "differences": found.differences,
        "far": found.far,
        **cores_record(found.threads_by_kind, found.case),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
