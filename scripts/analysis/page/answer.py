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

from analysis import baselines, cells, figure, unfairness, units, verdict
from analysis.page import regions, summary
from analysis.page.regions import Field, Place, Region

AXES = ["threads", "keys", "hold"]
_HOLD = ["hold_kind", "hold_ns", "hold_lines"]
_OUTSIDE = [*AXES, *_HOLD, "operations_planned", "sample_every"]
# Not significantly different, but slower than this share of the fastest: no answer all the same.
_NEAR = 0.9
# Of more fields than this each hold has its own answers: there would be too many boxes to try.
MOST_FIELDS = 150


@dataclass(frozen=True)
class Spot:
    """One field of the map."""

    group: int  # of the table of comparisons
    first: str
    level: list[str]  # others that are not significantly different from it
    lead: float | None  # over the second
    settled: bool
    unfair: str


@dataclass(frozen=True)
class Advice:
    """One primitive for one region."""

    primitive: str
    where: str
    confidence: str  # "significant", "significant in 2 of 8 cells" or "not significant"
    because: str
    price: str  # unfairness, where its throughput was bought with it
    groups: list[int]  # of the table, that all this holds for


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


def questions(table: pd.DataFrame, judged: verdict.Table) -> list[Question]:
    """All of them, those with most fields first; `table` is summary.of() a run."""
    # The machine's limits are no locks to choose from; an open loop is answered by its saturation.
    asked = table["mode"].isin(["timed", "fixed", "micro"]) & (table["workload"] != "limit")
    rows = table[(table["standing"] != "") & asked].copy()
    if rows.empty:
        return []
    rows["hold"] = _holds(rows)
    rows["question"] = cells.codes(rows, [n for n in cells.GROUP if n not in _OUTSIDE])
    found = [_question(own, judged) for _, own in rows.groupby("question", sort=True)]
    answered = [one for one in found if one is not None]
    return sorted(answered, key=lambda one: -len(one.spots))


def lonely(table: pd.DataFrame) -> list[str]:
    """Primitives that have no competitor in any cell."""
    rows = table[(table["standing"] != "") & (~table["mode"].isin(["open", "micro"]))]
    crowds = rows.groupby("group")["label"].transform("nunique") > 1
    together = set(rows[crowds]["label"])
    return [label for label in dict.fromkeys(rows["label"]) if label not in together]


def _holds(rows: pd.DataFrame) -> pd.Series:
    """Holds as one axis: what is done inside, in words."""
    words = {
        values: cells.describe(dict(zip(_HOLD, values)), _HOLD)
        for values in rows[_HOLD].drop_duplicates().itertuples(index=False, name=None)
    }
    keys = rows[_HOLD].itertuples(index=False, name=None)
    return pd.Series([_hold_words(words, key) for key in keys], index=rows.index)


def _hold_words(words: dict[tuple, str], key: tuple) -> str:
    # NaN is not itself: a key that holds one is looked up by its words.
    return words.get(key) or cells.describe(_known(dict(zip(_HOLD, key))), _HOLD) or "no hold"


def _known(key: dict[str, Any]) -> dict[str, Any]:
    return {name: None if value != value else value for name, value in key.items()}


def _question(rows: pd.DataFrame, judged: verdict.Table) -> Question | None:
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
        advice=[_advice(one, axes, spots, by_place, judged) for one in _covered(spots, by_place)],
        competitors=list(dict.fromkeys(rows["label"])),
    )


def _one_group_a_place(rows: pd.DataFrame) -> pd.DataFrame:
    """Of groups that differ only by the sampling, the group with most primitives represents all."""
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
        group=int(first["group"]),
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
    judged: verdict.Table,
) -> Advice:
    own = [spots[place] for place in region.places]
    certain = sum(spot.first == region.primitive and spot.settled for spot in own)
    here = pd.concat([rows[place] for place in region.places])
    mine = here[here["label"] == region.primitive]
    usual = _against(here, region.primitive, judged)
    return Advice(
        primitive=region.primitive,
        where=_where(region, axes),
        confidence=_confidence(certain, len(own)),
        because=f"{_because(region.primitive, own, judged)}{usual}.",
        price=_price(mine),
        groups=[spot.group for spot in own],
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


def _confidence(certain: int, whole: int) -> str:
    if certain == whole:
        return "significant"
    return f"significant in {certain} of {whole} cells" if certain else "not significant"


def _because(primitive: str, spots: list[Spot], judged: verdict.Table) -> str:
    """What holds in every one of the cells, or in how many it holds."""
    whole = len(spots)
    certain = [spot for spot in spots if spot.first == primitive and spot.settled]
    if len(certain) == whole:
        leads = [spot.lead for spot in spots if spot.lead is not None]
        ahead = f", {_range(leads)} the second" if leads else ""
        return f"Fastest{f' in all {whole} cells' if whole > 1 else ''}{ahead}"
    rivals = [_rivals(primitive, spot, judged) for spot in spots if spot not in certain]
    # Only names that hold in all these cells: a name from one cell is wrong in another.
    names = sorted(set.intersection(*rivals))
    named = ", ".join(figure.printable(name, 60) for name in names[:3])
    if not named:
        named = "at least one other primitive"
    same = f"not significantly different from {named}"
    if certain:
        left = whole - len(certain)
        others = "in the other one" if left == 1 else f"in each of the other {left}"
        return f"Fastest in {len(certain)} of {whole} cells; {others} {same}"
    where = f" in each of {whole} cells" if whole > 1 else ""
    return f"Among the fastest, but {same}{where}"


def _rivals(primitive: str, spot: Spot, judged: verdict.Table) -> set[str]:
    """Others among the fastest, from which it is not significantly different. That two are not
    significantly different from a third says nothing of these two."""
    found = {
        label: judged.between(spot.group, primitive, label)
        for label in {spot.first, *spot.level} - {primitive}
    }
    return {label for label, one in found.items() if one is None or not one.significant}


def _against(rows: pd.DataFrame, primitive: str, judged: verdict.Table) -> str:
    """How it compares with what people would take, where that was measured too."""
    labels = list(dict.fromkeys(rows["label"]))
    usual = baselines.usual(labels)
    if usual is None or usual == primitive:
        return ""
    places = rows["group"].unique()
    found = [judged.between(int(place), primitive, usual) for place in places]
    known = [one for one in found if one is not None]
    if not known:
        return ""
    counts = {word: sum(one.verdict == word for one in known) for word in _VERDICTS}
    if len(known) == 1:
        outcome = known[0].verdict
    else:
        outcome = ", ".join(
            f"{word} in {n} of {len(known)} cells" for word, n in counts.items() if n
        )
    ratios = [one.ratio for one in known]
    return f"; {_range(ratios)} the speed of {figure.printable(usual, 60)} ({outcome})"


_VERDICTS = (verdict.FASTER, verdict.SLOWER, verdict.SAME, verdict.INCONCLUSIVE)


def _range(ratios: Sequence[float]) -> str:
    low, high = units.ratio(min(ratios), 2), units.ratio(max(ratios), 2)
    return low if low == high else f"{low} to {high}"


def _price(rows: pd.DataFrame) -> str:
    unfair = rows[rows["unfair"] != ""]
    if unfair.empty:
        return ""
    words = unfair["unfair"].iloc[0].removeprefix("unfair: ")
    where = f" in {len(unfair)} of {len(rows)} cells" if len(rows) > 1 else ""
    return f"{unfairness.MARK} unfair{where}: {words}"
