"""Uncontended cost: what does a lock take when nobody else wants it?

Most acquisitions in most programs meet no one. The bars are the time of one operation with no
second thread in the way, beside the machine's own limits, below which no lock can go.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import palette, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import rows


def draw(run: Run) -> Figure | None:
    micro = run.valid[(run.valid["mode"] == "micro") & (run.valid["operations_per_s"] > 0)]
    if micro.empty:
        return None
    groups = [
        Group(key={"workload": name}, rows=_named_by_benchmark(found))
        for name, found in micro.groupby(micro["scenario"].map(_kind), sort=True)
    ]
    return rows.draw(
        run,
        groups,
        rows.Rows(
            title="Uncontended cost of one operation",
            says="bar: median of the blocks, faint: each block",
            parts=[rows.Part(_draw_bar, _finish, width=5.0)],
            order=lambda own: float(_cost_ns(own).median()),
        ),
    )


def _kind(scenario: str) -> str:
    """`uncontended/striped:lock=std/u64` is of the kind `uncontended u64`."""
    parts = scenario.split("/")
    if parts[0] == "uncontended" and len(parts) > 2:
        return f"uncontended, {parts[-1]} keys"
    if parts[0] == "scenario" and len(parts) > 2:
        return f"scenario {parts[1]}"
    return "limits of the machine" if parts[0] == "limit" else parts[0]


def _named_by_benchmark(found: pd.DataFrame) -> pd.DataFrame:
    """A machine's limit has no primitive: it is known by the last part of its benchmark."""
    last = found["scenario"].str.rpartition("/")[2]
    return found.assign(label=found["label"].where(found["primitive"] != "", last))


def _cost_ns(own: pd.DataFrame) -> pd.Series:
    return 1e9 / own["operations_per_s"]


def _draw_bar(axes: Axes, own: pd.DataFrame, y: float, look: palette.Look) -> None:
    cost = _cost_ns(own)
    rows.draw_bar(axes, cost, y, look, units.nanoseconds(cost.median(), trim=False))


def _finish(axes: Axes, group: Group) -> None:
    rows.finish_bars(axes, _cost_ns(group.rows).max(), units.nanoseconds, room=0.2)
    axes.set_xlabel("time of one operation")
