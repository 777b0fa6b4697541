# SPDX-License-Identifier: Apache-2.0
"""Waits as an HdrHistogram log (.hlog), which HdrHistogram's tools draw and merge: a line for each
cell, tagged with its name. Pure.

Encoding    V2, compressed: header, counts as ZigZag LEB128 with runs of zeros as negative numbers,
            all of it through zlib and base64 (HdrHistogram, "AbstractHistogram.encodeInto...").
Resolution  Three digits. The buckets of latency.csv are up to 1.6 % wide, and a wait is put at the
            middle of its bucket.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Mapping

import pandas as pd

from analysis import exports, histograms
from analysis.loader import InputError, Run

_DIGITS = 3
_HALF_MAGNITUDE = 10  # 2,048 sub-buckets distinguish three digits
_HALF = 1 << _HALF_MAGNITUDE
_MASK = 2 * _HALF - 1
_HIGHEST = 3_600_000_000_000  # an hour, in ns
_COOKIE, _COMPRESSED_COOKIE = 0x1C849313, 0x1C849314


def log(run: Run) -> str:
    """InputError if the run has no histogram of waits."""
    cells = exports.found(run)
    buckets = histograms.waits(run, pd.concat([cell.rows for cell in cells]))
    if buckets.empty:
        raise InputError(f"{run.folder / 'latency.csv'}: has no waits; nothing can be exported")
    lines = [
        "#[Histogram log format version 1.3]",
        f"#[lockbench run {run.run_id}; values are waits in ns]",
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]
    for cell in cells:
        own = buckets[buckets["trial"].isin(cell.rows["trial"])]
        if own.empty:
            continue
        counts = _counts(own)
        length = cell.rows["window_s"].fillna(cell.rows["makespan_s"]).fillna(0).sum()
        longest = max(counts) / 1e6
        tag = cell.name.replace(",", ";").replace(" ", "_")
        lines.append(f"Tag={tag},0.000,{length:.3f},{longest:.3f},{encoded(counts)}")
    return "\n".join(lines) + "\n"


def _counts(buckets: pd.DataFrame) -> dict[int, int]:
    """By the value at the middle of each bucket."""
    middles = ((buckets["low_ns"] + buckets["high_ns"]) / 2).round().clip(1, _HIGHEST)
    sums = buckets["count"].groupby(middles.astype("int64")).sum()
    return {int(value): int(count) for value, count in sums.items()}


def encoded(counts: Mapping[int, int]) -> str:
    """A histogram of these values, as base64."""
    by_index: dict[int, int] = {}
    for value, count in counts.items():
        by_index[_index(value)] = by_index.get(_index(value), 0) + count
    payload = bytearray()
    at = 0
    for index in sorted(by_index):
        if index > at:
            # A single zero is itself; more are one negative number.
            payload += _zigzag(at - index if index - at > 1 else 0)
        payload += _zigzag(by_index[index])
        at = index + 1
    header = struct.pack(">iiiiqqd", _COOKIE, len(payload), 0, _DIGITS, 1, _HIGHEST, 1.0)
    packed = zlib.compress(header + bytes(payload))
    return base64.b64encode(struct.pack(">ii", _COMPRESSED_COOKIE, len(packed)) + packed).decode()


def _index(value: int) -> int:
    bucket = (value | _MASK).bit_length() - (_HALF_MAGNITUDE + 1)
    return ((bucket + 1) << _HALF_MAGNITUDE) + (value >> bucket) - _HALF


def _zigzag(value: int) -> bytes:
    """A 64-bit number in up to nine bytes, seven bits in each but the ninth."""
    left = ((value << 1) ^ (value >> 63)) & 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while left >= 0x80 and len(out) < 8:
        out.append(left & 0x7F | 0x80)
        left >>= 7
    out.append(left)
    return bytes(out)
