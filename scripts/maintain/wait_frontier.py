#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what each way to wait costs and gains, speed against the p99 wait, as
docs/images/wait-frontier.png, and writes the table of docs/laboratory/waiting.md; from
docs/data/wait-frontier.csv. With runs, writes that file first: they have `global` over several
locks, over tbb_spin among them. Speeds are paired by block with those of tbb_spin."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "commands"))

from analysis import modules  # noqa: E402

modules.need("wait_frontier", "matplotlib", "pandas")

import pandas as pd  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402

from analysis import command, figure, files, loader, marked, palette, scales, units  # noqa: E402
from analysis.errors import InputError  # noqa: E402

DOCS = Path(__file__).resolve().parents[2] / "docs"
CSV = DOCS / "data" / "wait-frontier.csv"
PICTURE = DOCS / "images" / "wait-frontier.png"
PAGE = DOCS / "laboratory" / "waiting.md"
MARK = "waits: data/wait-frontier.csv"

CELL = ["threads", "hold_ns", "load"]
PEER = "tbb_spin"
# Copies of the lock, in one plug-in with the policies that were only tried.
BEFORE, NOW = "before", "now"
TRIED = {"marker": ".", "markersize": 6, "color": figure.QUIET}
IN_PAGE = {BEFORE: "before", NOW: "now", PEER: "`tbb_spin`", "futex": "`global:lock=futex`"}


def looks() -> dict[str, palette.Look]:
    """Of the locks that have names in the picture."""
    now = replace(palette.look("global"), marker="o")
    before = replace(now, colour=palette.mix(now.colour, 0.5))
    marks = {"futex": "D", PEER: "^", "absl": "v", "std": "s"}
    peers = {
        name: replace(palette.look(f"global:lock={name}"), marker=marker)
        for name, marker in marks.items()
    }
    return {NOW: now, BEFORE: before, **peers}


def figures_of(runs: Sequence[loader.Run]) -> pd.DataFrame:
    """The medians over the blocks of each cell and lock. Raises InputError if a cell lacks a lock
    that the page shows."""
    rows = pd.concat([run.valid for run in runs])
    rows = rows[rows["label"].str.startswith("global:lock=")]
    rows = rows.assign(
        lock=rows["label"].str.removeprefix("global:lock="), load=rows["load_share"].fillna(1)
    )
    block = [*CELL, "run_id", "block"]
    peer = rows[rows["lock"] == PEER].set_index(block)["operations_per_s"].rename("peer")
    rows = rows.join(peer, on=block)
    rows = rows.assign(speed=rows["operations_per_s"] / rows["peer"])
    medians = rows.groupby([*CELL, "lock"])[["speed", "wait_p99_ns", "wait_p999_ns"]].median()
    found = medians.round({"speed": 3, "wait_p99_ns": 0, "wait_p999_ns": 0}).reset_index()
    if found.empty:
        raise InputError("no row of global:lock=NAME; name runs that have several")
    for cell, some in found.groupby(CELL):
        for lock in IN_PAGE:
            if lock not in set(some["lock"]):
                raise InputError(
                    f"{words(*cell)}: no row of global:lock={lock}, which the page shows"
                )
    return found


def table(rows: pd.DataFrame) -> str:
    """Speed, p99 and p99.9 wait of the locks IN_PAGE, a line for each cell."""
    lines = [f"| threads, hold, load | {' | '.join(IN_PAGE.values())} |", "|---" * 5 + "|"]
    for cell, some in rows.groupby(CELL):
        of = some.set_index("lock")
        columns = [
            f"{of.at[lock, 'speed']:.2f}, {units.nanoseconds(of.at[lock, 'wait_p99_ns'])},"
            f" {units.nanoseconds(of.at[lock, 'wait_p999_ns'])}"
            for lock in IN_PAGE
        ]
        lines.append(f"| {words(*cell)} | {' | '.join(columns)} |")
    return "\n".join(lines) + "\n"


def words(threads: int, hold_ns: float, load: float) -> str:
    at = "saturated" if load == 1 else units.whole_percent(load)
    return f"{threads:.0f} threads, {units.nanoseconds(hold_ns)}, {at}"


def draw_cell(axes: Axes, rows: pd.DataFrame) -> None:
    """One cell: a mark for each lock."""
    shown = looks()
    for lock, at, speed in zip(rows["lock"], rows["wait_p99_ns"], rows["speed"]):
        mark = mark_of(shown[lock]) if lock in shown else TRIED
        above = 3 if lock == NOW else 2 if lock in shown else 1
        axes.plot(at, speed, linestyle="", zorder=above, **mark)
    axes.set_xlim(30, 500_000)
    axes.set_ylim(0.25, 1.55)
    scales.log_scale(axes, "x", units.nanoseconds)
    axes.grid(True)


def mark_of(look: palette.Look) -> dict[str, Any]:
    return {"marker": look.marker, "markersize": 6.5, "color": look.colour}


def draw(rows: pd.DataFrame) -> None:
    """The picture of the cells below saturation."""
    cells = list(rows[rows["load"] < 1].groupby(["threads", "load", "hold_ns"]))
    titles = [words(threads, hold_ns, load) for (threads, load, hold_ns), _ in cells]
    keys = [figure.Key(label, mark_of(look)) for label, look in looks().items()]
    sheet, panels = figure.sheet(
        figure.Heading(
            "Speed against the p99 wait, of each way to wait",
            ["Across: p99 wait. Up: speed ÷ that of tbb_spin. Up and to the left is better."],
            keys=[*keys, figure.Key("policies that were only tried", TRIED)],
        ),
        figure.Grid.of_panels(titles, 3, size=(2.6, 2.0), left=0.55, right=0.2),
        len(cells),
    )
    for axes, title, (_, some) in zip(panels, titles, cells):
        draw_cell(axes, some)
        figure.panel_title(axes, title, 2.8)
    figure.save(sheet, PICTURE)


def parser() -> command.Parser:
    made = command.Parser(prog="wait_frontier", description=__doc__)
    made.add_argument("runs", metavar="RUN", nargs="*", help="(the figures that are there)")
    return made


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    if arguments.runs:
        rows = figures_of([loader.load(run) for run in arguments.runs])
        files.write(CSV, rows.to_csv(index=False))
    rows = pd.read_csv(CSV)
    figure.use_style()
    draw(rows)
    files.write(PAGE, marked.replaced(PAGE.read_text(encoding="utf-8"), MARK, table(rows)))
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("wait_frontier", body, argv)


if __name__ == "__main__":
    sys.exit(main())
