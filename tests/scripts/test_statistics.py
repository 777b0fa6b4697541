# SPDX-License-Identifier: Apache-2.0
"""The bootstrap behind the intervals of a fit."""

from __future__ import annotations

import numpy as np
from analysis import statistics


def test_the_interval_covers_the_true_mean() -> None:
    draw = np.random.default_rng(5)
    covered = 0
    for trial in range(100):
        values = draw.standard_normal(30)
        means = statistics.resampled_rows(values, str(trial)).mean(axis=1)
        interval = statistics.percentiles(means)
        covered += interval.low <= 0 <= interval.high
    assert 86 <= covered <= 99


def test_an_interval_depends_on_its_name_and_values_alone() -> None:
    values = np.array([1.0, 1.3, 0.8, 1.1])
    assert (statistics.resampled_rows(values, "a") == statistics.resampled_rows(values, "a")).all()
    assert (statistics.resampled_rows(values, "a") != statistics.resampled_rows(values, "b")).any()


def test_an_infinite_figure_has_an_interval() -> None:
    found = statistics.percentiles(np.array([1.0, 2.0, np.inf]))
    assert found.low == 1.0 and found.high == np.inf
