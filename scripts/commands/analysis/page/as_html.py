# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML page that needs nothing beside itself: no network, no second file.

Everything that comes from a run is put in by the template engine, which escapes it, or is SVG whose
text was written by an XML writer. The page forbids itself to load anything.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup
from matplotlib.markers import MarkerStyle
from matplotlib.path import Path as Outline

from analysis import cells, figure, fleet_tables, losses, on_cores, readers, templates, text
from analysis import unfairness, units
from analysis.machines import Machine
from analysis.page import cell_table, colours, content, method
from analysis.page.cell_table import Column
from analysis.page.content import Chapter
from analysis.page.colours import Inks
from analysis.page.fleet_part import FleetPart
from analysis.verdict import Comparison

TEMPLATES = Path(__file__).parent / "templates"
_CONTENTS = (
    ("cores", "Kinds of cores"),
    ("answer", "Answer"),
    ("load", "Cost and waits by load"),
    ("map", "Losses"),
    ("waits", "Waits"),
    ("fairness", "Fairness"),
    ("cost", "Cost"),
    ("throughput", "Throughput"),
    ("cells", "All cells"),
    ("invalid", "Invalid rows"),
    ("stressed", "Stress tests"),
    ("machine", "Machine and command"),
    ("method", "Method"),
)
MOST_QUESTIONS = 24
MOST_RECORDS = 1150  # comparisons that the page carries as data
_MOST_ADVICE = 6
_MOST_MAPS = 8
_MOST_PLACES = 12  # along each side of a map
_MOST_COLUMNS, _MOST_ROWS = 16, 24  # of a table of losses
# The shades of a map of readers and writers.
_READER_STEPS = {
    readers.SHARED: "step0",
    readers.MUTEX: "step2",
    readers.NEITHER: "none",
    readers.UNDECIDED: "open",
}


def page(chapters: Sequence[Chapter], inks: Inks, fleet: FleetPart | None = None) -> str:
    environment = templates.environment(TEMPLATES)
    environment.filters.update(
        line=text.one_line,
        number=_number,
        classes=_classes,
        heading_classes=_heading_classes,
        percent=units.whole_percent,
        ratio=units.ratio,
        short=figure.short,
        printable=figure.printable,
        described=cells.describe,
        evenly=lambda found: cells.evenly(found, _MOST_PLACES),
        short_number=units.number,
        entry_text=fleet_tables.entry,
        nanoseconds=units.nanoseconds,
        sentence=lambda said: said[:1].upper() + said[1:],
    )
    room = max(1, _MOST_MAPS // max(1, len(chapters)))
    machines = fleet.fleet.machines if fleet else []
    return environment.get_template("page.html.j2").render(
        title=_title(chapters, fleet),
        fleet=fleet,
        machines=machines,
        short_names=len(machines) > fleet_tables.MOST_COLUMNS,
        inks=inks,
        style=style(inks),
        script=Markup((TEMPLATES / "page.js").read_text(encoding="utf-8")),
        symbols=Markup(_symbols(inks)),
        chapters=[
            {**vars(chapter), "title": title}
            for chapter, title in zip(chapters, _titles(chapters, machines))
        ],
        contents=_CONTENTS,
        columns=cell_table.COLUMNS,
        method=method.PARAGRAPHS,
        most_questions=MOST_QUESTIONS,
        most_advice=_MOST_ADVICE,
        most_columns=_MOST_COLUMNS,
        most_rows=_MOST_ROWS,
        panels_of=lambda every: _panels_of(every, room),
        unfair=unfairness.EXPLAINED,
        losses_explained=losses.EXPLAINED,
        cores_question=on_cores.QUESTION,
        readers_question=readers.QUESTION,
        readers_explained=readers.EXPLAINED,
        reader_steps=_READER_STEPS,
        comparisons=Markup(_comparisons(chapters)),
    )


def _title(chapters: Sequence[Chapter], fleet: FleetPart | None) -> str:
    if fleet is None:
        return ", ".join(dict.fromkeys(map(content.heading, chapters)))
    preset = f"{fleet.fleet.preset} on " if fleet.fleet.preset else ""
    return text.one_line(preset + units.plural(len(fleet.fleet.machines), "machine"), 80)


def _comparisons(chapters: Sequence[Chapter]) -> str:
    """The records of all chapters as JSON that no element can end early; of large runs whole groups
    of cells, from the first to the last, and how many were left out."""
    every = [one for chapter in chapters for one in chapter.comparisons]
    kept = every
    if len(every) > MOST_RECORDS:
        groups: dict[tuple[int, int], list[Comparison]] = {}
        for index, chapter in enumerate(chapters):
            for one in chapter.comparisons:
                groups.setdefault((index, one.group), []).append(one)
        room = max(1, MOST_RECORDS * len(groups) // len(every))
        kept = [one for group in cells.evenly(list(groups.values()), room) for one in group]
        kept = kept[:MOST_RECORDS]
    data = {
        "comparisons": [one.record() for one in kept],
        "left_out": len(every) - len(kept),
    }
    document = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return document.replace("<", "\\u003c")


def _titles(chapters: Sequence[Chapter], machines: Sequence[Machine]) -> list[str]:
    """No two the same: by machine, else by run."""
    plain = [content.heading(chapter) for chapter in chapters]
    names = [one.name for one in machines] or [chapter.run.run_id for chapter in chapters]
    once = [
        title if plain.count(title) == 1 else f"{title} · {text.one_line(name, 60)}"
        for title, name in zip(plain, names)
    ]
    return [
        title if once.count(title) == 1 else f"{title} ({i})" for i, title in enumerate(once, 1)
    ]


def _panels_of(every: Sequence[losses.Panel], room: int) -> tuple[Sequence[losses.Panel], int]:
    """Those that are shown, and how many more there are. A table of one column only repeats the
    answer: it is shown where there is no other."""
    panels = [one for one in every if len(one.columns) > 1] or every
    return panels[:room], max(0, len(panels) - room)


def style(inks: Inks) -> Markup:
    """For all pages: the colours of both themes, and their use."""
    light, dark = inks.style(colours.LIGHT), inks.style(colours.DARK)
    rest = (TEMPLATES / "page.css").read_text(encoding="utf-8")
    return Markup(
        f":root{{color-scheme:light;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{color-scheme:dark;{dark}}}}}\n"
        f"@media screen{{:root[data-theme=light]{{color-scheme:light;{light}}}"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}}}\n{rest}"
    )


def _symbols(inks: Inks) -> str:
    """Each primitive's marker, as pictures have it."""
    made = []
    for number, label in sorted(inks.names.items()):
        marker = MarkerStyle(inks.looks[label].marker)
        path = marker.get_path().transformed(marker.get_transform())
        drawn = f'<path d="{_outline(path)}"/>'
        made.append(f'<symbol id="k{number}" viewBox="-.6 -.6 1.2 1.2">{drawn}</symbol>')
    return "".join(made)


_COMMANDS = {Outline.MOVETO: "M", Outline.LINETO: "L", Outline.CURVE3: "Q", Outline.CURVE4: "C"}


def _outline(path: Outline) -> str:
    commands = []
    for points, code in path.iter_segments(simplify=False):
        if code == Outline.CLOSEPOLY:
            commands.append("Z")
        else:
            flipped = [-value if i % 2 else value for i, value in enumerate(points)]
            commands.append(_COMMANDS[code] + " ".join(f"{value:.3f}" for value in flipped))
    return "".join(commands)


def _number(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.5g}"


def _classes(column: Column) -> str:
    """The words by which page.css and page.js know a column of the table of cells."""
    words = [column.kind] if column.kind != "name" else []
    words += ["wraps"] if column.wraps else []
    # The first one stands for those behind it, too: a word in each would make a page much larger.
    words += ["more"] if column is cell_table.ON_DEMAND[0] else []
    return " ".join(filter(None, words))


def _heading_classes(column: Column) -> str:
    return f"{_classes(column)} {'n' if column.number else ''}".strip()
