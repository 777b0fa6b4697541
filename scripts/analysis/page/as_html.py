# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML page that needs nothing beside itself: no network, no second file.

Everything that comes from a run is put in by the template engine, which escapes it, or is SVG whose
text was written by an XML writer. The page forbids itself to load anything.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup
from matplotlib.markers import MarkerStyle
from matplotlib.path import Path as Outline

from analysis import cells, figure, fleet_tables, losses, templates, text, unfairness, units
from analysis.fleet import Entry
from analysis.machines import Machine
from analysis.page import colours, content, method
from analysis.page.answer import Spot
from analysis.page.content import Chapter
from analysis.page.colours import Inks
from analysis.page.fleet_part import FleetPart, Map, Part
from analysis.verdict import FASTER, SLOWER, Comparison

TEMPLATES = Path(__file__).parent / "templates"
_CONTENTS = (
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
# Of the table of cells; `n`: figures. Those after the workload are shown on demand: page.css.
_COLUMNS = [
    {"name": name, "style": style}
    for name, style in (
        ("primitive", ""),
        ("verdict", ""),
        ("of the fastest", "n"),
        ("median", "n"),
        ("threads", "n"),
        ("keys", "n"),
        ("hold", ""),
        ("workload", ""),
        ("p99 wait", "n"),
        ("least – greatest", ""),
        ("longest wait", "n"),
        ("mean wait", "n"),
        ("slowest thread", "n"),
        ("Jain", "n"),
        ("CPU/op", "n"),
        ("memory", "n"),
        ("pictures", ""),
    )
]
MOST_QUESTIONS = 24
MOST_RECORDS = 1200  # comparisons that the page carries as data
_MOST_ADVICE = 6
_MOST_MAPS = 8
_MOST_PLACES = 12  # along each side of a map
_MOST_COLUMNS, _MOST_ROWS = 16, 24  # of a table of losses


def page(chapters: Sequence[Chapter], inks: Inks, fleet: FleetPart | None = None) -> str:
    environment = templates.environment(TEMPLATES)
    environment.filters.update(
        line=text.one_line,
        number=_number,
        whole=_whole,
        percent=units.whole_percent,
        ratio=units.ratio,
    )
    titles = _titles(chapters, fleet.fleet.machines if fleet else [])
    return environment.get_template("page.html.j2").render(
        title=_title(chapters, fleet),
        fleet=_fleet(fleet, inks) if fleet else None,
        machines=fleet.fleet.machines if fleet else [],
        short_names=fleet is not None and len(fleet.fleet.machines) > fleet_tables.MOST_COLUMNS,
        numbers=inks.numbers,
        style=style(inks),
        script=Markup((TEMPLATES / "page.js").read_text(encoding="utf-8")),
        symbols=Markup(_symbols(inks)),
        chapters=[
            _shown(chapter, title, len(chapters)) for chapter, title in zip(chapters, titles)
        ],
        contents=_CONTENTS,
        columns=_COLUMNS,
        method=method.PARAGRAPHS,
        most_questions=MOST_QUESTIONS,
        most_advice=_MOST_ADVICE,
        unfair=unfairness.EXPLAINED,
        losses_explained=losses.EXPLAINED,
        comparisons=Markup(_comparisons(chapters)),
    )


def _title(chapters: Sequence[Chapter], fleet: FleetPart | None) -> str:
    if fleet is None:
        return ", ".join(dict.fromkeys(map(content.heading, chapters)))
    preset = f"{fleet.fleet.preset} on " if fleet.fleet.preset else ""
    return text.one_line(preset + units.plural(len(fleet.fleet.machines), "machine"), 80)


def _fleet(fleet: FleetPart, inks: Inks) -> dict[str, Any]:
    return {**vars(fleet), "parts": [_part(one, fleet, inks) for one in fleet.parts]}


_CLASSES = {FASTER: " up", SLOWER: " down"}  # of the fields of a matrix


def _part(part: Part, fleet: FleetPart, inks: Inks) -> dict[str, Any]:
    """Machines across if there is room for them, else down."""
    machines = fleet.fleet.machines
    turned = len(machines) > fleet_tables.MOST_COLUMNS
    labels = list(part.matrix)
    if turned:
        heads = [figure.short(label, 20) for label in labels]
        rows: list[dict[str, Any]] = [
            {
                "name": one.name,
                "number": None,
                "entries": [_entry(part.matrix[label].get(place)) for label in labels],
            }
            for place, one in enumerate(machines)
        ]
    else:
        heads = [one.name for one in machines]
        rows = [
            {
                "name": label,
                "number": inks.numbers[label],
                "entries": [_entry(part.matrix[label].get(p)) for p in range(len(machines))],
            }
            for label in labels
        ]
    return {
        **vars(part),
        "turned": turned,
        "heads": heads,
        "rows": rows,
        "maps": [_small_map(one, inks) for one in part.maps],
        "charts": [_chart(one, inks) for one in part.charts],
    }


def _entry(entry: Entry | None) -> dict[str, str] | None:
    if entry is None:
        return None
    said = ", ".join(f"{word} in {n}" for word, n in entry.counts.items())
    of = units.plural(sum(entry.counts.values()), "cell")
    return {
        "style": f"n{_CLASSES.get(entry.verdict, '')}",
        "text": f"{units.ratio(entry.ratio)} {fleet_tables.MARKS[entry.verdict]}",
        "words": f"{said} of {of}",
    }


def _small_map(map_: Map, inks: Inks) -> dict[str, Any]:
    keys = cells.evenly(map_.keys, _MOST_PLACES)
    return {
        "machine": map_.machine,
        "heads": [units.number(count) for count in keys],
        "rows": [
            {
                "threads": units.number(threads),
                "spots": [_spot(map_.spots.get((threads, count)), inks) for count in keys],
            }
            for threads in cells.evenly(map_.threads, _MOST_PLACES)
        ],
    }


def _comparisons(chapters: Sequence[Chapter]) -> str:
    """The records of all chapters as JSON that no element can end early; of large runs whole groups
    of cells, from the first to the last, and how many were left out."""
    every = [one for chapter in chapters for one in chapter.comparisons]
    kept = every
    if len(every) > MOST_RECORDS:
        groups: dict[tuple[int, int], list[Comparison]] = {}
        for place, chapter in enumerate(chapters):
            for one in chapter.comparisons:
                groups.setdefault((place, one.group), []).append(one)
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


def _shown(chapter: Chapter, title: str, of: int) -> dict[str, Any]:
    """The chapter with what only this form needs."""
    # A table of one column only repeats the answer: it is shown where there is no other.
    panels = [one for one in chapter.losses if len(one.columns) > 1] or chapter.losses
    room = max(1, _MOST_MAPS // of)
    return {
        **vars(chapter),
        "title": title,
        "sections": {
            name: {
                "notes": section.notes,
                "charts": [_chart(c, chapter.inks) for c in section.charts],
            }
            for name, section in chapter.sections.items()
        },
        "losses": [_losses(panel, chapter.inks) for panel in panels[:room]],
        "more_losses": max(0, len(panels) - room),
        "any_unfair": any(line.price for line in chapter.lines),
    }


def _chart(chart: Any, inks: Inks) -> dict[str, Any]:
    keys = [(figure.printable(inks.names[number], 60), number) for number in chart.shown]
    return {**vars(chart), "drawn": Markup(chart.svg), "marks": keys}


def _losses(panel: losses.Panel, inks: Inks) -> dict[str, Any]:
    """Primitives down, cells across."""
    columns = panel.thinned(_MOST_COLUMNS)
    spans = Counter(map(panel.span, columns) if panel.by_load else ())
    return {
        "title": cells.describe(panel.key),
        "axis": "load" if panel.by_load else panel.across,
        "spans": list(spans.items()),
        "heads": [panel.head(column) for column in columns],
        "rows": [
            {"label": label, "number": inks.numbers[label], "fields": [own.get(c) for c in columns]}
            for label, own in list(panel.rows.items())[:_MOST_ROWS]
        ],
    }


def _spot(spot: Spot | None, inks: Inks) -> dict[str, Any] | None:
    if spot is None:
        return None
    if spot.settled:
        words = f"{units.digits(spot.lead, 3)}×" if spot.lead is not None else "alone"
    else:
        more = len(spot.level) - 1
        words = f"≈ {figure.short(spot.level[0], 18)}" if spot.level else "alone"
        words += f" +{more}" if more > 0 else ""
    return {
        "name": figure.short(spot.first, 20),
        "number": inks.numbers[spot.first],
        "settled": spot.settled,
        "unfair": spot.unfair,
        "words": words,
    }


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


def _whole(value: float | None) -> str:
    return "" if value is None or value != value else units.whole(value)
