# SPDX-License-Identifier: Apache-2.0
"""Cost: what does the lock take from everybody else?

Left, processor time per operation, the hold itself included: threads that spin or are woken in vain
take it from the rest of the machine, whatever the throughput says. Right, the memory that the
primitive itself occupies when all threads have left; where each key has a lock, also what one key
occupies while it is held and when it is no longer used.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import cells, figure, palette, scales, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import rows


def draw(run: Run) -> Figure | None:
    valid = run.valid[(run.valid["mode"] != "micro") & (run.valid["operations"] > 0)]
    measured = valid[cells.processor_ns(valid) > 0]
    parts = [rows.Part(_draw_time, _finish_time, width=3.0)]
    if measured["lock_bytes"].notna().any():
        parts.append(rows.Part(_draw_memory, _finish_memory, width=2.4))
    if measured["key_bytes_live"].notna().any():
        parts.append(rows.Part(_draw_key_memory, _finish_key_memory, width=2.0))
    return rows.draw(
        run,
        cells.most_contended(measured),
        rows.Rows(
            title="What a lock costs: processor time and memory",
            says="mark: median of the blocks, faint: each block",
            parts=parts,
            order=lambda own: float(cells.processor_ns(own).median()),
            notes=[
                "of each workload, the cell with most threads on fewest keys in which primitives"
                " compete; processor time is of the whole process, user and system, and includes"
                " the hold"
            ],
        ),
    )


def _draw_time(axes: Axes, own: pd.DataFrame, y: float, look: palette.Look) -> None:
    spent = cells.processor_ns(own)
    rows.draw_blocks(axes, spent, y, look)
    axes.plot([spent.median()], [y], marker=look.marker, markersize=6, color=look.colour, zorder=3)


def _finish_time(axes: Axes, group: Group) -> None:
    spent = cells.processor_ns(group.rows)
    hold = group.key["hold_ns"] if group.key["hold_kind"] == "spin" else None
    shown = [spent.min(), spent.max(), *([hold] if hold else [])]
    axes.set_xlim(*scales.padded(shown, share=0.06))
    scales.log_scale(axes, "x", units.nanoseconds)
    dashed = " (dashed: the hold)" if hold else ""
    axes.set_xlabel(scales.logarithmic(f"processor time per operation{dashed}"))
    if hold:
        axes.axvline(hold, color=figure.QUIET, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1)


def _draw_memory(axes: Axes, own: pd.DataFrame, y: float, look: palette.Look) -> None:
    taken = own["lock_bytes"].median()
    if taken != taken:
        return
    # Nothing has no place on a logarithmic axis: it is written at the edge, without a mark.
    if taken > 0:
        axes.plot([taken], [y], marker=look.marker, markersize=6, color=look.colour)
    axes.annotate(
        units.memory(taken),
        (taken, y) if taken > 0 else (0, y),
        xycoords="data" if taken > 0 else axes.get_yaxis_transform(),
        xytext=(6, 0) if taken > 0 else (0, 0),
        textcoords="offset points",
        va="center_baseline",
        size=figure.NOTE,
    )


def _finish_memory(axes: Axes, group: Group) -> None:
    taken = group.rows["lock_bytes"]
    taken = taken[taken > 0]
    low, high = (taken.min() / 4, taken.max() * 4) if len(taken) else (1.0, 16.0)
    # Room at the right for the words of the last mark.
    high *= (high / low) ** 0.4
    ticks = [float(16**power) for power in range(10) if low <= 16**power <= high]
    scales.log_places(axes, "x", {tick: units.memory(tick) for tick in ticks or [low]})
    axes.set_xlim(low, high)
    axes.set_xlabel(scales.logarithmic("memory of the primitive"))


def _draw_key_memory(axes: Axes, own: pd.DataFrame, y: float, look: palette.Look) -> None:
    for column, face in (("key_bytes_live", look.colour), ("key_bytes_idle", "none")):
        if own[column].notna().any():
            axes.plot(
                [own[column].median()],
                [y],
                marker=look.marker,
                markersize=6,
                color=look.colour,
                markerfacecolor=face,
                zorder=3,
            )


def _finish_key_memory(axes: Axes, group: Group) -> None:
    taken = group.rows[["key_bytes_live", "key_bytes_idle"]]
    if not taken.notna().any(axis=None):
        axes.set_axis_off()
        return
    most = taken.max().max()
    rows.finish_bars(axes, max(1.0, most), units.memory, room=0.1, most=4)
    axes.set_xlim(left=-0.06 * max(1.0, most))
    axes.set_xlabel("memory of a key: held, hollow idle")
