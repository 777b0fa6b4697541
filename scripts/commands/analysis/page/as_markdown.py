# SPDX-License-Identifier: Apache-2.0
"""The report as Markdown, for pull requests: the answer and the map, the most important cells, what
was not valid, machine and command. No pictures; within what a comment may be long."""

from __future__ import annotations

from collections.abc import Sequence

from analysis import cells, figure, fleet_tables, losses, sections, tables, templates, unfairness
from analysis import units
from analysis.fleet import Fleet
from analysis.page import content, method
from analysis.page.as_html import TEMPLATES
from analysis.page.cell_table import Line
from analysis.page.content import Chapter
from analysis.text import code, markdown, markdown_table

LONGEST = 60_000  # a comment on GitHub ends at 65,536
_MOST_COLUMNS, _MOST_ROWS = 9, 12  # of losses
_HEADERS = ["primitive", "cell", "median", "least – greatest", "of the fastest"]
_HEADERS += ["p99 wait", "longest wait", "slowest thread"]


def page(chapters: Sequence[Chapter], fleet: Fleet | None = None) -> str:
    """Cut at a line's end when there is too much of it, and says so."""
    environment = templates.environment(TEMPLATES)
    environment.autoescape = False
    environment.filters.update(md=markdown, code=code)
    whole = environment.get_template("report.md.j2").render(
        chapters=chapters,
        heading=content.heading,
        losses=_losses,
        losses_explained=losses.EXPLAINED,
        readers_of=lambda found: "\n".join(tables.section_markdown(sections.of_readers(found))),
        cells=_cells,
        plural=units.plural,
        method=method.PARAGRAPHS[0],
        most_questions=12,
        most_cells=60,
        most_tables=6,
    )
    if fleet:
        whole = f"{fleet_tables.as_markdown(fleet, brief=True)}\n{whole}"
    if len(whole) > LONGEST:
        whole = whole[: whole.rindex("\n", 0, LONGEST)] + (
            "\n\nCut off here; `lockbench report` without `--format markdown` shows all of it."
        )
    return whole.rstrip() + "\n"


def _losses(panel: losses.Panel) -> str:
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
    return "\n".join(markdown_table(heads, rows, "l" + "r" * len(columns)))


def _cells(lines: Sequence[Line]) -> str:
    return "\n".join(markdown_table(_HEADERS, map(_line, lines), "llrrrrrr"))


def _line(line: Line) -> list[str]:
    where = [
        line.where,
        f"{units.number(line.threads)} threads" if line.threads == line.threads else "",
        f"{units.number(line.keys)} keys" if line.keys == line.keys else "",
        f"hold {line.hold}" if line.hold and line.hold != "no hold" else line.hold,
    ]
    texts = [line.label, " · ".join(filter(None, where)), line.figures[0][0], line.spread]
    texts += [line.figures[i][0] for i in (1, 2, 3, 5)]
    fields = [markdown(words, 120) or "–" for words in texts]
    fields[4] += f" ({line.standing})" if line.standing else ""
    return fields
