# SPDX-License-Identifier: Apache-2.0
"""A machine that refuses threads or processes: the lock is not to blame."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from program import Program

NOBODY = 64999  # no other test counts the processes of this user


def with_few(lockbench: Program, few: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs `stress` as a user who may have so many processes and threads."""
    limited = ["setpriv", f"--reuid={NOBODY}", "--clear-groups", "prlimit", f"--nproc={few}"]
    program = str(lockbench.binary)
    try:
        subprocess.run([*limited, program, "--version"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"the program cannot be run with fewer rights here: {error}")
    return subprocess.run(
        [*limited, program, "stress", *words, "--budget", "4s"],
        cwd=Path("/"),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_thread_that_the_machine_refuses_is_no_fault_of_the_lock(lockbench: Program) -> None:
    done = with_few(lockbench, "40", "global", "--engine", "real", "--mode", "oversubscription")
    assert done.returncode == 4, done.stdout + done.stderr
    assert "the machine refused a thread (`ulimit -u`" in done.stdout


# With fewer, the engine cannot go on; with more, only holders do not fork, or none is refused: how
# many it needs differs from epoch to epoch.
@pytest.mark.parametrize("processes", ["4", "6", "7", "8"])
def test_a_process_that_the_machine_refuses_is_no_fault_of_the_lock(
    lockbench: Program, processes: str
) -> None:
    done = with_few(lockbench, processes, "file", "--engine", "proc", "--mode", "forks")
    refused = "the machine refuses another process: " in done.stdout
    assert done.returncode == int(refused), done.stdout + done.stderr
    if processes == "4":
        assert refused
    elif processes == "6" and not refused:
        assert "so many holders did not fork" in done.stdout
