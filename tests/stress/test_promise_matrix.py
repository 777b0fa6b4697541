# SPDX-License-Identifier: Apache-2.0
"""Each promise, in each form of a lock that has it, is checked by the engines that say so."""

from __future__ import annotations

import json

import pytest

from patience import look_until
from program import PLUGINS, Program

PLUGIN = str(PLUGINS / "each_promise.so")

QUEUE = {"fair", "strong_try", "timed"}
OBJECTS = QUEUE | {"lock_per_key"}
BOUNDED = {"bypass_limit", "lock_per_key"}

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
    "passing": {
        "": ({"bypass_limit"}, {"bypass_limit"}),
        ",objects=several": (BOUNDED, BOUNDED),
    },
}


def promises_of(
    lockbench: Program, lock: str, forms: list[str], *words: str
) -> dict[str, set[str]]:
    """Which promises `stress` checked, by the form of the lock. It is inconclusive where the time
    was too short for one of them."""
    names = [f"global:lock={lock}{form}" for form in forms]
    done = lockbench.run("stress", *names, "--plugin", PLUGIN, "--format", "json", *words)
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert {report["verdict"] for report in reports} <= {"clean", "inconclusive"}, reports
    return {
        report["lock"].removeprefix(f"global:lock={lock}"): set(report["promises"])
        for report in reports
    }


@pytest.mark.parametrize(("engine", "position"), [("sim", 0), ("real", 1)])
@pytest.mark.parametrize("lock", CHECKED)
def test_each_promise_is_checked_in_each_form_that_has_it(
    lockbench: Program, lock: str, engine: str, position: int
) -> None:
    wanted = {form: promises[position] for form, promises in CHECKED[lock].items()}
    checked: dict[str, set[str]] = {}

    def look(seconds: float, seed: int) -> None:
        words = ["--engine", engine, "--budget", f"{seconds}s", "--seed", str(seed)]
        # Time is for the forms that lack something.
        forms = [form for form in wanted if checked.get(form) != wanted[form]]
        for form, promises in promises_of(lockbench, lock, forms, *words).items():
            checked.setdefault(form, set()).update(promises)

    look_until(lambda _: checked == wanted, look)
    assert checked == wanted


@pytest.mark.parametrize("engine", ["sim", "real"])
@pytest.mark.parametrize("lock", ["passing_too_often", "passing_by_tries"])
def test_a_thread_that_is_passed_once_more_than_promised_is_found(
    lockbench: Program, lock: str, engine: str
) -> None:
    words = ("--engine", engine, "--budget", "4s", "--format", "json")
    done = lockbench.run("stress", lock, "--plugin", PLUGIN, *words)
    report = json.loads(done.stdout.splitlines()[0])
    assert report["oracle"] == "fairness", report
    assert "it was passed 4 times, and the lock promises a bypass_limit of 3" in report["what"]


def test_a_program_of_tries_checks_how_often_a_thread_is_passed(lockbench: Program) -> None:
    words = ("--engine", "sim", "--budget", "2s", "--format", "json")
    program = ("--program", "L0 U T0 U T0 U T0 U T0 U | L0 U")
    done = lockbench.run("stress", "passing", "--plugin", PLUGIN, *words, *program)
    report = json.loads(done.stdout.splitlines()[0])
    assert report["verdict"] == "clean" and "bypass_limit" in report["promises"], report
