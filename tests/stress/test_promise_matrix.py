# SPDX-License-Identifier: Apache-2.0
"""Each promise, in each form of a lock that has it, is checked by the engines that say so."""

from __future__ import annotations

import json

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


@pytest.mark.parametrize(("engine", "position"), [("sim", 0), ("real", 1)])
@pytest.mark.parametrize("lock", CHECKED)
def test_each_promise_is_checked_in_each_form_that_has_it(
    lockbench: Program, lock: str, engine: str, position: int
) -> None:
    forms = CHECKED[lock]
    words = ["--plugin", PLUGIN, "--engine", engine, "--budget", f"{2 * len(forms)}s"]
    done = lockbench.run("stress", lock, *words, "--format", "json")
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    checked = {report["lock"].removeprefix(f"global:lock={lock}"): report for report in reports}
    assert set(checked) == set(forms), reports
    for form, report in checked.items():
        assert report["verdict"] == "clean", report
        assert set(report["promises"]) == forms[form][position], (form, report["promises"])
