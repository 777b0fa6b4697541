# SPDX-License-Identifier: Apache-2.0
"""Waits: what the unlucky pay. Of the most contended cell of each workload, how long the waits were
by percentile, and how they are distributed; of open loops, waits by rate.

Both come from latency.csv, each block's histogram for itself: the line is the median of the blocks,
the band reaches from the least to the greatest. Without that file the percentiles of the rows
stand in, and there is no distribution.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis import cells, endings, figure, histograms, scales, units
from analysis.cells import Group
from analysis.loader import Run
from analysis.page import chart, lines
from analysis.page.chart import Chart, Maker
from analysis.pictures import curves

_TALL = 190.0
# How many times rarer than every wait: 2 is the median, 100 the 99th percentile.
_RARITY = np.geomspace(1.25, 1e5, 46)
_NAMED = {2.0: "50 %", 10.0: "90 %", 100.0: "99 %", 1e3: "99.9 %", 1e4: "99.99 %", 1e5: "99.999 %"}
_FROM_ROWS = {2.0: "wait_p50_ns", 10.0: "wait_p90_ns", 100.0: "wait_p99_ns", 1e3: "wait_p999_ns"}
_BINS_PER_DECADE = 6
_RIDGE = 26.0


def charts(run: Run, rows: pd.DataFrame, maker: Maker, most: int) -> tuple[list[Chart], list[str]]:
    """The pictures, and notes on the rows that they omit."""
    measured = rows[rows["wait_p50_ns"].notna() & (rows["mode"] != "micro")]
    groups = [
        (group, family, labels)
        for group in cells.most_contended(measured[measured["mode"] != "open"])
        for family, labels in curves.split(group.labels).items()
    ]
    chosen = lines.evenly(groups, most)
    asked = pd.concat([group.rows for group, _, _ in chosen]) if chosen else rows[:0]
    buckets = histograms.waits(run, asked)
    made: list[Chart] = []
    for group, family, labels in chosen:
        wanted = group.rows[group.rows["label"].isin(labels)]
        own = buckets[buckets["trial"].isin(wanted["trial"])]
        title = cells.describe(group.key) + (f" · {family} family" if family else "")
        made.extend(_pair(group, labels, own, maker, title))
    by_rate, more = _by_rate(rows, maker, most)
    notes = [f"{len(groups) - len(chosen)} more cells are not drawn"] if chosen != groups else []
    if chosen and buckets.empty:
        notes.append(
            "latency.csv is missing or empty: percentiles are those of the rows, and the"
            " distribution cannot be shown"
        )
    return made + by_rate, notes + ([f"{more} more pictures by rate are not drawn"] if more else [])


def _by_rate(rows: pd.DataFrame, maker: Maker, most: int) -> tuple[list[Chart], int]:
    open_ = rows[(rows["mode"] == "open") & rows["wait_p99_ns"].notna()]
    open_ = open_.assign(wait_p99_ns=open_["wait_p99_ns"].clip(lower=1.0))
    axis = curves.Axis(
        "rate_per_s",
        "arrivals per second",
        "rate of arrivals",
        units.count,
        what="p99 wait",
        measures=[
            curves.Measure("wait_p99_ns", "p99 wait from when it was due", units.nanoseconds)
        ],
    )
    return lines.along(open_, axis, maker, most, "waits by rate")


def _pair(
    group: Group, labels: Sequence[str], buckets: pd.DataFrame, maker: Maker, title: str
) -> list[Chart]:
    rows = group.rows[group.rows["label"].isin(labels)]
    curves_of = {
        label: _by_block(rows[rows["label"] == label], buckets[buckets["label"] == label])
        for label in labels
    }
    found = {
        label: curve
        for label, curve in curves_of.items()
        if (np.isfinite(curve[1]).mean(axis=0) > 0.5).any()
    }
    if not found:
        return []
    made = [_percentiles(rows, found, maker, f"Percentiles: {title}")]
    if not buckets.empty:
        made.append(_distribution(rows, labels, buckets, maker, f"Distribution: {title}"))
    return made


def _by_block(rows: pd.DataFrame, buckets: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Rarities, and the waits at them, a line a block."""
    if buckets.empty:
        places = np.array(list(_FROM_ROWS))
        return places, rows[list(_FROM_ROWS.values())].clip(lower=1.0).to_numpy(dtype=float)
    found = [histograms.quantiles(own, 1 - 1 / _RARITY) for _, own in buckets.groupby("block")]
    return _RARITY, np.array(found)


def _middle(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Where most blocks have something: median, least and greatest of the blocks."""
    # What half of the blocks have too few waits for would jump with every one that falls silent.
    there = np.isfinite(table).mean(axis=0) > 0.5
    own = table[:, there]
    return there, np.nanmedian(own, axis=0), np.nanmin(own, axis=0), np.nanmax(own, axis=0)


def _band(
    axes: Axes, x: np.ndarray, low: np.ndarray, high: np.ndarray, colour: str, gid: str
) -> None:
    outline = np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]])
    axes.fill(*outline, color=colour, alpha=0.16, linewidth=0, zorder=1, gid=gid)


def _percentiles(
    rows: pd.DataFrame,
    found: dict[str, tuple[np.ndarray, np.ndarray]],
    maker: Maker,
    title: str,
) -> Chart:
    names = [figure.short(label, 18) for label in found]
    axes = chart.room(_TALL, left=46, right=endings.LABEL_GAP * 72 + chart.text_width(names) + 4)
    ends, titles, shown = [], {}, []
    reach = 10.0
    for label, (rarity, table) in found.items():
        there, middle, low, high = _middle(table)
        x, look, gid = rarity[there], maker.look(label), maker.own(label)
        _band(axes, x, low, high, look.colour, gid)
        axes.plot(x, middle, color=look.colour, linestyle=look.dash, linewidth=look.width, gid=gid)
        ends.append(endings.End(x[-1], middle[-1], figure.short(label, 18), look, gid))
        titles[label] = _words_of(label, x, middle, low, high)
        shown += [low.min(), high.max()]
        reach = max(reach, float(x[-1]))
    axes.set_ylim(*scales.padded(shown))
    scales.log_scale(axes, "y", units.nanoseconds)
    ticks = {at: words for at, words in _NAMED.items() if at <= reach * 1.01}
    scales.log_places(axes, "x", ticks)
    axes.set_xlim(1.25, reach * 1.1)
    axes.grid(axis="y")
    axes.set_xlabel("share of waits that were no longer")
    chart.name_y(axes, "wait")
    endings.label_ends(axes, ends, size=chart.TEXT)
    return maker.made(axes.figure, "percentiles", title, titles, _summary(rows), rows["cell"])


def _words_of(
    label: str, x: np.ndarray, middle: np.ndarray, low: np.ndarray, high: np.ndarray
) -> str:
    said = [figure.printable(label, 120), "wait: median of the blocks (least – greatest)"]
    for rarity, name in _NAMED.items():
        at = int(np.argmin(np.abs(np.log(x / rarity))))
        if abs(np.log(x[at] / rarity)) < 0.2:
            three = [units.nanoseconds(float(v[at])) for v in (middle, low, high)]
            said.append(f"{name}: {three[0]} ({three[1]} – {three[2]})")
    return "\n".join(said)


def _summary(rows: pd.DataFrame) -> str:
    medians = rows.groupby("label")["wait_p99_ns"].median().dropna().sort_values()
    named = ", ".join(
        f"{figure.printable(label)} {units.nanoseconds(value)}" for label, value in medians.items()
    )
    return f"p99 wait, best first: {named}."


def _distribution(
    rows: pd.DataFrame, labels: Sequence[str], buckets: pd.DataFrame, maker: Maker, title: str
) -> Chart:
    """A ridge for each: how many of its waits were how long."""
    low = max(1.0, float(buckets["low_ns"].min()) * 0.8)
    high = float(buckets["high_ns"].max()) * 1.25 + 2
    decades = np.log10(high / low)
    edges = np.geomspace(low, high, max(8, int(decades * _BINS_PER_DECADE)) + 1)
    order = rows.groupby("label")["wait_p99_ns"].median().sort_values(na_position="last").index
    names = [figure.short(label, 22) for label in order]
    axes = chart.room(_RIDGE * len(names) + 12, left=chart.text_width(names) + 12, right=14, top=4)
    titles = {}
    for i, label in enumerate(order):
        own = buckets[buckets["label"] == label]
        if not own.empty:
            _ridge(axes, own, edges, len(names) - 1 - i, maker, label)
        _name(axes, len(names) - 1 - i, names[i], maker.own(label))
        timed = own["count"].sum()
        titles[label] = f"{figure.printable(label, 120)}\n{timed:,.0f} waits timed"
    axes.set_ylim(-0.15, len(names) + 0.15)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlim(low, high)
    scales.log_scale(axes, "x", units.nanoseconds)
    axes.grid(axis="x")
    axes.set_xlabel("wait; height: share of the waits")
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
    # Dashes mean a prediction here, not a primitive.
    dash = look.dash if maker.machine else "-"
    axes.plot(x, middle, color=look.colour, linestyle=dash, linewidth=1.2, gid=gid)


def _name(axes: Axes, y: int, name: str, gid: str) -> None:
    axes.annotate(
        name,
        (0, y + 0.25),
        xycoords=axes.get_yaxis_transform(),
        xytext=(-8, 0),
        textcoords="offset points",
        ha="right",
        va="center_baseline",
        annotation_clip=False,
        gid=gid,
    )
