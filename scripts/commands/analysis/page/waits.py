# SPDX-License-Identifier: Apache-2.0
"""Waits: what the unlucky pay. Of the most contended cell of each workload, how long the waits were
by percentile, and how they are distributed; of open loops, waits by rate.

Both come from latency.csv. The percentiles are those of the histograms of all blocks, added up;
their band is a bootstrap over the blocks. Medians of the percentiles of each block would go down
where some blocks have no such percentile. Without that file the percentiles of the rows stand in,
and there is no distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis import cells, endings, figure, histograms, scales, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.page import chart, lines
from analysis.page.chart import Chart, Maker
from analysis.pictures import curves, rows as of_rows, wait_by_rate

# How many times rarer than every wait: 2 is the median, 100 the 99th percentile.
_RARITY = np.geomspace(1.25, 1e5, 46)
_NAMED = {2.0: "50 %", 10.0: "90 %", 100.0: "99 %", 1e3: "99.9 %", 1e4: "99.99 %", 1e5: "99.999 %"}
_FROM_ROWS = {2.0: "wait_p50_ns", 10.0: "wait_p90_ns", 100.0: "wait_p99_ns", 1e3: "wait_p999_ns"}
_BINS_PER_DECADE = 6
_RIDGE = 26.0


def charts(run: Run, rows: pd.DataFrame, maker: Maker, most: int) -> tuple[list[Chart], list[str]]:
    """The pictures, and notes on the rows that they omit."""
    measured = rows[rows["wait_p50_ns"].notna() & (rows["mode"] != "micro")]
    groups = cells.most_contended(measured)
    # Families of one cell are never torn apart.
    shown = cells.evenly(groups, most)
    chosen = [
        (group, family, labels)
        for group in shown
        for family, labels in curves.split(group.labels).items()
    ]
    asked = pd.concat([group.rows for group in shown]) if shown else rows[:0]
    buckets = histograms.waits(run, asked)
    made: list[Chart] = []
    for group, family, labels in chosen:
        own = buckets[buckets["trial"].isin(group.rows["trial"])]
        title = cells.describe(group.key) + (f" · {family} family" if family else "")
        made.extend(_pair(group, labels, own, maker, title))
    open_ = wait_by_rate.rows_of(rows)
    by_rate, more = lines.along(open_, wait_by_rate.P99, maker, most, "waits by rate")
    more_cells = len(groups) - len(shown)
    notes = [f"{more_cells} more cells are not drawn"] if more_cells else []
    if chosen and buckets.empty:
        notes.append(
            "latency.csv is missing or empty: percentiles are those of the rows, and the"
            " distribution cannot be shown"
        )
    return made + by_rate, notes + ([f"{more} more pictures by rate are not drawn"] if more else [])


@dataclass(frozen=True)
class _Curve:
    """Waits by rarity, of all blocks together, and the band of a bootstrap over the blocks."""

    rarity: np.ndarray
    waits: np.ndarray
    low: np.ndarray
    high: np.ndarray


def _pair(
    group: Group, labels: Sequence[str], buckets: pd.DataFrame, maker: Maker, title: str
) -> list[Chart]:
    """All of the primitives of a cell have one scale, also if they are in several pictures."""
    every = {
        label: _curve(group.rows[group.rows["label"] == label], buckets[buckets["label"] == label])
        for label in group.labels
    }
    known = {label: curve for label, curve in every.items() if len(curve.rarity)}
    found = {label: known[label] for label in labels if label in known}
    if not found:
        return []
    ends = [end for curve in known.values() for end in (curve.low.min(), curve.high.max())]
    rows = group.rows[group.rows["label"].isin(labels)]
    made = [_percentiles(rows, found, maker, f"Percentiles: {title}", scales.padded(ends))]
    if not buckets.empty:
        made.append(_distribution(rows, labels, buckets, maker, f"Distribution: {title}"))
    return made


def _curve(rows: pd.DataFrame, buckets: pd.DataFrame) -> _Curve:
    if not buckets.empty:
        waits, low, high = histograms.pooled(buckets, 1 - 1 / _RARITY)
        there = np.isfinite(waits)
        return _Curve(_RARITY[there], waits[there], low[there], high[there])
    # Only blocks that have all of the percentiles: medians of changing blocks would go up and down.
    known = rows[list(_FROM_ROWS.values())].dropna()
    table = known.clip(lower=scales.LEAST_WAIT_NS).to_numpy(dtype=float)
    if not len(table):
        return _Curve(*(np.array([]) for _ in range(4)))
    rarities = np.array(list(_FROM_ROWS))
    return _Curve(rarities, np.median(table, axis=0), table.min(axis=0), table.max(axis=0))


def _band(
    axes: Axes, x: np.ndarray, low: np.ndarray, high: np.ndarray, colour: str, gid: str
) -> None:
    outline = np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]])
    axes.fill(*outline, color=colour, alpha=0.16, linewidth=0, zorder=1, gid=gid)


def _percentiles(
    rows: pd.DataFrame,
    found: dict[str, _Curve],
    maker: Maker,
    title: str,
    limits: tuple[float, float],
) -> Chart:
    axes = chart.room_for_lines([figure.short(label, 18) for label in found])
    ends, titles = [], {}
    reach = max(10.0, *(float(curve.rarity[-1]) for curve in found.values()))
    for label, one in found.items():
        x, look, gid = one.rarity, maker.look(label), maker.own(label)
        _band(axes, x, one.low, one.high, look.colour, gid)
        axes.plot(x, one.waits, **look.line, gid=gid)
        ends.append(endings.End(x[-1], one.waits[-1], figure.short(label, 18), look, gid))
        titles[label] = _words_of(label, one)
    axes.set_ylim(*limits)
    scales.log_scale(axes, "y", units.nanoseconds)
    ticks = {at: words for at, words in _NAMED.items() if at <= reach * 1.01}
    scales.log_ticks(axes, "x", ticks)
    axes.set_xlim(1.25, reach * 1.1)
    axes.grid(axis="y")
    axes.set_xlabel("share of waits that were no longer")
    chart.name_lines(axes, "wait", ends)
    return maker.made(axes.figure, "percentiles", title, titles, _summary(rows), rows["cell"])


def _words_of(label: str, curve: _Curve) -> str:
    said = [figure.printable(label, 120), "wait: of all blocks together (95 % interval)"]
    for rarity, name in _NAMED.items():
        at = int(np.argmin(np.abs(np.log(curve.rarity / rarity))))
        if abs(np.log(curve.rarity[at] / rarity)) < 0.2:
            three = [units.nanoseconds(float(v[at])) for v in (curve.waits, curve.low, curve.high)]
            said.append(f"{name}: {three[0]} ({three[1]} – {three[2]})")
    return "\n".join(said)


def _ranked(rows: pd.DataFrame) -> tuple[pd.Series, str]:
    """The wait of each primitive that compares them, the best first; and its name."""
    column, name = "wait_mean_ns", "mean wait"
    if cells.percentiles_tell(rows).all():
        column, name = "wait_p99_ns", "p99 wait"
    return rows.groupby("label")[column].median().sort_values(na_position="last"), name


def _summary(rows: pd.DataFrame) -> str:
    medians, name = _ranked(rows)
    longest = rows.groupby("label")["wait_max_ns"].max()
    named = ", ".join(
        f"{figure.printable(label)} {units.nanoseconds(value)}"
        + (f" (longest {units.nanoseconds(longest[label])})" if longest[label] > 0 else "")
        for label, value in medians.dropna().items()
    )
    return f"{name}, best first: {named}."


def _distribution(
    rows: pd.DataFrame, labels: Sequence[str], buckets: pd.DataFrame, maker: Maker, title: str
) -> Chart:
    """A ridge for each: how many of its waits were how long."""
    low = max(scales.LEAST_WAIT_NS, float(buckets["low_ns"].min()) * 0.8)
    high = float(buckets["high_ns"].max()) * 1.25 + 2
    decades = np.log10(high / low)
    edges = np.geomspace(low, high, max(8, int(decades * _BINS_PER_DECADE)) + 1)
    order = _ranked(rows)[0].index
    names = [figure.short(label, 22) for label in order]
    axes = chart.room(_RIDGE * len(names) + 12, left=chart.text_width(names) + 12, right=14, top=4)
    titles = {}
    for i, label in enumerate(order):
        own = buckets[buckets["label"] == label]
        if not own.empty:
            _ridge(axes, own, edges, len(names) - 1 - i, maker, label)
        of_rows.name_row(axes, len(names) - 1 - i + 0.25, names[i], maker.own(label))
        timed = own["count"].sum()
        titles[label] = f"{figure.printable(label, 120)}\n{timed:,.0f} waits timed"
    axes.set_ylim(-0.15, len(names) + 0.15)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlim(low, high)
    scales.log_scale(axes, "x", units.nanoseconds)
    axes.grid(axis="x")
    axes.set_xlabel("wait (log); height: share of the waits")
    return maker.made(axes.figure, "distribution", title, titles, _summary(rows), rows["cell"])


def _ridge(
    axes: Axes, own: pd.DataFrame, edges: np.ndarray, y: int, maker: Maker, label: str
) -> None:
    blocks = np.array([histograms.spread(rows, edges) for _, rows in own.groupby("block")])
    high = blocks.max()
    scale = 0.88 / high if high > 0 else 0.0
    # Even up to the edges of each bin: a histogram is no curve.
    x = np.repeat(edges, 2)[1:-1]
    middle, least, most = (
        y + scale * np.repeat(part, 2)
        for part in (np.median(blocks, axis=0), blocks.min(axis=0), blocks.max(axis=0))
    )
    look, gid = maker.look(label), maker.own(label)
    _band(axes, x, np.full(len(x), float(y)), middle, look.colour, gid)
    _band(axes, x, least, most, look.colour, gid)
    # Dashes mean here that nothing was measured, not a primitive.
    dash = look.dash if maker.source else "-"
    axes.plot(x, middle, color=look.colour, linestyle=dash, linewidth=1.2, gid=gid)
