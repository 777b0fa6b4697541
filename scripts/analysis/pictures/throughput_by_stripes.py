"""Throughput by stripes: how many locks must keys share until sharing costs nothing?

Each doubling of the stripes halves the chance that two keys meet on one. The line rises until there
are more stripes than the threads can collide on; beyond that only memory grows. Lines across are
what has no stripes, above all a lock per key: where the stripes reach it, its table buys nothing.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from analysis import units
from analysis.loader import Run
from analysis.pictures import curves

_AXIS = curves.Axis("stripes", "stripes", "number of stripes", units.number, levels=True)


def draw(run: Run) -> Figure | None:
    rows = run.valid[run.valid["mode"] != "micro"]
    stripes = rows["params"].str.extract(r"\bstripes=(\d{1,15})\b")[0].astype(float)
    # One line for all counts of stripes: the count is the axis.
    label = rows["label"].str.replace(r"\bstripes=\d{1,15}\b", "stripes=N", regex=True)
    return curves.draw(run, rows.assign(stripes=stripes, label=label), _AXIS)
