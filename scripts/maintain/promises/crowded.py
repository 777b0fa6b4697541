# SPDX-License-Identifier: Apache-2.0
"""Another process burns one core for the middle third of a run."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

from analysis import verdict
from analysis.loader import Run
from promises.finding import Finding
from promises.lab import Lab

RUNS = 20
SLOW, FAST = "delayed:ns=1000", "delayed:ns=0"
WORDS = (
    *("--primitive", FAST, "--primitive", SLOW, "--threads", "1,2", "--keys", "4"),
    *("--hold", "200ns", "--warmup", "5ms", "--window", "50ms", "--blocks", "16"),
)
# A row that lost so much against its cell was hurt.
HURT = 0.10

BURN = """
import sys, time

end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    pass
"""


class Burner:
    """A process that begins after `wait_s` and keeps one core busy for `burn_s`."""

    def __init__(self, wait_s: float, burn_s: float) -> None:
        self._burn_s = burn_s
        self._process: subprocess.Popen[bytes] | None = None
        self._timer = threading.Timer(wait_s, self._start)

    def _start(self) -> None:
        self._process = subprocess.Popen([sys.executable, "-c", BURN, str(self._burn_s)])

    def __enter__(self) -> Burner:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._timer.join()
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def verdicts(run: Run) -> dict[tuple[object, ...], str]:
    """By cell."""
    return {
        (one.threads, one.primitive): one.verdict for one in verdict.of_run(run, FAST).comparisons
    }


def hurt(run: Run) -> int:
    """Valid rows that are far slower than their cell's median."""
    rows = run.valid
    medians = rows.groupby(["label", "threads"])["operations_per_s"].transform("median")
    return int((rows["operations_per_s"] < (1 - HURT) * medians).sum())


def crowded(lab: Lab) -> Finding:
    """The run waits while the core burns; what was measured meanwhile is excluded, or no verdict
    changes."""
    begun = time.monotonic()
    expected = verdicts(lab.run("left-alone", WORDS))
    took_s = time.monotonic() - begun
    good = unchanged = kept = excluded = 0
    for number in range(RUNS):
        with Burner(took_s / 3, took_s / 3):
            run = lab.run(f"crowded-{number}", WORDS)
        same = verdicts(run) == expected
        rows = hurt(run)
        good += same or rows == 0
        unchanged += same
        kept += rows
        excluded += int((run.trials["disturbance"] != "").sum())
    return Finding(
        "another process burns one core for the middle third of a run",
        f"in {RUNS} of {RUNS} runs its rows are excluded or no verdict changes",
        f"{good} of {RUNS} (verdicts unchanged in {unchanged}; {excluded} rows excluded; {kept}"
        f" valid rows {HURT:.0%} below their cell's median)",
        good == RUNS and bool(expected),
    )
