# SPDX-License-Identifier: Apache-2.0
"""The questions that a run can answer, and its answers: which primitive for which threads, keys
and hold, with the confidence behind it.

A question is all that was measured of one workload under conditions that differ by threads, keys
and hold only. Nothing is answered where fewer than two primitives competed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis import baselines, cells, figure, unfairness, units
from analysis.page import regions, summary
from analysis.page.regions import Field, Place, Region

AXES = ["threads", "keys", "hold"]
_HOLD = ["hold_kind", "hold_ns", "hold_lines"]
_OUTSIDE = [*AXES, *_HOLD, "operations_planned", "sample_every"]
# Not told apart by the blocks, but further behind than this by the medians: no answer all the same.
_NEAR = 0.9
# Of more fields than this each hold has its own answers: there would be too many boxes to try.
MOST_FIELDS = 150


@dataclass(frozen=True)
class Spot:
    """One field of the map."""

    first: str
    level: list[str]  # others that cannot be told apart from it
    lead: float | None  # over the second
    settled: bool
    unfair: str


@dataclass(frozen=True)
class Advice:
    """One primitive for one region."""

    primitive: str
    where: str
    confidence: str  # "proven", "partly proven" or "not told apart"
    because: str
    price: str  # unfairness, where its throughput was bought with it


@dataclass(frozen=True)
class Question:
    name: str
    key: dict[str, Any]
    threads: list[float]
    keys: list[float]
    holds: list[str]
    spots: dict[Place, Spot]
    advice: list[Advice]
    competitors: list[str]


def questions(table: pd.DataFrame) -> list[Question]:
    """All of them, those with most fields first; `table` is summary.of() a run."""
    # The machine's limits are no locks to choose from; an open loop is answered by its saturation.
    asked = table["mode"].isin(["timed", "fixed", "micro"]) & (table["workload"] != "limit")
    rows = table[(table["standing"] != "") & asked].copy()
    if rows.empty:
        return []
    rows["hold"] = _holds(rows)
    rows["question"] = summary.codes(rows, [n for n in cells.GROUP if n not in _OUTSIDE])
    found = [_question(own) for _, own in rows.groupby("question", sort=True)]
    answered = [one for one in found if one is not None]
    return sorted(answered, key=lambda one: -len(one.spots))


def lonely(table: pd.DataFrame) -> list[str]:
    """Primitives that had nobody to compete with anywhere."""
    rows = table[(table["standing"] != "") & (~table["mode"].isin(["open", "micro"]))]
    crowds = rows.groupby("group")["label"].transform("nunique") > 1
    together = set(rows[crowds]["label"])
    return [label for label in dict.fromkeys(rows["label"]) if label not in together]


def _holds(rows: pd.DataFrame) -> pd.Series:
    """Holds as one axis: what is done inside, in words."""
    told = {
        values: cells.describe(dict(zip(_HOLD, values)), _HOLD)
        for values in rows[_HOLD].drop_duplicates().itertuples(index=False, name=None)
    }
    keys = rows[_HOLD].itertuples(index=False, name=None)
    return pd.Series([_told(told, key) for key in keys], index=rows.index)


def _told(told: dict[tuple, str], key: tuple) -> str:
    # NaN is not itself: a key that holds one is looked up by its words.
    return told.get(key) or cells.describe(_known(dict(zip(_HOLD, key))), _HOLD) or "no hold"


def _known(key: dict[str, Any]) -> dict[str, Any]:
    return {name: None if value != value else value for name, value in key.items()}


def _question(rows: pd.DataFrame) -> Question | None:
    rows = _one_group_a_place(rows)
    crowd = rows.groupby("group")["label"].transform("size") > 1
    rows = rows[crowd]
    if rows.empty:
        return None
    order = rows.assign(kind=rows["hold_kind"].map({"none": 0, "touch": 1, "spin": 2}).fillna(3))
    order = order.sort_values(["kind", "hold_lines", "hold_ns"], na_position="first")
    holds = list(dict.fromkeys(order["hold"]))
    threads, keys = (sorted(rows[axis].dropna().unique()) for axis in ("threads", "keys"))
    spots = {}
    by_place: dict[Place, pd.DataFrame] = {}
    for _, own in rows.groupby("group", sort=False):
        head = own.iloc[0]
        if head["threads"] != head["threads"] or head["keys"] != head["keys"]:
            continue
        place = (
            threads.index(head["threads"]),
            keys.index(head["keys"]),
            holds.index(head["hold"]),
        )
        spots[place], by_place[place] = _spot(own), own
    if not spots:
        return None
    head = _known(rows.iloc[0][[n for n in cells.GROUP if n not in _OUTSIDE]].to_dict())
    axes = (threads, keys, holds)
    return Question(
        name=cells.describe(head) or "unnamed workload",
        key=head,
        threads=threads,
        keys=keys,
        holds=holds,
        spots=spots,
        advice=[_advice(one, axes, spots, by_place) for one in _covered(spots, by_place)],
        competitors=list(dict.fromkeys(rows["label"])),
    )


def _one_group_a_place(rows: pd.DataFrame) -> pd.DataFrame:
    """Groups that differ by what was sampled only: the one with most primitives stands for all."""
    sizes = rows.groupby("group")["label"].transform("size")
    best = rows.assign(size=sizes).sort_values("size", ascending=False, kind="stable")
    chosen = best.drop_duplicates(AXES)["group"]
    return rows[rows["group"].isin(chosen)]


def _spot(own: pd.DataFrame) -> Spot:
    ranked = own.sort_values("ratio", ascending=False).to_dict("records")
    first = next(one for one in ranked if one["standing"] == summary.FASTEST)
    others = [one for one in ranked if one is not first]
    second = max((one["ratio"] for one in others if one["ratio"] > 0), default=0.0)
    return Spot(
        first=str(first["label"]),
        level=[one["label"] for one in others if one["standing"] == summary.LEVEL],
        lead=float(1 / second) if second > 0 else None,
        settled=bool(first["settled"]),
        unfair=str(first["unfair"]),
    )


def _covered(spots: dict[Place, Spot], rows: dict[Place, pd.DataFrame]) -> list[Region]:
    fields = {
        place: Field(spot.first, frozenset(_near(spot, rows[place])))
        for place, spot in spots.items()
    }
    if len(fields) <= MOST_FIELDS:
        return regions.cover(fields)
    found = []
    for hold in sorted({place[2] for place in fields}):
        found += regions.cover({place: f for place, f in fields.items() if place[2] == hold})
    return found


def _near(spot: Spot, rows: pd.DataFrame) -> list[str]:
    near = rows[(rows["ratio"] >= _NEAR) & rows["label"].isin(spot.level)]
    return list(near["label"])


def _advice(
    region: Region,
    axes: tuple[Sequence[float], Sequence[float], Sequence[str]],
    spots: dict[Place, Spot],
    rows: dict[Place, pd.DataFrame],
) -> Advice:
    own = [spots[place] for place in region.places]
    proven = sum(spot.first == region.primitive and spot.settled for spot in own)
    confidence = "proven" if proven == len(own) else "partly proven" if proven else "not told apart"
    here = pd.concat([rows[place] for place in region.places])
    mine = here[here["label"] == region.primitive]
    return Advice(
        primitive=region.primitive,
        where=_where(region, axes),
        confidence=confidence,
        because=f"{_because(region.primitive, own, proven)}{_against(here, region.primitive)}.",
        price=_price(mine),
    )


def _where(region: Region, axes: tuple[Sequence[float], Sequence[float], Sequence[str]]) -> str:
    threads, keys, holds = axes
    (t0, t1), (k0, k1), (h0, h1) = region.box
    many = (threads[t1] != 1, keys[k1] != 1)
    return " × ".join(
        [
            regions.span([units.number(t) for t in threads], t0, t1)
            + (" threads" if many[0] else " thread"),
            regions.span([units.number(k) for k in keys], k0, k1)
            + (" keys" if many[1] else " key"),
            _span_of_holds(holds, h0, h1),
        ]
    )


def _span_of_holds(holds: Sequence[str], first: int, last: int) -> str:
    short = [hold.removeprefix("hold ") for hold in holds]
    return regions.span([*short[:first], holds[first], *short[first + 1 :]], first, last)


def _because(primitive: str, spots: list[Spot], proven: int) -> str:
    whole = len(spots)
    rivals: dict[str, int] = {}
    for spot in spots:
        if spot.first == primitive and spot.settled:
            continue
        for label in {spot.first, *spot.level} - {primitive}:
            rivals[label] = rivals.get(label, 0) + 1
    names = sorted(rivals, key=lambda label: (-rivals[label], label))
    named = ", ".join(figure.printable(name, 60) for name in names[:3]) + (
        f" and {len(names) - 3} more" if len(names) > 3 else ""
    )
    if proven == whole:
        leads = [spot.lead for spot in spots if spot.lead is not None]
        ahead = f", {_range(leads)} the second" if leads else ""
        return f"Fastest{f' in all {whole} cells' if whole > 1 else ''}{ahead}"
    if not proven:
        cells_ = f" in any of {whole} cells" if whole > 1 else ""
        return f"Fast, but not told apart from {named}{cells_}"
    return f"Fastest in {proven} of {whole} cells; in the others not told apart from {named}"


def _against(rows: pd.DataFrame, primitive: str) -> str:
    """How far ahead of what people would take, where that was measured too."""
    usual = next(
        (
            label
            for name in baselines.USUAL_BASELINES
            for label in baselines.of_that_name(name, list(dict.fromkeys(rows["label"])))
        ),
        None,
    )
    if usual is None or usual == primitive:
        return ""
    # One of which no row is valid has no ratio anywhere, and so no column.
    pivot = rows.pivot_table(index="group", columns="label", values="ratio")
    ratios = pivot.reindex(columns=[primitive, usual])
    found = (ratios[primitive] / ratios[usual]).dropna()
    return f"; {_range(list(found))} {figure.printable(usual, 60)}" if len(found) else ""


def _range(ratios: Sequence[float]) -> str:
    low, high = units.digits(min(ratios), 2), units.digits(max(ratios), 2)
    return f"{low}×" if low == high else f"{low} to {high}×"


def _price(rows: pd.DataFrame) -> str:
    unfair = rows[rows["unfair"] != ""]
    if unfair.empty:
        return ""
    told = unfair["unfair"].iloc[0].removeprefix("unfair: ")
    where = f" in {len(unfair)} of {len(rows)} cells" if len(rows) > 1 else ""
    return f"{unfairness.MARK} unfair{where}: {told}"
