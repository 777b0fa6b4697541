# SPDX-License-Identifier: Apache-2.0
"""The cost of locking: rows with known costs, at several loads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import report
import synthetic
from analysis import cells, comparison, loader, locking_cost, machines, tables
from analysis.pictures import cost_by_load, curves, throughput
from support import ROOT, MakeRun

HOLD = 200
REST = 7.0
THINK = {0.1: 1800.0, 0.5: 200.0, None: 0.0}
COST = {"global": 10.0, "keyed": 30.0}
NO_POINT = -1


def folder_of(
    make_run: MakeRun, threads: int = 1, sleeps: bool = False, keys: tuple[int, ...] = (1,)
) -> Path:
    """Each operation takes its hold, its think time, REST, and the COST of its primitive."""
    planned: list[dict[str, Any]] = []
    for think in THINK.values():
        kind = "none" if think == 0 else "sleep:exp" if sleeps else "exp"
        for cell in synthetic.sweep(["none", *COST], threads=sorted({1, threads}), keys=keys):
            planned.append({**cell, "think_kind": kind, "think_ns": think})

    def change(row: dict[str, Any]) -> None:
        share = next(share for share, known in THINK.items() if known == row["think_ns"])
        cost = COST.get(row["primitive"], 0.0)
        slept = "sleep" in row["think_kind"]
        at_once = row["threads"] if slept else min(row["threads"], 8)
        late = 60_000.0 if slept else 0.0
        rate = 1e9 * at_once / (HOLD + row["think_ns"] + late + REST + cost)
        row.update(load_share=share or "", operations_per_s=rate, valid="true", lost_updates=0)
        row.update(wait_p99_ns=10 * cost * row["keys"], wait_mean_ns=cost if slept else 1.0)

    return make_run(cells=planned, blocks=5, change=change)


def run_of(make_run: MakeRun, threads: int = 1, sleeps: bool = False) -> loader.Run:
    return loader.load(folder_of(make_run, threads, sleeps))


@pytest.mark.parametrize("threads, sleeps", [(1, False), (4, False), (32, False), (32, True)])
def test_the_cost_is_what_hold_think_and_the_loop_do_not_explain(
    make_run: MakeRun, threads: int, sleeps: bool
) -> None:
    run = run_of(make_run, threads, sleeps)
    rows = locking_cost.with_costs(run, run.valid)
    for label, cost in COST.items():
        own = rows[rows["label"] == label]
        assert own["locking_ns"].to_numpy() == pytest.approx(cost)


def test_an_operation_of_several_holds_costs_what_they_do_not_explain(make_run: MakeRun) -> None:
    def change(row: dict[str, Any]) -> None:
        row["operations_per_s"] = 1e9 / (5 * HOLD + 40.0)

    nested = synthetic.sweep(["reentrant"], (1,), (1,), (HOLD,), "nested", "mixed_lock_unlock")
    run = loader.load(make_run(cells=nested, change=change))
    costs = locking_cost.with_costs(run, run.valid)["locking_ns"]
    assert costs.to_numpy() == pytest.approx(40.0)


def test_the_holds_of_an_operation_are_those_of_its_workload() -> None:
    told = {}
    for header in (ROOT / "workloads").glob("*.h"):
        found = re.search(r"constexpr std::uint32_t kAcquisitions = (\d+);", header.read_text())
        if found:
            told[header.stem] = int(found[1])
    assert told == locking_cost.HOLDS


def test_a_lock_that_costs_more_is_told_by_as_much_at_each_load(make_run: MakeRun) -> None:
    found = {(one.primitive, one.load): one for one in locking_cost.costs(run_of(make_run))}
    for load in (0.1, 0.5, loader.SATURATED):
        difference = found["keyed", load].median_ns - found["global", load].median_ns
        assert difference == pytest.approx(20.0)


def test_without_the_floor_the_calibration_says_what_the_loop_takes(make_run: MakeRun) -> None:
    run = run_of(make_run)
    kept = run.trials[run.trials["label"] != cells.FLOOR]
    meta = {**run.meta, "calibration": {"floor_untimed_ns": REST}}
    alone = loader.Run(run.folder, kept, meta)
    rows = locking_cost.with_costs(alone, alone.valid)
    assert rows[rows["label"] == "keyed"]["locking_ns"].to_numpy() == pytest.approx(30.0)


def test_compare_prints_the_costs_by_load(make_run: MakeRun) -> None:
    result = comparison.within(run_of(make_run), comparison.Options())
    text = tables.as_text(result)
    (title,) = [line for line in text.splitlines() if line.startswith("Cost of locking by load")]
    assert "1 key" in title and "load" not in title.partition(":")[2]
    lines = text.partition(title)[2].splitlines()
    assert lines[1].split() == ["primitive", "10", "%", "50", "%", "saturated"]
    assert lines[2].split()[:3] == ["global", "10", "ns"]
    assert lines[3].split()[:3] == ["keyed", "30", "ns"]


def test_a_picture_has_a_line_for_each_primitive(make_run: MakeRun) -> None:
    figure = cost_by_load.draw(run_of(make_run))
    assert figure is not None
    (axes,) = figure.axes
    shown = {
        tuple(round(float(y)) for y in line.get_ydata())
        for line in axes.get_lines()
        if len(line.get_ydata()) == 3
    }
    assert {(10, 10, 10), (30, 30, 30)} <= shown
    assert [text.get_text() for text in axes.get_xticklabels()] == ["10 %", "50 %", "saturated"]


def test_the_page_begins_with_costs_and_waits_by_load_and_ends_with_the_saturated_loop(
    make_run: MakeRun,
) -> None:
    folder = folder_of(make_run, threads=4, keys=(1, 64))
    assert report.main([str(folder)]) == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    said = [" ".join(part.split()) for part in re.findall(r'class="unseen"[^>]*>(.*?)</p>', page)]
    by_load = [one for one in said if " by load" in one]
    assert said[: len(by_load)] == by_load and len(by_load) == 8
    costs = "At saturated, best first: global 10 ns, keyed 30 ns."
    assert [one.endswith(costs) for one in by_load] == [True] * 4 + [False] * 4
    waits = ("global 100 ns, keyed 300 ns.", "global 6.4 µs, keyed 19.2 µs.")
    assert [one.endswith(waits[i % 2]) for i, one in enumerate(by_load[4:])] == [True] * 4
    titles = [f"Cost of locking by load: {t} · {k}" for t in THREADS for k in KEYS]
    assert re.findall(r"<figcaption[^>]*>([^<]*)", page)[:4] == titles
    headings = re.findall(r"<h2[^>]*>([^<]*)", page)
    assert headings[1] == "Cost of locking and p99 wait by load"
    assert headings.index("Throughput in the saturated loop") > headings.index("Fairness")
    throughput = page.partition(headings[headings.index("All cells") - 1])[2]
    assert "load 10 %" not in throughput.partition("All cells")[0]


THREADS = ("1 thread", "4 threads")
KEYS = ("1 key", "64 keys")


def test_of_too_many_panels_each_number_of_keys_has_one(make_run: MakeRun) -> None:
    run = loader.load(folder_of(make_run, threads=4, keys=(1, 64)))
    rows = cost_by_load.rows_of(run, run.valid, most=3)
    assert set(rows["threads"]) == {4} and set(rows["keys"]) == {1, 64}


def noisy_run(make_run: MakeRun, shifts: tuple[float, ...]) -> loader.Run:
    """The cost of `global` at 10 % load is 10 ns and, block by block, one of the shifts."""
    run = run_of(make_run)
    noisy = (run.trials["label"] == "global") & (run.trials["load"] == 0.1)
    for block, shift in enumerate(shifts):
        run.trials.loc[noisy & (run.trials["block"] == block), "operation_ns"] += shift
    return run


def drawn_lines(run: loader.Run) -> list[tuple[tuple[float, ...], bool]]:
    """The heights of each line of the picture, and whether its marks are open."""
    figure = cost_by_load.draw(run)
    assert figure is not None
    return [
        (
            tuple(round(float(y)) if y == y else NO_POINT for y in line.get_ydata()),
            line.get_markerfacecolor() == "white",
        )
        for line in figure.axes[0].get_lines()
    ]


@pytest.mark.parametrize(
    "shifts, most",
    [
        ((-500.0, -40.0, 0.0, 30.0, 800.0), 40),  # the third quartile
        ((-500.0, -210.0, -110.0, -60.0, 0.0), 200),  # all below zero: by amount
    ],
)
def test_a_cost_that_is_noise_is_drawn_as_what_it_is_at_most(
    make_run: MakeRun, shifts: tuple[float, ...], most: int
) -> None:
    run = noisy_run(make_run, shifts)
    lines = drawn_lines(run)
    assert ((most,), True) in lines
    assert ((NO_POINT, 10, 10), False) in lines
    assert ((30, 30, 30), False) in lines
    figure = cost_by_load.draw(run)
    assert figure is not None
    assert any(curves.NOISE in text.get_text() for text in figure.texts)


def test_a_cost_above_the_noise_is_a_point_of_its_line(make_run: MakeRun) -> None:
    run = noisy_run(make_run, (-500.0, -5.0, 0.0, 30.0, 800.0))
    lines = drawn_lines(run)
    assert ((10, 10, 10), False) in lines and not any(is_open for _, is_open in lines)
    figure = cost_by_load.draw(run)
    assert figure is not None
    assert not any(curves.NOISE in text.get_text() for text in figure.texts)


def test_the_page_says_of_noise_what_it_is_at_most(make_run: MakeRun) -> None:
    run = noisy_run(make_run, (-500.0, -40.0, 0.0, 30.0, 800.0))
    rows = cost_by_load.rows_of(run, run.valid, most=3)
    measure = cost_by_load.COST.measures[0]
    own = rows[(rows["label"] == "global") & (rows["load"] == 0.1)]
    assert measure.of_median(own) == "less than 40 ns"
    assert measure.of_median(rows[rows["label"] == "keyed"]) == "30 ns"


def test_costs_of_two_machines_stand_side_by_side_on_one_scale(make_run: MakeRun) -> None:
    folder = folder_of(make_run, threads=4, keys=(1, 64))
    one, other = loader.load(folder), loader.load(folder)
    other.meta["machine"] = {**other.meta["machine"], "cpu_model": "Another CPU"}
    other.trials["operation_ns"] += 1000
    figure = cost_by_load.draw_machines(machines.fleet([one, other]))
    assert figure is not None
    titles = [text.get_text() for axes in figure.axes for text in axes.texts]
    shown = [axes.get_title(loc="left") or axes.get_title() for axes in figure.axes]
    said = " ".join(titles + shown + [text.get_text() for text in figure.texts])
    assert said.count("Imaginary CPU @ 3.00GHz, 4 cores") >= 2 and "Another CPU" in said
    assert len(figure.axes) == 4 and len({axes.get_ylim() for axes in figure.axes}) == 1


def test_machines_without_a_cell_in_common_have_no_picture(make_run: MakeRun) -> None:
    runs = [
        loader.load(folder_of(make_run, threads=4, keys=(1,))),
        loader.load(make_run("other", cells=synthetic.sweep(keys=(64,)), blocks=3)),
    ]
    assert cost_by_load.draw_machines(machines.fleet(runs)) is None


def test_facets_that_differ_by_think_time_say_which_one_is_saturated() -> None:
    saturated = {"mode": "timed", "think_kind": "none", "think_ns": None, "threads": 8}
    thinks = {**saturated, "think_kind": "exp", "think_ns": 2000.0}
    _, varied = cells.same_and_different([saturated, thinks])
    assert cells.told_apart(saturated, varied) == "saturated"
    assert cells.told_apart(thinks, varied) == "think 2 µs exp"
    assert cells.told_apart(saturated, ["threads"]) == "8 threads"


def test_panels_of_the_same_work_have_one_scale(make_run: MakeRun) -> None:
    run = loader.load(make_run(cells=synthetic.sweep(keys=(1, 4096)), blocks=3))
    for draw in (throughput.SWEEPS["threads"].draw, throughput.SWEEPS["keys"].draw):
        figure = draw(run)
        assert figure is not None
        (limits,) = {axes.get_ylim() for axes in figure.axes}
        assert limits[1] / limits[0] >= curves.LEAST_SPAN
        assert figure.texts[0].get_text().startswith("Throughput in the saturated loop by")
        assert all(axes.get_ylabel().endswith("(log)") for axes in figure.axes)


def test_a_run_without_loads_has_no_such_picture_and_no_such_table(make_run: MakeRun) -> None:
    run = loader.load(make_run(cells=synthetic.sweep(keys=(1,)), blocks=3))
    assert cost_by_load.draw(run) is None
    assert locking_cost.costs(run) == []
