# SPDX-License-Identifier: Apache-2.0
"""The machines of one run or of several: which they are, and what each is called.

A merged run (`lockbench merge`) has rows of several machines, each with the column `machine`. Here
it becomes one run for each machine, so that a comparison uses only rows of one machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from analysis import error_model, likeness, units
from analysis.loader import Run, mapping
from analysis.text import one_line

_LONGEST_NAME = 40


@dataclass(frozen=True)
class Machine:
    """One machine of a fleet, with what was measured on it."""

    name: str  # no two machines of a fleet have the same
    run: Run

    @property
    def cores(self) -> int | None:
        return self.run.cores or None


def split(run: Run) -> list[Run]:
    """A run for each machine whose rows it has, in the order of their first rows. What was measured
    on a machine and what has another error model are two."""
    parts = error_model.parts(run.trials)
    if len(parts) > 1:
        return [one for _, rows in parts for one in split(replace(run, trials=rows))]
    if "machine" not in run.trials:
        return [run]
    found = list(dict.fromkeys(run.trials["machine"]))
    if len(found) < 2 and len(_listed(run.meta)) < 2:
        return [run]
    return [
        replace(
            run,
            trials=run.trials[run.trials["machine"] == name],
            meta=_meta_of(run.meta, str(name)),
        )
        for name in found
    ]


def _meta_of(meta: dict[str, Any], name: str) -> dict[str, Any]:
    """meta.json as far as it is about this machine. A merged run describes each of them."""
    for one in _listed(meta):
        own = mapping(one).get("machine") or one
        if mapping(own).get("id") == name:
            return {**meta, **(one if own is not one else {}), "machine": own}
    return {**meta, "machine": {"host": name}}


def _listed(meta: dict[str, Any]) -> list[Any]:
    """The machines that meta.json describes."""
    every = meta.get("machines")
    listed = list(every.values()) if isinstance(every, dict) else every
    return listed if isinstance(listed, list) else []


def fleet(runs: Sequence[Run]) -> list[Machine]:
    """The machines of all these runs. A run of a machine that another run is of, too, is a machine
    of its own here: it is unknown which of the two should count."""
    every = [_with_errors(part) for run in runs for part in split(run)]
    names = [_name(run) for run in every]
    if len(set(names)) < len(names):
        names = [
            name if names.count(name) == 1 else f"{name} #{names[:i].count(name) + 1}"
            for i, name in enumerate(names)
        ]
    return [Machine(name, run) for name, run in zip(names, every)]


def _with_errors(run: Run) -> Run:
    """With the bands of the figures, if their error is known."""
    trials = run.error.with_bounds(run.trials, run.hardware_threads)
    return run if trials is run.trials else replace(run, trials=trials)


def _name(run: Run) -> str:
    machine = run.about("machine")
    if isinstance(machine.get("host"), str) and machine["host"]:
        return one_line(machine["host"], _LONGEST_NAME)
    if name := run.error.machine_name(machine):
        return one_line(name, _LONGEST_NAME)
    cpu_model = one_line(str(machine.get("cpu_model") or "machine unknown"), _LONGEST_NAME)
    return cpu_model if run.cores is None else f"{cpu_model}, {units.plural(run.cores, 'core')}"


def differ(runs: Sequence[Run]) -> bool:
    """True if any two of the runs are of different machines, as far as they say."""
    return any(likeness.other_machines(runs[0], other) for other in runs[1:])
