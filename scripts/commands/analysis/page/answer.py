# SPDX-License-Identifier: Apache-2.0
"""The questions that a run can answer, and its answers: which primitive for which threads, keys
and hold, with the confidence behind it.

A question is all that was measured of one workload under conditions that differ by threads, keys,
load and hold only. Nothing is answered where fewer than two primitives competed.

Of primitives that tie, the simplest is recommended: advice.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis import advice, baselines, cells, figure, locking_cost, summary, unfairness, units
from analysis import verdict
from analysis.loader import SATURATED
from analysis.page import regions
from analysis.page.regions import Field, Point, Region

AXES = ["threads", "keys", "load", "rate_per_s", "hold"]
Axes = list[list[Any]]  # the values along each of AXES
_HOLD = ["hold_kind", "hold_ns", "hold_lines"]
# The columns that questions read; they divide the rows often, which copies them.
_ASKED = [*cells.GROUP, "load", "group", "label", "lock_bytes"]
_ASKED += ["ratio", "standing", "settled", "unfair"]
_OUTSIDE = cells.apart("threads", "keys", "rate_per_s").union(_HOLD)
# Not significantly different, but slower than this share of the fastest: no answer all the same.
_NEAR = 0.9
# With more fields than this each hold has its own answers: there would be too many boxes to try.
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

    @property
    def words(self) -> str:
        if self.settled:
            return f"{units.digits(self.lead, 3)}×" if self.lead is not None else "alone"
        words = f"≈ {figure.short(self.level[0], 18)}" if self.level else "alone"
        return words + (f" +{len(self.level) - 1}" if len(self.level) > 1 else "")


@dataclass(frozen=True)
class Advice:
    """One primitive for one region."""

    primitive: str
    where: str
    confidence: str  # "significant", "significant in 2 of 8 cells", "tie" or "undecided"
    because: str
    price: str  # unfairness, where its throughput was bought with it
    groups: list[int]  # of the table, that all this holds for


@dataclass(frozen=True)
class Question:
    name: str
    spots: dict[Point, Spot]
    advice: list[Advice]


def questions(table: pd.DataFrame, judged: verdict.Table) -> list[Question]:
    """All of them, those with most fields first; `table` is summary.of() a run."""
    # The machine's limits are no locks to choose from.
    asked = table["workload"] != "limit"
    rows = table.loc[(table["standing"] != "") & asked, _ASKED].copy()
    if rows.empty:
        return []
    rows["hold"] = _holds(rows)
    found = []
    for loaded in (True, False):
        own_rows = rows[rows["load"].notna() == loaded]
        outside = _OUTSIDE | cells.following("load") if loaded else _OUTSIDE
        names = [name for name in cells.GROUP if name not in outside]
        own_rows = own_rows.assign(**own_rows[["load", "rate_per_s"]].fillna(0.0))
        by_question = own_rows.groupby(cells.codes(own_rows, names), sort=True)
        found += [_question(own, judged, names) for _, own in by_question]
    answered = [one for one in found if one is not None]
    return sorted(answered, key=lambda one: -len(one.spots))


def lonely(table: pd.DataFrame) -> list[str]:
    """Primitives that have no competitor in any cell."""
    rows = table[(table["standing"] != "") & (table["mode"] != "micro")]
    crowds = rows.groupby("group")["label"].transform("nunique") > 1
    together = set(rows[crowds]["label"])
    return [label for label in dict.fromkeys(rows["label"]) if label not in together]


def _holds(rows: pd.DataFrame) -> pd.Series:
    """Holds as one axis: what is done inside, in words."""
    codes = pd.Series(cells.codes(rows, _HOLD), index=rows.index)
    heads = rows.loc[~codes.duplicated(), _HOLD].to_dict("records")
    words = [cells.describe(cells.key_of(one, _HOLD), _HOLD) or "no hold" for one in heads]
    return codes.map(dict(enumerate(words)))


def _question(rows: pd.DataFrame, judged: verdict.Table, names: list[str]) -> Question | None:
    rows = _one_group_a_point(rows)
    crowd = rows.groupby("group")["label"].transform("size") > 1
    rows = rows[crowd]
    if rows.empty:
        return None
    order = rows.assign(kind=rows["hold_kind"].map({"none": 0, "touch": 1, "spin": 2}).fillna(3))
    order = order.sort_values(["kind", "hold_lines", "hold_ns"], na_position="first")
    axes: Axes = [sorted(rows[axis].dropna().unique()) for axis in AXES[:-1]]
    axes.append(list(dict.fromkeys(order["hold"])))
    spots: dict[Point, Spot] = {}
    by_point: dict[Point, pd.DataFrame] = {}
    for _, own in rows.dropna(subset=["threads", "keys"]).groupby("group", sort=False):
        head = own.iloc[0]
        point = tuple(axis.index(head[name]) for name, axis in zip(AXES, axes))
        spots[point], by_point[point] = _spot(own), own
    if not spots:
        return None
    head = cells.key_of(rows.iloc[0], names)
    loop = " · saturated loop" if axes[AXES.index("load")] == [SATURATED] else ""
    return Question(
        name=(cells.describe(head) or "unnamed workload") + loop,
        spots=spots,
        advice=[_advice(one, axes, spots, by_point, judged) for one in _covered(spots, by_point)],
    )


def _one_group_a_point(rows: pd.DataFrame) -> pd.DataFrame:
    """The group with most primitives represents all groups that differ only by the sampling."""
    sizes = rows.groupby("group")["label"].transform("size")
    best = rows.assign(size=sizes).sort_values("size", ascending=False, kind="stable")
    chosen = best.drop_duplicates(AXES)["group"]
    return rows[rows["group"].isin(chosen)]


def _spot(own: pd.DataFrame) -> Spot:
    ranked = own.sort_values("ratio", ascending=False).set_index("label")
    standings = dict(zip(ranked.index, zip(ranked["ratio"], ranked["standing"], ranked["settled"])))
    return spot(int(own["group"].iloc[0]), standings, ranked["unfair"].to_dict())


def spot(group: int, standings: Mapping[str, summary.Standing], unfair: Mapping[str, str]) -> Spot:
    """`standings` and `unfair`: of the group's primitives."""
    first = next(label for label, one in standings.items() if one[1] == summary.FASTEST)
    others = [one[0] for label, one in standings.items() if label != first and one[0] > 0]
    second = max(others, default=0.0)
    return Spot(
        group=group,
        first=first,
        level=[label for label, one in standings.items() if one[1] == summary.LEVEL],
        lead=float(1 / second) if second > 0 else None,
        settled=bool(standings[first][2]),
        unfair=unfair.get(first, ""),
    )


def _covered(spots: dict[Point, Spot], rows: dict[Point, pd.DataFrame]) -> list[Region]:
    fields = {
        point: Field(spot.first, frozenset(_near(spot, rows[point])))
        for point, spot in spots.items()
    }
    if len(fields) <= MOST_FIELDS:
        return regions.cover(fields)
    found = []
    for last in sorted({point[2:] for point in fields}):
        found += regions.cover({point: f for point, f in fields.items() if point[2:] == last})
    return found


def _near(spot: Spot, rows: pd.DataFrame) -> list[str]:
    level = set(spot.level)
    return [
        label
        for label, ratio in zip(rows["label"], rows["ratio"])
        if ratio >= _NEAR and label in level
    ]


def _advice(
    region: Region,
    axes: Axes,
    spots: dict[Point, Spot],
    rows: dict[Point, pd.DataFrame],
    judged: verdict.Table,
) -> Advice:
    own = [spots[point] for point in region.points]
    certain = sum(spot.first == region.primitive and spot.settled for spot in own)
    here = pd.concat([rows[point] for point in region.points])
    tied = _tied(region.primitive, own, here, judged) if not certain else []
    groups = [spot.group for spot in own]
    # The one rule for ties, whoever asks.
    chosen = advice.simplest(judged, groups, tied) or region.primitive
    mine = here[here["label"] == chosen]
    words = _WORDS[judged.groups[own[0].group].metric == "wait_p99_ns"]
    because = _tie(tied, chosen, here) if tied else _because(region.primitive, own, judged, words)
    return Advice(
        primitive=chosen,
        where=_where(region, axes),
        confidence="tie" if tied else _confidence(certain, len(own)),
        because=f"{because}{_against(here, chosen, judged, words)}.",
        price=_price(mine),
        groups=groups,
    )


def _tied(
    primitive: str, spots: list[Spot], rows: pd.DataFrame, judged: verdict.Table
) -> list[str]:
    """Those that in each of these cells are not significantly different from the fastest, nor far
    from it; the primitive itself first. Empty if there is no other."""
    level = set.intersection(*({spot.first, *spot.level} for spot in spots))
    least = rows.groupby("label")["ratio"].min()
    rivals = set.intersection(*(_rivals(primitive, spot, judged) for spot in spots)) & level
    others = sorted(label for label in rivals if least[label] >= _NEAR)
    return [primitive, *others] if others and least[primitive] >= _NEAR else []


def _tie(tied: list[str], chosen: str, rows: pd.DataFrame) -> str:
    """`keyed or striped (within 4 %); take striped, the simplest, keyed if …`."""
    own = rows[rows["label"].isin(tied)]
    names = [figure.printable(label, 60) for label in tied]
    listed = f"{', '.join(names[:-1])} or {names[-1]}"
    apart = max(1.0, 100 * (1 - float(own["ratio"].min())))
    said = f"{listed} (within {apart:.0f} %); take {figure.printable(chosen, 60)}, the simplest"
    size = own.groupby("label")["lock_bytes"].median()
    if size.notna().any() and size.min() < size.get(chosen, 0) / 2:
        said += f", {figure.printable(str(size.idxmin()), 60)} if memory matters"
    by_key = [label for label in tied if label.startswith("keyed")]
    if by_key and chosen not in by_key and (rows["keys"] > 1).any():
        said += f", {figure.printable(by_key[0], 60)} if two locks are nested"
    return said


def _where(region: Region, axes: Axes) -> str:
    threads, keys, loads, rates, holds = axes
    (t0, t1), (k0, k1), (l0, l1), (r0, r1), (h0, h1) = region.box
    many = (threads[t1] != 1, keys[k1] != 1)
    parts = [
        regions.span([units.number(t) for t in threads], t0, t1)
        + (" threads" if many[0] else " thread"),
        regions.span([units.number(k) for k in keys], k0, k1) + (" keys" if many[1] else " key"),
        _span_of_holds(holds, h0, h1),
    ]
    if len(loads) > 1:
        parts.append(f"load {regions.span(list(map(locking_cost.load_words, loads)), l0, l1)}")
    if rates[r1] > 0:
        parts.append(f"{regions.span(list(map(units.number, rates)), r0, r1)} arrivals/s")
    return " × ".join(parts)


def _span_of_holds(holds: Sequence[str], first: int, last: int) -> str:
    short = [hold.removeprefix("hold ") for hold in holds]
    return regions.span([*short[:first], holds[first], *short[first + 1 :]], first, last)


def _confidence(certain: int, whole: int) -> str:
    if certain == whole:
        return "significant"
    return f"significant in {certain} of {whole} cells" if certain else "undecided"


@dataclass(frozen=True)
class _Words:
    best: str
    of: str  # after a ratio, before another primitive


# The words for throughput; and for open loops, which are compared by their p99 wait.
_WORDS = (
    _Words("Fastest", "the speed of"),
    _Words("Shortest p99 wait", "as short a p99 wait as that of"),
)


def _because(primitive: str, spots: list[Spot], judged: verdict.Table, words: _Words) -> str:
    """Says what holds in every one of the cells, or in how many it holds."""
    whole = len(spots)
    certain = [spot for spot in spots if spot.first == primitive and spot.settled]
    if len(certain) == whole:
        leads = [spot.lead for spot in spots if spot.lead is not None]
        ahead = f", {_range(leads)} {words.of} the second" if leads else ""
        return f"{words.best}{f' in all {whole} cells' if whole > 1 else ''}{ahead}"
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
        return f"{words.best} in {len(certain)} of {whole} cells; {others} {same}"
    where = f" in each of {whole} cells" if whole > 1 else ""
    return f"{words.best} by the medians or near it, but {same}{where}: more blocks may decide"


def _rivals(primitive: str, spot: Spot, judged: verdict.Table) -> set[str]:
    """Others among the fastest, from which it is not significantly different. That two are not
    significantly different from a third says nothing of these two."""
    found = {
        label: judged.between(spot.group, primitive, label)
        for label in {spot.first, *spot.level} - {primitive}
    }
    return {label for label, one in found.items() if one is None or not one.significant}


def _against(rows: pd.DataFrame, primitive: str, judged: verdict.Table, words: _Words) -> str:
    """How it compares with what people would take, where that was measured too."""
    labels = list(dict.fromkeys(rows["label"]))
    usual = baselines.usual(labels)
    if usual is None or usual == primitive:
        return ""
    groups = rows["group"].unique()
    found = [judged.between(int(group), primitive, usual) for group in groups]
    known = [one for one in found if one is not None]
    if not known:
        return ""
    of = f" of {len(known)} cells"
    counts = [f"{word} in {n}{of}" for word, n in verdict.count(known).items()]
    outcome = ", ".join(counts) if len(known) > 1 else known[0].verdict
    ratios = [one.ratio for one in known]
    return f"; {_range(ratios)} {words.of} {figure.printable(usual, 60)} ({outcome})"


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
