# SPDX-License-Identifier: Apache-2.0
"""Each cell of a run in one row: its figures, and its standing among the primitives of its group.

All figures are worked out at once, column by column: a run of 20,000 cells has no time for one at a
time. A standing is the comparison (verdict.py) with the fastest of the group by the medians; the
floor has none, since it does not compete.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis import cells, unfairness, verdict
from analysis.loader import Run

FASTEST, LEVEL, BEHIND = "fastest", "level", "behind"
# Ratio to the fastest, one of these words, and whether the group is settled.
Standing = tuple[float, str, bool]

_MEDIANS = (
    "operations_per_s wait_p50_ns wait_p99_ns wait_mean_ns fairness_jain lock_bytes processor_ns"
    " idle_share"
).split()

_NEEDED = list(
    dict.fromkeys(
        [*cells.GROUP, "load", "label", "block", "valid", "window_s", "held_p50_ns", "operations"]
        + unfairness.FIGURES
        + "thread_operations_min cpu_user_s cpu_system_s makespan_s".split()
        + ["operation_ns", *_MEDIANS[:-2]]
    )
)


def numbered(run: Run, table: verdict.Table) -> pd.DataFrame:
    """The final rows of a run with their `group`, its place in the table, and `cell`."""
    places = table.places.reindex(run.final.index).astype(int)
    rows = run.final.assign(group=places)
    rows["cell"] = cells.codes(rows, ["group", "label"])
    return rows


def of(numbered: pd.DataFrame, table: verdict.Table) -> pd.DataFrame:
    """One row a cell, of rows with their numbers. Beside the columns of cells.GROUP:

    group, label        which primitive, among which
    blocks, planned     valid ones, and all
    metric              the name of what median, low and high (the least and greatest block) are of
    wait_max_ns         the longest of all blocks; what else has a row's name is a median
    ratio               of speeds, to the fastest of the group
    standing, settled   see above; settled: every other of the group is significantly slower
    unfair              in words, or empty
    """
    rows = numbered[[*_NEEDED, "group", "cell"]].copy()
    rows["metric"] = rows["group"].map(lambda place: table.groups[place].metric)
    rows["processor_ns"] = cells.processor_ns(rows)
    rows["idle_share"] = cells.idlest_share(rows)
    rows["wait_p99_ns"] = rows["wait_p99_ns"].where(cells.percentiles_tell(rows))
    valid = rows[rows["valid"]].copy()
    valid["figure"] = verdict.figures(valid, valid["metric"])
    found = rows.groupby("cell", sort=True)[
        [*cells.GROUP, "load", "group", "label", "metric"]
    ].first()
    found["planned"] = rows.groupby("cell")["block"].nunique()
    by_cell = valid[valid["figure"] > 0].groupby("cell")
    found["blocks"] = by_cell["block"].nunique().reindex(found.index).fillna(0).astype(int)
    found["median"] = by_cell["figure"].median()
    found["low"], found["high"] = by_cell["figure"].min(), by_cell["figure"].max()
    medians = valid.groupby("cell")[_MEDIANS].median()
    found[_MEDIANS] = medians.reindex(found.index)
    found["wait_max_ns"] = valid.groupby("cell")["wait_max_ns"].max()
    unfair = pd.Series(unfairness.of_cells(valid), dtype=object)
    found["unfair"] = unfair.reindex(found.index).fillna("")
    return _with_standing(found, table)


def _with_standing(found: pd.DataFrame, table: verdict.Table) -> pd.DataFrame:
    standings: dict[int, Standing] = {}
    for place, labels in found.groupby("group")["label"]:
        own = standing(table, int(place))
        standings.update({cell: own[label] for cell, label in labels.items() if label in own})
    columns = [found.index.map(lambda cell: standings.get(cell, _NONE)[i]) for i in range(3)]
    found["ratio"], found["standing"], found["settled"] = columns
    return found


_NONE = (np.nan, "", False)


def standing(table: verdict.Table, place: int) -> dict[str, Standing]:
    """Of each competitor."""
    ranked = table.groups[place].competitors
    if not ranked:
        return {}
    against = {label: table.between(place, label, ranked[0]) for label in ranked[1:]}
    behind = {label for label, compared in against.items() if _is_slower(compared)}
    settled = len(ranked) > 1 and len(behind) == len(against)
    found = {ranked[0]: (1.0, FASTEST, settled)}
    for label, compared in against.items():
        ratio = compared.ratio if compared is not None else np.nan
        found[label] = (ratio, BEHIND if label in behind else LEVEL, settled)
    return found


def _is_slower(compared: verdict.Comparison | None) -> bool:
    return compared is not None and compared.verdict == verdict.SLOWER
