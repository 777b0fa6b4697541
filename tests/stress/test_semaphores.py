# SPDX-License-Identifier: Apache-2.0
"""The semaphores of libstdc++, of which those of version 12 lose wake-ups (GCC bug 104928), as
docs/laboratory/libstdcxx-semaphore.md says."""

from __future__ import annotations

import subprocess

import pytest

from program import PLUGINS, Program

PLUGIN = str(PLUGINS / "semaphores.so")


def look(lockbench: Program, lock: str, *words: str) -> tuple[int, str]:
    done = lockbench.run("stress", lock, "--plugin", PLUGIN, "--engine", "sim", *words)
    return done.returncode, done.stdout


def version_of_the_library() -> int:
    said = subprocess.run(["c++", "-dumpversion"], capture_output=True, text=True, check=True)
    return int(said.stdout.split(".")[0])


@pytest.mark.skipif(version_of_the_library() != 12, reason="the page is about version 12")
@pytest.mark.parametrize("lock", ["counting_semaphore", "binary_semaphore"])
def test_a_semaphore_of_the_library_loses_a_wake_up(lockbench: Program, lock: str) -> None:
    code, said = look(lockbench, lock, "--memory", "tso", "--budget", "20s")
    assert code == 3, said
    assert "oracle progress" in said and "lost wake-up: thread" in said


def test_a_semaphore_that_waits_for_zero_is_clean(lockbench: Program) -> None:
    code, said = look(lockbench, "waits_for_zero", "--budget", "3s")
    assert code == 0, said
