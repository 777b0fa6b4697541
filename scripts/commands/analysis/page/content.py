# SPDX-License-Identifier: Apache-2.0
"""A run's chapter of the report, before it has a form: the content of both HTML and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from analysis import cells, core_kinds, figure, losses, readers, stressed, summary, tables
from analysis import text, units, verdict
from analysis.loader import Run
from analysis.page import about, answer, cell_table, on_cores, sections as pictured, waits
from analysis.page.cell_table import Line
from analysis.page.chart import Chart, Maker
from analysis.page.colours import Inks
from analysis.saturation import Saturation, saturations

MOST_CELLS = 1500  # of a page's tables
_MOST_PICTURES = 6  # of a kind
_MOST_OPEN_LOOPS = 24
_MOST_OF_CORES = 6
_MOST_LABELS = 60  # primitives in the pictures


@dataclass(frozen=True)
class Section:
    """Pictures of one kind, and the rows that they omit."""

    charts: list[Chart]
    notes: list[str]


@dataclass(frozen=True)
class Chapter:
    """Everything that the report says about one run."""

    prefix: str  # begins the ids of this chapter
    run: Run
    inks: Inks
    facts: list[str]  # of the run, for its head
    notes: list[str]
    cannot: list[str]
    on_cores: list[on_cores.Answer]  # empty where all cores are of one kind
    questions: list[answer.Question]
    losses: list[losses.Panel]
    comparisons: list[verdict.Comparison]
    how_to_read: list[str]
    lonely: list[str]
    open_loops: dict[str, list[Saturation]]  # by what was asked for, in words
    readers: list[readers.Map]
    sections: dict[str, Section]
    loop: str  # what throughput is of, if all of it is of the saturated loop
    lines: list[Line]
    cells: int  # how many there are; the table may have fewer
    faults: about.Faults
    stressed: list[stressed.Standing]  # empty: no test is recorded
    machine: list[tuple[str, list[tuple[str, str]]]]
    command: str
    surroundings: list[str]


def heading(chapter: Chapter) -> str:
    """The name of a chapter: its preset's name and title, else its run's."""
    preset = chapter.run.preset
    if preset and chapter.run.title:
        preset += f": {chapter.run.title}"
    return text.one_line(preset or chapter.run.run_id, 80)


def inks_of(runs: Sequence[Run]) -> Inks:
    """One palette for all of a page."""
    return Inks(label for run in runs for label in run.trials["label"].unique())


def chapters(runs: Sequence[Run], inks: Inks, pictures: bool = True) -> list[Chapter]:
    """One for each run; they share the room of the page."""
    room = max(1, len(runs))
    return [
        _chapter(run, inks, f"r{i + 1}", MOST_CELLS // room, pictures, _MOST_PICTURES // room or 1)
        for i, run in enumerate(runs)
    ]


def _chapter(
    run: Run, inks: Inks, prefix: str, most_cells: int, pictures: bool, most_pictures: int
) -> Chapter:
    judged = verdict.of_run(run)
    rows = judged.rows
    table = summary.of(judged)
    drawn = _drawn(table)
    maker = Maker(inks, f"{prefix}p", run.source)
    shown = rows["valid"] & rows["label"].isin(drawn)
    panels, more_panels = on_cores.chosen(run, judged, most_pictures)
    sections = _sections(run, rows[shown], maker, most_pictures) if pictures else {}
    if pictures:
        sections["cores"] = Section(*on_cores.charts(panels, more_panels, maker))
    charts = [chart for section in sections.values() for chart in section.charts]
    return Chapter(
        prefix=prefix,
        run=run,
        inks=inks,
        facts=_facts(run, table),
        notes=[
            *run.notes,
            *([note] if (note := about.target_note(run)) else []),
            *cells.expired(run.trials),
            *([] if panels else _kinds_of_cores(run)),
            *_undrawn(table, drawn),
            *(run.error.explained() if pictures else []),
        ],
        cannot=about.cannot(run, table),
        on_cores=on_cores.answers(panels),
        questions=answer.questions(table, judged),
        losses=losses.panels(judged),
        comparisons=judged.comparisons,
        how_to_read=tables.how_to_read(judged),
        lonely=answer.lonely(table),
        open_loops=_open_loops(run),
        readers=readers.maps(judged)[:_MOST_OPEN_LOOPS],
        sections=sections,
        loop=cells.in_the_saturated_loop(cells.at_full_speed(run.valid)),
        lines=cell_table.lines(table, inks, charts, most_cells),
        cells=len(table),
        faults=about.faults(run),
        stressed=stressed.of_run(run),
        machine=about.facts(run),
        command=about.command(run),
        surroundings=about.surroundings(run),
    )


def _kinds_of_cores(run: Run) -> list[str]:
    """The share that the slow cores got, in the cells that the page has room for."""
    found = cells.evenly(core_kinds.of(run), _MOST_OF_CORES)
    return [f"{one.group}, threads on {one.threads}: {one.words()}." for one in found]


def _open_loops(run: Run) -> dict[str, list[Saturation]]:
    found = cells.by_group(saturations(run.valid))
    return dict(cells.evenly(list(found.items()), _MOST_OPEN_LOOPS))


def _drawn(table: pd.DataFrame) -> set[str]:
    """The primitives that pictures show: all, or the ones nearest to the fastest."""
    labels = table["label"].unique()
    if len(labels) <= _MOST_LABELS:
        return set(labels)
    best = table.groupby("label")["ratio"].max().fillna(0.0)
    return set(best.sort_values(ascending=False, kind="stable").index[:_MOST_LABELS])


def _undrawn(table: pd.DataFrame, drawn: set[str]) -> list[str]:
    count = table["label"].nunique()
    if count == len(drawn):
        return []
    return [
        f"The pictures show {len(drawn)} of {count:,} primitives: those that come nearest to the"
        " fastest."
    ]


def _facts(run: Run, table: pd.DataFrame) -> list[str]:
    trials = run.final
    blocks = trials["block"].nunique()
    valid = int(trials["valid"].sum())
    again = len(run.trials) - len(trials)
    facts = [
        units.plural(len(trials), "trial")
        + (", all valid" if valid == len(trials) else f", {valid:,} of them valid")
        + (f" ({units.plural(again, 'earlier attempt')} excluded)" if again else ""),
        units.plural(len(table), "cell"),
        units.plural(blocks, "block"),
    ]
    started = trials["started_at"].iloc[0].replace("T", " ").replace("Z", " UTC")
    return [*facts, figure.printable(started, 32)] if started else facts


def _sections(run: Run, valid: pd.DataFrame, maker: Maker, most: int) -> dict[str, Section]:
    return {
        "load": Section(*pictured.load(run, valid, maker, most)),
        "waits": Section(*waits.charts(run, valid, maker, most)),
        "fairness": Section(*pictured.fairness(valid, maker, most)),
        "cost": Section(*pictured.cost(valid, maker, most)),
        "throughput": Section(*pictured.throughput(valid, maker, most)),
    }
