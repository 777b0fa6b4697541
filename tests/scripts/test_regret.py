# SPDX-License-Identifier: Apache-2.0
"""The cost of choosing one primitive: in each cell, against the best of its peers there."""

from __future__ import annotations


import pytest
import regret as script
import synthetic
from analysis import loader
from analysis.regret import Regret, as_markdown, regret, summary
from support import MakeRun, Capture, printed


def is_peer(label: str) -> bool:
    return label in ("global:lock=std", "keyed_table64")


def found(make_run: MakeRun, choice: str) -> Regret:
    """Speeds are set by hand, for one thread and for two."""
    cells = synthetic.sweep(
        ["keyed", "striped", "global:lock=std", "keyed_table64"], threads=(1, 2)
    )
    run = loader.load(make_run(cells=cells, blocks=3))
    speeds = {
        "keyed": (4.0, 4.0),
        "striped": (1.0, 6.0),
        "global:lock=std": (2.0, 4.0),
        "keyed_table64": (8.0, 2.0),
    }
    for row in run.trials.index:
        label, threads = run.trials.at[row, "label"], run.trials.at[row, "threads"]
        drift = 1 + run.trials.at[row, "block"]  # which paired ratios do not see
        run.trials.at[row, "operations_per_s"] = speeds[label][int(threads) - 1] * drift
        run.trials.at[row, "valid"] = True
    return regret(run, choice, is_peer)


def test_the_best_peer_of_each_cell_is_what_counts(make_run: MakeRun) -> None:
    met = found(make_run, "keyed").met
    assert [(one.best, one.ratio) for one in met] == [
        ("keyed_table64", pytest.approx(0.5)),
        ("global:lock=std", pytest.approx(1.0)),
    ]


def test_of_several_choices_the_faster_one_counts(make_run: MakeRun) -> None:
    met = found(make_run, "keyed+striped").met
    assert [one.ratio for one in met] == [pytest.approx(0.5), pytest.approx(1.5)]


def test_the_cells_below_are_named_and_the_mean_is_geometric(make_run: MakeRun) -> None:
    told = summary(found(make_run, "keyed"), 0.9)
    assert told.startswith("keyed: 2 cells, geometric mean 0.71 of the best peer's speed, 1 below")
    assert "\n  0.50 of keyed_table64: counter · 1 thread" in told


def test_the_table_has_a_column_for_each_number_of_threads(make_run: MakeRun) -> None:
    lines = as_markdown(found(make_run, "keyed")).splitlines()
    assert lines[0] == "| cell | 1 thr. | 2 thr. |"
    assert lines[2].endswith("| 0.50 keyed_table64 | 1.00 global:lock=std |")


@pytest.mark.parametrize(
    ("label", "peer"),
    [
        ("global:lock=std", True),
        ("global:lock=tbb_queuing", True),
        ("keyed_table64", True),
        ("striped_vector:stripes=64", True),
        ("lease_condvar:leases=8", True),
        ("recursive_mutex", True),
        ("keyed", False),
        ("keyed_limited", False),
        ("global:lock=futex", False),
        ("recursive_parking", False),
        ("lease:leases=8,order=fifo", False),
        ("none", False),
    ],
)
def test_what_is_not_lockbench_s_own_is_a_peer(label: str, peer: bool) -> None:
    assert (script.pattern(script.PEERS).search(label) is not None) == peer


def test_a_choice_that_was_not_measured_is_told(make_run: MakeRun, capsys: Capture) -> None:
    run = make_run(cells=synthetic.sweep(["keyed", "global:lock=std"], threads=(1,)))
    assert script.main([str(run), "--primitive", "kayed"]) == 2
    said = capsys.readouterr().err
    assert (
        said.startswith("lockbench regret: kayed: not measured beside a peer")
        and said.count("\n") == 1
    )


def test_without_a_primitive_all_are_ranked_by_what_they_cost_at_worst(
    make_run: MakeRun, capsys: Capture
) -> None:
    speeds = {"keyed": (4e6, 1e6), "striped": (3e6, 3e6), "global:lock=std": (1e6, 4e6)}

    def change(row: dict) -> None:
        label = row["primitive"] + (":" + row["params"] if row["params"] else "")
        noise = 1 + 0.01 * (row["block"] % 3)
        row["operations_per_s"] = speeds[label][row["threads"] - 1] * noise

    cells = synthetic.sweep(list(speeds), threads=(1, 2))
    lines = printed(script.main, capsys, make_run(cells=cells, change=change)).splitlines()
    ranked = [line.split()[0] for line in lines if line.startswith("  ") and "%" in line][:3]
    assert ranked == ["striped", "global:lock=std", "keyed"]
    assert any("0.750× in" in line for line in lines if line.startswith("  striped"))
    assert any("least regret: striped keeps 75 %" in line for line in lines)


def test_nothing_keeps_more_than_the_speed_of_the_fastest(
    make_run: MakeRun, capsys: Capture
) -> None:
    """By the medians `keyed` is the fastest, by the ratios of the blocks `striped` is."""

    def change(row: dict) -> None:
        rates = {"keyed": [1e6, 3e6, 3e6], "striped": [2.9e6, 2.9e6, 2.9e6]}
        row["operations_per_s"] = rates[row["primitive"]][row["block"] % 3]

    cells = synthetic.sweep(["keyed", "striped"], threads=(1,))
    out = printed(script.main, capsys, make_run(cells=cells, change=change, blocks=3))
    assert "least regret: striped keeps 100 % of the speed of the fastest" in out
