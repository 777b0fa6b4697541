# SPDX-License-Identifier: Apache-2.0
"""Statements of a comparison about curves rather than about cells: what locking costs by load, how
throughput grows with threads, and where open loops saturate. Pure: figures to words and records.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analysis import cells, core_kinds, locking_cost, readers, scalability, units
from analysis.loader import SATURATED
from analysis.locking_cost import Cost
from analysis.saturation import Saturation
from analysis.scalability import Curve, Fit
from analysis.text import cut

# Longer names are cut; CSV and JSON have them whole.
LONGEST_NAME = 60


@dataclass(frozen=True)
class Table:
    """A small table below the comparison's own."""

    title: str
    headers: list[str]
    rows: list[list[str]]
    notes: list[str]


def all_of(
    costs: Sequence[Cost],
    curves: Sequence[Curve],
    saturations: Sequence[Saturation],
    maps: Sequence[readers.Map],
    kinds: Sequence[core_kinds.Shares],
    brief: bool = False,
) -> list[Table]:
    """`brief` leaves the intervals out, for narrow terminals."""
    found = [_costs(name, own, brief) for name, own in cells.by_group(costs).items()]
    found += [_scalability(name, own, brief) for name, own in cells.by_group(curves).items()]
    found += [_saturation(name, own) for name, own in cells.by_group(saturations).items()]
    found += [of_readers(one) for one in maps]
    found += [of_core_kinds(name, own) for name, own in cells.by_group(kinds).items()]
    return found


def of_core_kinds(name: str, found: Sequence[core_kinds.Shares]) -> Table:
    """A line for each primitive."""

    def wait(ns: float | None) -> str:
        return units.nanoseconds(ns) if ns is not None else "–"

    headers = ["primitive", "operations of the slowest", "of an equal share"]
    return Table(
        f"Kinds of cores · {name} · {found[0].threads}",
        [*headers, "p99 wait, fastest", "p99 wait, slowest"],
        [
            [
                _name(one.primitive),
                core_kinds.percent(one.slow_share),
                core_kinds.percent(one.of_equal),
                wait(one.fast_p99_ns),
                wait(one.slow_p99_ns),
            ]
            for one in found
        ],
        [f"an equal share: {core_kinds.percent(found[0].equal_share)}, as of the threads"],
    )


def _name(primitive: str) -> str:
    return cut(primitive, LONGEST_NAME)


def _costs(name: str, found: list[Cost], brief: bool) -> Table:
    """A line for each primitive, the cheapest at the highest load first."""
    loads = locking_cost.loads(found)
    own = {(one.primitive, one.load): one for one in found}
    last = loads[-1]
    order = sorted(
        dict.fromkeys(one.primitive for one in found),
        key=lambda label: own[label, last].median_ns if (label, last) in own else float("inf"),
    )

    def words(label: str, load: float) -> str:
        one = own.get((label, load))
        if one is None:
            return "–"
        waits = units.nanoseconds(one.wait_p99_ns) if one.wait_p99_ns is not None else "–"
        if load == SATURATED and one.wait_max_ns is not None:
            waits = f"≤ {units.nanoseconds(one.wait_max_ns)}"
        spent = units.nanoseconds(one.processor_ns) if one.processor_ns is not None else "–"
        cost = units.nanoseconds(one.median_ns) if brief else one.words
        return f"{cost} · {waits} · {spent}"

    return Table(
        title=f"Cost of locking by load: {name}",
        headers=["primitive", *map(locking_cost.load_words, loads)],
        rows=[[_name(label), *(words(label, load) for load in loads)] for label in order],
        notes=[
            "cost of an operation beyond hold and think (quartiles of the blocks) · p99 wait"
            " (saturated: ≤ longest wait) · processor time of an operation"
        ],
    )


def cost_record(one: Cost) -> dict[str, object]:
    """For JSON."""
    load = None if one.load == SATURATED else one.load
    return {**dataclasses.asdict(one), "load": load, "saturated": load is None}


def _scalability(name: str, curves: list[Curve], brief: bool) -> Table:
    fitted = [(curve.primitive, curve.fit) for curve in curves if curve.fit is not None]
    refused: dict[str, list[str]] = {}
    for curve in curves:
        if curve.fit is None:
            refused.setdefault(curve.reason, []).append(_name(curve.primitive))
    notes = [f"not fitted: {', '.join(names)}: {reason}" for reason, names in refused.items()]
    return Table(
        title=f"Scalability by threads: {name}" + (f" · {scalability.LAW}" if fitted else ""),
        headers=["primitive", "λ", "σ", "κ", "R²", "peak"],
        rows=[_fit_row(_name(primitive), fit, brief) for primitive, fit in fitted],
        notes=notes + scalability.left_out(curves),
    )


def _fit_row(primitive: str, fit: Fit, brief: bool) -> list[str]:
    shows: Sequence[Callable[[float], str]] = (
        lambda rate: f"{units.count(rate, trim=False)}/s",
        _parameter,
        _parameter,
        lambda threads: units.short(threads, 2),
    )
    words = [show(one) for show, one in zip(shows, (fit.rate_per_s, fit.contention, fit.coherency))]
    words.append(scalability.peak_words(fit))
    if not brief:
        for i, (show, one) in enumerate(zip(shows, fit.intervals)):
            if i < 3 or (fit.peak or 0) > 1:
                words[i] += f" ({show(one.low)} – {show(one.high)})"
    return [primitive, *words[:3], f"{fit.r_squared:.3f}", words[3]]


def _parameter(value: float) -> str:
    return "0" if value < 1e-9 else units.digits(value, 2)


def _saturation(name: str, found: list[Saturation]) -> Table:
    limit = units.nanoseconds(found[0].wait_limit_ns)
    return Table(
        title=f"Open loop by rate: {name}",
        headers=["primitive", "saturation", f"p99 wait exceeds {limit} from"],
        rows=[[_name(one.primitive), one.words, one.capacity_words] for one in found],
        notes=[],
    )


def curve_record(curve: Curve) -> dict[str, object]:
    """For JSON."""
    record: dict[str, object] = {"group": curve.group, "primitive": curve.primitive}
    if curve.fit is None:
        return {**record, "fitted": False, "reason": curve.reason, "note": curve.note}
    fit = curve.fit
    record.update(fitted=True, law=scalability.LAW, r_squared=fit.r_squared, note=curve.note)
    values = (fit.rate_per_s, fit.contention, fit.coherency, fit.peak)
    intervals = fit.intervals or [None] * len(values)
    for name, value, one in zip(
        ("lambda_per_s", "sigma", "kappa", "peak_threads"), values, intervals
    ):
        known = one if value is not None else None
        record[name] = value
        record[f"{name}_low"] = _finite(known.low) if known else None
        record[f"{name}_high"] = _finite(known.high) if known else None
    return {**record, "peak": scalability.peak_words(fit)}


def _finite(value: float) -> float | None:
    return value if value < float("inf") else None


def of_readers(found: readers.Map) -> Table:
    """A line for each share of reads, a column for each hold."""
    return Table(
        title=f"{readers.QUESTION} {found.where}",
        headers=["reads", *(f"hold {units.nanoseconds(hold)}" for hold in found.holds)],
        rows=[
            [
                f"{100 * reads:.4g} %",
                *(one.words if (one := found.at(reads, hold)) else "–" for hold in found.holds),
            ]
            for reads in found.reads
        ],
        notes=[readers.EXPLAINED],
    )


def saturation_record(one: Saturation) -> dict[str, object]:
    return {**dataclasses.asdict(one), "words": one.words}
