# SPDX-License-Identifier: Apache-2.0
"""The table and the picture of each way to wait."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
import synthetic
import wait_frontier
from analysis import loader, marked
from support import Capture, MakeRun, refusal


def test_the_page_has_the_table_of_the_figures() -> None:
    page = wait_frontier.PAGE.read_text(encoding="utf-8")
    table = wait_frontier.table(pd.read_csv(wait_frontier.CSV))
    assert marked.replaced(page, wait_frontier.MARK, table) == page


def test_speeds_are_paired_with_those_of_the_peer_in_the_same_block(make_run: MakeRun) -> None:
    def change(row: dict[str, Any]) -> None:
        drift = 1 + row["block"]  # the whole machine gets faster
        row["operations_per_s"] = drift * (2e6 if "tbb_spin" in row["params"] else 1e6)

    names = [f"global:lock={lock}" for lock in wait_frontier.IN_PAGE]
    run = make_run(cells=synthetic.sweep(names, threads=(2,)), change=change)
    rows = wait_frontier.figures_of([loader.load(run)])
    speeds = {lock: 1.0 if lock == "tbb_spin" else 0.5 for lock in wait_frontier.IN_PAGE}
    assert dict(zip(rows["lock"], rows["speed"])) == pytest.approx(speeds)


@pytest.mark.parametrize("lacking", wait_frontier.IN_PAGE)
def test_runs_without_a_lock_of_the_page_are_refused_and_the_figures_stay(
    make_run: MakeRun, capsys: Capture, lacking: str
) -> None:
    before = wait_frontier.CSV.read_bytes()
    names = [f"global:lock={lock}" for lock in wait_frontier.IN_PAGE if lock != lacking]
    run = make_run(cells=synthetic.sweep(names, threads=(2,)))
    assert f"no row of global:lock={lacking}," in refusal(wait_frontier.main, capsys, run)
    assert wait_frontier.CSV.read_bytes() == before


def test_a_run_of_other_locks_is_refused(make_run: MakeRun, capsys: Capture) -> None:
    run = make_run(cells=synthetic.sweep(["keyed"], threads=(2,)))
    assert "no row of global:lock=NAME" in refusal(wait_frontier.main, capsys, run)


def test_a_run_that_is_not_there_is_refused(capsys: Capture) -> None:
    assert "no-run: no such folder" in refusal(wait_frontier.main, capsys, "no-run")
