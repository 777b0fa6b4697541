# SPDX-License-Identifier: Apache-2.0
"""Scalability: what keeps more threads from doing more work, and where does it turn?

Marks are what was measured, the faint curve is the Universal Scalability Law as fitted to them.
A large σ is work that all must do in turn; a large κ is threads that keep each other informed,
which makes throughput fall beyond a peak. More threads than the machine has take turns on it: they
are hollow, and no part of the fit.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import endings, error_model, figure, palette, scalability, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import curves, throughput
from analysis.scalability import Curve


def draw(run: Run) -> Figure | None:
    """None when no curve could be fitted."""
    every = scalability.faceted(run)
    fitted = {
        (str(group.key), one.primitive): one
        for group, own in every
        for one in own
        if one.fit is not None
    }
    if not fitted:
        return None
    refused = sum(len(own) for _, own in every) - len(fitted)
    rows = [
        group.rows[group.rows["label"].isin([one.primitive for one in own if one.fit is not None])]
        for group, own in every
    ]
    most = run.hardware_threads or np.inf

    @cache
    def shown(key: str, label: str) -> Curve:
        return scalability.with_intervals(fitted[key, label])

    def names(group: Group, label: str) -> str:
        return _words(shown(str(group.key), label))

    def line(axes: Axes, own: pd.DataFrame, look: palette.Look, group: Group) -> endings.End:
        curve = shown(str(group.key), own["label"].iloc[0])
        return endings.End(*_draw_law(axes, own, look, curve, most), _words(curve), look)

    axis = replace(
        throughput.SWEEPS["threads"].axis,
        what="Scalability: throughput",
        measures=[replace(curves.RATE, line=line, names=names)],
        notes=[
            "σ: contention; κ: coherency; a peak is shown where κ's 95 % interval keeps clear of 0",
            *scalability.left_out([one for _, own in every for one in own]),
            f"{units.plural(refused, 'curve')} not fitted; compare says why" if refused else "",
        ],
        says=f"faint: {scalability.LAW}, as fitted; marks: medians of the blocks",
    )
    return curves.draw(run, pd.concat(rows), axis)


def _words(curve: Curve) -> str:
    fit, peak = curve.fit, ""
    assert fit is not None
    if fit.peak is not None:
        peak = f", peak {units.short(fit.peak, 2)}" if fit.peak > 1 else ", falls"
    sigma, kappa = (
        "0" if value < 1e-9 else units.short(value, 2) for value in (fit.contention, fit.coherency)
    )
    return f"{figure.drawn(curve.primitive)}: σ {sigma}, κ {kappa}{peak}"


def _draw_law(
    axes: Axes, own: pd.DataFrame, look: palette.Look, curve: Curve, most: float
) -> tuple[float, float]:
    """The law over the threads that it was fitted to, and the marks; gives back where it ends."""
    assert curve.fit is not None
    medians = own.groupby("threads")["operations_per_s"].median()
    identity = {value: value for value in medians.index}
    curves.draw_error(axes, own, "threads", "operations_per_s", identity, look.colour)
    threads = np.geomspace(1, curve.fit.most_threads, 60)
    fitted = curve.fit.at(threads)
    dash = look.dash if error_model.of(own).banded else "-"
    line = {"color": look.colour, "linewidth": 2.6, "alpha": 0.4, "zorder": 2}
    axes.plot(threads, fitted, linestyle=dash, **line)
    for inside, face in ((True, look.colour), (False, "none")):
        shown = medians[(medians.index <= most) == inside]
        mark = {"marker": look.marker, "markersize": 4.8, "markerfacecolor": face}
        axes.plot(shown.index, shown, linestyle="", color=look.colour, **mark, zorder=3)
    return float(threads[-1]), float(fitted[-1])
