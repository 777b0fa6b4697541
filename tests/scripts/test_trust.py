# SPDX-License-Identifier: Apache-2.0
"""The facts that a reader is told beside a figure: disturbed trials, unfairness, saturation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import report
import synthetic
from analysis import cells, loader, saturation, unfairness
from analysis.pictures import PICTURES, throughput
from support import MakeRun, Capture, compared, shown, words


TAKEN = "the host took 14 % of the machine's time, more than 10 %"


def spoilt(row: dict[str, Any], attempt: int = 0) -> dict[str, Any]:
    return {**row, "attempt": attempt, "valid": "false", "disturbance": TAKEN}


def measured_again(make_run: MakeRun) -> Path:
    """Trial 0 was disturbed twice and then was not; trial 1 never came off."""

    def repeat(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        first, second, *rest = found
        again = [spoilt(first), spoilt(first, 1), {**first, "attempt": 2}]
        return [*again, *(spoilt(second, attempt) for attempt in range(3)), *rest]

    return make_run(cells=synthetic.sweep(["global", "keyed"], threads=(2,)), change_all=repeat)


def test_of_several_attempts_the_valid_one_counts(make_run: MakeRun) -> None:
    run = loader.load(measured_again(make_run))
    assert len(run.trials) == 14 and len(run.final) == 10 and len(run.valid) == 9
    assert list(run.final["attempt"][:2]) == [2, 2]
    assert not run.valid.duplicated(["trial"]).any()


def test_a_trial_that_came_off_at_last_is_missing_from_no_line(
    make_run: MakeRun, capsys: Capture
) -> None:
    result = compared(capsys, measured_again(make_run))
    assert sorted(line["blocks"] for line in result["cells"]) == [4, 5]
    reasons = [line["reason"] for line in result["cells"] if line["blocks"] == 4]
    assert reasons == [f"disturbed: {TAKEN} (1 of 5 blocks not valid)"]
    assert f"5 rows excluded as disturbed, such as: {TAKEN}" in " ".join(result["notes"])


def test_a_page_says_how_many_attempts_are_behind_its_trials_and_forgives_the_floor(
    make_run: MakeRun,
) -> None:
    def again(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        first = {**rows[1], "valid": "false", "disturbance": "the host took 14 % of the time"}
        return [first, *({**row, "attempt": 1} for row in rows)]

    cells = synthetic.sweep(["none", "global", "keyed"], threads=(2,))
    folder = make_run(cells=cells, blocks=4, change_all=again)
    assert report.main([str(folder)]) == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "12 trials, 8 of them valid (1 earlier attempt excluded)" in page
    assert "invalid blocks" not in page


def test_disturbed_rows_are_told_apart_from_wrong_ones(make_run: MakeRun) -> None:
    def change(row: dict[str, Any]) -> None:
        if row["primitive"] == "keyed" and row["block"] == 0:
            row.update(valid="false", disturbance=TAKEN)

    made = synthetic.sweep(["none", "keyed"], threads=(2,))
    told = cells.left_out(loader.load(make_run(cells=made, change=change)).trials)
    assert told == (
        "5 rows excluded as invalid: 5 lost updates (none);"
        f" 1 row excluded as disturbed: {TAKEN}"
    )


def test_reasons_that_differ_by_a_figure_are_counted_as_one(make_run: MakeRun) -> None:
    def change(row: dict[str, Any]) -> None:
        row.update(valid="false", disturbance=f"the host took {11 + row['block']}.5 %")

    made = synthetic.sweep(["keyed"], threads=(2,))
    told = cells.disturbed(loader.load(make_run(cells=made, change=change)).trials)
    assert told == "5 rows excluded as disturbed, such as: the host took 11.5 %"


def line_of(run: Path, capsys: Capture, primitive: str = "keyed") -> dict[str, Any]:
    lines = compared(capsys, run)["cells"]
    return next(line for line in lines if line["primitive"] == primitive)


def contended(make_run: MakeRun, name: str = "run", **figures: Any) -> Path:
    fair = {"fairness_jain": 0.99, "wait_max_ns": 1e6}
    made = synthetic.sweep(["global", "keyed"], threads=(2, 4), keys=(1, 64))
    return make_run(name, cells=made, change=lambda row: row.update({**fair, **figures}))


def test_starved_threads_are_told_in_table_and_picture(make_run: MakeRun, capsys: Capture) -> None:
    run = contended(make_run, fairness_jain=0.42)
    out = shown(capsys, run)
    assert "! unfair: Jain 0.42" in out and unfairness.EXPLAINED in out
    assert "≤ 5 % !" in words(PICTURES["winner"](loader.load(run)))


def test_a_fair_lock_is_not_marked(make_run: MakeRun, capsys: Capture) -> None:
    run = contended(make_run)
    assert line_of(run, capsys)["unfair"] == ""
    assert "unfair" not in words(PICTURES["winner"](loader.load(run)))


@pytest.mark.parametrize(
    "figures, told",
    [
        ({"wait_max_ns": 310e6}, "unfair: longest wait 310 ms"),
        ({"fairness_jain": 0.42}, "unfair: Jain 0.42"),
        ({"wait_max_ns": 9e6, "held_p50_ns": 100}, ""),  # a turn of the scheduler, not of the lock
        ({"wait_max_ns": 70e6, "held_p50_ns": 10e6, "threads": 8}, ""),  # a queue in order
        ({"wait_max_ns": 310e6, "mode": "fixed", "makespan_s": 1}, ""),  # dealt out beforehand
        ({"fairness_jain": "", "wait_max_ns": ""}, ""),  # not measured
    ],
)
def test_unfairness_is_told_in_the_row_and_nothing_else_called_so(
    make_run: MakeRun, capsys: Capture, figures: dict[str, Any], told: str
) -> None:
    assert line_of(contended(make_run, **figures), capsys)["unfair"] == told


RATES = (64_000, 128_000, 256_000)


def arriving(make_run: MakeRun, capacity: float) -> Path:
    def change(row: dict[str, Any]) -> None:
        row.update(synthetic.served(row, capacity, 0.5), window_s=0.5)

    made = synthetic.arriving(synthetic.sweep(["global", "keyed"], threads=(2,)), RATES)
    return make_run(cells=made, change=change)


@pytest.mark.parametrize(
    "capacity, told",
    [
        (100_000, "saturates between 64,000/s and 128,000/s"),
        (250_000, "saturates between 128,000/s and 256,000/s"),
        (10_000, "saturated at 64,000/s, the lowest valid rate"),
        (9e6, "keeps up with 256,000/s, the highest valid rate"),
    ],
)
def test_the_saturation_point_lies_between_two_rates(
    make_run: MakeRun, capsys: Capture, capacity: float, told: str
) -> None:
    run = arriving(make_run, capacity)
    assert shown(capsys, run).count(told) == 2
    found = saturation.saturations(loader.load(run).valid)
    assert sorted(one.primitive for one in found) == ["global", "keyed"]


@pytest.mark.parametrize(
    "limit, told",
    [
        ("500us", "64,000 – 256,000/s"),  # at 128,000/s in some of the blocks
        ("10us", "less than 64,000/s"),
        ("1s", "at least 256,000/s"),
    ],
)
def test_capacity_is_the_rate_up_to_which_p99_waits_are_short(
    make_run: MakeRun, capsys: Capture, limit: str, told: str
) -> None:
    def change(row: dict[str, Any]) -> None:
        late = {64_000: 1e5, 128_000: 1e6 if row["block"] % 2 else 1e5, 256_000: 1e7}
        row.update(wait_p99_ns=late[row["rate_per_s"]], wait_max_ns=1e8)

    made = synthetic.arriving(synthetic.sweep(["global"], threads=(2,)), RATES)
    run = make_run(cells=made, change=change)
    assert told in shown(capsys, run, "--wait-limit", limit)


def test_random_arrivals_that_were_few_by_chance_saturate_nothing(make_run: MakeRun) -> None:
    def change(row: dict[str, Any]) -> None:
        done = 0.985 * row["rate_per_s"] * row["window_s"]
        row.update(operations=done, unserved=0, arrivals=arrivals)

    made = synthetic.arriving(synthetic.sweep(["keyed"], threads=(2,)), (2_000, 4_000))
    for arrivals, above in (("poisson", None), ("fixed", 2_000)):
        run = loader.load(make_run(arrivals, cells=made, change=change))
        assert [one.above_per_s for one in saturation.saturations(run.valid)] == [above]


def test_waits_by_rate_ring_the_rates_that_were_not_served(make_run: MakeRun) -> None:
    made = PICTURES["wait-by-rate"](loader.load(arriving(make_run, 100_000)))
    assert made is not None and len(made.axes) == 3
    rings = [line for line in made.axes[1].lines if line.get_markerfacecolor() == "none"]
    assert len(rings) == 2 * 2
    assert {"p50", "p99", "longest"} <= {axes.get_title("left") for axes in made.axes}


def test_an_open_loop_is_compared_by_its_unlucky_waits(make_run: MakeRun, capsys: Capture) -> None:
    line = line_of(arriving(make_run, 9e6), capsys)
    assert line["metric"] == "wait_p99_ns" and line["median"] == line["wait_p99_ns"]


def test_an_open_loop_is_no_throughput(make_run: MakeRun) -> None:
    run = loader.load(arriving(make_run, 9e6))
    drawn = {name for name, draw in PICTURES.items() if draw(run) is not None}
    assert drawn == {"wait", "wait-by-rate", "cost"}


def test_false_conflicts_stand_beside_what_follows_from_the_stripes(make_run: MakeRun) -> None:
    def watch(row: dict[str, Any]) -> None:
        stripes = int(row["params"].partition("=")[2] or 0)
        row["false_conflicts"] = 0.5 if stripes else ""

    primitives = ["keyed", "striped:stripes=16", "striped:stripes=64"]
    made = synthetic.sweep(primitives, threads=(8,), keys=(64,))
    text = words(PICTURES["throughput-by-stripes"](loader.load(make_run(cells=made, change=watch))))
    assert "conflicts with another key" in text and "(K − 1)/(K − 1 + S)" in text


def test_the_expected_share_of_false_conflicts_is_what_a_draw_gives() -> None:
    key = {"keys": 10, "key_distribution": "uniform"}
    group = cells.Group(key, pd.DataFrame())
    assert throughput.expected_share(group, [1, 9]) == [0.9, 0.5]
    skewed = cells.Group({**key, "key_distribution": "zipf:0.99"}, group.rows)
    assert throughput.expected_share(skewed, [1]) is None


def test_memory_of_a_key_is_shown_where_each_key_has_a_lock(make_run: MakeRun) -> None:
    def count(row: dict[str, Any]) -> None:
        row.update(key_bytes_live=96, key_bytes_idle=0)

    made = synthetic.sweep(["keyed"], threads=(2,))
    assert "memory of a key" in words(
        PICTURES["cost"](loader.load(make_run(cells=made, change=count)))
    )
    assert "memory of a key" not in words(PICTURES["cost"](loader.load(make_run("b", cells=made))))


def test_a_busy_machine_stands_above_everything_that_shows_the_run(
    make_run: MakeRun, capsys: Capture
) -> None:
    busy = "others use 50 % of the processors (maximum 5 %)"
    run = make_run(meta={**synthetic.META, "surroundings": {"busy": busy}})
    banner = f"Measured on a busy machine: {busy}"
    loaded = loader.load(run)
    assert loaded.banners == [banner]
    for form in ("text", "markdown"):
        assert banner in shown(capsys, run, "--format", form).splitlines()[0]
    assert compared(capsys, run)["banners"] == [banner]
    assert loader.load(make_run("quiet")).banners == []


def test_holds_that_expired_are_told(make_run: MakeRun) -> None:
    def change(row: dict[str, Any]) -> None:
        if row["primitive"] == "keyed":
            row.update(expired_holds=2, refused_writes=1)

    made = synthetic.sweep(("global", "keyed"), threads=(2,))
    run = loader.load(make_run(cells=made, change=change, blocks=3))
    assert cells.expired(run.trials) == ["keyed: 6 holds expired, 3 of their writes refused"]
    assert cells.expired(loader.load(make_run("older", cells=made)).trials) == []
