# SPDX-License-Identifier: Apache-2.0
"""The report as Markdown, for pull requests: the answer and the map, the most important cells, what
was not valid, machine and command. No pictures; within what a comment may be long."""

from __future__ import annotations

from collections.abc import Sequence

from analysis import cells, figure, fleet_tables, losses, on_cores, sections, tables, templates
from analysis import unfairness, units
from analysis.fleet import Fleet
from analysis.page import cell_table, content, method
from analysis.page.as_html import TEMPLATES
from analysis.page.cell_table import Line
from analysis.page.content import Chapter
from analysis.text import code, markdown, markdown_table

LONGEST = 60_000  # a comment on GitHub ends at 65,536
_MOST_COLUMNS, _MOST_ROWS = 9, 12  # of losses
# The columns of the table of cells that follow the primitive and its cell.
_COLUMNS = (
    "median",
    "least – greatest",
    "of the fastest",
    "p99 wait",
    "longest wait",
    "slowest thread",
)


def page(chapters: Sequence[Chapter], fleet: Fleet | None = None) -> str:
    """Cut at a line's end when there is too much of it, and says so."""
    environment = templates.environment(TEMPLATES)
    environment.autoescape = False
    environment.filters.update(md=markdown, code=code)
    whole = environment.get_template("report.md.j2").render(
        chapters=chapters,
        heading=content.heading,
        cores_question=on_cores.QUESTION,
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
    headers = ["primitive", "cell", *_COLUMNS]
    return "\n".join(markdown_table(headers, map(_line, lines), "ll" + "r" * len(_COLUMNS)))


def _line(line: Line) -> list[str]:
    fields = [_field(words) for words in (cell_table.primitive(line), _cell(line))]
    for name in _COLUMNS:
        field = _field(cell_table.BY_NAME[name].words(line))
        verdict = cell_table.verdict(line) if name == "of the fastest" else ""
        fields.append(f"{field} ({verdict})" if verdict else field)
    return fields


def _field(words: str) -> str:
    return markdown(words, 120) or "–"


def _cell(line: Line) -> str:
    """All axes of the line's cell in one field."""
    threads, keys, hold = line.row["threads"], line.row["keys"], cell_table.hold(line)
    parts = [
        cell_table.where(line),
        f"{units.number(threads)} threads" if threads == threads else "",
        f"{units.number(keys)} keys" if keys == keys else "",
        f"hold {hold}" if hold and hold != "no hold" else hold,
    ]
    return " · ".join(filter(None, parts))
