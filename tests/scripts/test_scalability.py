# SPDX-License-Identifier: Apache-2.0
"""The fit of throughput by threads: parameters found again, and curves that are refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
import synthetic
from analysis import loader, scalability
from analysis.scalability import Fit
from scipy import optimize
from support import MakeRun, Capture, compared, shown

THREADS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
NOISE = 0.02


def made_up(
    law: tuple[float, float, float],
    seed: int = 0,
    threads: Sequence[int] = THREADS,
    blocks: int = 20,
    noise: float = NOISE,
) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    true = scalability.law(np.array(threads, dtype=float), *law)
    rates = true * np.exp(draw.normal(0, noise, (blocks, len(threads))))
    return pd.DataFrame(rates, columns=list(threads))


def fit_of(table: pd.DataFrame) -> Fit:
    found = scalability.fitted(table, "made up")
    assert isinstance(found, Fit), found
    return found


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("law", [(5e6, 0.2, 0.01), (2e7, 0.5, 0.02), (4e6, 1.3, 0.05)])
def test_parameters_are_found_again_within_5_percent(
    law: tuple[float, float, float], seed: int
) -> None:
    fit = fit_of(made_up(law, seed))
    assert (fit.rate_per_s, fit.contention, fit.coherency) == pytest.approx(law, rel=0.05)


@pytest.mark.parametrize("seed", range(5))
def test_the_peak_is_found_again(seed: int) -> None:
    fit = fit_of(made_up((5e6, 0.2, 0.01), seed))
    assert fit.peak == pytest.approx((0.8 / 0.01) ** 0.5, rel=0.05)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    law = (5e6, 0.2, 0.01)
    held = 0
    for seed in range(40):
        fit = fit_of(made_up(law, seed))
        intervals = fit.intervals[:3]
        held += sum(i.low <= x <= i.high for i, x in zip(intervals, law))
    assert held / 120 > 0.85


@pytest.mark.parametrize("law", [(5e6, 0.2, 0.01), (5e6, 0.3, 0.0), (1e6, 0.0, 0.001)])
def test_all_draws_at_once_are_solved_as_one_by_one(law: tuple[float, float, float]) -> None:
    counts = np.array(THREADS, dtype=float)
    means = np.log(made_up(law, seed=3, blocks=12).to_numpy())
    together = scalability._solved(counts, means, np.ones_like(means))
    for row, found in zip(means, together):

        def apart(at: np.ndarray, row: np.ndarray = row) -> np.ndarray:
            return np.log(scalability.law(counts, np.exp(at[0]), at[1], at[2])) - row

        alone = optimize.least_squares(
            apart, [15.0, 0.1, 0.01], bounds=([-50, 0, 0], np.inf), x_scale=[1, 0.1, 0.01]
        )
        assert (apart(found) ** 2).sum() <= (alone.fun**2).sum() * 1.001


FEW = {"threads": (1, 2, 4, 6, 8, 12), "noise": 0.002}


@pytest.mark.parametrize(
    ("law", "options", "told"),
    [
        ((5e6, 0.3, 0.0), {}, "no peak known: κ may be 0"),
        ((5e6, 0.2, 0.01), {"blocks": 1}, "no peak known: one block"),
        ((5e6, 2.0, 0.02), {}, "falls from the first thread on"),
        ((5e6, 0.02, 0.002), FEW, "peak at 22 threads, beyond what was measured"),
    ],
)
def test_a_peak_is_told_as_far_as_it_is_known(
    law: tuple[float, float, float], options: dict[str, Any], told: str
) -> None:
    fit = fit_of(made_up(law, **options))
    assert told in scalability.peak_words(fit)
    assert (fit.peak is None) == told.startswith("no peak known")
    assert bool(fit.intervals) == ("blocks" not in options)


def test_three_numbers_of_threads_are_too_few() -> None:
    found = scalability.fitted(made_up((5e6, 0.2, 0.01), threads=(1, 2, 4)), "few")
    assert found == "3 numbers of threads measured; 4 are the least"


def test_points_that_follow_no_such_law_are_refused() -> None:
    table = pd.DataFrame([[1e6, 9e6, 1e6, 9e6, 1e6]] * 5, columns=[1, 2, 4, 6, 8])
    found = scalability.fitted(table, "zigzag")
    assert isinstance(found, str) and "below 0.9" in found


def test_a_missing_trial_does_not_stop_the_fit() -> None:
    table = made_up((5e6, 0.2, 0.01), blocks=3)
    table.iloc[1, 2] = np.nan
    assert fit_of(table).contention == pytest.approx(0.2, rel=0.2)


def lawful(law: tuple[float, float, float]) -> Callable[[dict[str, Any]], None]:
    def change(row: dict[str, Any]) -> None:
        rate = scalability.law(np.array([row["threads"]], dtype=float), *law)[0]
        row["operations_per_s"] = rate * (1 + 0.01 * (row["block"] % 2))

    return change


def test_threads_beyond_the_machine_are_no_part_of_the_fit(make_run: MakeRun) -> None:
    def change(row: dict[str, Any]) -> None:
        lawful((5e6, 0.2, 0.01))(row)
        if row["threads"] > 8:  # what the machine of the made-up run has
            row["operations_per_s"] = 1.0

    cells = synthetic.sweep(["keyed"], threads=(1, 2, 4, 6, 8, 16, 32))
    (curve,) = scalability.curves(loader.load(make_run(cells=cells, change=change)))
    assert curve.fit is not None and curve.fit.contention == pytest.approx(0.2, rel=0.01)
    assert curve.note == "16, 32 threads left out: oversubscription, the machine has 8"


def test_a_curve_that_is_shown_has_the_intervals_that_a_table_has(make_run: MakeRun) -> None:
    cells = synthetic.sweep(["keyed", "striped"], threads=(1, 2, 4, 6, 8))
    run = loader.load(make_run(cells=cells, change=lawful((5e6, 0.2, 0.01))))
    bare = [curve for _, found in scalability.faceted(run) for curve in found]
    assert [curve.fit.intervals for curve in bare if curve.fit] == [(), ()]
    assert [scalability.with_intervals(curve) for curve in bare] == scalability.curves(run)


def test_compare_tells_the_law_in_every_form(make_run: MakeRun, capsys: Capture) -> None:
    cells = synthetic.sweep(["keyed"], threads=(1, 2, 3, 4, 6, 8))
    cells += synthetic.sweep(["striped"], threads=(1, 2, 4))
    run = str(make_run(cells=cells, change=lawful((5e6, 0.2, 0.03))))
    text = shown(capsys, run)
    assert "peak at 5.2 threads (5.2 – 5.2)" in text
    assert "not fitted: striped: 3 numbers of threads measured; 4 are the least" in text
    assert "| keyed | 5.0" in shown(capsys, run, "--format", "markdown")
    curves = compared(capsys, run)["scalability"]
    fitted, refused = sorted(curves, key=lambda curve: curve["primitive"])
    assert fitted["sigma"] == pytest.approx(0.2, rel=1e-3) and fitted["fitted"]
    assert fitted["kappa_low"] <= fitted["kappa"] <= fitted["kappa_high"] * 1.0001
    assert not refused["fitted"] and "4 are the least" in refused["reason"]


def test_a_law_that_explodes_is_refused_without_a_warning() -> None:
    measured, fitted = np.array([1e6, 2e6]), np.array([1e200, 1e6])
    with np.errstate(over="raise"):
        assert scalability._r_squared(measured, fitted) < scalability.LEAST_R_SQUARED
