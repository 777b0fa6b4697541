# SPDX-License-Identifier: Apache-2.0
"""Late writes at a service: what became of the updates of holders whose hold had ended?

A resource that checks tokens refuses such a write, and its owner repeats the update. One that
ignores tokens accepts it, and the update of another holder is lost. The rows with lost updates are
not valid, so no other picture shows them; here they are the result.
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import cells, palette
from analysis.cells import Group
from analysis.loader import Run
from analysis.pictures import rows


def draw(run: Run) -> Figure | None:
    trials = run.trials
    if "round_trips" not in trials:
        return None
    # Only locks of services have round trips. A trial that was disturbed or did not end counts no
    # updates that can be compared.
    ended = trials[trials["round_trips"].notna() & (trials["disturbance"] == "")]
    ended = ended[(ended["outcome"] == "ok") & (ended["operations"] > 0)]
    refused = ended["refused_writes"].fillna(0)
    late = ended.assign(
        lost_share=ended["lost_updates"].fillna(0) / ended["operations"],
        refused_share=refused / (ended["operations"] + refused),
    )
    groups = [
        group
        for group in cells.groups(late)
        if (group.rows["lost_share"] + group.rows["refused_share"]).max() > 0
    ]
    return rows.draw(
        run,
        groups,
        rows.Rows(
            title="Writes that came after the end of a hold",
            says="bar: median of the blocks, faint: each block",
            parts=[
                rows.Part(_draw("lost_share"), _finish("lost updates"), width=2.9),
                rows.Part(_draw("refused_share"), _finish("refused writes, made again"), width=2.9),
            ],
            order=lambda own: float(own["lost_share"].median()),
            notes=["an accepted late write loses an update; a refused one loses none"],
            left_out=_left_out,
        ),
    )


def _left_out(trials: pd.DataFrame) -> str:
    ended = trials["outcome"] == "ok"
    parts = [cells.left_out(trials[~ended]), cells.disturbed(trials[ended])]
    return "; ".join(part for part in parts if part)


def _draw(column: str) -> Callable[[Axes, pd.DataFrame, float, palette.Look], None]:
    def draw_share(axes: Axes, own: pd.DataFrame, y: float, look: palette.Look) -> None:
        share = own[column].median()
        rows.draw_bar(axes, own, column, y, look, f"{100 * share:.3g} %" if share else "none")

    return draw_share


def _finish(words: str) -> Callable[[Axes, Group], None]:
    def finish(axes: Axes, group: Group) -> None:
        longest = max(group.rows[["lost_share", "refused_share"]].max())
        rows.finish_bars(axes, longest, lambda share: f"{100 * share:.3g} %", room=0.4, most=4)
        axes.set_xlabel(f"{words}, of all updates")

    return finish
