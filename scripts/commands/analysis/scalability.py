# SPDX-License-Identifier: Apache-2.0
"""How throughput grows with threads: a fit of the Universal Scalability Law, or why there is none.

    X(N) = λN / (1 + σ(N−1) + κN(N−1))

λ is the rate of one thread, σ the share of the work that all must do in turn (contention), κ the
price of each pair of threads keeping each other informed (coherency). Where κ is above 0 the
curve has a peak, at √((1−σ)/κ) threads.

The distances of logarithms are made least, so that 2 % weigh the same at one thread and at
sixteen; σ and κ are kept at 0 or above. Intervals (95 %) are percentiles over blocks that are drawn
whole, with replacement: a block's drift stays in it.

Source  N. J. Gunther, "A simple capacity model of massively parallel transaction systems" (1993)
        and "Guerrilla Capacity Planning" (2007); B. Efron (1979) as in statistics.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from analysis import cells, statistics, units
from analysis.loader import Run
from analysis.statistics import Interval

LAW = "X(N) = λN / (1 + σ(N−1) + κN(N−1))"
# Three parameters through three points always fit: the fourth is the first that can contradict.
LEAST_THREAD_COUNTS = 4
# Below this, the law explains less of the differences between thread counts than a reader expects
# of a curve in a picture.
LEAST_R_SQUARED = 0.9

# What a curve needs of a row beside its cell.
_FITTED = ["label", "block", "operations_per_s"]

# Curves whose draws are solved together: some megabytes.
_TOGETHER = 64
_STEPS = 8  # of Gauss and Newton; from the linear start a few settle it


@dataclass(frozen=True)
class Fit:
    """The law's parameters for one curve. One block has no intervals."""

    rate_per_s: float  # λ
    contention: float  # σ
    coherency: float  # κ
    r_squared: float  # of the geometric means of the blocks
    most_threads: int  # among the points that were fitted
    intervals: tuple[Interval, ...] = ()  # of λ, σ, κ and the peak

    def at(self, threads: np.ndarray) -> np.ndarray:
        """Operations per second with so many threads."""
        return law(threads, self.rate_per_s, self.contention, self.coherency)

    @property
    def peak(self) -> float | None:
        """Threads with which throughput is greatest; None where the blocks do not bear out that
        there is such a number."""
        if not self.intervals:
            return None
        _, contention, coherency, _ = self.intervals
        if contention.low >= 1:
            return 1.0
        if coherency.low <= 0:
            return None
        return float(_peaks(np.array(self.contention), np.array(self.coherency)))


@dataclass(frozen=True)
class Curve:
    """One primitive's throughput by threads, with its fit or the reason for having none."""

    group: str
    primitive: str
    fit: Fit | None
    reason: str = ""
    note: str = ""  # what was left out of the fit
    # What it was fitted to: by block and number of threads.
    rates: pd.DataFrame | None = field(default=None, repr=False, compare=False)


def law(threads: np.ndarray, rate: float, contention: float, coherency: float) -> np.ndarray:
    pairs = threads * (threads - 1)
    return rate * threads / (1 + contention * (threads - 1) + coherency * pairs)


def curves(run: Run) -> list[Curve]:
    """The curves of all primitives that were measured at two numbers of threads or more."""
    rows = run.valid[[*cells.GROUP, *_FITTED]]
    return [curve for _, found in _faceted(run, rows, intervals=True) for curve in found]


def faceted(run: Run) -> list[tuple[cells.Group, list[Curve]]]:
    """The same with the rows that they were fitted to, and without intervals: most of the time of a
    fit goes into these, and a picture shows a few of many curves. See with_intervals()."""
    return _faceted(run, run.valid, intervals=False)


def with_intervals(curve: Curve) -> Curve:
    """A curve of faceted(), as curves() has it."""
    assert curve.rates is not None
    fit = fitted(curve.rates, _seed(curve.group, curve.primitive))
    assert isinstance(fit, Fit)
    return replace(curve, fit=fit)


def _seed(group: str, primitive: str) -> str:
    return f"{group} {primitive}"


def _faceted(
    run: Run, rows: pd.DataFrame, intervals: bool
) -> list[tuple[cells.Group, list[Curve]]]:
    rows = cells.driven(rows)
    facets = cells.axis_facets(rows[rows["operations_per_s"] > 0], "threads")
    names = cells.names(facets)
    tables = {
        (at, label): found
        for (at, label), found in _tables(facets, run.hardware_threads or math.inf).items()
        if label != cells.FLOOR
    }
    named = [(one, _seed(names[at], label)) for (at, label), (one, _) in tables.items()]
    curves_of: dict[int, list[Curve]] = {at: [] for at in range(len(facets))}
    for ((at, label), (rates, note)), fit in zip(tables.items(), fitted_all(named, intervals)):
        reason = "" if isinstance(fit, Fit) else fit
        kept = fit if isinstance(fit, Fit) else None
        curves_of[at].append(Curve(names[at], label, kept, reason, note, rates))
    return [(facet, curves_of[at]) for at, facet in enumerate(facets)]


def _tables(
    facets: Sequence[cells.Group], hardware_threads: float
) -> dict[tuple[int, str], tuple[pd.DataFrame, str]]:
    """The rates of each primitive of a facet that was measured with several numbers of threads:
    blocks in rows, numbers of threads in columns; and what was left out. More threads than the
    machine has take turns on it: another law, and not to be fitted. Of all facets at once, since a
    pivot of each takes longer than its fit."""
    if not facets:
        return {}
    columns = ["label", "block", "threads", "operations_per_s"]
    rows = pd.concat([one.rows[columns].assign(facet=at) for at, one in enumerate(facets)])
    own_labels = dict.fromkeys(zip(rows["facet"], rows["label"]))  # in the order of the rows
    by = ["facet", "label", "block", "threads"]
    wide = rows.groupby(by)["operations_per_s"].mean().unstack("threads")
    labels = list(zip(wide.index.get_level_values(0), wide.index.get_level_values(1)))
    begins = [at for at in range(len(labels)) if at == 0 or labels[at] != labels[at - 1]]
    rates, blocks = wide.to_numpy(), wide.index.get_level_values(2)
    threads = wide.columns.to_numpy()
    found = {}
    for begin, end in zip(begins, [*begins[1:], len(labels)]):
        own = rates[begin:end]
        there = ~np.isnan(own).all(axis=0)
        if there.sum() < 2:
            continue
        kept = there & (threads <= hardware_threads)
        rows_kept = ~np.isnan(own[:, kept]).all(axis=1)
        table = pd.DataFrame(
            own[rows_kept][:, kept], index=blocks[begin:end][rows_kept], columns=threads[kept]
        )
        found[labels[begin]] = table, _left_out(threads[there & ~kept], hardware_threads)
    return {own_label: found[own_label] for own_label in own_labels if own_label in found}


def _left_out(beyond: np.ndarray, hardware_threads: float) -> str:
    if not len(beyond):
        return ""
    counts = ", ".join(f"{n:.0f}" for n in beyond)
    return f"{counts} threads left out: oversubscription, the machine has {hardware_threads:.0f}"


def fitted(table: pd.DataFrame, name: str) -> Fit | str:
    """The fit to rates by block (rows) and number of threads (columns), or why there is none.
    `name` seeds the draw of blocks."""
    (found,) = fitted_all([(table, name)])
    return found


def fitted_all(
    tables: Sequence[tuple[pd.DataFrame, str]], intervals: bool = True
) -> list[Fit | str]:
    """The same of many tables. Those with the same numbers of threads are solved together, since
    for a single one, most of the time is not spent on numbers."""
    found: list[Fit | str] = [""] * len(tables)
    by_counts: dict[tuple[float, ...], list[int]] = {}
    for index, (table, _) in enumerate(tables):
        by_counts.setdefault(tuple(map(float, table.columns)), []).append(index)
    for counts, indices in by_counts.items():
        if len(counts) < LEAST_THREAD_COUNTS:
            had = units.plural(len(counts), "number of threads", "numbers of threads")
            for index in indices:
                found[index] = f"{had} measured; {LEAST_THREAD_COUNTS} are the least"
            continue
        logs = [np.log(tables[index][0].to_numpy(dtype=float)) for index in indices]
        fits = _fits(np.asarray(counts), logs)
        if intervals:
            _add_intervals(fits, np.asarray(counts), logs, [tables[index][1] for index in indices])
        for index, fit in zip(indices, fits):
            found[index] = fit
    return found


def _fits(counts: np.ndarray, all_logs: Sequence[np.ndarray]) -> list[Fit | str]:
    means = np.array([np.nanmean(logs, axis=0) for logs in all_logs])
    weights = np.array([np.isfinite(logs).sum(axis=0) for logs in all_logs], dtype=float)
    return [_fit(counts, own, at) for own, at in zip(means, _solved(counts, means, weights))]


def _add_intervals(
    fits: list[Fit | str], counts: np.ndarray, all_logs: Sequence[np.ndarray], names: Sequence[str]
) -> None:
    several = [
        index
        for index, (fit, logs) in enumerate(zip(fits, all_logs))
        if isinstance(fit, Fit) and len(logs) > 1
    ]
    for begin in range(0, len(several), _TOGETHER):
        indices = several[begin : begin + _TOGETHER]
        drawn = [statistics.distinct_draws(all_logs[index], names[index]) for index in indices]
        for index, found in zip(indices, _intervals(counts, drawn)):
            fit = fits[index]
            assert isinstance(fit, Fit)
            fits[index] = replace(fit, intervals=found)


def _fit(counts: np.ndarray, means: np.ndarray, at: np.ndarray) -> Fit | str:
    log_rate, contention, coherency = map(float, at)
    with np.errstate(over="ignore"):
        rate = float(np.exp(log_rate))
    if not math.isfinite(rate):
        return "the law does not fit: the solution is far from any curve"
    r_squared = _r_squared(np.exp(means), law(counts, rate, contention, coherency))
    if not r_squared >= LEAST_R_SQUARED:
        return f"the law does not fit: R² {r_squared:.2f}, below {LEAST_R_SQUARED}"
    return Fit(rate, contention, coherency, r_squared, int(counts.max()))


def _r_squared(measured: np.ndarray, fitted: np.ndarray) -> float:
    spread = float(((measured - measured.mean()) ** 2).sum())
    with np.errstate(over="ignore"):  # a law that explodes is infinitely far from the measurement
        return 1 - float(((measured - fitted) ** 2).sum()) / spread if spread > 0 else 0.0


def _intervals(
    counts: np.ndarray, all_drawn: Sequence[tuple[np.ndarray, np.ndarray]]
) -> Iterator[tuple[Interval, ...]]:
    """Of each curve, from its draws (statistics.distinct_draws)."""
    means, weights = map(np.concatenate, zip(*(_means_of(drawn) for drawn, _ in all_drawn)))
    # A draw in which a number of threads is missing altogether has nothing to say of it.
    solved = _solved(counts, means, weights)
    begin = 0
    for drawn, indices in all_drawn:
        found = solved[begin : begin + len(drawn)]
        begin += len(drawn)
        figures = np.array([np.exp(found[:, 0]), *found.T[1:], _peaks(*found.T[1:])])
        yield tuple(statistics.percentiles_of_rows(figures[:, indices]))


def _means_of(drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean logarithms of each draw, and how many blocks each is of."""
    there = np.isfinite(drawn)
    weights = there.sum(axis=1).astype(float)
    sums = np.where(there, drawn, 0.0).sum(axis=1)
    return np.divide(sums, weights, out=np.zeros_like(sums), where=weights > 0), weights


def _peaks(contention: np.ndarray, coherency: np.ndarray) -> np.ndarray:
    """The threads with which throughput is greatest; infinite where it only grows."""
    with np.errstate(divide="ignore", invalid="ignore"):
        peaks = np.maximum(1.0, np.sqrt(np.maximum(0.0, 1 - contention) / coherency))
    return np.where(coherency > 0, peaks, np.inf)


def _log_law(counts: np.ndarray, at: np.ndarray) -> np.ndarray:
    return at[:, :1] + np.log(counts) - np.log(_load(counts, at))


def _load(counts: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The law's denominator; kept above 0 while a step goes astray."""
    load = 1 + at[:, 1:2] * (counts - 1) + at[:, 2:3] * counts * (counts - 1)
    return np.maximum(load, 1e-3)


def _solved(counts: np.ndarray, means: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """log λ, σ and κ for each row of mean logarithms, all rows at once.

    Where the nearest of all has σ or κ below 0, one or both stand at 0: of those cases that keep
    the other at 0 or above, the nearest is the answer.
    """
    best = _free_fit(counts, means, weights, np.array([True, True, True]))
    open_ = np.flatnonzero(~(best[:, 1:] >= 0).all(axis=1))
    if not len(open_):
        return best
    means, weights = means[open_], weights[open_]
    least = np.full(len(open_), np.inf)
    for free in ((True, False), (False, True), (False, False)):
        found = _free_fit(counts, means, weights, np.array([True, *free]))
        apart = (weights * (_log_law(counts, found) - means) ** 2).sum(axis=1)
        nearer = (found[:, 1:] >= 0).all(axis=1) & (apart < least)
        best[open_[nearer]], least[nearer] = found[nearer], apart[nearer]
    return best


def _free_fit(
    counts: np.ndarray, means: np.ndarray, weights: np.ndarray, free: np.ndarray
) -> np.ndarray:
    """Least squares over the free parameters, the others at 0; by Gauss and Newton, from the fit of
    N/X, which is linear in 1/λ, σ/λ and κ/λ."""
    terms = np.stack([np.ones_like(counts), counts - 1, counts * (counts - 1)], axis=1)[:, free]
    inverse = counts / np.exp(means)
    start = _least_squares(terms / inverse[..., None], np.ones_like(means), weights)
    at = np.zeros((len(means), 3))
    first = np.where(start[:, 0] > 0, start[:, 0], inverse[:, 0])
    at[:, 0] = -np.log(first)
    at[:, np.flatnonzero(free)[1:]] = start[:, 1:] / first[:, None]
    for _ in range(_STEPS):
        load = _load(counts, at)
        slopes = np.stack(
            [np.ones_like(load), -(counts - 1) / load, -counts * (counts - 1) / load], axis=-1
        )
        at[:, free] += _least_squares(slopes[..., free], means - _log_law(counts, at), weights)
    return at


def _least_squares(terms: np.ndarray, aims: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """A set of coefficients for each row, all rows at once."""
    scale = np.sqrt((weights[..., None] * terms**2).sum(axis=1))
    scaled = terms / scale[:, None, :]
    normal = np.einsum("bni,bn,bnj->bij", scaled, weights, scaled)
    right = np.einsum("bni,bn,bn->bi", scaled, weights, aims)
    found = np.linalg.solve(normal + 1e-12 * np.eye(normal.shape[-1]), right[..., None])[..., 0]
    return found / scale


def peak_words(fit: Fit) -> str:
    """`peak at 6.3 threads`, or why none is known."""
    if fit.peak is None:
        why = "κ may be 0" if fit.intervals else "one block"
        return f"no peak known: {why}"
    if fit.peak <= 1:
        return "falls from the first thread on"
    words = f"peak at {units.short(fit.peak, 2)} threads"
    return f"{words}, beyond what was measured" if fit.peak > fit.most_threads else words


def left_out(found: Sequence[Curve]) -> list[str]:
    return list(dict.fromkeys(curve.note for curve in found if curve.note))
