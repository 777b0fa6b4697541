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

    cells = synthetic.sweep(["global:lock=tbb_spin", "global:lock=now"], threads=(2,))
    rows = wait_frontier.figures_of([loader.load(make_run(cells=cells, change=change))])
    assert dict(zip(rows["lock"], rows["speed"])) == pytest.approx({"tbb_spin": 1.0, "now": 0.5})


def test_runs_without_the_peer_are_refused(make_run: MakeRun, capsys: Capture) -> None:
    run = make_run(cells=synthetic.sweep(["global:lock=std"], threads=(2,)))
    assert "no row of global:lock=tbb_spin" in refusal(wait_frontier.main, capsys, run)


def test_a_run_that_is_not_there_is_refused(capsys: Capture) -> None:
    assert "no-run: no such folder" in refusal(wait_frontier.main, capsys, "no-run")
