# SPDX-License-Identifier: Apache-2.0
"""Logarithmic axes: limits with air, ticks at round numbers, in the words of their unit."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from analysis import figure

# What a logarithmic axis shows of a wait that is too short for the clock.
LEAST_WAIT_NS = 1.0


def log_scale(axes: Axes, which: str, words: Callable[[float], str]) -> None:
    """A logarithmic axis over the present limits; `words` writes its ticks at round numbers."""
    low, high = axes.get_xlim() if which == "x" else axes.get_ylim()
    inches = figure.inches(axes, which)
    most = int(inches / (0.65 if which == "x" else 0.3))
    log_ticks(axes, which, {tick: words(tick) for tick in round_ticks(low, high, max(2, most))})
    (axes.set_xlim if which == "x" else axes.set_ylim)(low, high)


def log_ticks(axes: Axes, which: str, words: Mapping[float, str]) -> None:
    """A logarithmic axis with exactly these ticks."""
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    axis = axes.xaxis if which == "x" else axes.yaxis
    positions = sorted(words)
    axis.set_major_locator(FixedLocator(positions))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: _nearest(words, value)))


def log_axis_of(
    axes: Axes,
    positions_of: Mapping[float, float],
    words: Callable[[float], str],
    label: str,
    least: float = 0.08,
    share: float = 0.06,
) -> None:
    """The logarithmic x axis of lines through these values. `positions_of`: where each value
    stands; `least` is that of apart(), `share` that of padded()."""
    named = {position: words(value) for value, position in positions_of.items()}
    log_ticks(axes, "x", {position: named[position] for position in apart(sorted(named), least)})
    axes.set_xlim(*padded(list(positions_of.values()), share=share))
    axes.grid(axis="y")
    axes.set_xlabel(logarithmic(label))


def _nearest(words: Mapping[float, str], value: float) -> str:
    return words[min(words, key=lambda position: abs(position - value))]


_MANTISSAS: tuple[tuple[float, ...], ...] = (
    (1,),
    (1, 3),
    (1, 2, 5),
    (1, 1.5, 2, 3, 5, 7),
    (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9),
    tuple(1 + 0.1 * i for i in range(90)),
    tuple(1 + 0.02 * i for i in range(450)),
)


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers between positive limits: as many as there are up to `most`, if need be by
    leaving decades out."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    best: list[float] = []
    for mantissas in _MANTISSAS:
        ticks = [m * 10.0**e for e in range(first, last + 1) for m in mantissas]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) > most:
            every = -(-len(ticks) // most)
            return best if len(best) >= 2 else ticks[::every]
        if len(ticks) > len(best):
            best = ticks
        if len(best) >= max(3, most // 2):
            break
    return best


def logarithmic(label: str) -> str:
    """The label of a logarithmic axis."""
    return f"{label} (log)"


def padded(values: Sequence[float], share: float = 0.08, least: float = 1.0) -> tuple[float, float]:
    """Limits of a logarithmic axis around positive values, with some air; at least a factor of
    `least` apart."""
    low, high = min(values), max(values)
    if low == high:
        return low / 2, high * 2
    air = max((high / low) ** share, 1.05, (least * low / high) ** 0.5)
    return low / air, high * air


def positions(values: Sequence[float]) -> dict[float, float]:
    """Where values stand on a logarithmic axis: at themselves, zero a typical step to the left."""
    positive = [value for value in values if value > 0]
    if len(positive) == len(values):
        return {value: value for value in values}
    if not positive:
        return {value: 1.0 for value in values}
    step = (positive[-1] / positive[0]) ** (1 / max(1, len(positive) - 1))
    zero = positive[0] / min(max(step, 2.0), 10.0)
    return {value: value if value > 0 else zero for value in values}


def apart(positions: list[float], least: float = 0.08) -> list[float]:
    """Those on a logarithmic axis whose labels do not touch; the first and the last stay."""
    logs = [math.log(position) for position in positions]
    whole = (logs[-1] - logs[0]) or 1.0
    kept = [0]
    for i in range(1, len(logs)):
        if (logs[i] - logs[kept[-1]]) / whole >= least:
            kept.append(i)
    if kept[-1] != len(logs) - 1:
        kept[-1 if len(kept) > 1 else 0] = len(logs) - 1
    return [positions[i] for i in kept]
