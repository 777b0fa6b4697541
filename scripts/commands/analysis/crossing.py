# SPDX-License-Identifier: Apache-2.0
"""From how many threads on one primitive is faster than another, in cells that are otherwise alike.
Pure.

The answer is the least number of threads from which on, up to the most that the run has, the
primitive is significantly faster. If the error of ratios is known (error_model.py), it must also be
ahead by more than that; where it is ahead by less, a second sentence says so.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass

from analysis import core_kinds, units, verdict
from analysis.advice import Case, cores_record, distance, on_cores
from analysis.errors import InputError
from analysis.loader import Run
from analysis.text import markdown_table

AHEAD = "faster"
BEHIND = "slower"
NEITHER = "not significantly different"


@dataclass(frozen=True)
class Point:
    """The two primitives with one number of threads."""

    threads: int
    ratio: float  # speed of the first divided by the speed of the second
    by_model: str  # AHEAD, BEHIND or NEITHER, as far as the blocks say
    word: str  # the same, as far as the error of the ratio permits


@dataclass(frozen=True)
class Crossing:
    run: Run
    case: Case
    accuracy: str  # ErrorModel.ratio_words()
    points: list[Point]  # by threads
    threads_by_kind: str = ""  # of the last point: `fast 2, slow 1`; empty: one kind of cores

    @property
    def answered(self) -> bool:
        return any(one.word != NEITHER for one in self.points)

    def first(self, by_model: bool = False) -> int | None:
        """The least number of threads from which on the first is ahead with all."""
        words = [one.by_model if by_model else one.word for one in self.points]
        last = max((i for i, word in enumerate(words) if word != AHEAD), default=-1)
        return self.points[last + 1].threads if last + 1 < len(words) else None


def of_run(run: Run, case: Case) -> Crossing:
    """InputError if the run lacks the primitives, or cells like the case."""
    table = verdict.of_run(run)
    both = {case.when, case.beats}
    indices = [
        index
        for index, group in enumerate(table.groups)
        if both <= set(group.medians) and group.metric != "wait_p99_ns"
    ]
    if not indices:
        raise InputError(
            f"{run.folder}: has no cell with valid rows of both {case.when} and {case.beats}"
        )

    def apart(index: int) -> float:
        """From the case, whatever its threads are."""
        key = table.groups[index].key
        return distance(key, dataclasses.replace(case, threads=int(key["threads"])))[0]

    least = min(map(apart, indices))
    own = [index for index in indices if apart(index) == least]
    points = {point.threads: point for index in own if (point := _point(table, index, case))}
    if not points:
        raise InputError(
            f"{run.folder}: no block has valid rows of both {case.when} and {case.beats}; measure"
            " it again, on a machine without other work"
        )
    found = [points[threads] for threads in sorted(points)]
    holds = [float(table.groups[index].key["hold_ns"] or 0) for index in own]
    classes = [(float(point.threads), hold) for point in found for hold in set(holds)]
    accuracy = run.error.ratio_words(classes, run.hardware_threads)
    last = max(own, key=lambda index: int(table.groups[index].key["threads"]))
    threads = core_kinds.of_threads(table.groups[last].rows)
    return Crossing(run, case, accuracy, found, threads)


def _point(table: verdict.Table, index: int, case: Case) -> Point | None:
    found = table.between(index, case.when, case.beats)
    if found is None:
        return None
    words = {verdict.FASTER: AHEAD, verdict.SLOWER: BEHIND}
    by_model, word = (words.get(one, NEITHER) for one in (found.by_model, found.verdict))
    return Point(int(table.groups[index].key["threads"]), found.ratio, by_model, word)


def answer(found: Crossing) -> list[str]:
    """Sentences; the first one answers."""
    ratios = {one.threads: one.ratio for one in found.points}
    last = found.points[-1].threads
    lines = [_first(found, found.first(), ratios, last)]
    modelled = found.first(by_model=True)
    if modelled is not None and modelled != found.first():
        lines.append(
            f"The model has it ahead from {units.plural(modelled, 'thread')} on, by less than"
            f" {found.run.error.name}."
        )
    behind = [f"{one.threads}" for one in found.points if one.word == BEHIND]
    if behind:
        lines.append(f"It is slower with {', '.join(behind)} threads.")
    cores = found.run.cores
    if cores is not None and last > cores:
        lines.append(f"The machine has {units.plural(cores, 'core')}; more threads share them.")
    where = on_cores(found.threads_by_kind, found.case)
    return lines + [f"With {units.plural(last, 'thread')}: {one}" for one in where]


def _first(found: Crossing, first: int | None, ratios: dict[int, float], last: int) -> str:
    if first is None:
        return (
            f"There is no number of threads up to {last} from which on {found.case.when} is"
            f" significantly faster than {found.case.beats}."
        )
    own = [ratio for threads, ratio in ratios.items() if threads >= first]
    return (
        f"From {units.plural(first, 'thread')} on, up to {last}, {found.case.when} is faster than"
        f" {found.case.beats}: {units.ratio(min(own))} to {units.ratio(max(own))} its speed."
    )


def written(found: Crossing, form: str) -> str:
    if form == "json":
        return _as_json(found)
    if form == "csv":
        lines = ["threads,ratio,by_model,verdict"]
        lines += [
            f"{one.threads},{one.ratio:.4g},{one.by_model},{one.word}" for one in found.points
        ]
        return "\n".join(lines) + "\n"
    out = [*found.run.banners, *answer(found), ""]
    out += [found.accuracy + ".", ""] if found.accuracy else []
    if form == "markdown":
        rows = [(str(one.threads), units.ratio(one.ratio), one.word) for one in found.points]
        out += markdown_table(
            ("threads", f"{found.case.when} / {found.case.beats}", "verdict"), rows, "rrl"
        )
    else:
        out.append(f"  threads  {found.case.when} / {found.case.beats}")
        for one in found.points:
            out.append(f"  {one.threads:>7}  {units.ratio(one.ratio):>7}  {one.word}")
    out += ["", f"asked: {found.case.asked}", f"rows: {found.run.folder}/trials.csv"]
    return "\n".join(out) + "\n"


def _as_json(found: Crossing) -> str:
    document = {
        "banners": found.run.banners,
        "asked": found.case.asked,
        "when": found.case.when,
        "beats": found.case.beats,
        "answer": answer(found),
        "threads": found.first(),
        "threads_by_model": found.first(by_model=True),
        "accuracy": found.accuracy,
        "points": [dataclasses.asdict(one) for one in found.points],
        **cores_record(found.threads_by_kind, found.case),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
