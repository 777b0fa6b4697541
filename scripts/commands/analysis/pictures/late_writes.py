# SPDX-License-Identifier: Apache-2.0
"""Late writes at a service: what became of the updates of holders whose hold had ended?

A resource that checks tokens refuses such a write, and its owner repeats the update. One that
ignores tokens accepts it, and the update of another holder is lost. The rows with lost updates are
not valid, so no other picture shows them; here they are the result.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from analysis import cells
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
    shares = cells.late_shares(ended)
    late = ended.assign(**shares)
    groups = [one for one in cells.groups(late) if one.rows[[*shares]].max().max() > 0]
    return rows.draw(
        run,
        groups,
        rows.Sheet(
            "Writes that came after the end of a hold",
            [
                rows.Measure(
                    column,
                    f"{words}, of all updates",
                    lambda share: f"{100 * share:.3g} %" if share else "none",
                    bars=True,
                    top=late[[*shares]].max().max(),
                )
                for column, words in zip(shares, ("lost updates", "refused writes, made again"))
            ],
            notes=["an accepted late write loses an update; a refused one loses none"],
            left_out=_left_out,
        ),
    )


def _left_out(trials: pd.DataFrame) -> str:
    ended = trials["outcome"] == "ok"
    parts = [cells.left_out(trials[~ended]), cells.disturbed(trials[ended])]
    return "; ".join(part for part in parts if part)
