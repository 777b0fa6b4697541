# SPDX-License-Identifier: Apache-2.0
"""Promises about verdicts, kept on tables that are made up: of no difference, and of a small one.

The noise is as runs of this project have it. Between comparisons, the logarithm of a ratio's spread
is normal, with its median at 9 % and a standard deviation of 1.05 (the preset quick). Within one,
log ratios have the tails of Student's t with 4 degrees of freedom (the fourth moments of 660
comparisons of the preset limits), and one in 50 is off by five times as much again. Blocks drift by
10 % each; both sides of a pair drift alike, but for a tenth of their spread.
"""

from __future__ import annotations

import numpy as np

from analysis import sequential
from promises.finding import Finding
from promises.lab import Lab

TABLES = 2000
COMPARISONS = 51
MOST_BLOCKS = 15
FALSE_AT_MOST = 0.05

SLOWER_BY = 0.03
SLOWER_SPREAD = 0.015  # of a block, as a quiet machine has it at one thread
# It is found in 89.8 % of 4,000 such tables within 20 blocks, 92 % within 21 and 95 % within 22: a
# promise that 200 tables can tell from chance.
SLOWER_BLOCKS = 22
SLOWER_FOUND = 0.9


def _ratios(draw: np.random.Generator, blocks: int) -> np.ndarray:
    """Logarithms, a row for each comparison."""
    shape = (COMPARISONS, blocks)
    spread = np.exp(draw.normal(np.log(0.09), 1.05, (COMPARISONS, 1)))
    noise = draw.standard_t(4, shape) / np.sqrt(2)
    noise *= np.where(draw.random(shape) < 0.02, 5, 1)
    drift = 0.1 * draw.standard_normal(blocks).cumsum()
    return spread * noise + 0.1 * spread * (drift - drift.mean())


def different(logs: np.ndarray) -> np.ndarray:
    everything = np.ones(len(logs), dtype=bool)
    evidence = sequential.moderated(sequential.paired(logs), everything)
    return sequential.holm(sequential.p_at_any_look(evidence), everything * 1.0).p <= 0.05


def tables(lab: Lab) -> Finding:
    """A table counts as wrong if any look at it calls anything different."""
    draw = np.random.default_rng(lab.seed)
    wrong = 0
    for _ in range(TABLES):
        logs = _ratios(draw, MOST_BLOCKS)
        looks = range(sequential.LEAST_BLOCKS, MOST_BLOCKS + 1)
        wrong += any(different(logs[:, :blocks]).any() for blocks in looks)
    return Finding(
        f"{TABLES:,} made-up tables of {COMPARISONS} comparisons without a difference",
        f"at most {FALSE_AT_MOST:.0%} have any false verdict, looked at after each of"
        f" {MOST_BLOCKS} blocks",
        f"{wrong} ({wrong / TABLES:.1%})",
        wrong <= FALSE_AT_MOST * TABLES,
    )


def small(lab: Lab) -> Finding:
    """One comparison of the table is 3 % slower; the blocks until it is called so are counted."""
    draw = np.random.default_rng(lab.seed + 1)
    needed = []
    for _ in range(TABLES // 10):
        logs = _ratios(draw, SLOWER_BLOCKS)
        logs[0] = np.log(1 - SLOWER_BY) + SLOWER_SPREAD * draw.standard_normal(SLOWER_BLOCKS)
        looks = range(sequential.LEAST_BLOCKS, SLOWER_BLOCKS + 1)
        found = [blocks for blocks in looks if different(logs[:, :blocks])[0]]
        needed.append(found[0] if found else np.inf)
    share = float(np.isfinite(needed).mean())
    return Finding(
        f"{len(needed)} made-up tables with one lock {SLOWER_BY:.0%} slower",
        f"found in ≥ {SLOWER_FOUND:.0%} within {SLOWER_BLOCKS} blocks",
        f"{share:.1%}, after {np.median(needed):.0f} blocks in the median table",
        share >= SLOWER_FOUND,
    )
