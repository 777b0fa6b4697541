# SPDX-License-Identifier: Apache-2.0
"""Locks whose waits end when a stop is requested (the form `waits=stopped`), and locks by key
several of whose keys are acquired together (`keys=several`)."""

from __future__ import annotations

import pytest

from patience import assert_clean, failures_of
from program import PLUGINS, Program

PLUGIN = PLUGINS / "stops_and_sets.so"


@pytest.mark.parametrize("engine", ["sim", "real"])
@pytest.mark.parametrize(
    "lock, form",
    [
        ("stoppable", "global:lock=stoppable,waits=stopped"),
        ("callback", "global:lock=callback,waits=stopped"),
        ("wakes_the_first", "global:lock=wakes_the_first,waits=stopped"),
        ("two_permits", "global:lock=two_permits,waits=stopped"),
        ("stopped_pool", "stopped_pool:waits=stopped"),
        ("mutexes", "mutexes:keys=several"),
    ],
)
def test_a_correct_lock_is_clean_in_its_form(
    lockbench: Program, lock: str, form: str, engine: str
) -> None:
    reports = assert_clean(lockbench, PLUGIN, lock, "--engine", engine)
    assert form in reports


@pytest.mark.parametrize(
    "lock, form, engine",
    [
        ("callback_wakes_anybody", "global:lock=callback_wakes_anybody,waits=stopped", "sim"),
        ("callback_holds_stopped", "global:lock=callback_holds_stopped,waits=stopped", "sim"),
        ("callback_holds_stopped", "global:lock=callback_holds_stopped,waits=stopped", "real"),
        ("wakes_the_stopped", "global:lock=wakes_the_stopped,waits=stopped", "sim"),
        ("stopped_pool_frees", "stopped_pool_frees:waits=stopped", "sim"),
        ("stopped_pool_frees", "stopped_pool_frees:waits=stopped", "real"),
        ("mutexes_as_named", "mutexes_as_named:keys=several", "sim"),
        ("mutexes_as_named", "mutexes_as_named:keys=several", "real"),
    ],
)
def test_a_fault_is_found_in_the_form_alone(
    lockbench: Program, lock: str, form: str, engine: str
) -> None:
    failed = failures_of(lockbench, PLUGIN, lock, "--engine", engine)
    assert list(failed) == [form], failed
