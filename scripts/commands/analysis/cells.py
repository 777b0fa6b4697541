# SPDX-License-Identifier: Apache-2.0
"""Which rows are measurements of the same cell, and how to describe a cell in words.

A group is a cell without its primitive: primitives are compared within a group. The facet of a
figure is a group without the axis of the figure. The functions here are pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis import starvation, units
from analysis.text import cut

# All fields that a measurement depends on except the primitive, in the order of descriptions.
GROUP = (
    "workload scenario mode threads keys key_type key_distribution hold_kind hold_ns hold_lines"
    " think_kind think_ns think_lines load_share write_share pinning timeout_ns rate_per_s arrivals"
    " operations_planned sample_every"
).split()

# The columns that an axis determines: they vary along the axis and divide no facet.
_FOLLOWING = {"load": ("load_share", "think_kind", "think_ns", "think_lines")}

# The counts of what became of holds that ended before their holders; and all that is counted in
# rows that are not valid, too.
LATE = ("expired_holds", "refused_writes")
FAILURES = ("lost_updates", "violations", "timeouts", *LATE)
# Without a hold, an operation still takes about as long as the loop around it.
LOOP_NS = 50.0
# The floor: no lock at all. It is measured with the others and is never a competitor.
FLOOR = "none"


@dataclass(frozen=True)
class Group:
    """Rows that differ only by primitive, by block and, in a facet, along the axis."""

    key: dict[str, Any]
    rows: pd.DataFrame

    @property
    def labels(self) -> list[str]:
        """Its primitives, in the order of the plan if the rows contain it."""
        return list(dict.fromkeys(self.rows["label"]))

    def alike(self, trials: pd.DataFrame) -> pd.DataFrame:
        """Those rows that match the key of this group."""
        if trials.empty:
            return trials
        same = pd.Series(True, index=trials.index)
        for name, value in self.key.items():
            same &= trials[name].isna() if value is None else trials[name] == value
        return trials[same]


def only(rows: pd.DataFrame, wanted: pd.Series) -> pd.DataFrame:
    """The wanted rows. If these are all, it is `rows` itself: a copy takes long, and nobody changes
    rows in place."""
    return rows if wanted.all() else rows[wanted]


def driven(trials: pd.DataFrame) -> pd.DataFrame:
    """Rows whose rate depends on the lock: neither an open loop nor micro benchmarks."""
    return only(trials, _is_driven(trials))


def _is_driven(trials: pd.DataFrame) -> pd.Series:
    return trials["mode"].isin(["timed", "fixed"])


def at_full_speed(trials: pd.DataFrame) -> pd.DataFrame:
    """Driven rows whose rate no load limits: their throughput says something of the lock."""
    return only(trials, _is_driven(trials) & trials["load_share"].isna())


def percentiles_tell(rows: pd.DataFrame) -> pd.Series:
    """True where the percentiles of a row's waits compare locks. Not in a saturated loop of several
    threads: a lock that lets one of them run on has many short waits and few long ones."""
    return (rows["mode"] != "timed") | (rows["think_kind"] != "none") | (rows["threads"] == 1)


def idlest_share(rows: pd.DataFrame) -> pd.Series:
    """The work of the slowest thread, as a part of an equal share."""
    return rows["thread_operations_min"] / (rows["operations"] / rows["threads"])


def processor_ns(rows: pd.DataFrame) -> pd.Series:
    """Processor time of the whole process for each operation."""
    spent = (rows["cpu_user_s"] + rows["cpu_system_s"]) * 1e9
    return spent / rows["operations"].where(rows["operations"] > 0)


def in_the_saturated_loop(rows: pd.DataFrame) -> str:
    """The words after `Throughput` if threads request the lock again at once in all rows."""
    timed = rows[rows["mode"] == "timed"]
    return " in the saturated loop" if len(timed) and (timed["think_kind"] == "none").all() else ""


def groups(trials: pd.DataFrame, without: Iterable[str] = ()) -> list[Group]:
    """Divides rows into groups, in the order of their first trials."""
    dropped = set(without)
    columns = [name for name in GROUP if name not in dropped]
    if trials.empty:
        return []
    code = codes(trials, columns)
    keys = keys_of(trials, code, columns)
    found = [Group(keys[at], rows) for at, rows in trials.groupby(code, sort=False)]
    return sorted(found, key=lambda group: order(group.key))


def keys_of(rows: pd.DataFrame, code: np.ndarray, names: Sequence[str]) -> list[dict[str, Any]]:
    """The key of each code, from its first row."""
    _, first = np.unique(code, return_index=True)
    return [key_of(head, names) for head in rows[[*names]].iloc[first].to_dict("records")]


def codes(rows: pd.DataFrame, names: Sequence[str]) -> np.ndarray:
    """A number for each combination of values, in the order of their first rows; what is missing
    is a value of its own."""
    code = np.zeros(len(rows), dtype=np.int64)
    for name in names:
        if _is_constant(rows[name].to_numpy()):  # most are, and divide nothing
            continue
        values, found = pd.factorize(rows[name])
        code, _ = pd.factorize(code * (len(found) + 1) + values + 1)
    return code


def _is_constant(values: np.ndarray) -> bool:
    """True if all values are equal, or all are missing."""
    first = values[:1]
    return bool((values == first).all() or ((values != values) & (first != first)).all())


def key_of(row: Mapping[str, Any], names: Iterable[str] = GROUP) -> dict[str, Any]:
    """These fields of a row; what is missing is None."""
    values = {name: row[name] for name in names}
    return {name: None if value != value else value for name, value in values.items()}


def by_group(found: Iterable[Any]) -> dict[Any, list[Any]]:
    """Objects with a `group`, by it, in the order of the first ones."""
    groups: dict[Any, list[Any]] = {}
    for one in found:
        groups.setdefault(one.group, []).append(one)
    return groups


def evenly(found: Sequence, most: int) -> list:
    """So many, from the first to the last."""
    if len(found) <= most:
        return list(found)
    last = len(found) - 1
    return [found[round(i * last / max(1, most - 1))] for i in range(most)]


def order(key: dict[str, Any]) -> list[tuple[int, float, str]]:
    """Sorts numbers by value, words alphabetically, and missing values first."""
    return [
        (0, 0.0, "")
        if value is None
        else (1, 0.0, value)
        if isinstance(value, str)
        else (1, float(value), "")
        for value in key.values()
    ]


def following(axis: str) -> set[str]:
    """The axis, and the fields that it determines."""
    return {axis, *_FOLLOWING.get(axis, ())}


def apart(*axes: str) -> set[str]:
    """The fields that divide no facet along these axes."""
    return {"operations_planned", "sample_every"}.union(*map(following, axes))


def axis_facets(trials: pd.DataFrame, axis: str) -> list[Group]:
    """Groups of rows along one axis: the primitives that were measured at two or more values of
    the axis, and the floor.

    The planned number of operations may follow the axis (each thread count has its own number). It
    divides a facet only if it does not follow the axis.
    """
    found: list[Group] = []
    for group in groups(_perhaps_swept(trials, axis), without=apart(axis)):
        whole = _has_one_number_per_value(group.rows, axis)
        parts = [group] if whole else groups(group.rows, without=following(axis))
        found.extend(_swept(part, axis) for part in parts)
    return [group for group in found if not group.rows.empty]


def _perhaps_swept(trials: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Without the rows of facets in which no primitive has two values of the axis: of most axes, a
    run has one value, and thousands of facets."""
    if trials.empty:
        return trials
    facet = codes(trials, [name for name in GROUP if name not in apart(axis)])
    own = codes(trials[["label"]].assign(facet=facet), ["facet", "label"])
    swept = trials[axis].groupby(own).transform("nunique") > 1
    return only(trials, swept.groupby(facet).transform("any"))


def _has_one_number_per_value(rows: pd.DataFrame, axis: str) -> bool:
    """True if the planned number of operations is one for each value and primitive."""
    if len(rows["operations_planned"].unique()) <= 1:  # usually, and found much sooner
        return True
    per_value = rows.groupby([axis, "label"])["operations_planned"].nunique(dropna=False)
    return bool((per_value <= 1).all())


def _swept(group: Group, axis: str) -> Group:
    pairs = set(zip(group.rows["label"], group.rows[axis]))
    labels = [label for label, value in pairs if value == value]
    kept = {label for label in labels if labels.count(label) > 1}
    wanted = group.rows["label"].isin([*kept, FLOOR] if kept else [])
    return Group(group.key, only(group.rows, wanted))


def most_contended(trials: pd.DataFrame) -> list[Group]:
    """One group for each workload and mode: the one with the most contention.

    That is the group with the most threads on the fewest keys of those in which several primitives
    compete; with loads below saturation, at the highest of them. Of open loops it is the one with
    the highest rate.
    """
    code = codes(trials, GROUP)
    keys = keys_of(trials, code, GROUP)
    competing = trials["label"].mask(trials["label"] == FLOOR).groupby(code).nunique()
    contention = [_contention(key, count) for key, count in zip(keys, competing)]
    best: dict[tuple[Any, ...], int] = {}
    for at in sorted(range(len(keys)), key=lambda at: order(keys[at])):
        kind = (keys[at]["workload"], keys[at]["scenario"], keys[at]["mode"])
        if kind not in best or contention[at] > contention[best[kind]]:
            best[kind] = at
    return [Group(keys[at], trials[code == at]) for at in best.values()]


def most_labels(trials: pd.DataFrame) -> list[Group]:
    """The one group with the most primitives, of several the one with the most keys; no group
    without rows."""
    code = codes(trials, GROUP)
    keys = keys_of(trials, code, GROUP)
    labels = trials["label"].groupby(code).nunique()
    ranked = sorted(
        range(len(keys)), key=lambda at: (-labels[at], -(keys[at]["keys"] or 0), order(keys[at]))
    )
    return [Group(keys[at], trials[code == at]) for at in ranked[:1]]


def _contention(
    key: Mapping[str, Any], competing: int
) -> tuple[bool, float, float, float, float, int]:
    threads, keys = key["threads"] or 0, key["keys"] or 0
    return competing > 1, threads, -keys, key["load_share"] or 0, key["rate_per_s"] or 0, competing


def names(found: Sequence[Group]) -> list[str]:
    """The groups as text; no two texts are equal."""
    plain = [describe(group.key) for group in found]
    names = [
        f"{name} · 1 in {units.whole(group.key['sample_every'])} waits timed"
        if plain.count(name) > 1 and group.key.get("sample_every") is not None
        else name
        for name, group in zip(plain, found)
    ]
    return [name if names.count(name) == 1 else f"{name} · {i}" for i, name in enumerate(names)]


def same_and_different(keys: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], list[str]]:
    """The fields that all keys share, and the names of the fields in which they differ."""
    names = [name for name in GROUP if any(name in key for key in keys)]
    varied = [name for name in names if len({str(key.get(name)) for key in keys}) > 1]
    return {name: keys[0].get(name) for name in names if name not in varied}, varied


def describe(key: dict[str, Any], names: Iterable[str] | None = None) -> str:
    """`counter · fixed · 21 threads · 6 keys, assigned · hold 100 ms sleep`; leaves out fields
    that have their default."""
    wanted = set(key if names is None else names)
    # One field alone is in its words: without a value it has none.
    parts = [
        text(key)
        for about, text in _WORDS
        if wanted & about & set(key) and (len(about) > 1 or key[min(about)] not in (None, ""))
    ]
    return " · ".join(filter(None, parts))


def told_apart(key: dict[str, Any], varied: Sequence[str]) -> str:
    """Describes the part of a facet that is not that of the others: describe(), where `saturated`
    is said of threads that do not think between two operations, if others do."""
    said = describe(key, varied)
    closed = key.get("mode") in (None, "timed") and key.get("think_kind") == "none"
    return " · ".join(
        filter(None, [said, "saturated" if closed and "think_kind" in varied else ""])
    )


def _workload(key: dict[str, Any]) -> str:
    return ":".join(str(key[name]) for name in ("workload", "scenario") if key.get(name))


_MODES = {"fixed": "fixed work", "timed": "", "open": "open loop"}


def _mode(key: dict[str, Any]) -> str:
    planned, mode = key.get("operations_planned"), key.get("mode", "")
    each = f", {units.plural(int(planned), 'operation')} each" if planned else ""
    return _MODES.get(mode, mode) + (each if mode == "fixed" else "")


def _rate(key: dict[str, Any]) -> str:
    rate, arrivals = key.get("rate_per_s"), key.get("arrivals")
    rate_text = f"{units.number(rate)} arrivals/s" if rate is not None else ""
    if arrivals in (None, "", "poisson"):
        return rate_text
    return f"{rate_text}, {arrivals}" if rate_text else f"{arrivals} arrivals"


def _keys(key: dict[str, Any]) -> str:
    kind, distribution = key.get("key_type"), key.get("key_distribution")
    parts = [
        units.plural(int(key["keys"]), "key") if key.get("keys") is not None else "",
        f"{kind} keys" if kind not in (None, "", "u64") else "",
        cut(str(distribution), 56) if distribution not in (None, "", "uniform") else "",
    ]
    return ", ".join(filter(None, parts))


def _work(key: dict[str, Any], what: str) -> str:
    kind, duration = key.get(f"{what}_kind"), key.get(f"{what}_ns")
    if kind == "touch" and f"{what}_lines" in key:
        return f"{what} {units.plural(int(key[f'{what}_lines'] or 0), 'cache line')}"
    if kind == "none" or duration == 0:
        return f"no {what}" if what == "hold" else ""
    parts = [units.nanoseconds(duration) if duration is not None else "", kind or ""]
    return " ".join([what, *filter(None, parts)]) if any(parts) else ""


def _load_and_think(key: dict[str, Any]) -> str:
    """The load, which says the think time; else the think time."""
    share = key.get("load_share")
    if share is None:
        return _work(key, "think")
    slept = ", threads sleep" if key.get("think_kind") == "sleep:exp" else ""
    return f"load {units.percent(share)}{slept}"


def _timeout(limit_ns: float) -> str:
    return f"timeout {units.nanoseconds(limit_ns)}" if limit_ns else ""


_WORDS: tuple[tuple[set[str], Callable[[dict[str, Any]], str]], ...] = (
    ({"workload", "scenario"}, _workload),
    ({"mode", "operations_planned"}, _mode),
    ({"rate_per_s", "arrivals"}, _rate),
    ({"threads"}, lambda key: units.plural(int(key["threads"]), "thread")),
    ({"keys", "key_type", "key_distribution"}, _keys),
    ({"hold_kind", "hold_ns", "hold_lines"}, lambda key: _work(key, "hold")),
    ({"think_kind", "think_ns", "think_lines", "load_share"}, _load_and_think),
    ({"write_share"}, lambda key: f"{100 * key['write_share']:.12g} % writes"),
    ({"pinning"}, lambda key: f"pinned {key['pinning']}" if key["pinning"] != "none" else ""),
    ({"timeout_ns"}, lambda key: _timeout(key["timeout_ns"])),
)


def reason(row: Any) -> str:
    """Why a row is not valid, in a few words."""
    if row["outcome"] == starvation.OUTCOME:
        return starvation.words(pd.DataFrame([row]))
    if row["reason"]:
        return str(row["reason"])
    if row["disturbance"]:
        return f"disturbed: {row['disturbance']}"
    lost = row["lost_updates"]
    if lost == lost and lost > 0:
        operations = row["operations"]
        of = f" of {operations:,.0f}" if operations == operations else ""
        return f"lost {lost:,.0f}{of} updates"
    violations = row["violations"]
    if violations == violations and violations > 0:
        return units.plural(int(violations), "violation")
    return str(row["outcome"]) if row["outcome"] != "ok" else "without its proof"


def kind_of(reason: str) -> str:
    """Reasons that differ only by their figures are of one kind."""
    return re.sub(r"[\d.,]+", "0", reason)


def left_out(trials: pd.DataFrame) -> str:
    """`3 rows excluded as invalid: 1 deadlock (keyed_tbb); 2 lost updates (none)`, and before it
    what starved; or empty."""
    wrong = ~trials["valid"] & (trials["disturbance"] == "")
    wrong &= trials["outcome"] != starvation.OUTCOME
    parts = [starvation.named(trials), _left_out_as_wrong(trials[wrong]), disturbed(trials)]
    return "; ".join(part for part in parts if part)


def expired(trials: pd.DataFrame) -> list[str]:
    """`keyed_limited: 12 holds expired, 3 of their writes refused`, for each primitive that has
    any, over all its valid rows."""
    rows = trials[trials["valid"]]
    sums = rows.groupby("label", sort=True)[[*LATE]].sum()
    return [
        f"{label}: {units.plural(int(holds), 'hold')} expired,"
        f" {writes:,.0f} of their writes refused"
        for label, holds, writes in sums.itertuples()
        if holds > 0 or writes > 0
    ]


def late_shares(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """The share of lost updates, and of writes that were refused and made again."""
    refused = rows[LATE[1]].fillna(0)
    return {
        "lost_share": rows["lost_updates"].fillna(0) / rows["operations"],
        "refused_share": refused / (rows["operations"] + refused),
    }


def disturbed(trials: pd.DataFrame) -> str:
    """`3 rows excluded as disturbed, such as: the host took 14 % of the time …`, or empty.
    Of each kind, the first one is shown."""
    rows = trials[~trials["valid"] & (trials["disturbance"] != "")]
    if rows.empty:
        return ""
    kinds: dict[str, list[str]] = {}
    for reason in rows["disturbance"]:
        kinds.setdefault(kind_of(reason), []).append(reason)
    excluded = f"{units.plural(len(rows), 'row')} excluded as disturbed"
    if len(rows) == 1:
        return f"{excluded}: {rows['disturbance'].iloc[0]}"
    if len(kinds) == 1:
        return f"{excluded}, such as: {rows['disturbance'].iloc[0]}"
    return f"{excluded}: " + "; ".join(f"{len(k)} such as: {k[0]}" for k in kinds.values())


def _left_out_as_wrong(invalid: pd.DataFrame) -> str:
    if invalid.empty:
        return ""
    parts = []
    for kind, labels in invalid.groupby(_kinds(invalid), sort=False)["label"]:
        names = list(labels.unique())
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        parts.append(f"{len(labels)} {kind} ({', '.join(names[:3])}{more})")
    return f"{units.plural(len(invalid), 'row')} excluded as invalid: {'; '.join(parts)}"


def _kinds(invalid: pd.DataFrame) -> pd.Series:
    """The kind of failure of each row."""
    kinds = pd.Series("without proof", index=invalid.index)
    kinds = kinds.mask(invalid["violations"] > 0, "violations")
    kinds = kinds.mask(invalid["lost_updates"] > 0, "lost updates")
    return invalid["outcome"].where(~invalid["outcome"].isin(["ok", ""]), kinds)
