# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML page that needs nothing beside itself: no network, no second file.

Everything that comes from a run is put in by the template engine, which escapes it, or is SVG whose
text was written by an XML writer. The page forbids itself to load anything.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup
from matplotlib.markers import MarkerStyle
from matplotlib.path import Path as Outline

from analysis import figure, text, unfairness, units
from analysis.page import colours, content, method
from analysis.page.answer import Question, Spot
from analysis.page.content import Chapter
from analysis.page.colours import Inks

_TEMPLATES = Path(__file__).parent / "templates"
_CONTENTS = (
    ("answer", "Answer"),
    ("map", "Map"),
    ("throughput", "Throughput"),
    ("waits", "Waits"),
    ("fairness", "Fairness"),
    ("cost", "Cost"),
    ("cells", "Every cell"),
    ("invalid", "Not valid"),
    ("machine", "Machine and command"),
    ("method", "Method"),
)
_COLUMNS = (
    "primitive workload threads keys hold median least_–_greatest of_the_fastest p99_wait"
    " longest_wait Jain CPU/op memory standing pictures"
).split()
_NUMERIC = {"threads", "keys", "median", "of the fastest", "p99 wait", "longest wait"} | {
    "Jain",
    "CPU/op",
    "memory",
}
MOST_QUESTIONS = 24
_MOST_ADVICE = 6
_MOST_MAPS = 8
_MOST_PLACES = 12  # along each side of a map


def page(chapters: Sequence[Chapter]) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(line=text.one_line, number=_number, whole=_whole)
    inks = chapters[0].inks
    return environment.get_template("page.html.j2").render(
        title=", ".join(dict.fromkeys(map(content.heading, chapters))),
        style=Markup(_style(inks)),
        script=Markup((_TEMPLATES / "page.js").read_text(encoding="utf-8")),
        symbols=Markup(_symbols(inks)),
        chapters=[_shown(chapter, len(chapters)) for chapter in chapters],
        contents=_CONTENTS,
        columns=[column.replace("_", " ") for column in _COLUMNS],
        numeric=_NUMERIC,
        method=method.PARAGRAPHS,
        most_questions=MOST_QUESTIONS,
        most_advice=_MOST_ADVICE,
        unfair=unfairness.EXPLAINED,
        comparisons=Markup(_comparisons(chapters)),
    )


def _comparisons(chapters: Sequence[Chapter]) -> str:
    """The records of all chapters as JSON that no element can end early."""
    records = [one.record() for chapter in chapters for one in chapter.comparisons]
    document = json.dumps({"comparisons": records}, ensure_ascii=False, separators=(",", ":"))
    return document.replace("<", "\\u003c")


def _shown(chapter: Chapter, of: int) -> dict[str, Any]:
    """The chapter with what only this form needs."""
    maps = [one for question in chapter.questions for one in _maps(question, chapter.inks)]
    # A map of one field only repeats the answer: it is shown where there is no other.
    maps = [one for one in maps if one["fields"] > 1] or maps
    return {
        **vars(chapter),
        "title": content.heading(chapter),
        "sections": {
            name: {
                "notes": section.notes,
                "charts": [_chart(c, chapter.inks) for c in section.charts],
            }
            for name, section in chapter.sections.items()
        },
        "maps": maps[: max(1, _MOST_MAPS // of)],
        "more_maps": max(0, len(maps) - max(1, _MOST_MAPS // of)),
        "any_unfair": any(line.price for line in chapter.lines),
    }


def _chart(chart: Any, inks: Inks) -> dict[str, Any]:
    labels = list(inks.numbers)
    keys = [(figure.printable(labels[number], 60), number) for number in chart.shown]
    return {**vars(chart), "drawn": Markup(chart.svg), "marks": keys}


def _maps(question: Question, inks: Inks) -> list[dict[str, Any]]:
    """One for each hold, threads down and keys across."""
    made = []
    for at, hold in enumerate(question.holds):
        spots = {place: spot for place, spot in question.spots.items() if place[2] == at}
        if not spots:
            continue
        threads = _thinned(sorted({place[0] for place in spots}))
        keys = _thinned(sorted({place[1] for place in spots}))
        rows = [
            {
                "threads": units.number(question.threads[t]),
                "spots": [_spot(spots.get((t, k, at)), inks) for k in keys],
            }
            for t in threads
        ]
        said = [units.number(question.keys[k]) for k in keys]
        made.append(
            {
                "title": f"{question.name} · {hold}",
                "heads": said,
                "rows": rows,
                "fields": len(spots),
            }
        )
    return made


def _thinned(places: list[int]) -> list[int]:
    if len(places) <= _MOST_PLACES:
        return places
    last = len(places) - 1
    return [places[round(i * last / (_MOST_PLACES - 1))] for i in range(_MOST_PLACES)]


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


def _style(inks: Inks) -> str:
    light, dark = inks.style(colours.LIGHT), inks.style(colours.DARK)
    rest = (_TEMPLATES / "page.css").read_text(encoding="utf-8")
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{color-scheme:dark;{dark}}}}}\n"
        f"@media screen{{:root[data-theme=light]{{color-scheme:light;{light}}}"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}}}\n{rest}"
    )


def _symbols(inks: Inks) -> str:
    """Each primitive's marker, as pictures have it."""
    made = []
    for label, number in inks.numbers.items():
        marker = MarkerStyle(inks.looks[label].marker)
        path = marker.get_path().transformed(marker.get_transform())
        drawn = f'<path d="{_outline(path)}"/>'
        made.append(f'<symbol id="k{number}" viewBox="-.6 -.6 1.2 1.2">{drawn}</symbol>')
    return "".join(made)


_COMMANDS = {Outline.MOVETO: "M", Outline.LINETO: "L", Outline.CURVE3: "Q", Outline.CURVE4: "C"}


def _outline(path: Outline) -> str:
    told = []
    for points, code in path.iter_segments(simplify=False):
        if code == Outline.CLOSEPOLY:
            told.append("Z")
        else:
            flipped = [-value if i % 2 else value for i, value in enumerate(points)]
            told.append(_COMMANDS[code] + " ".join(f"{value:.3f}" for value in flipped))
    return "".join(told)


def _number(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.5g}"


def _whole(value: float | None) -> str:
    return "" if value is None or value != value else units.whole(value)
