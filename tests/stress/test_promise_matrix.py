# SPDX-License-Identifier: Apache-2.0
"""Each promise, in each form of a lock that has it, is checked by the engines that say so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from program import PLUGINS, Program

PLUGIN = str(PLUGINS / "each_promise.so")

QUEUE = {"fair", "strong_try", "timed"}
OBJECTS = QUEUE | {"lock_per_key"}

# For each lock and form, what `sim` and `real` check. It is the part of the table in
# docs/stress-engines.md#what-programs-vary that is about promises.
CHECKED: dict[str, dict[str, tuple[set[str], set[str]]]] = {
    "queue": {
        "": (QUEUE, QUEUE),
        ",objects=several": (OBJECTS, OBJECTS),
    },
    "queue_of_two": {
        "": (QUEUE, QUEUE),
        ",objects=several": (OBJECTS, OBJECTS),
    },
    "queue_shared": {
        "": (QUEUE, QUEUE),
        ",readers=first": ({"strong_try", "timed"}, {"strong_try", "timed"}),
        ",readers=apart": ({"readers_order", "strong_try", "timed"}, QUEUE),
        ",objects=several": (OBJECTS, OBJECTS),
    },
}


# Real threads check an order of arrival once for each epoch, and only if all threads were seen
# waiting. On a busy machine that may take many epochs: a lock that was not asked for all of its
# promises is run again, and for longer.
BUDGETS_S = (2, 4, 8, 8, 8, 8)


def reports_of(
    lockbench: Program, lock: str, engine: str, budget_s: int, seed: int
) -> dict[str, Any]:
    """What `stress` reports of each form of the lock, with so much time for each."""
    words = ["--plugin", PLUGIN, "--engine", engine, "--seed", str(seed)]
    words += ["--budget", f"{budget_s * len(CHECKED[lock])}s"]
    done = lockbench.run("stress", lock, *words, "--format", "json")
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    return {report["lock"].removeprefix(f"global:lock={lock}"): report for report in reports}


@pytest.mark.parametrize(("engine", "position"), [("sim", 0), ("real", 1)])
@pytest.mark.parametrize("lock", CHECKED)
def test_each_promise_is_checked_in_each_form_that_has_it(
    lockbench: Program, lock: str, engine: str, position: int
) -> None:
    wanted = {form: promises[position] for form, promises in CHECKED[lock].items()}
    checked: dict[str, set[str]] = {form: set() for form in wanted}
    for seed, budget_s in enumerate(BUDGETS_S, start=1):
        reports = reports_of(lockbench, lock, engine, budget_s, seed)
        assert set(reports) == set(wanted), reports
        for form, report in reports.items():
            assert report["verdict"] == "clean", report
            checked[form] |= set(report["promises"])
        if all(checked[form] >= wanted[form] for form in wanted):
            break
    assert checked == wanted
