# SPDX-License-Identifier: Apache-2.0
"""Fairness: was the throughput bought by starving threads?

Left, Jain's index over the operations of each thread: 1 when all did the same, 1/threads when one
did everything. Right, what the busiest and the idlest thread did, as a multiple of an equal
share: the index hides a single starved thread among many, this does not.

Source: R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination" (1984).
"""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import cells, figure, palette, prediction_error, scales, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import rows

_LEAST_SHARE = 0.001  # what a logarithmic axis shows of a thread that did nothing


def draw(run: Run) -> Figure | None:
    valid = run.valid
    # With fixed work, every thread does its share, so there is no fairness to measure.
    measured = valid[(valid["threads"] > 1) & (valid["mode"] == "timed")]
    measured = measured[measured["fairness_jain"].notna() & (measured["operations"] > 0)]
    return rows.draw(
        run,
        cells.most_contended(measured),
        rows.Rows(
            title="Fairness between threads",
            says="faint: each block, mark: their median",
            parts=[
                rows.Part(_draw_index, _finish_index, width=2.9),
                rows.Part(_draw_shares, _finish_shares, width=2.9),
            ],
            order=lambda own: -float(own["fairness_jain"].median()),
            notes=[
                "of each workload, the cell with most threads on fewest keys in which primitives"
                " compete; fairest on top",
                "band: of Jain's index" if run.predicted else "",
            ],
        ),
    )


def _dash(own: pd.DataFrame, look: palette.Look) -> Any:
    """Dashes mean a prediction here, not a primitive."""
    return look.dash if prediction_error.is_predicted(own) else "-"


def _draw_index(axes: Axes, own: pd.DataFrame, y: float, look: palette.Look) -> None:
    index = own["fairness_jain"]
    rows.draw_error(axes, own, "fairness_jain", y, look.colour)
    line = {"color": look.colour, "linewidth": 1.2, "alpha": 0.6, "zorder": 2}
    axes.plot((0, index.median()), (y, y), linestyle=_dash(own, look), **line)
    rows.draw_blocks(axes, index, y, look)
    axes.plot([index.median()], [y], marker=look.marker, markersize=5.5, color=look.colour)


def _finish_index(axes: Axes, group: Group) -> None:
    axes.set_xlim(0, 1.03)
    axes.set_xlabel("Jain's index (1: all threads did the same)")


def _draw_shares(axes: Axes, own: pd.DataFrame, y: float, look: palette.Look) -> None:
    mean = own["operations"] / own["threads"]
    least = (own["thread_operations_min"] / mean).clip(lower=_LEAST_SHARE)
    most = (own["thread_operations_max"] / mean).clip(lower=_LEAST_SHARE)
    ends = least.median(), most.median()
    for share in (least, most):
        rows.draw_blocks(axes, share, y, look)
    dash = _dash(own, look)
    axes.plot(
        ends,
        (y, y),
        color=look.colour,
        linewidth=3 if dash == "-" else 1.5,
        linestyle=dash,
        solid_capstyle="butt",
        zorder=2,
    )
    axes.plot(ends, (y, y), linestyle="", marker="|", markersize=9, color=look.colour, zorder=3)


def _share(share: float) -> str:
    return f"{'≤ ' if share <= _LEAST_SHARE else ''}{units.short(share)}×"


def _finish_shares(axes: Axes, group: Group) -> None:
    mean = group.rows["operations"] / group.rows["threads"]
    least = (group.rows["thread_operations_min"] / mean).clip(lower=_LEAST_SHARE).min()
    most = (group.rows["thread_operations_max"] / mean).max()
    axes.axvline(1, color=figure.QUIET, linewidth=0.9, zorder=1)
    axes.set_xlim(*scales.padded([min(least, 0.5), max(most, 2.0)], share=0.04))
    scales.log_scale(axes, "x", _share)
    axes.set_xlabel(scales.logarithmic("idlest to busiest thread, of an equal share"))
