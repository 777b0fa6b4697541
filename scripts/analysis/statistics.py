# SPDX-License-Identifier: Apache-2.0
"""Intervals, tests and verdicts over the blocks of a run. No row, no file.

Ratios are of speeds: above 1 means faster than the baseline. Blocks pair the two sides, since the
machine drifts between blocks by more than most locks differ.

The test is exact, by ranks, where there are blocks enough for it. Below that it could convict
nobody in a table of many (5 pairs give p = 0.06 at best), so Student's t of the logarithms stands
in. Were the two sides the same lock, either could have been named first: the logarithm of their
ratio is symmetric about 0, and for such a t errs towards caution when tails are long.

Sources  Student, "The probable error of a mean" (1908); B. L. Welch, "The generalization of
         Student's problem" (1947); Y. Benjamini, "Is the t test really conservative when the parent
         distribution is long-tailed?" (1983); F. Wilcoxon, "Individual comparisons by ranking
         methods" (1945), here with the exact null distributions given the ties; S. Holm, "A simple
         sequentially rejective multiple test procedure" (1979); B. Efron, "Bootstrap methods:
         another look at the jackknife" (1979).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

ALPHA = 0.05
RESAMPLES = 2000
LEAST_BLOCKS = 3  # to test anything
# From so many blocks on the ranks decide: 2 / 2^20 and 2 / C(20, 10) leave room for any table.
RANKS_FROM_PAIRS = 20
RANKS_FROM_EACH = 10
# Fewer blocks than this cannot bound a median at 95 %: 1 - 2 / 2^5 = 0.94.
LEAST_FOR_SAME = 6
# How many values median_intervals() draws from at a time: what bounds its memory.
_AT_ONCE = 1000
# Beyond this many values the exact distribution costs more than the normal approximation errs.
_EXACT_UP_TO = 120


@dataclass(frozen=True)
class Interval:
    low: float
    high: float

    def within(self, share: float) -> bool:
        """Whether all of it is closer to 1 than `share`."""
        return 1 / (1 + share) <= self.low and self.high <= 1 + share


def median_interval(values: Sequence[float], name: str) -> Interval | None:
    """Bootstrap interval (95 %) of the median; None below two values. `name` seeds the draw, so
    that a row's interval depends on the row alone."""
    if len(values) < 2:
        return None
    return _percentiles(np.median(_resampled(values, _generator(name)), axis=1))


def median_intervals(table: np.ndarray) -> np.ndarray:
    """The same for each row of a table, all rows at once: low and high. What is missing is NaN; a
    row of fewer than two values has no interval."""
    found = np.full((len(table), 2), np.nan)
    counts = np.isfinite(table).sum(axis=1)
    for count in np.unique(counts[counts > 1]):
        draws = _generator(str(count)).integers(0, count, (RESAMPLES, count))
        of_that_count = np.flatnonzero(counts == count)
        for some in np.array_split(of_that_count, -(-len(of_that_count) * count // _AT_ONCE)):
            values = np.sort(table[some], axis=1)[:, :count]  # NaN is sorted to the end
            medians = np.median(values[:, draws], axis=2)
            ends = [100 * ALPHA / 2, 100 * (1 - ALPHA / 2)]
            found[some] = np.percentile(medians, ends, axis=1).T
    return found


def median_ratio_interval(
    above: Sequence[float], below: Sequence[float], name: str
) -> Interval | None:
    """Bootstrap interval (95 %) of the ratio of two medians, each side drawn for itself."""
    if len(above) < 2 or len(below) < 2:
        return None
    draw = _generator(name)
    upper = np.median(_resampled(above, draw), axis=1)
    return _percentiles(upper / np.median(_resampled(below, draw), axis=1))


def _generator(name: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(name.encode("utf-8", "replace")))


def _resampled(values: Sequence[float], draw: np.random.Generator) -> np.ndarray:
    array = np.asarray(values, dtype=float)
    return array[draw.integers(0, len(array), (RESAMPLES, len(array)))]


def resampled_rows(values: np.ndarray, name: str) -> np.ndarray:
    """RESAMPLES tables, each of as many rows of `values`, drawn whole and with replacement."""
    return values[_generator(name).integers(0, len(values), (RESAMPLES, len(values)))]


def percentiles(figures: np.ndarray) -> Interval:
    """The interval that holds 95 % of a bootstrap's figures. They may be infinite."""
    ends = [100 * ALPHA / 2, 100 * (1 - ALPHA / 2)]
    # No mean of two neighbours: one of them may be infinite.
    low, high = np.percentile(figures, ends, method="nearest")
    return Interval(float(low), float(high))


def _percentiles(medians: np.ndarray) -> Interval:
    low, high = np.percentile(medians, [100 * ALPHA / 2, 100 * (1 - ALPHA / 2)])
    return Interval(float(low), float(high))


def paired_p(ratios: Sequence[float]) -> float | None:
    """Two-sided p of "neither side is faster"; None below LEAST_BLOCKS ratios."""
    if len(ratios) < LEAST_BLOCKS:
        return None
    if len(ratios) >= RANKS_FROM_PAIRS:
        return signed_rank_p(ratios)
    logs = np.log(np.asarray(ratios, dtype=float))
    return _student_p(float(logs.mean()), float(logs.var(ddof=1)) / len(logs), len(logs) - 1)


def unpaired_p(a: Sequence[float], b: Sequence[float]) -> float | None:
    """The same of two sides that nothing pairs."""
    least = min(len(a), len(b))
    if least < LEAST_BLOCKS:
        return None
    if least >= RANKS_FROM_EACH:
        return rank_sum_p(a, b)
    sides = [np.log(np.asarray(side, dtype=float)) for side in (a, b)]
    parts = [float(side.var(ddof=1)) / len(side) for side in sides]
    spread = sum(parts)
    shares = sum(part**2 / (len(side) - 1) for part, side in zip(parts, sides))
    freedom = spread**2 / shares if shares > 0 else float(least - 1)
    return _student_p(float(sides[0].mean() - sides[1].mean()), spread, freedom)


def _student_p(mean: float, variance_of_mean: float, freedom: float) -> float:
    # The last bit of a division is no difference.
    if abs(mean) < 1e-12:
        return 1.0
    if variance_of_mean <= 0:
        return 0.0
    return 2 * float(stdtr(freedom, -abs(mean) / math.sqrt(variance_of_mean)))


def signed_rank_p(ratios: Sequence[float]) -> float:
    """Two-sided p of "the ratios are as often above 1 as below, and as far": exact, ties and all.

    The least that n blocks can give is 2 / 2^n.
    """
    # Rounded, so that equal distances are ties whatever the last bit of a division says.
    logs = np.round(np.log(np.asarray(ratios, dtype=float)), 12)
    logs = logs[logs != 0]
    if not len(logs):
        return 1.0
    ranks = _doubled_ranks(np.abs(logs))
    observed = int(ranks[logs > 0].sum())
    if len(logs) > _EXACT_UP_TO:
        return _normal_p(observed, ranks.sum() / 2, math.sqrt(float((ranks**2).sum()) / 4))
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1
    for rank in ranks:
        ways[rank:] = ways[rank:] + ways[: len(ways) - rank]
        ways /= 2
    return _two_sided(ways, observed)


def rank_sum_p(a: Sequence[float], b: Sequence[float]) -> float:
    """Two-sided p of "both sides are drawn from one population": exact, ties and all.

    The least that n against n can give is 2 / C(2n, n).
    """
    if not len(a) or not len(b):
        return 1.0
    ranks = _doubled_ranks(np.concatenate([np.asarray(a, dtype=float), np.asarray(b, dtype=float)]))
    observed = int(ranks[: len(a)].sum())
    if len(ranks) > _EXACT_UP_TO:
        spread = math.sqrt(len(a) * len(b) / (len(ranks) - 1) * float(ranks.var()))
        return _normal_p(observed, len(a) * float(ranks.mean()), spread)
    # ways[k, s]: choices of k values whose ranks sum to s.
    ways = np.zeros((len(a) + 1, int(ranks.sum()) + 1))
    ways[0, 0] = 1
    for rank in ranks:
        ways[1:, rank:] = ways[1:, rank:] + ways[:-1, : ways.shape[1] - rank]
    chosen = ways[len(a)]
    return _two_sided(chosen / chosen.sum(), observed)


def _doubled_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1, ties sharing their mean; doubled, so that they are whole numbers."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    upper = np.cumsum(counts)
    return (2 * upper - counts + 1)[inverse]


def _two_sided(chances: np.ndarray, observed: int) -> float:
    tail = min(chances[: observed + 1].sum(), chances[observed:].sum())
    return min(1.0, 2 * float(tail))


def _normal_p(observed: float, mean: float, spread: float) -> float:
    if spread == 0:
        return 1.0
    return math.erfc(abs(observed - mean) / spread / math.sqrt(2))


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Holm's correction over all that were tested; None stays None."""
    tested = sorted((p, i) for i, p in enumerate(ps) if p is not None)
    corrected: list[float | None] = [None] * len(ps)
    worst = 0.0
    for rank, (p, i) in enumerate(tested):
        worst = max(worst, min(1.0, p * (len(tested) - rank)))
        corrected[i] = worst
    return corrected


@dataclass(frozen=True)
class Verdict:
    """`faster`, `slower`, `same` or `cannot tell`, and then the blocks that would tell."""

    word: str
    blocks_needed: int | None = None


def judge(
    ratio: float,
    interval: Interval | None,
    corrected_p: float | None,
    blocks: int,
    comparisons: int,
    same_within: float,
) -> Verdict:
    """The verdict on one ratio. A difference too small to matter is `same`, proven or not."""
    if interval is None or corrected_p is None:
        return Verdict("cannot tell", LEAST_FOR_SAME)
    if blocks >= LEAST_FOR_SAME and interval.within(same_within):
        return Verdict("same")
    if corrected_p <= ALPHA and not interval.low <= 1 <= interval.high:
        return Verdict("faster" if ratio > 1 else "slower")
    return Verdict(
        "cannot tell", _blocks_that_tell(ratio, interval, blocks, comparisons, same_within)
    )


def _blocks_that_tell(
    ratio: float, interval: Interval, blocks: int, comparisons: int, same_within: float
) -> int:
    """About how many blocks would convict, or show that both are the same, if the ratio and its
    spread stay as they are. At least one more than there are."""
    spread = math.log(interval.high / interval.low) / 2 / 1.96 * math.sqrt(blocks)
    distance = max(abs(math.log(ratio)), math.log1p(same_within) / 2)
    needed = max(blocks + 1, LEAST_FOR_SAME)
    for _ in range(4):  # the bar falls as blocks are added; a few steps settle it
        bar = -float(stdtrit(needed - 1, ALPHA / max(1, comparisons) / 2))
        needed = max(blocks + 1, LEAST_FOR_SAME, math.ceil((bar * spread / distance) ** 2))
    return needed
