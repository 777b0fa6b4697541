# SPDX-License-Identifier: Apache-2.0
"""When the primitives of a run were last stressed, and what came out: from the record that
`lockbench stress` keeps beside the runs."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from analysis import text, units
from analysis.loader import Run

RECORD = Path("results") / "stress.jsonl"
_MOST_BYTES = 64 << 20
_NOT_STRESSED = {"none"}  # guards nothing
_GRAVEST = ("failed", "inconclusive", "unfair", "clean")
_WORDS = {"clean": "no failure found"}


Test = dict[str, Any]  # the newest of one lock by one engine: a line of the record


@dataclass(frozen=True)
class Standing:
    """The known state of one primitive of a run."""

    primitive: str
    words: str
    broken: bool
    command: str  # repeats the failure, or makes the missing test
    page: str  # of a test, seen from the run's folder; empty: there is none any more


def of_run(run: Run) -> list[Standing]:
    """One for each primitive of the run. Empty if nothing was ever stressed beside it."""
    tests = read(run.folder)
    if not tests:
        return []
    labels = [label for label in run.trials["label"].unique() if label not in _NOT_STRESSED]
    commit = str(run.about("build").get("commit") or "")
    return [_standing(label, tests, commit, run.folder) for label in labels]


def read(folder: Path) -> list[Test]:
    """The newest test of each lock by each engine: from the record beside the runs, else from that
    of the current folder. A line that is not whole or not of this kind is left out."""
    for path in (folder.resolve().parent.parent / RECORD.name, RECORD):
        if not path.is_file():  # a pipe would be awaited
            continue
        try:
            with path.open("rb") as file:
                lines = file.read(_MOST_BYTES).decode("utf-8", errors="replace").splitlines()
        except OSError:
            continue
        return newest(_tests(lines))
    return []


def newest(tests: Iterable[Test]) -> list[Test]:
    """Tests are in the order of time, as they were recorded."""
    return list({(test["lock"], test["engine"]): test for test in tests}.values())


def _tests(lines: Sequence[str]) -> Iterable[Test]:
    for line in lines:
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict) and found.get("verdict") in _GRAVEST:
            yield _test(found)


def _test(found: Mapping[str, Any]) -> Test:
    """Text on one line; what is missing is empty."""
    names = ("lock", "engine", "verdict", "oracle", "at", "commit", "command")
    words = {name: text.one_line(str(found.get(name) or ""), 400) for name in names}
    seconds, page = found.get("seconds"), str(found.get("page") or "")
    seconds = seconds if isinstance(seconds, (int, float)) else 0.0
    return {**words, "seconds": seconds, "page": page}


def design(name: str) -> str:
    """The lock without its sizes and its kind of key: tests of it with other ones are tests of it.
    `striped:stripes=64` and `striped_string` are both `striped`."""
    base, _, parameters = name.partition(":")
    kept = sorted(one for one in parameters.split(",") if one and not re.search(r"=\d+$", one))
    return ":".join([base.removesuffix("_string"), *([",".join(kept)] if kept else [])])


def _standing(label: str, tests: Sequence[Test], commit: str, folder: Path) -> Standing:
    own = [test for test in tests if design(test["lock"]) == design(label)]
    if not own:
        return Standing(label, "not stressed", False, f"lockbench stress {design(label)}", "")
    own.sort(key=lambda test: _GRAVEST.index(test["verdict"]))
    pages = [Path(test["page"]) for test in own if test["page"] and Path(test["page"]).exists()]
    return Standing(
        primitive=label,
        words=f"{'; '.join(_by_verdict(own))}{_when(own, commit)}",
        broken=own[0]["verdict"] == "failed",
        command=own[0]["command"] if own[0]["verdict"] == "failed" else "",
        page=quote(os.path.relpath(pages[0], folder)) if pages else "",
    )


def _by_verdict(tests: Sequence[Test]) -> list[str]:
    found: dict[str, list[str]] = {}
    for test in tests:
        verdict = _WORDS.get(test["verdict"], test["verdict"])
        verdict += f" ({test['oracle']})" if test["oracle"] else ""
        named = f"{test['engine']} ({units.seconds(test['seconds'])})"
        found.setdefault(verdict, []).append(named)
    return [f"{verdict} by {', '.join(engines)}" for verdict, engines in found.items()]


def _when(tests: Sequence[Test], commit: str) -> str:
    last = max(test["at"] for test in tests)[:10]
    others = {test["commit"] for test in tests} != {commit}
    return f", {last}" + (", in another build" if commit and others else "")
