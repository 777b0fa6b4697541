# SPDX-License-Identifier: Apache-2.0
"""Waits: what does the unlucky thread pay?

A lock can win on throughput and make one thread in a thousand wait for a scheduler's turn. Each row
runs from the median to the longest wait that was seen, on a logarithmic scale: a short row is a
lock that treats acquisitions alike; a long one buys its median with its tail.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from analysis import cells, scales, units
from analysis.loader import Run
from analysis.pictures import rows
from analysis.pictures.rows import Mark

_QUANTILES = [
    Mark("wait_p50_ns", "p50", "|", 9.0, band=True),
    Mark("wait_p90_ns", "p90", "o", 4.0),
    Mark("wait_p99_ns", "p99", "D", 4.5, band=True),
    Mark("wait_p999_ns", "p99.9", "s", 4.5),
    Mark("wait_max_ns", "longest", ">", 5.5),
]
_WAIT = rows.Measure(
    "tells",
    "wait from asking for the lock to having it",
    units.nanoseconds,
    marks=_QUANTILES,
    wide=5.6,
)


def draw(run: Run) -> Figure | None:
    # Only blocks that have all figures: medians of changing blocks would not be in order.
    columns = [one.column for one in _QUANTILES]
    measured = run.valid[run.valid["mode"] != "micro"].dropna(subset=columns)
    measured = measured.assign(**measured[columns].clip(lower=scales.LEAST_WAIT_NS))
    told = cells.percentiles_tell(measured)
    tells = measured["wait_p99_ns"].where(told, measured["wait_max_ns"])
    return rows.draw(
        run,
        cells.most_contended(measured.assign(tells=tells)),
        rows.Sheet(
            "Waiting for the lock: from the median to the longest",
            [_WAIT],
            says="faint: each block, marks: medians of the blocks",
            notes=[
                f"{rows.CONTENDED}; ordered by the wait at the right: the p99, in the saturated"
                " loop the longest, since percentiles there favour a lock that starves threads",
                "bands: of p50 and of p99" if run.error.banded else "",
            ],
        ),
    )
