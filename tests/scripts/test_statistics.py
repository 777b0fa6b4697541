# SPDX-License-Identifier: Apache-2.0
"""Statistics: tests against values known from tables, intervals against their coverage."""

from __future__ import annotations

import math
import random
from itertools import combinations, product

import pytest
from analysis import statistics
from analysis.statistics import Interval
from scipy import stats

FACES = [Interval(1.1, 1.2), Interval(0.8, 0.9), Interval(0.99, 1.01), Interval(0.9, 1.3)]


def judged(interval: Interval | None, p: float | None, blocks: int = 12) -> statistics.Verdict:
    ratio = math.sqrt(interval.low * interval.high) if interval else 1.5
    return statistics.judge(ratio, interval, p, blocks, 1, same_within=0.02)


def test_the_least_signed_rank_p_of_n_blocks_is_two_in_two_to_the_n() -> None:
    for blocks in range(1, 9):
        ratios = [1.1 + i / 100 for i in range(blocks)]
        assert statistics.signed_rank_p(ratios) == pytest.approx(min(1, 2 / 2**blocks))


def test_signed_rank_agrees_with_counting_all_signs() -> None:
    draw = random.Random(1)
    for _ in range(20):
        logs = [round(draw.gauss(0.1, 0.3), 1) or 0.1 for _ in range(7)]
        ranks = stats.rankdata([abs(x) for x in logs])
        observed = sum(r for r, x in zip(ranks, logs) if x > 0)
        sums = [sum(r for r, up in zip(ranks, s) if up) for s in product((0, 1), repeat=7)]
        tail = min(sum(s <= observed for s in sums), sum(s >= observed for s in sums))
        expected = min(1, 2 * tail / len(sums))
        assert statistics.signed_rank_p([math.exp(x) for x in logs]) == pytest.approx(expected)


def test_signed_rank_of_many_blocks_agrees_with_scipy() -> None:
    draw = random.Random(2)
    logs = [draw.gauss(0.02, 0.1) for _ in range(300)]
    expected = stats.wilcoxon(logs, correction=False, mode="approx").pvalue
    assert statistics.signed_rank_p([math.exp(x) for x in logs]) == pytest.approx(expected)


def test_ratios_of_one_prove_nothing() -> None:
    assert statistics.signed_rank_p([1.0, 1.0, 1.0]) == 1


def test_rank_sum_of_five_against_five_can_convict() -> None:
    assert statistics.rank_sum_p([6, 7, 8, 9, 10], [1, 2, 3, 4, 5]) == pytest.approx(2 / 252)


def test_rank_sum_of_three_against_three_cannot() -> None:
    assert statistics.rank_sum_p([4, 5, 6], [1, 2, 3]) == pytest.approx(0.1)


def test_rank_sum_agrees_with_counting_all_choices_ties_and_all() -> None:
    a, b = [1.0, 2.0, 2.0, 5.0], [2.0, 3.0, 5.0]
    ranks = stats.rankdata(a + b)
    observed = sum(ranks[:4])
    sums = [sum(choice) for choice in combinations(ranks, 4)]
    tail = min(sum(s <= observed for s in sums), sum(s >= observed for s in sums))
    assert statistics.rank_sum_p(a, b) == pytest.approx(min(1, 2 * tail / len(sums)))


def test_rank_sum_of_many_agrees_with_scipy() -> None:
    draw = random.Random(3)
    a = [draw.gauss(0.2, 1) for _ in range(90)]
    b = [draw.gauss(0, 1) for _ in range(80)]
    expected = stats.mannwhitneyu(a, b, use_continuity=False, method="asymptotic").pvalue
    assert statistics.rank_sum_p(a, b) == pytest.approx(expected)


def symmetric(kind: str, draw: random.Random) -> float:
    """A logarithm of a ratio as one lock under two names would give it."""
    if kind == "normal":
        return draw.gauss(0, 0.1)
    if kind == "long tails":
        return draw.gauss(0, 0.02) / max(draw.random(), 1e-3)
    # Two layouts of the program, one 10 % faster.
    return 0.1 * (draw.randrange(2) - draw.randrange(2)) + draw.gauss(0, 0.01)


@pytest.mark.parametrize("kind", ["normal", "long tails", "two layouts"])
@pytest.mark.parametrize("blocks", [3, 5, 9, 25])
def test_one_lock_under_two_names_is_seldom_called_different(kind: str, blocks: int) -> None:
    draw = random.Random(4)
    called = 0
    for _ in range(1000):
        p = statistics.paired_p([math.exp(symmetric(kind, draw)) for _ in range(blocks)])
        called += p is not None and p <= 0.05
    assert called <= 65  # 50 expected at most; 65 is two standard deviations away


@pytest.mark.parametrize("blocks", [3, 5, 9, 12])
def test_two_runs_of_one_lock_are_seldom_called_different(blocks: int) -> None:
    draw = random.Random(6)
    called = 0
    for _ in range(1000):
        a, b = ([draw.lognormvariate(0, 0.1) for _ in range(blocks)] for _ in range(2))
        called += (statistics.unpaired_p(a, b) or 0) <= 0.05
    assert called <= 65


def test_t_tests_agree_with_scipy() -> None:
    draw = random.Random(7)
    a = [draw.lognormvariate(0.2, 0.1) for _ in range(6)]
    b = [draw.lognormvariate(0, 0.3) for _ in range(5)]
    logs = [[math.log(x) for x in side] for side in (a, b)]
    assert statistics.paired_p(a) == pytest.approx(stats.ttest_1samp(logs[0], 0).pvalue)
    expected = stats.ttest_ind(*logs, equal_var=False).pvalue
    assert statistics.unpaired_p(a, b) == pytest.approx(expected)


def test_five_clear_blocks_convict_in_a_large_table() -> None:
    p = statistics.paired_p([3.38, 3.13, 3.58, 3.4, 3.3])
    assert p is not None and p * 60 < 0.001


def test_two_blocks_are_not_tested() -> None:
    assert statistics.paired_p([2.0, 2.1]) is None
    assert statistics.unpaired_p([2.0, 2.1], [1.0, 1.1, 1.2]) is None


def test_the_interval_covers_the_true_median() -> None:
    draw = random.Random(5)
    covered = 0
    for trial in range(300):
        values = [draw.lognormvariate(0, 0.1) for _ in range(15)]
        interval = statistics.median_interval(values, str(trial))
        covered += interval is not None and interval.low <= 1 <= interval.high
    assert covered >= 270


def test_an_interval_depends_on_its_name_and_values_alone() -> None:
    values = [1.0, 1.3, 0.8, 1.1]
    assert statistics.median_interval(values, "a") == statistics.median_interval(values, "a")


def test_one_block_has_no_interval() -> None:
    assert statistics.median_interval([1.0], "a") is None
    assert statistics.median_ratio_interval([1.0], [1.0, 2.0], "a") is None


def test_holm_multiplies_the_least_by_all_and_never_turns_the_order() -> None:
    assert statistics.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_holm_counts_only_what_was_tested() -> None:
    assert statistics.holm([None, 0.02, None]) == [None, 0.02, None]


def test_the_four_verdicts() -> None:
    words = [judged(interval, p).word for interval, p in zip(FACES, (0.01, 0.01, 0.5, 0.5))]
    assert words == ["faster", "slower", "same", "cannot tell"]


def test_a_difference_that_is_not_proven_is_not_told() -> None:
    assert judged(Interval(1.1, 1.2), 0.06).word == "cannot tell"


def test_a_difference_too_small_to_matter_is_the_same() -> None:
    assert judged(Interval(1.005, 1.01), 0.0001).word == "same"


def test_few_blocks_cannot_prove_sameness() -> None:
    assert judged(Interval(0.999, 1.001), 1.0, blocks=5).word == "cannot tell"


def test_one_block_is_told_how_many_would_do() -> None:
    assert judged(None, None, blocks=1) == statistics.Verdict("cannot tell", 6)


def test_larger_tables_need_more_blocks() -> None:
    interval = Interval(0.95, 1.2)
    needed = [
        statistics.judge(1.07, interval, 0.2, 12, comparisons, same_within=0.02).blocks_needed or 0
        for comparisons in (1, 50)
    ]
    assert 12 < needed[0] < needed[1]


def test_wider_intervals_need_more_blocks() -> None:
    narrow = judged(Interval(0.98, 1.06), 0.2).blocks_needed
    wide = judged(Interval(0.8, 1.3), 0.2).blocks_needed
    assert narrow is not None and wide is not None and 12 < narrow < wide
