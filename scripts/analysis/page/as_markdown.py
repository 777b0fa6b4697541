# SPDX-License-Identifier: Apache-2.0
"""The report as Markdown, for pull requests: the answer and the map, the most important cells, what
was not valid, machine and command. No pictures; within what a comment may be long."""

from __future__ import annotations

from collections.abc import Sequence

from analysis import figure, fleet_tables, stressed, unfairness, units
from analysis.fleet import Fleet
from analysis.page import about, content, method
from analysis.page.answer import Question, Spot
from analysis.page.content import Chapter, Line
from analysis.text import code, markdown

LONGEST = 60_000  # a comment on GitHub ends at 65,536
_MOST_QUESTIONS = 12
_MOST_CELLS = 60
_HEADERS = ["primitive", "cell", "median", "least – greatest", "of the fastest", "p99 wait", "Jain"]


def page(chapters: Sequence[Chapter], fleet: Fleet | None = None) -> str:
    """Cut at a line's end when there is too much of it, and says so."""
    lines = fleet_tables.as_markdown(fleet, brief=True).splitlines() + [""] if fleet else []
    lines += [line for chapter in chapters for line in _chapter(chapter)]
    kept, length = [], 0
    for line in lines:
        length += len(line) + 1
        if length > LONGEST:
            kept += [
                "",
                "Cut off here; `lockbench report` without `--format markdown` shows all of it.",
            ]
            break
        kept.append(line)
    return "\n".join(kept).rstrip() + "\n"


def _chapter(chapter: Chapter) -> list[str]:
    out = [f"## lockbench: {markdown(content.heading(chapter))}", ""]
    out += [f"**{markdown(banner)}**\n" for banner in chapter.run.banners]
    out += [f"{markdown(chapter.run.machine)} · {markdown(' · '.join(chapter.facts))}", ""]
    out += [f"- {markdown(note)}" for note in [*chapter.notes, *chapter.cannot]]
    out += ["", "### Which primitive for which workload?", ""]
    for question in chapter.questions[:_MOST_QUESTIONS]:
        out += _answer(question)
    for name, found in chapter.open_loops.items():
        out += [f"**{markdown(name)}**", ""]
        out += [f"- {code(one.primitive, 80)} {markdown(one.words)}" for one in found[:12]] + [""]
    if not chapter.questions and not chapter.open_loops:
        nothing = "No two primitives were measured under the same conditions"
        out += [f"{nothing}: there is nothing to compare.", ""]
    out += _cells(chapter)
    out += _invalid(chapter.faults)
    out += _stressed(chapter.stressed)
    out += ["### Machine, build, and the command that repeats it", ""]
    out += [
        code(chapter.command) if chapter.command else "meta.json does not contain the command.",
        "",
    ]
    for name, facts in chapter.machine:
        facts_text = "; ".join(f"{markdown(term)}: {markdown(words)}" for term, words in facts)
        out.append(f"- **{name}**: {facts_text}")
    return [*out, "", method.PARAGRAPHS[0], "", *map(markdown, chapter.surroundings), ""]


def _stressed(standings: Sequence[stressed.Standing]) -> list[str]:
    if not standings:
        return []
    out = ["### Stress tests of these locks", ""]
    for one in standings:
        words = f"**{markdown(one.words)}**" if one.broken else markdown(one.words)
        command = f": {code(one.command, 300)}" if one.command else ""
        out.append(f"- {code(one.primitive, 80)}: {words}{command}")
    return [*out, ""]


def _answer(question: Question) -> list[str]:
    out = [f"**{markdown(question.name)}**", ""]
    for advice in question.advice[:6]:
        price = f" {markdown(advice.price)}" if advice.price else ""
        out.append(
            f"- {code(advice.primitive, 80)}: {markdown(advice.where)}."
            f" *{advice.confidence}*: {markdown(advice.because)}{price}"
        )
    out.append("")
    for at, hold in enumerate(question.holds[:3]):
        spots = {place: spot for place, spot in question.spots.items() if place[2] == at}
        if len(spots) > 1:
            out += _map(question, spots, at, hold)
    return out


def _map(
    question: Question, spots: dict[tuple[int, int, int], Spot], at: int, hold: str
) -> list[str]:
    keys = sorted({place[1] for place in spots})[:8]
    threads = sorted({place[0] for place in spots})[:8]
    heads = [units.plural(int(question.keys[k]), "key") for k in keys]
    out = [_row([markdown(hold), *heads]), "|---" * (len(keys) + 1) + "|"]
    for t in threads:
        name = units.plural(int(question.threads[t]), "thread")
        out.append(_row([name, *(_spot(spots.get((t, k, at))) for k in keys)]))
    return [*out, ""]


def _spot(spot: Spot | None) -> str:
    if spot is None:
        return "–"
    name = markdown(figure.short(spot.first)) + (f" {unfairness.MARK}" if spot.unfair else "")
    if spot.settled:
        return f"**{name}** {units.digits(spot.lead or 1)}×"
    return f"{name} ≈ {markdown(figure.short(spot.level[0]))}" if spot.level else name


def _cells(chapter: Chapter) -> list[str]:
    if not chapter.lines:
        return []
    shown = chapter.lines[:_MOST_CELLS]
    out = ["<details><summary>Cells</summary>", "", _row(_HEADERS), "|---|---" + "|---:" * 5 + "|"]
    out += [_row(_line(line)) for line in shown]
    if len(shown) < chapter.cells:
        out += ["", f"{len(shown)} of {units.plural(chapter.cells, 'cell')}."]
    return [*out, "", "</details>", ""]


def _line(line: Line) -> list[str]:
    where = " · ".join(
        part
        for part in (
            line.where,
            f"{units.number(line.threads)} threads" if line.threads == line.threads else "",
            f"{units.number(line.keys)} keys" if line.keys == line.keys else "",
            f"hold {line.hold}" if line.hold and line.hold != "no hold" else line.hold,
        )
        if part
    )
    texts = [line.label, where, line.figures[0][0], line.spread]
    texts += [line.figures[i][0] for i in (1, 2, 4)]
    fields = [markdown(words, 120) or "–" for words in texts]
    fields[4] += f" ({line.standing})" if line.standing else ""
    return fields


def _invalid(faults: about.Faults) -> list[str]:
    out = ["### Invalid rows", ""]
    if not faults.rows:
        return [*out, "None: all rows passed the verification.", ""]
    for fault in faults.kinds[:12]:
        names = ", ".join(fault.primitives[:4])
        out.append(f"- {fault.rows} × {markdown(names)}: {markdown(fault.reason)}")
    if len(faults.kinds) > 12:
        out.append(f"- and {len(faults.kinds) - 12} more reasons")
    return [*out, ""]


def _row(fields: Sequence[str]) -> str:
    return "| " + " | ".join(fields) + " |"
