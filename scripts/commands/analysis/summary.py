# SPDX-License-Identifier: Apache-2.0
"""Each cell of a run in one row: its figures, and its standing among the primitives of its group.

All figures are worked out at once, column by column: a run of 20,000 cells has no time for one at a
time. A standing is the comparison (verdict.py) with the fastest of the group by the medians; the
floor has none, since it does not compete.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from analysis import cells, unfairness, verdict

FASTEST, LEVEL, BEHIND = "fastest", "level", "behind"
# Ratio to the fastest, one of these words, and whether the group is settled.
Standing = tuple[float, str, bool]


def figures(table: verdict.Table, wanted: Collection[str] | None = None) -> pd.DataFrame:
    """One row a cell. `wanted`: the columns of which medians are wanted; None: of all numbers.
    Beside the columns of cells.GROUP:

    group, label        which primitive, among which
    blocks, planned     valid ones, and all
    metric              the name of what median, low and high (the least and greatest block) are of
    spread_low, _high   the quartiles of four blocks and more, else low and high
    wait_max_ns         the longest of all blocks; each other number of a row is a median
    unfair              in words, or empty
    """
    rows = table.rows
    metric = rows["group"].map(lambda index: table.groups[index].metric)
    rows = rows.assign(
        metric=metric,
        figure=verdict.figures(rows, metric),
        processor_ns=cells.processor_ns(rows),
        idlest_share=cells.idlest_share(rows),
        wait_p99_ns=rows["wait_p99_ns"].where(cells.percentiles_tell(rows)),
    )
    valid = rows[rows["valid"]]
    by_cell = rows.groupby("cell", sort=True)
    found = by_cell[[*cells.GROUP, "load", "group", "label", "metric"]].first()
    found["planned"] = by_cell["block"].nunique()
    known = valid.loc[valid["figure"] > 0, ["cell", "block", "figure"]].groupby("cell")
    found["blocks"] = known["block"].nunique().reindex(found.index).fillna(0).astype(int)
    of_cell = known["figure"]
    found["median"], found["low"], found["high"] = of_cell.median(), of_cell.min(), of_cell.max()
    several = of_cell.count().reindex(found.index) > 3
    found["spread_low"] = of_cell.quantile(0.25).reindex(found.index).where(several, found["low"])
    found["spread_high"] = of_cell.quantile(0.75).reindex(found.index).where(several, found["high"])
    by_valid = valid.groupby("cell")
    numbers = [
        name
        for name, kind in valid.dtypes.items()
        if pd.api.types.is_numeric_dtype(kind) and (wanted is None or name in wanted)
    ]
    # One by one: a table of a hundred columns is not copied.
    medians = {
        name: by_valid[name].median()
        for name in numbers
        if name not in {*found.columns, "cell", "figure", "valid"}
    }
    found = found.join(pd.DataFrame(medians))
    found["wait_max_ns"] = valid.groupby("cell")["wait_max_ns"].max()
    unfair = pd.Series(unfairness.of_cells(rows), dtype=object)
    found["unfair"] = unfair.reindex(found.index).fillna("")
    return found


def of(table: verdict.Table) -> pd.DataFrame:
    """The same with

    ratio               of speeds, to the fastest of the group
    standing, settled   see above; settled: every other of the group is significantly slower
    """
    found = figures(table)
    standings: dict[int, Standing] = {}
    for index, labels in found.groupby("group")["label"]:
        own = standing(table, int(index))
        standings.update({cell: own[label] for cell, label in labels.items() if label in own})
    columns = [found.index.map(lambda cell: standings.get(cell, _NONE)[i]) for i in range(3)]
    found["ratio"], found["standing"], found["settled"] = columns
    return found


_NONE = (np.nan, "", False)


def standing(table: verdict.Table, index: int) -> dict[str, Standing]:
    """The standing of each competitor."""
    ranked = table.groups[index].competitors
    if not ranked:
        return {}
    against = {label: table.between(index, label, ranked[0]) for label in ranked[1:]}
    behind = {label for label, compared in against.items() if _is_slower(compared)}
    settled = len(ranked) > 1 and len(behind) == len(against)
    found = {ranked[0]: (1.0, FASTEST, settled)}
    for label, compared in against.items():
        ratio = compared.ratio if compared is not None else np.nan
        found[label] = (ratio, BEHIND if label in behind else LEVEL, settled)
    return found


def _is_slower(compared: verdict.Comparison | None) -> bool:
    return compared is not None and compared.verdict == verdict.SLOWER
