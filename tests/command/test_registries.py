# SPDX-License-Identifier: Apache-2.0
"""The catalog and the engines of stress each have a table of locks, since each compiles them for
another platform. These tests hold the tables against each other."""

from __future__ import annotations

from program import Program
from registered import Spelling, catalog, is_ours, spelling


def locks_of_stress(lockbench: Program) -> set[Spelling]:
    """With any engine."""
    lines = lockbench.run("stress", "--list").stdout.splitlines()
    return {spelling(line.split()[0]) for line in lines if line.strip()}


def test_each_lock_of_ours_is_tested(lockbench: Program) -> None:
    own = [one["name"] for one in catalog(lockbench) if is_ours(one)]
    known = locks_of_stress(lockbench)
    assert len(own) > 10
    assert [name for name in own if spelling(name) not in known] == []


def test_each_base_lock_that_is_tested_is_in_the_catalog(lockbench: Program) -> None:
    bases = {f"lock={one['parameters'].get('lock')}" for one in catalog(lockbench)}
    names = locks_of_stress(lockbench)
    used = {one for _, rest in names for one in rest if one.startswith("lock=")}
    assert used and used <= bases
