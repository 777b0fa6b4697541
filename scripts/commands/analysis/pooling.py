# SPDX-License-Identifier: Apache-2.0
"""One figure for many machines, on request. Arrays in, one record out; no row or file.

Machines differ, so each has its own true ratio, and the pooled figure is the mean of these: a
random-effects model.

Between machines  R. DerSimonian, N. Laird, "Meta-analysis in clinical trials" (1986): the variance
                  between machines from Cochran's Q.
Interval          Student's t with one degree of freedom less than there are machines, and the
                  variance estimated from the spread of the machines (J. Hartung, G. Knapp, 2001),
                  never less than the usual one (C. Röver, G. Knapp, T. Friede, "Hartung-Knapp-
                  Sidik-Jonkman approach and its modification for random-effects meta-analysis with
                  few studies", 2015): machines are few, and are measured with unequal precision.
Heterogeneity     I²: the share of the spread that does not come from the blocks (J. Higgins,
                  S. Thompson, 2002).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

LEAST_MACHINES = 2


@dataclass(frozen=True)
class Pooled:
    """The mean of the machines' true effects, with its data."""

    machines: int
    center: float
    error: float  # standard error of the center
    between: float  # variance between machines
    q: float  # Cochran's
    heterogeneity: float  # I², from 0 to 1

    @property
    def p(self) -> float:
        """That the mean of the machines is 0, two-sided."""
        return float(2 * stdtr(self.machines - 1, -abs(self.center) / self.error))

    def half_width(self, alpha: float) -> float:
        return float(-stdtrit(self.machines - 1, alpha / 2) * self.error)


def random_effects(effects: np.ndarray, variances: np.ndarray) -> Pooled | None:
    """Pools an effect and its variance for each machine. None for fewer than LEAST_MACHINES."""
    count = len(effects)
    if count < LEAST_MACHINES:
        return None
    weights = 1 / variances
    fixed = float((weights * effects).sum() / weights.sum())
    q = float((weights * (effects - fixed) ** 2).sum())
    excess = q - (count - 1)
    scale = float(weights.sum() - (weights**2).sum() / weights.sum())
    between = max(0.0, excess / scale)
    center, error = mean_of(effects, variances + between)
    return Pooled(count, center, error, between, q, max(0.0, excess / q) if q > 0 else 0.0)


def mean_of(effects: np.ndarray, variances: np.ndarray) -> tuple[float, float]:
    """Weighted mean, and its standard error from the spread, at least that of the variances."""
    weights = 1 / variances
    center = float((weights * effects).sum() / weights.sum())
    spread = float((weights * (effects - center) ** 2).sum() / (len(effects) - 1))
    return center, math.sqrt(max(1.0, spread) / weights.sum())
