# SPDX-License-Identifier: Apache-2.0
"""Which comparisons of a running run are open: a child process that `run` asks after each block.

    python3 scripts/commands/follow.py RUN [--baseline P] [--same-within 5%]

Protocol   One line on standard input, whatever it says, asks once; the run's rows so far are read
           from RUN/trials.csv. One line of JSON on standard output answers:

    {"comparisons": 51, "decided": 30, "needed": 14, "open": [
      {"trials": [3, 17], "blocks": 5, "needed": 14, "ratio": 1.08, "low": 0.9, "high": 1.3}
    ]}

           comparisons  against the baseline of each group, that share at least one valid block
           decided      how many of them are faster, slower or the same
           open         the others, the most needed blocks first. `trials` are the numbers of
                        the first trials of its two cells: the primitive's and the baseline's. A
                        cell that is in no open comparison needs no more blocks. `needed` is about
                        how many blocks decide it, including its present ones, if ratio and spread
                        stay as they are.
           needed       the greatest of these; 0 if nothing is open

           If the rows cannot be read, the answer is {"error": "why"}, and the next line asks again.
           The end of standard input ends the process with 0.
Guarantees The verdicts are those of verdict.py over the same rows, which hold at every look: a run
           that stops because of them ends with the same verdicts in `compare`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from analysis import loader, verdict


def answers(
    questions: Iterable[str], folder: Path, baseline: str | None, same_within: float
) -> Iterator[str]:
    """One for each question."""
    for _ in questions:
        try:
            table = verdict.of_run(loader.load(folder), baseline, same_within)
            yield json.dumps(progress(table))
        except loader.InputError as error:
            yield json.dumps({"error": str(error)})


def progress(table: verdict.Table) -> dict[str, Any]:
    found = table.comparisons
    undecided = [one for one in found if one.verdict == verdict.INCONCLUSIVE]
    undecided.sort(key=lambda one: -(one.needed or 0))
    return {
        "comparisons": len(found),
        "decided": len(found) - len(undecided),
        "needed": max((one.needed or 0 for one in undecided), default=0),
        "open": [_open(table, one) for one in undecided],
    }


def _open(table: verdict.Table, one: verdict.Comparison) -> dict[str, Any]:
    rows = table.groups[one.group].rows
    first = rows.groupby("label")["trial"].min()
    return {
        "trials": [int(first[one.primitive]), int(first[one.baseline])],
        "blocks": one.blocks,
        "needed": one.needed,
        "ratio": one.ratio,
        "low": one.low,
        "high": one.high,
    }
