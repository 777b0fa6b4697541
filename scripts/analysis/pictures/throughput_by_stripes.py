# SPDX-License-Identifier: Apache-2.0
"""Throughput by stripes: how many locks must keys share until sharing costs nothing?

Each doubling of the stripes halves the chance that two keys meet on one. The line rises until there
are more stripes than the threads can collide on; beyond that only memory grows. Lines across are
what has no stripes, above all a lock per key: where the stripes reach it, its table buys nothing.

Where conflicts were watched, a second column shows the share of them that was with another key. Of
K keys drawn evenly, a given holder has the arrival's own key with chance 1/K, and another key on
its stripe with chance (1 − 1/K)/S. The share of the second in both is (K − 1)/(K − 1 + S); how many
threads there are does not matter, since each further holder adds to both alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from matplotlib.figure import Figure

from analysis import cells, palette, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import curves

_AXIS = curves.Axis("stripes", "stripes", "number of stripes", units.number, levels=True)


def expected_share(group: Group, stripes: Sequence[float]) -> list[float] | None:
    """Of all conflicts, those with another key; None where keys are not drawn evenly."""
    keys = group.key["keys"]
    if group.key["key_distribution"] != "uniform" or not keys:
        return None
    return [(keys - 1) / (keys - 1 + count) for count in stripes]


_WATCHED = replace(
    _AXIS,
    what="Throughput and false conflicts",
    measures=(
        replace(curves.RATE, title="throughput"),
        curves.Measure(
            "false_conflicts",
            "conflicts with another key",
            lambda share: f"{100 * share:.0f} %",
            share=True,
            title="false conflicts",
            expected=expected_share,
        ),
    ),
    notes=[
        "grey at the right: (K − 1)/(K − 1 + S), the share that follows from K keys drawn evenly"
        " and S stripes"
    ],
)


def draw(run: Run) -> Figure | None:
    rows = cells.at_full_speed(run.valid)
    stripes = rows["params"].str.extract(r"\bstripes=(\d{1,15})\b")[0].astype(float)
    # One line for all counts of stripes: the count is the axis.
    label = rows["label"].map(palette.any_stripes)
    rows = rows.assign(stripes=stripes, label=label)
    watched = rows[rows["stripes"].notna()]["false_conflicts"].notna().any()
    return curves.draw(run, rows, _WATCHED if watched else _AXIS)
