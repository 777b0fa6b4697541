# SPDX-License-Identifier: Apache-2.0
"""Predictions have a table of locks of their own, since they compile them for another platform: it
is held against the catalog."""

from __future__ import annotations

import subprocess

from program import BINARY, Program
from registered import Spelling, catalog, is_ours, spelling, spelt_out

# Locks of ours that are not predicted: a model of a machine has no files, and predictions of shared
# leases report violations that no run and no engine of stress finds.
NOT_PREDICTED = {"file", "nesting=share"}


def locks_of_predictions() -> set[Spelling]:
    words = [str(BINARY.with_name("lockbench-predicted-trial")), "list"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return {spelling(line.split()[0]) for line in done.stdout.splitlines()}


def test_no_lock_is_predicted_that_is_not_in_the_catalog(lockbench: Program) -> None:
    known = {spelt_out(one) for one in catalog(lockbench)}
    assert locks_of_predictions() - known == set()


def test_each_lock_of_ours_is_predicted(lockbench: Program) -> None:
    own = {spelt_out(one) for one in catalog(lockbench) if is_ours(one)}
    missing = own - locks_of_predictions()
    assert {(name, rest) for name, rest in missing if not NOT_PREDICTED & {name, *rest}} == set()
