# SPDX-License-Identifier: Apache-2.0
"""Scalability: what keeps more threads from doing more work, and where does it turn?

Marks are what was measured, the faint curve is the Universal Scalability Law as fitted to them.
A large σ is work that all must do in turn; a large κ is threads that keep each other informed,
which makes throughput fall beyond a peak. More threads than the machine has take turns on it: they
are hollow, and no part of the fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import cells, endings, figure, palette, prediction_error, scalability, scales, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import curves
from analysis.scalability import Curve, Fit

MOST_PANELS = 12
_WIDE, _TALL, _LEFT = 2.9, 2.5, 0.72


@dataclass(frozen=True)
class _Panel:
    group: Group
    family: str
    curves: list[Curve]


def draw(run: Run) -> Figure | None:
    """None when no curve could be fitted."""
    found = scalability.faceted(run)
    panels = [panel for group, own in found for panel in _panels(group, own)]
    if not panels:
        return None
    shown = panels[:MOST_PANELS]
    columns = min(len(shown), 2)
    words = [_words(c) for panel in shown for c in panel.curves]
    right = endings.LABEL_GAP + figure.widest(words) + 0.1
    _, varied = cells.same_and_different([panel.group.key for panel in panels])
    titles = [_title(panel, varied) for panel in shown]
    made, axes = figure.sheet(
        _heading(run, panels, [curve for _, own in found for curve in own]),
        figure.Grid.of_panels(titles, columns, size=(_WIDE, _TALL), left=_LEFT, right=right),
        count=len(shown),
    )
    for place, panel, title in zip(axes, shown, titles):
        _draw_panel(place, panel, run.hardware_threads)
        figure.panel_title(place, title, _WIDE + right)
    return made


def _panels(group: Group, own: list[Curve]) -> list[_Panel]:
    fitted = {curve.primitive: curve for curve in own if curve.fit is not None}
    return [
        _Panel(group, family, [fitted[label] for label in labels])
        for family, labels in curves.split(list(fitted)).items()
        if labels
    ]


def _title(panel: _Panel, varied: Sequence[str]) -> str:
    family = f"{panel.family} family" if panel.family else ""
    return " · ".join(part for part in (cells.describe(panel.group.key, varied), family) if part)


def _heading(run: Run, panels: list[_Panel], every: list[Curve]) -> figure.Heading:
    same, _ = cells.same_and_different([panel.group.key for panel in panels])
    refused = sum(curve.fit is None for curve in every)
    notes = [
        "σ: contention; κ: coherency; a peak is shown where κ's 95 % interval keeps clear of 0",
        *scalability.left_out(every),
        f"{units.plural(refused, 'curve')} not fitted; compare says why" if refused else "",
        *prediction_error.explained(run.predicted),
        cells.left_out(run.trials),
    ]
    if len(panels) > MOST_PANELS:
        notes.insert(0, f"{len(panels) - MOST_PANELS} more panels not shown; compare lists them")
    return figure.Heading(
        title=run.titled("Scalability: throughput by threads, and the law that it follows"),
        subtitles=[
            *run.banners,
            run.heading,
            cells.describe(same),
            f"faint: {scalability.LAW}, as fitted; marks: medians of the blocks",
        ],
        footnotes=[note for note in notes if note],
    )


def _words(curve: Curve) -> str:
    fit = curve.fit
    if fit is None:
        return curve.primitive
    peak = ""
    if fit.peak is not None:
        peak = f", peak {units.short(fit.peak, 2)}" if fit.peak > 1 else ", falls"
    sigma, kappa = (_parameter(value) for value in (fit.contention, fit.coherency))
    return f"{figure.drawn(curve.primitive)}: σ {sigma}, κ {kappa}{peak}"


def _parameter(value: float) -> str:
    return "0" if value < 1e-9 else units.short(value, 2)


def _draw_panel(axes: Axes, panel: _Panel, hardware_threads: int | None) -> None:
    ends = []
    rates: list[float] = []
    threads: set[float] = set()
    for curve in panel.curves:
        if curve.fit is None:
            continue
        look = palette.look(curve.primitive)
        own = panel.group.rows[panel.group.rows["label"] == curve.primitive]
        medians = own.groupby("threads")["operations_per_s"].median()
        if prediction_error.is_predicted(own):
            look = palette.predicted(look)
        identity = {value: value for value in medians.index}
        curves.draw_error(axes, own, "threads", "operations_per_s", identity, look.colour)
        last = _draw_law(axes, curve.fit, look, prediction_error.is_predicted(own))
        _draw_marks(axes, medians, look, hardware_threads)
        ends.append(endings.End(*last, _words(curve), look))
        spans = prediction_error.figures_and_bounds(own, "operations_per_s")
        rates += [*spans[spans > 0], last[1]]
        threads |= set(medians.index)
    axes.set_ylim(*scales.padded(rates))
    scales.log_scale(axes, "y", units.count)
    scales.log_axis_of(axes, {n: n for n in threads}, units.whole, "threads")
    axes.set_ylabel(scales.logarithmic("operations per second"))
    endings.label_ends(axes, ends)


def _draw_law(axes: Axes, fit: Fit, look: palette.Look, predicted: bool) -> tuple[float, float]:
    """Over the threads that it was fitted to; gives back where it ends."""
    threads = np.geomspace(1, fit.most_threads, 60)
    fitted = fit.at(threads)
    line = {"color": look.colour, "linewidth": 2.6, "alpha": 0.4, "zorder": 2}
    axes.plot(threads, fitted, linestyle=look.dash if predicted else "-", **line)
    return float(threads[-1]), float(fitted[-1])


def _draw_marks(
    axes: Axes, medians: pd.Series, look: palette.Look, hardware_threads: int | None
) -> None:
    most = hardware_threads if hardware_threads is not None else np.inf
    for inside in (True, False):
        own = medians[(medians.index <= most) == inside]
        axes.plot(
            own.index,
            own,
            linestyle="",
            marker=look.marker,
            markersize=4.8,
            color=look.colour,
            markerfacecolor=look.colour if inside else "none",
            zorder=3,
        )
