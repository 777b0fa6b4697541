# SPDX-License-Identifier: Apache-2.0
"""Which primitive on which cores: the pictures of pictures/on_cores.py, each alone, and a sentence
for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis import cells, figure, on_cores, units, verdict
from analysis.loader import Run
from analysis.on_cores import Cores, Panel
from analysis.page import chart
from analysis.page.chart import Chart, Maker
from analysis.pictures import on_cores as pictures

_LINE = 15.5
_WAITS, _GAP = 104.0, 12.0


@dataclass(frozen=True)
class Answer:
    """The words for one cell."""

    where: str
    said: str


def chosen(run: Run, judged: verdict.Table, most: int) -> tuple[list[Panel], int]:
    """At most so many, and how many more there are; none where all cores are of one kind."""
    panels = on_cores.panels(run, judged)
    shown = cells.evenly(panels, most)
    return shown, len(panels) - len(shown)


def answers(panels: Sequence[Panel]) -> list[Answer]:
    return [Answer(where, on_cores.sentence(panel)) for panel, where in zip(panels, _names(panels))]


def charts(panels: Sequence[Panel], more: int, maker: Maker) -> tuple[list[Chart], list[str]]:
    """With notes on what they omit; `more`: how many panels are left out."""
    if not panels:
        return [], []
    notes = [pictures.undrawn(panels), f"{more} more pictures are not drawn" if more else ""]
    made = [_drawn(panel, where, maker) for panel, where in zip(panels, _names(panels))]
    return made, [note[:1].upper() + note[1:] for note in notes if note]


def _names(panels: Sequence[Panel]) -> list[str]:
    """The cells in words: in those that tell them apart, if there are several."""
    _, varied = cells.same_and_different([panel.key for panel in panels])
    if not varied:
        return [cells.describe(panel.key) for panel in panels]
    return [cells.told_apart(panel.key, [*varied, "threads", "keys"]) for panel in panels]


def _drawn(panel: Panel, where: str, maker: Maker) -> Chart:
    lines = [line for line in pictures.lines_of(panel) if line.label]
    names = {label: figure.short(label, 18) for label in panel.labels}
    left = chart.text_width(list(names.values())) * 1.08 + 12
    right = chart.text_width([pictures.rate_words(line) for line in lines]) * 1.08 + 12
    waits = _WAITS if pictures.has_waits(panel) else 0.0
    bars = chart.room(_LINE * pictures.tall(panel), left, right + waits, top=4)
    pictures.draw_bars(bars, panel, names.__getitem__, left - 4, maker.look, maker.own)
    if waits:
        beside = chart.beside(bars, right + _GAP)
        pictures.draw_waits(beside, panel, maker.look, maker.own)
    titles = {label: _words_of(label, panel) for label in panel.labels}
    numbers = [int(cell) for one in panel.cores for cell in one.rows["cell"].unique()]
    summary = " ".join(_summary(one) for one in panel.cores)
    return maker.made(bars.figure, "cores", where, titles, summary, numbers)


def _words_of(label: str, panel: Panel) -> str:
    lines = [figure.printable(label, 120)]
    for line in pictures.lines_of(panel):
        if line.label == label:
            rates = line.rows[verdict.RATE]
            rate = chart.value_words(rates, units.count) if len(rates) else "no valid row"
            wait = pictures.wait_words(line)
            share = line.cores.shares.get(label)
            if share:
                rate += f"; {share.words().removeprefix(f'{label}: ')}"
            elif wait:
                rate += f", p99 wait {wait}"
            lines.append(f"{line.cores.name}: {rate}")
    return "\n".join(lines)


def _summary(cores: Cores) -> str:
    """For readers who cannot see the picture."""
    rates = [(label, cores.rate(label)) for label in cores.ranked]
    listed = ", ".join(
        f"{figure.printable(label)} {units.count(rate) if rate is not None else 'not valid'}"
        for label, rate in rates
    )
    return f"Operations per second {cores.heading}, best first: {listed}."
