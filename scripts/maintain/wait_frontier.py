#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what each way to wait costs and gains: speed against the p99 wait.

Usage: wait_frontier.py [RUN...]

Draws docs/images/wait-frontier.png from docs/data/wait-frontier.csv. With runs of one preset, which
have `global` over several locks, over `tbb_spin` among them, writes that table first: speeds are
paired by block with those of `tbb_spin`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "commands"))

from analysis import modules  # noqa: E402

modules.need("wait_frontier", "matplotlib", "pandas")

import pandas as pd  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402

from analysis import figure  # noqa: E402

DOCS = Path(__file__).resolve().parents[2] / "docs"
TABLE = DOCS / "data" / "wait-frontier.csv"
PICTURE = DOCS / "images" / "wait-frontier.png"
PEER = "tbb_spin"
NOW = "adaptive"
CELL = ["threads", "hold_ns", "load"]
# How a lock of the table is drawn, and its words in the legend. What is not here was only tried.
SHOWN = {
    NOW: ("global", {"marker": "o", "markersize": 8, "color": "#C8102E"}),
    "before": ("global, before", {"marker": "o", "markersize": 6, "color": "#E88A9A"}),
    "futex": ("global:lock=futex", {"marker": "D", "markersize": 5, "color": "#7A2E8E"}),
    "tbb_spin": ("tbb_spin", {"marker": "s", "markersize": 6, "color": "#005B96"}),
    "absl": ("absl", {"marker": "^", "markersize": 6, "color": "#4FA3D1"}),
    "std": ("std", {"marker": "v", "markersize": 6, "color": "#1B2A38"}),
}
TRIED = ("policies that were not chosen", {"marker": ".", "markersize": 6, "color": "#9A9A9A"})


def table(runs: Sequence[Path]) -> pd.DataFrame:
    """The medians over the blocks of each cell and lock."""
    rows = pd.concat([pd.read_csv(run / "trials.csv") for run in runs])
    rows = rows[rows["primitive"].eq("global") & rows["valid"].astype(bool)]
    rows["lock"] = rows["params"].fillna("").str.removeprefix("lock=").replace("", NOW)
    rows["load"] = rows["load_share"].fillna(1)
    block = [*CELL, "run_id", "block"]
    peer = rows[rows["lock"].eq(PEER)].set_index(block)["operations_per_s"].rename("peer")
    rows = rows.join(peer, on=block)
    rows["speed"] = rows["operations_per_s"] / rows["peer"]
    medians = rows.groupby([*CELL, "lock"])[["speed", "wait_p99_ns", "wait_p999_ns"]].median()
    made = medians.reset_index()
    made["speed"] = made["speed"].round(3)
    for percentile in ("p99", "p999"):
        made[f"wait_{percentile}_us"] = (made.pop(f"wait_{percentile}_ns") / 1000).round(2)
    return made


def draw_cell(axes: Axes, rows: pd.DataFrame) -> None:
    """One cell: a mark for each lock."""
    for row in rows.itertuples():
        _, mark = SHOWN.get(row.lock, TRIED)
        above = 3 if row.lock == NOW else 2 if row.lock in SHOWN else 1
        axes.plot(row.wait_p99_us, row.speed, linestyle="none", zorder=above, **mark)
    axes.set_xscale("log")
    axes.set_xlim(0.5, 500)
    axes.set_xticks([1, 10, 100], ["1", "10", "100"])
    axes.set_ylim(0.55, 1.15)
    axes.grid(True)


def draw(rows: pd.DataFrame) -> None:
    """The picture of the cells below saturation."""
    figure.use_style()
    cells = [(cell, some) for cell, some in rows[rows["load"] < 1].groupby(CELL)]
    titles = [
        f"{threads} threads, {hold / 1000:g} µs, {load:.0%} load"
        for (threads, hold, load), _ in cells
    ]
    grid = figure.Grid.of_panels(titles, 4, size=(2.3, 2.1), left=0.55, right=0.1)
    sheet, panels = figure.sheet(
        figure.Heading(
            "Speed against the p99 wait, of each way to wait",
            ["Across: p99 wait in µs. Up: speed ÷ that of tbb_spin. Up and to the left is better."],
            keys=[figure.Key(*shown) for shown in [*SHOWN.values(), TRIED]],
        ),
        grid,
        len(cells),
    )
    for axes, title, (_, some) in zip(panels, titles, cells):
        draw_cell(axes, some)
        figure.panel_title(axes, title, 2.6)
    figure.save(sheet, PICTURE)


def main(argv: Sequence[str]) -> int:
    """Writes the table, if there are runs, and the picture."""
    if argv and argv[0] in {"-h", "--help"}:
        print(__doc__)
        return 0
    if argv:
        table([Path(run) for run in argv]).to_csv(TABLE, index=False)
    draw(pd.read_csv(TABLE))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
