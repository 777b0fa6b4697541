# SPDX-License-Identifier: Apache-2.0
"""Bootstrap intervals (95 %) of what is fitted to the blocks of a run. No row, no file. Comparisons
have their own intervals: sequential.py.

Source  B. Efron, "Bootstrap methods: another look at the jackknife" (1979).
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

ALPHA = 0.05
RESAMPLES = 2000
# Rows whose draws are numbers of 63 bits. Of more rows, no two draws are equal.
_MOST_NUMBERED = 15


@dataclass(frozen=True)
class Interval:
    low: float
    high: float


def _generator(name: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(name.encode("utf-8", "replace")))


def resampled_rows(values: np.ndarray, name: str, times: int = RESAMPLES) -> np.ndarray:
    """So many tables, each of as many rows of `values`, drawn whole and with replacement."""
    return values[_generator(name).integers(0, len(values), (times, len(values)))]


def distinct_draws(values: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The tables of resampled_rows(), for figures to which the order of rows is nothing: each
    different table once, and for each draw the index of its table. Few rows have few of them: 35 of
    four."""
    count = len(values)
    drawn = _generator(name).integers(0, count, (RESAMPLES, count))
    if count > _MOST_NUMBERED:
        return values[drawn], np.arange(RESAMPLES)
    # Each table as one number, whose digits are its rows: numbers are sorted much faster.
    numbers = np.sort(drawn, axis=1) @ count ** np.arange(count)[::-1]
    _, first, indices = np.unique(numbers, return_index=True, return_inverse=True)
    return values[np.sort(drawn[first], axis=1)], indices


def percentiles(figures: np.ndarray) -> Interval:
    """The interval that holds 95 % of a bootstrap's figures. They may be infinite."""
    return percentiles_of_rows(figures[None, :])[0]


def percentiles_of_rows(figures: np.ndarray) -> list[Interval]:
    """The same of each row."""
    ends = [100 * ALPHA / 2, 100 * (1 - ALPHA / 2)]
    # No mean of two neighbours: one of them may be infinite.
    lows, highs = np.percentile(figures, ends, axis=1, method="nearest")
    return [Interval(float(low), float(high)) for low, high in zip(lows, highs)]
