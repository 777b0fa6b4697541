# SPDX-License-Identifier: Apache-2.0
"""Which primitive suits one case, from the cells of a run: the answer first, then the evidence.
Pure.

The comparisons are those of verdict.py. If every other primitive is significantly slower than the
one that is fastest by the medians, that one is recommended; else the simplest of those that are not
significantly different from it. A primitive that the case excludes (by memory or fairness) is
listed with its reason and does not compete.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from analysis import (
    baselines,
    cells,
    comparison,
    prediction_error,
    snippets,
    tables,
    unfairness,
    units,
    verdict,
)
from analysis.errors import InconclusiveError
from analysis.loader import InputError, Run
from analysis.text import code, markdown

# The maximum distance between the case and a measured cell, in doublings: for example, four times
# the threads and four times the keys.
FAR = 4.0
_ANOTHER_KIND = 3.0
_LOOP_NS = 50.0  # without a hold, an operation still takes as long as the loop around it


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
    memory_bytes: int | None = None  # maximum for the locks
    fair: bool = False  # no thread may starve
    # Two primitives: the question is from how many threads on the first beats the second.
    when: str = ""
    beats: str = ""
    across_machines: bool = False  # the candidates are locks of services
    descriptions: Mapping[str, str] = field(default_factory=dict)  # of primitives, by name


@dataclass(frozen=True)
class Choice:
    """One primitive of the cells that the answer uses."""

    primitive: str
    place: int  # rank from 1; 0: excluded
    reason: str


@dataclass(frozen=True)
class Advice:
    case: Case
    folder: Path  # of the run
    result: comparison.Result  # only of the cells that the answer uses
    comparisons: list[verdict.Comparison]  # of the whole run
    answer: list[str]  # lines; the first one names the primitive, or says why none is recommended
    primitive: str | None
    significant: bool  # every other one is significantly slower
    accuracy: str  # of predictions; empty for measurements
    choices: list[Choice]
    differences: list[str]  # `16 threads, asked 32`; empty: the cell is exactly the case
    far: bool  # the distance exceeds the maximum

    @property
    def answered(self) -> bool:
        return self.primitive is not None and not self.far


def of_run(run: Run, case: Case) -> Advice:
    """Answers from the group that is nearest to the case. InconclusiveError if no row is valid,
    InputError if no group has two primitives."""
    table = verdict.of_run(run)
    places = [place for place, group in enumerate(table.groups) if _offers_a_choice(group)]
    if not places and run.valid.empty:
        raise InconclusiveError(
            f"0 of {len(run.trials)} rows are valid (minimum 1);"
            f" the column `reason` of {run.folder / 'trials.csv'} says why"
        )
    if not places:
        raise InputError(f"{run.folder}: has no cell with two primitives to choose from")
    distances = {place: distance(table.groups[place].key, case) for place in places}
    place = min(places, key=lambda one: distances[one][0])
    doublings, differences = distances[place]
    far = doublings > FAR
    group = table.groups[place]
    out = {label: why for label, rows in _by_label(group) if (why := _ruled_out(rows, group, case))}
    ranked = [label for label in group.competitors if label not in out]
    choices = [
        Choice(label, number, _reason(run, table, place, ranked, label, case))
        for number, label in enumerate(ranked, 1)
    ] + [Choice(label, 0, why) for label, why in out.items()]
    behind = [label for label in ranked[1:] if _is_behind(run, table, place, label, ranked[0])]
    tied = [label for label in ranked if label not in behind]
    chosen = _simplest(table, place, tied) if tied else None
    accuracy = _accuracy(run, group)
    return Advice(
        case=case,
        folder=run.folder,
        result=_only(comparison.within(run, comparison.Options()), group.name),
        comparisons=table.comparisons,
        answer=_answer(
            table, place, chosen, tied, behind, differences if far else [], run.predicted
        ),
        primitive=chosen,
        significant=bool(ranked) and len(behind) == len(ranked) - 1,
        accuracy=accuracy,
        choices=choices,
        differences=differences,
        far=far,
    )


def _offers_a_choice(group: verdict.Group) -> bool:
    return group.metric != "wait_p99_ns" and len(group.competitors) > 1


def _by_label(group: verdict.Group) -> list[tuple[str, pd.DataFrame]]:
    return [(str(label), rows) for label, rows in group.rows.groupby("label", sort=False)]


def _only(result: comparison.Result, group: str) -> comparison.Result:
    lines = [line for line in result.lines if line.group == group]
    return dataclasses.replace(
        result, lines=lines, scalability=[], saturation=[], published=[], notes=[]
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
    for what in ("hold", "think"):
        parts += _work_apart(key, case, what)
    return sum(part[0] for part in parts), [f"{a}, asked {b}" for _, a, b in parts]


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
        worth = abs(math.log2((found[names[1]] + _LOOP_NS) / (asked[names[1]] + _LOOP_NS)))
    texts = [cells.describe(one, names) or f"no {what}" for one in (found, asked)]
    return [(worth, texts[0], texts[1])] if texts[0] != texts[1] else []


def _ruled_out(rows: pd.DataFrame, group: verdict.Group, case: Case) -> str:
    """Why the case excludes a primitive; empty if it does not."""
    label = str(rows["label"].iloc[0])
    if label == cells.FLOOR:
        return "guards nothing: what the work costs by itself"
    if label not in group.medians:
        return "no trial of it was valid"
    valid = rows[rows["valid"]]
    if case.memory_bytes is not None:
        size = valid["lock_bytes"].median()
        if size != size:
            return "its memory was not measured"
        if size > case.memory_bytes:
            return f"takes {units.memory(size)}, more than {units.memory(case.memory_bytes)}"
    unfair = unfairness.words(valid)
    return f"starves threads: {unfair}" if case.fair and unfair else ""


def _is_behind(run: Run, table: verdict.Table, place: int, label: str, first: str) -> bool:
    """For a prediction, by more than the error of predicted ratios."""
    found = table.between(place, label, first)
    if found is None or found.verdict != verdict.SLOWER:
        return False
    key = table.groups[place].key
    return not run.predicted or prediction_error.exceeds_error(
        1 / found.ratio, key["threads"] or 1, float(key["hold_ns"] or 0), run.hardware_threads
    )


def _simplest(table: verdict.Table, place: int, tied: list[str]) -> str:
    """Of primitives that are not significantly different from the first: one that starves no
    thread, if there is any; of those the most common one; else one whose lines are known."""
    compared = [one for one in tied[1:] if table.between(place, one, tied[0]) is not None]
    candidates = [tied[0], *compared]
    fair = [one for one in candidates if not unfairness.words(_valid_rows(table, place, one))]
    candidates = fair or candidates
    usual = baselines.usual(candidates)
    if usual is not None:
        return usual
    return next((one for one in candidates if snippets.of(one, "u64")), candidates[0])


def _valid_rows(table: verdict.Table, place: int, label: str) -> pd.DataFrame:
    rows = table.groups[place].rows
    return rows[(rows["label"] == label) & rows["valid"]]


def _accuracy(run: Run, group: verdict.Group) -> str:
    if not run.predicted:
        return ""
    one = (float(group.key["threads"] or 1), float(group.key["hold_ns"] or 0))
    return prediction_error.ratio_words([one], run.hardware_threads)


def _reason(
    run: Run, table: verdict.Table, place: int, ranked: list[str], label: str, case: Case
) -> str:
    if label == ranked[0]:
        speed = "the fastest by the medians" if len(ranked) > 1 else "no other one is left"
    else:
        found = table.between(place, label, ranked[0])
        if found is None:
            speed = "no block has both it and the first"
        else:
            within = found.verdict == verdict.SLOWER and not _is_behind(
                run, table, place, label, ranked[0]
            )
            words = found.words() + (", within the error of such predictions" if within else "")
            speed = f"{_ratio(found)} of the speed of the first: {words}"
    name, _, _ = label.partition(":")
    what = case.descriptions.get(name, "")
    unfair = unfairness.words(_valid_rows(table, place, label))
    price = f"{unfairness.MARK} {unfair}" if unfair else ""
    return "; ".join(part for part in (speed, what, price) if part)


def _ratio(one: verdict.Comparison) -> str:
    interval = f" ({tables.interval(one)})" if one.low is not None else ""
    return f"{units.ratio(one.ratio)}{interval}"


def _answer(
    table: verdict.Table,
    place: int,
    chosen: str | None,
    tied: list[str],
    behind: list[str],
    apart: list[str],
    predicted: bool,
) -> list[str]:
    lines = []
    if apart:
        lines += [
            f"Not answered: the run is too far from the case ({'; '.join(apart)}).",
            "Measure the case: lockbench advise without --run.",
        ]
    if chosen is None:
        return [*lines, "Nothing that was measured answers the question."]
    word = "Nearest cells: " if apart else "Use "
    others = [label for label in tied if label != chosen]
    if not others and not behind:
        lines.append(f"{word}{chosen}: no other primitive is left.")
    elif not others:
        count = units.plural(len(behind), "other primitive is", "other primitives are all")
        beyond = ", by more than the error of such predictions" if predicted else ""
        lines.append(f"{word}{chosen}. Significant: the {count} significantly slower{beyond}.")
    else:
        named = ", ".join(others)
        within = ", or within the error of such predictions" if predicted else ""
        lines += [
            f"{word}{chosen}, the simplest choice: which one hardly matters here."
            f" Not significantly different{within}: {named}.",
            _price(table, place, chosen, tied[0]),
        ]
    usual = baselines.usual(list(table.groups[place].medians))
    found = table.between(place, chosen, usual) if usual is not None else None
    if found is not None:
        lines.append(f"{_ratio(found)} the speed of {usual}, the usual choice: {found.words()}.")
    elif usual == chosen:
        lines.append(f"{chosen} is the usual choice too.")
    return lines


def _price(table: verdict.Table, place: int, chosen: str, fastest: str) -> str:
    """What the choice costs, in speed, memory and fairness."""
    rows = _valid_rows(table, place, chosen)
    found = table.between(place, chosen, fastest)
    size = rows["lock_bytes"].median()
    parts = [
        f"{_ratio(found)} the speed of {fastest}, the fastest by the medians" if found else "",
        f"{units.memory(size)} for all locks" if size == size else "",
        unfairness.words(rows) or ("" if unfairness.asked(rows).empty else "no thread starves"),
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
    if advice.case.across_machines:
        found[0] += ", across machines"
        found.append(
            "safe only if: the guarded resource refuses writes with an older token than the last;"
            " a hold may end before its holder knows (docs/services.md)"
        )
    if advice.differences:
        found.append(f"nearest cells of the run: {'; '.join(advice.differences)}")
    if advice.accuracy:
        found.append(f"accuracy: {advice.accuracy}")
    return [*found, f"rows: {advice.folder}/trials.csv"]


def _as_text(advice: Advice) -> str:
    out = [*advice.result.banners, *advice.answer, ""]
    if advice.answered and advice.primitive is not None:
        lines = snippets.of(advice.primitive, advice.case.key_type)
        out += [*(f"    {line}" for line in lines), ""] if lines else []
    out.append("Evidence")
    for one in advice.choices:
        out.append(f"  {f'{one.place}.' if one.place else '–'} {one.primitive}: {one.reason}")
    out += [f"  {ground}" for ground in _grounds(advice)]
    return "\n".join([*out, ""]) + "\n" + tables.as_text(_without_banners(advice))


def _without_banners(advice: Advice) -> comparison.Result:
    """Removes the banners, which are already above the answer."""
    return dataclasses.replace(advice.result, banners=[])


def _as_markdown(advice: Advice) -> str:
    out = [f"**{markdown(banner)}**\n" for banner in advice.result.banners]
    out += [f"### {markdown(' '.join(advice.answer))}", ""]
    if advice.answered and advice.primitive is not None:
        lines = snippets.of(advice.primitive, advice.case.key_type)
        out += ["```cpp", *lines, "```", ""] if lines else []
    for one in advice.choices:
        place = f"{one.place}." if one.place else "-"
        out.append(f"{place} {code(one.primitive)}: {markdown(one.reason)}")
    out += ["", *(f"- {markdown(ground)}" for ground in _grounds(advice)), ""]
    return "\n".join(out) + "\n" + tables.as_markdown(_without_banners(advice))


def _as_json(advice: Advice) -> str:
    document = {
        "comparisons": [one.record() for one in advice.comparisons],
        "banners": advice.result.banners,
        "asked": advice.case.asked,
        "answer": advice.answer,
        "primitive": advice.primitive,
        "answered": advice.answered,
        "significant": advice.significant,
        "accuracy": advice.accuracy,
        "code": snippets.of(advice.primitive, advice.case.key_type) if advice.primitive else [],
        "choices": [dataclasses.asdict(one) for one in advice.choices],
        "differences": advice.differences,
        "far": advice.far,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
