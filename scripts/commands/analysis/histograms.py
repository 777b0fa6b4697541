# SPDX-License-Identifier: Apache-2.0
"""Times as they were distributed: the buckets of latency.csv, for the trials that are asked for.

The file of a large run is far larger than its table of trials, so it is read in parts, and of each
part only what was asked for is kept.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from analysis import statistics
from analysis.loader import LATENCY_COLUMNS, Run

_NUMBERS = ["trial", "attempt", "low_ns", "high_ns", "count"]
_PART = 500_000  # lines
_RESAMPLES = 400


def waits(run: Run, trials: pd.DataFrame) -> pd.DataFrame:
    """The buckets of waits of these rows of the run: `trial`, `block`, `label`, `low_ns`,
    `high_ns`, `count`. Empty when there is no file, or nothing in it that can be read."""
    empty = pd.DataFrame(
        columns=["trial", "block", "label", "low_ns", "high_ns", "count"], dtype=float
    )
    path = run.folder / "latency.csv"
    asked = set(trials["trial"])
    try:
        parts = pd.read_csv(
            path,
            usecols=LATENCY_COLUMNS,
            dtype=str,
            chunksize=_PART,
            on_bad_lines="skip",
            encoding_errors="replace",
        )
        found = [_wanted(part, asked) for part in parts]
    except (OSError, ValueError, pd.errors.ParserError):
        return empty
    buckets = pd.concat(found) if found else empty
    if buckets.empty:
        return empty
    names = trials[["run_id", "trial", "attempt", "block", "label"]].copy()
    names["attempt"] = names["attempt"].fillna(0.0)
    merged = buckets.merge(names, on=["run_id", "trial", "attempt"])
    return merged[[*empty.columns]]


def _wanted(part: pd.DataFrame, asked: Collection[float]) -> pd.DataFrame:
    # Of a large run, few trials are asked for: the other numbers of the rest are not converted.
    trial = pd.to_numeric(part["trial"], errors="coerce")
    part = part[(part["kind"] == "wait") & trial.isin(asked)]
    numbers = part[_NUMBERS].apply(pd.to_numeric, errors="coerce")
    part = pd.concat([part[["run_id"]], numbers], axis=1)
    whole = np.isfinite(numbers.to_numpy(dtype=float)).all(axis=1) & (numbers["count"] > 0)
    return part[whole]


def pooled(buckets: pd.DataFrame, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The waits that these shares of all did not exceed, over all blocks together, and the ends of
    their bootstrap intervals over the blocks; from the middles of buckets. NaN where too few waits
    were timed for that."""
    block, blocks = pd.factorize(buckets["block"], sort=True)
    ends_of = pd.MultiIndex.from_frame(buckets[["low_ns", "high_ns"]])
    bucket, ends = pd.factorize(ends_of, sort=True)
    counts = np.zeros((len(blocks), len(ends)))
    np.add.at(counts, (block, bucket), buckets["count"].to_numpy(dtype=float))
    middles = np.maximum(1.0, np.array([sum(both) / 2 for both in ends]))
    whole = _at(counts.sum(axis=0), middles, shares)
    # A share beyond the last but one of those timed would describe a single wait.
    whole[(1 - shares) * counts.sum() < 1] = np.nan
    again = statistics.resampled_rows(counts, "waits", _RESAMPLES).sum(axis=1)
    waits = _at(again, middles, shares)
    ends = np.percentile(
        waits, [100 * statistics.ALPHA / 2, 100 * (1 - statistics.ALPHA / 2)], axis=0
    )
    return whole, ends[0], ends[1]


def _at(counts: np.ndarray, middles: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """For each row of counts, or for the only one."""
    reached = counts.cumsum(axis=-1)
    wanted = shares * reached[..., -1:]
    indices = (reached[..., None, :] < wanted[..., :, None]).sum(axis=-1)
    return middles[indices.clip(0, len(middles) - 1)]


def spread(buckets: pd.DataFrame, edges: np.ndarray) -> np.ndarray:
    """Which share of the waits lies between each two of the edges; a bucket that an edge cuts is
    shared out evenly over its logarithm."""
    low = np.maximum(0.5, buckets["low_ns"].to_numpy(dtype=float) - 0.5)
    high = np.maximum(low * 1.0001, buckets["high_ns"].to_numpy(dtype=float) + 0.5)
    counts = buckets["count"].to_numpy(dtype=float)
    logs = np.log(edges)
    starts = np.log(low)[:, None]
    widths = np.log(high)[:, None] - starts
    below = np.clip((logs[None, :] - starts) / widths, 0, 1) * counts[:, None]
    total = counts.sum()
    return np.diff(below.sum(axis=0)) / total if total > 0 else np.zeros(len(edges) - 1)
