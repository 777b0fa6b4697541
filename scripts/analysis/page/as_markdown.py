# SPDX-License-Identifier: Apache-2.0
"""The report as Markdown, for pull requests: the answer and the map, the most important cells, what
was not valid, machine and command. No pictures; within what a comment may be long."""

from __future__ import annotations

from collections.abc import Sequence

from analysis import cells, figure, fleet_tables, losses, stressed, unfairness, units
from analysis.fleet import Fleet
from analysis.page import about, content, method
from analysis.page.answer import Question
from analysis.page.content import Chapter, Line
from analysis.text import code, markdown, markdown_table

LONGEST = 60_000  # a comment on GitHub ends at 65,536
_MOST_QUESTIONS = 12
_MOST_CELLS = 60
_MOST_TABLES, _MOST_COLUMNS, _MOST_ROWS = 6, 9, 12  # of losses
_HEADERS = ["primitive", "cell", "median", "least – greatest", "of the fastest"]
_HEADERS += ["p99 wait", "longest wait", "slowest thread"]


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
    if chapter.losses:
        out += ["### Loss against the fastest", ""]
        out += [line for panel in chapter.losses[:_MOST_TABLES] for line in _losses(panel)]
        out += [markdown(losses.EXPLAINED), ""]
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
    return out


def _losses(panel: losses.Panel) -> list[str]:
    """Primitives down, cells across."""
    columns = panel.thinned(_MOST_COLUMNS)
    words = [
        panel.span(column) + (f" · {panel.head(column)}" if panel.by_load else "")
        for column in columns
    ]
    rows = []
    for label, own in list(panel.rows.items())[:_MOST_ROWS]:
        found = [own.get(column) for column in columns]
        said = [
            "–" if one is None else one.words + (f" {unfairness.MARK}" if one.unfair else "")
            for one in found
        ]
        rows.append([markdown(figure.short(label)), *said])
    heads = [markdown(cells.describe(panel.key)), *words]
    return [*markdown_table(heads, rows, "l" + "r" * len(columns)), ""]


def _cells(chapter: Chapter) -> list[str]:
    if not chapter.lines:
        return []
    shown = chapter.lines[:_MOST_CELLS]
    out = ["<details><summary>Cells</summary>", ""]
    out += markdown_table(_HEADERS, map(_line, shown), "llrrrrrr")
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
    texts += [line.figures[i][0] for i in (1, 2, 3, 5)]
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
