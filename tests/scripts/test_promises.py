# SPDX-License-Identifier: Apache-2.0
"""The decisions of truth.sh by itself: intervals of medians, and when a run is killed."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from promises import kills, lab as labs
from promises.figures import known_median


@pytest.mark.parametrize(
    "values, median, either",
    [
        ([3.0, 1.0, 2.0], 2.0, math.inf),
        # From the least to the greatest: 6 values leave 3 % outside.
        ([6.0, 1.0, 2.0, 5.0, 3.0, 4.0], 3.5, 2.5),
        # From the eighth to the eighteenth of 25.
        (list(map(float, range(25))), 12.0, 5.0),
    ],
)
def test_a_median_is_known_as_closely_as_its_order_statistics_say(
    values: list[float], median: float, either: float
) -> None:
    assert known_median(values) == (median, either)


def test_the_interval_of_a_median_has_it_as_often_as_promised() -> None:
    draw = random.Random(7)
    inside = 0
    for _ in range(1000):
        found, either = known_median([draw.gauss(0, 1) for _ in range(25)])
        inside += abs(found) <= 2 * either  # the interval is not symmetric about its median
    assert inside >= 950


def lab_of(tmp_path: Path) -> labs.Lab:
    return labs.Lab(Path("none"), tmp_path, seed=1, draw=random.Random(1))


def test_kills_come_before_the_next_row_and_shortly_after_it(tmp_path: Path) -> None:
    lab = lab_of(tmp_path)
    moments = [kills._moment(lab, 0.2, whole=False) for _ in range(400)]
    known = [moment for moment in moments if moment is not None]
    assert len(known) == 400 and max(known) <= 0.2 + kills.LATEST_S
    assert 150 < sum(moment <= 0.2 for moment in known) < 250


def test_a_run_whose_rows_are_all_there_is_brought_to_its_end_half_of_the_time(
    tmp_path: Path,
) -> None:
    lab = lab_of(tmp_path)
    left_alone = [kills._moment(lab, 0.2, whole=True) is None for _ in range(400)]
    assert 150 < sum(left_alone) < 250
