# SPDX-License-Identifier: Apache-2.0
"""How accurate predictions are, from two runs; and which conclusions a changed figure changes."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pandas as pd
import pytest
import synthetic
from analysis import loader, marked
from analysis.errors import InputError
from laboratory import prediction as script
from laboratory.accuracy import accuracy, change, changes, falls, falls_text, grid_text, pairs
from laboratory.accuracy import parts, rank_ceiling, repeated, sensitivity_text, spread
from support import ROOT, MakeRun, Capture, printed, refusal


MODEL = ROOT / "harness/predict/machines/i7-1165g7.toml"
LOCKS = ("global", "keyed", "striped", "reentrant")
SPEED = {"global": 1e6, "keyed": 2e6, "striped": 3e6, "reentrant": 4e6}


def rows_of(make_run: MakeRun, name: str, factors: dict[str, float]) -> pd.DataFrame:
    """Rows of two groups; each lock's rate is SPEED times its factor."""
    cells = synthetic.sweep(LOCKS, threads=(1, 2), holds=(0,))
    rows = loader.load(make_run(name, cells=cells, blocks=2)).trials
    rows["valid"] = True
    rows["hold_ns"] = float("nan")  # as in rows without a hold
    rows["operations_per_s"] = rows["label"].map(lambda label: SPEED[label] * factors.get(label, 1))
    return rows


def test_errors_shares_and_ranks_are_those_of_the_cells(make_run: MakeRun) -> None:
    measured = rows_of(make_run, "measured", {})
    predicted = rows_of(make_run, "predicted", {"global": 1.2, "keyed": 2, "reentrant": 0.5})
    one = accuracy(pairs(measured, predicted))
    # The ratios are 1.2, 2, 1 and 0.5; the order is global, reentrant, striped, keyed.
    assert (one.cells, one.groups) == (8, 2)
    assert one.error == pytest.approx((0.2 + 0.5) / 2)
    assert one.near == pytest.approx(0.5)
    assert one.ratio == pytest.approx(1.1)
    assert one.rank == pytest.approx(0.2)


def test_a_cell_counts_by_its_median_and_only_if_both_runs_have_it(make_run: MakeRun) -> None:
    measured = rows_of(make_run, "measured", {})
    predicted = rows_of(make_run, "predicted", {})
    for block, rate in ((0, 1e6), (1, 3e6)):
        chosen = (measured["label"] == "global") & (measured["block"] == block)
        measured.loc[chosen, "operations_per_s"] = rate
    both = pairs(measured, predicted[predicted["label"] != "keyed"])
    assert sorted(set(both["label"])) == ["global", "reentrant", "striped"]
    assert set(both[both["label"] == "global"]["ratio"]) == {0.5}
    assert spread(measured) == pytest.approx(0.25)
    with pytest.raises(InputError, match="no cell is in both runs"):
        pairs(measured, predicted.assign(keys=1))


def test_blocks_of_a_measurement_are_compared_with_each_other(make_run: MakeRun) -> None:
    measured = rows_of(make_run, "measured", {})
    second = (measured["label"] == "keyed") & (measured["block"] == 1)
    measured.loc[second, "operations_per_s"] = 3.5e6  # 2 before
    again = repeated(measured)
    assert again is not None and (again.cells, again.near) == (8, 0.75)
    # The order is global, keyed, striped, reentrant, and then keyed is after striped.
    assert again.rank == pytest.approx(0.8)
    assert repeated(measured[measured["block"] == 0]) is None


def test_the_order_of_noisy_blocks_limits_the_rank_correlation(make_run: MakeRun) -> None:
    measured = rows_of(make_run, "measured", {})
    assert rank_ceiling(measured) == pytest.approx(1)
    second = (measured["label"] == "keyed") & (measured["block"] == 1)
    measured.loc[second, "operations_per_s"] = 3.5e6  # as above: 0.8 between the blocks
    assert rank_ceiling(measured) == pytest.approx((2 * 0.8 / 1.8) ** 0.5)
    assert rank_ceiling(measured[measured["block"] == 0]) is None


def test_parts_divide_by_hold_threads_and_keys(make_run: MakeRun) -> None:
    both = pairs(rows_of(make_run, "a", {}), rows_of(make_run, "b", {}))
    both.loc[both["threads"] == 2, "key_distribution"] = "zipf:0.99"
    assert {name: len(rows) for name, rows in parts(both)} == {
        "all": 8,
        "without hold": 8,
        "1 thread": 4,
        "2 threads": 4,
        "64 keys": 4,
        "64 keys, zipf:0.99": 4,
    }


def test_a_change_counts_where_another_lock_is_clearly_the_fastest(make_run: MakeRun) -> None:
    base = rows_of(make_run, "base", {})
    near = change("near", base, rows_of(make_run, "near", {"striped": 4 / 3 * 1.04}))
    assert (near.groups, near.other_best) == (2, 0)
    far = change("far", base, rows_of(make_run, "far", {"striped": 4 / 3 * 1.06}))
    assert (far.groups, far.other_best) == (2, 2)
    assert far.rank == far.lowest_rank == pytest.approx(0.8)


def test_the_figure_with_the_greatest_effect_comes_first(make_run: MakeRun) -> None:
    rows = [
        rows_of(make_run, "m", {}).assign(machine="m"),
        rows_of(make_run, "hit", {}).assign(machine="m-hit-plus"),
        rows_of(make_run, "rmw", {"reentrant": 0.1}).assign(machine="m-rmw-plus"),
    ]
    found = changes(pd.concat(rows), "m")
    assert [one.name for one in found] == ["rmw-plus", "hit-plus"]
    assert "| `rmw-plus` | 0 % | 2 of 2 | " in sensitivity_text(found)
    with pytest.raises(InputError, match="'n'; the run has m"):
        changes(pd.concat(rows), "n")


def flat(text: str) -> dict[str, float]:
    """All figures of a machine's file, by table and key."""
    tables = tomllib.loads(text)
    return {
        f"{table}.{key}": value
        for table in ("latency_ns", "access_ns", "scheduler_ns")
        for key, value in tables[table].items()
    }


def test_each_figure_of_a_machine_is_varied_alone() -> None:
    text = MODEL.read_text(encoding="utf-8")
    before = flat(text)
    made = script.variants(text)
    assert len(made) == 2 * (7 + 10 + 1)
    for name, changed in made.items():
        key, _, sign = name.rpartition("-")
        factor = 1.3 if sign == "plus" else 0.7
        for path, value in flat(changed).items():
            table, _, figure = path.partition(".")
            varies = figure == key or (key, table) == ("latency", "latency_ns")
            assert value == pytest.approx(before[path] * (factor if varies else 1)), (name, path)


def test_a_matrix_is_varied_and_comments_are_kept() -> None:
    text = "[latency_ns]\nmatrix = [  # measured: 2 cores\n  [0, 60.5],\n  [60.5, 0],\n]\n"
    changed = script.variants(text)["latency-plus"]
    assert tomllib.loads(changed)["latency_ns"]["matrix"] == [
        [0, pytest.approx(78.65)],
        [pytest.approx(78.65), 0],
    ]
    assert "# measured: 2 cores" in changed
    with pytest.raises(InputError, match="name the file of a machine"):
        script.variants("title = 'x'\n")


def test_the_page_is_replaced_between_its_marks(
    make_run: MakeRun,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells = synthetic.sweep(LOCKS, threads=(1, 2))
    runs = [str(make_run(name, cells=cells, blocks=2)) for name in ("a", "b")]
    assert "wants a measured run first" in refusal(script.main, capsys, "accuracy", *runs)

    page = tmp_path / "page.md"
    page.write_text("a\n<!-- accuracy -->\nold\n<!-- end of accuracy -->\nb\n", encoding="utf-8")
    monkeypatch.setattr(script, "measured_and_predicted", lambda arguments: "new\n")
    assert script.main(["accuracy", *runs, "--page", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text == "a\n<!-- accuracy -->\nnew\n<!-- end of accuracy -->\nb\n"
    with pytest.raises(InputError, match="<!-- sensitivity -->"):
        marked.replaced(text, "sensitivity", "new\n")


def test_the_grid_is_as_large_as_the_page_says(capsys: Capture) -> None:
    grid = tomllib.loads(printed(script.main, capsys, "grid"))
    assert len(grid["primitive"]) == 15
    assert (grid["threads"], grid["hold"]) == ([1, 2, 4, 8], ["0", "200ns", "20us"])
    assert tomllib.loads(printed(script.main, capsys, "grid", "bound")) == {
        **grid,
        "pinning": "compact",
    }


def test_falls_are_judged_for_each_machine_and_lock(make_run: MakeRun) -> None:
    cells = synthetic.sweep(LOCKS, threads=(8, 64), holds=(0,))
    rows = loader.load(make_run("run", cells=cells, blocks=2)).trials.assign(machine="m")
    kept = {"global": 0.79, "keyed": 0.81, "striped": 2.0, "reentrant": 0.1}
    many = rows["threads"] == 64
    rows["operations_per_s"] = 1e6 * rows["label"].map(kept).where(many, 1.0)
    found = falls(rows, 8, 64)
    assert dict(zip(found["label"], found["kept"])) == pytest.approx(kept)
    text = falls_text(found, 8, 64, 0.2)
    assert "| m | `global` | 1.00 M/s | 790 k/s | 0.79 | **fail** |" in text
    assert text.count("pass") == 2 and text.count("fail") == 2
    with pytest.raises(InputError, match="with 8 and with 32 threads"):
        falls(rows, 8, 32)


def test_a_grid_has_a_table_for_each_machine(make_run: MakeRun) -> None:
    cells = synthetic.sweep(("global", "keyed"), threads=(1, 8), keys=(1, 64), holds=(0, 200))
    rows = loader.load(make_run("run", cells=cells, blocks=2)).trials
    rows["operations_per_s"] = 1e6 * rows["threads"]
    text = grid_text(pd.concat([rows.assign(machine="a"), rows.assign(machine="b")]))
    assert text.count("| cell | lock | 1 | 8 |") == 2
    assert text.count("| 64 keys · hold 200 ns | `keyed` | 1.00 M | 8.00 M |") == 2
    assert text.count("`global`") == 8


def test_tables_want_a_predicted_run(make_run: MakeRun, capsys: Capture) -> None:
    run = str(make_run("measured", cells=synthetic.sweep(LOCKS, threads=(8, 64))))
    for mode in ("table", "falls"):
        assert "is no predicted run" in refusal(script.main, capsys, mode, run)
