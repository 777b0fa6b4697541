# SPDX-License-Identifier: Apache-2.0
"""pooling.py against published figures: 13 trials of a vaccine, as G. Colditz et al. (1994) list
them; W. Viechtbauer, "Conducting meta-analyses in R with the metafor package" (2010) has their
random-effects model."""

from __future__ import annotations

import numpy as np
import pytest
from analysis import pooling

# Ill and well of those who were vaccinated, and of those who were not.
TRIALS = np.array(
    [
        (4, 119, 11, 128),
        (6, 300, 29, 274),
        (3, 228, 11, 209),
        (62, 13536, 248, 12619),
        (33, 5036, 47, 5761),
        (180, 1361, 372, 1079),
        (8, 2537, 10, 619),
        (505, 87886, 499, 87892),
        (29, 7470, 45, 7232),
        (17, 1699, 65, 1600),
        (186, 50448, 141, 27197),
        (5, 2493, 3, 2338),
        (27, 16886, 29, 17825),
    ],
    dtype=float,
)


def log_risk_ratios() -> tuple[np.ndarray, np.ndarray]:
    ill, well, others_ill, others_well = TRIALS.T
    treated, others = ill + well, others_ill + others_well
    ratios = np.log(ill / treated) - np.log(others_ill / others)
    return ratios, 1 / ill - 1 / treated + 1 / others_ill - 1 / others


def test_published_trials_give_the_published_figures() -> None:
    found = pooling.random_effects(*log_risk_ratios())
    assert found is not None
    assert found.q == pytest.approx(152.2330, abs=5e-5)
    assert found.between == pytest.approx(0.3088, abs=5e-5)
    assert found.center == pytest.approx(-0.7141, abs=5e-5)
    assert 100 * found.heterogeneity == pytest.approx(92.12, abs=5e-3)


def test_the_interval_is_the_published_one() -> None:
    """With the variance between trials by restricted maximum likelihood, 0.3132."""
    ratios, variances = log_risk_ratios()
    center, error = pooling.mean_of(ratios, variances + 0.3132)
    found = pooling.Pooled(len(ratios), center, error, 0.3132, 0.0, 0.0)
    assert center == pytest.approx(-0.7145, abs=1e-4)
    assert error == pytest.approx(0.1808, abs=5e-5)
    half = found.half_width(0.05)
    assert (center - half, center + half) == pytest.approx((-1.1084, -0.3206), abs=5e-5)
    assert found.p == pytest.approx(0.0019, abs=1e-4)


def test_machines_that_agree_have_no_heterogeneity() -> None:
    found = pooling.random_effects(np.full(5, 0.2), np.full(5, 0.01))
    assert found is not None
    assert (found.between, found.heterogeneity) == (0.0, 0.0)
    assert found.center == pytest.approx(0.2)
    # Never narrower than what the blocks alone leave open.
    assert found.error == pytest.approx(0.1 / np.sqrt(5))


def test_one_machine_is_no_fleet() -> None:
    assert pooling.random_effects(np.array([0.2]), np.array([0.01])) is None
