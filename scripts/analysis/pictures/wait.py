# SPDX-License-Identifier: Apache-2.0
"""Waits: what does the unlucky thread pay?

A lock can win on throughput and make one thread in a thousand wait for a scheduler's turn. Each row
runs from the median to the longest wait that was seen, on a logarithmic scale: a short row is a
lock that treats acquisitions alike; a long one buys its median with its tail.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import cells, figure, palette, prediction_error, scales, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import rows

_QUANTILES = {
    "wait_p50_ns": ("p50", "|", 9.0),
    "wait_p90_ns": ("p90", "o", 4.0),
    "wait_p99_ns": ("p99", "D", 4.5),
    "wait_p999_ns": ("p99.9", "s", 4.5),
    "wait_max_ns": ("longest", ">", 5.5),
}
_WITH_ERROR = ("wait_p50_ns", "wait_p99_ns")  # in a prediction, these have bands
_LEAST_NS = 1.0  # what a logarithmic axis shows of a wait of nothing


def draw(run: Run) -> Figure | None:
    # Only blocks that have all figures: medians of changing blocks would not be in order.
    measured = run.valid[run.valid["mode"] != "micro"].dropna(subset=[*_QUANTILES])
    groups = cells.most_contended(measured)
    return rows.draw(
        run,
        groups,
        rows.Rows(
            title="Waiting for the lock: from the median to the longest",
            says="faint: each block, marks: medians of the blocks",
            parts=[rows.Part(_draw_row, _finish, width=5.6)],
            order=_order,
            notes=[
                "of each workload, the cell with most threads on fewest keys in which primitives"
                " compete; ordered by p99, in the saturated loop by the longest wait, since"
                " percentiles there favour a lock that starves threads",
                "bands: of p50 and of p99" if run.predicted else "",
            ],
            keys=[
                figure.Key(text, {"marker": marker, "markersize": size, "markeredgewidth": 1.2})
                for text, marker, size in _QUANTILES.values()
            ],
        ),
    )


def _order(own: pd.DataFrame) -> float:
    tell = cells.percentiles_tell(own).all()
    return float(own["wait_p99_ns" if tell else "wait_max_ns"].median())


def _draw_row(axes: Axes, own: pd.DataFrame, y: float, look: palette.Look) -> None:
    medians = {name: max(own[name].median(), _LEAST_NS) for name in _QUANTILES}
    ends = medians["wait_p50_ns"], medians["wait_max_ns"]
    for name in _WITH_ERROR:
        rows.draw_error(axes, own, name, y, look.colour, least=_LEAST_NS)
    # Dashes mean a prediction here, not a primitive.
    dash = look.dash if prediction_error.is_predicted(own) else "-"
    axes.plot(ends, (y, y), color=look.colour, linestyle=dash, linewidth=1.2, zorder=2)
    for name, (_, marker, size) in _QUANTILES.items():
        rows.draw_blocks(axes, own[name].clip(lower=_LEAST_NS), y, look)
        axes.plot(
            [medians[name]],
            [y],
            linestyle="",
            marker=marker,
            markersize=size,
            markeredgewidth=1.2 if marker == "|" else 0.5,
            color=look.colour,
            markeredgecolor=look.colour if marker == "|" else "white",
            zorder=3,
        )


def _finish(axes: Axes, group: Group) -> None:
    parts = [group.rows[name] for name in _QUANTILES]
    parts += [prediction_error.figures_and_bounds(group.rows, name) for name in _WITH_ERROR]
    figures = pd.concat(parts).clip(lower=_LEAST_NS)
    axes.set_xlim(*scales.padded([figures.min(), figures.max()], share=0.04))
    scales.log_scale(axes, "x", units.nanoseconds)
    axes.set_xlabel(scales.logarithmic("wait from asking for the lock to having it"))
