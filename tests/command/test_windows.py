# SPDX-License-Identifier: Apache-2.0
"""A run says which windows its plan lengthened, before it measures and in meta.json."""

from __future__ import annotations

import json
from typing import Any

import pytest
from program import Program

# Two threads that sleep for 10 ms between two operations: 16 of these take 160 ms.
SLEEPERS = """
title = "Threads that sleep for longer than the window"
blocks = 1
warmup = "1ms"
window = "5ms"
[[sweep]]
primitive = "global"
threads = 2
hold = "1us"
think = ["0", "sleep:10ms"]
"""
LONGER = "longer windows in 1 of 2 cells (161ms), which holds and think times need"


@pytest.fixture(name="sleepers")
def sleepers_fixture(lockbench: Program) -> Program:
    (lockbench.folder / "plan.toml").write_text(SLEEPERS, encoding="utf-8")
    return lockbench


def test_a_dry_run_says_which_windows_are_longer_than_asked_for(sleepers: Program) -> None:
    assert LONGER in sleepers.run("run", "plan.toml", "--dry-run").stdout.splitlines()
    flags = ("--window", "5ms")
    assert "longer windows" not in sleepers.run("run", "plan.toml", *flags, "--dry-run").stdout


def test_meta_json_has_the_windows_that_the_plan_chose(sleepers: Program) -> None:
    done = sleepers.run("run", "plan.toml", "--patience", "0", "--out", "out")
    assert done.returncode in (0, 4), done.stderr  # 4: a busy machine disturbed all of them
    meta = json.loads((sleepers.folder / "out" / "meta.json").read_text(encoding="utf-8"))
    plan: dict[str, Any] = meta["plan"]
    assert plan["windows"] == LONGER
    chosen = {one["cell"]["think"]: one["cell"]["window"] for one in plan["trials"]}
    assert chosen == {"0": "5ms", "sleep:10ms": "161ms"}
