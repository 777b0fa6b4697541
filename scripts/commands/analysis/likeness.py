# SPDX-License-Identifier: Apache-2.0
"""Checks whether two runs may be compared: measured on one machine, with one build of lockbench and
of each plug-in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analysis import error_model
from analysis.error_model import ErrorModel
from analysis.loader import InputError, Run

_BUILD = [
    "commit",
    "modified",
    "version",
    "compiler",
    "build_type",
    "flags",
    "libraries",
]

# The fields that identified a machine before runs had the list in their schema.json.
_EARLIER_CONDITIONS = (
    "cpu_model cores hardware_threads usable_threads hypervisor memory_bytes kernel governor"
).split()


def check(old: Run, new: Run, force: bool, any_build: bool = False) -> list[str]:
    """Refuses runs of different machines or builds, or notes that an option allows them.
    `any_build`: builds may differ, since builds are compared."""
    check_kinds([old, new])
    notes = []
    for what, differs in (("machine", _machine_differs), ("build", _build_differs)):
        why = differs(old, new)
        if why and any_build and what == "build":
            notes.append(f"the builds differ: {why}")
            continue
        if why and not force:
            raise InputError(
                f"{old.folder} and {new.folder}: different {what}s ({why});"
                " run both on one, or compare anyway with --force"
            )
        if why:
            notes.append(f"compared by force though the {what}s differ: {why}")
    return notes


def check_kinds(runs: Sequence[Run]) -> None:
    """Refuses runs of different error models in one ratio. No option permits it: what differs would
    be the error of the figures as much as the lock."""
    folders: dict[ErrorModel, Path] = {}
    for run in runs:
        folders.setdefault(run.error, run.folder)
    if len(folders) > 1:
        measured_last = sorted(folders, key=lambda kind: kind is error_model.MEASURED)
        one, other = (f"{folders[kind]} was {kind.participle}" for kind in measured_last[:2])
        raise InputError(
            f"{one} and {other}, and the two are never in one ratio; show them side by side, with"
            " report"
        )


def machine_difference(
    one: Mapping[str, Any], other: Mapping[str, Any], identity: Mapping[str, list[str]]
) -> str:
    """The first difference of two descriptions in meta.json, or nothing if they are of one machine:
    harness/bench/record/machine_identity.h. `identity`: identity_of() the newer run."""
    if difference := _first_difference(one, other, identity["conditions"]):
        return difference
    difference = ""
    for name in identity["names"]:
        if name not in one or name not in other:
            continue  # an older version wrote it
        if one[name] == other[name]:
            return ""
        difference = _difference(name, one, other)
    return difference


def identity_of(folder: Path) -> Mapping[str, list[str]]:
    """The members that identify a machine, as the run's schema.json lists them. Which names the
    machine has among its equals, is unknown for runs without the list."""
    earlier: dict[str, list[str]] = {"conditions": _EARLIER_CONDITIONS, "names": []}
    try:
        schema = json.loads((folder / "schema.json").read_text(encoding="utf-8-sig"))
        found = schema["machine_identity"]
        return {name: [str(one) for one in found[name]] for name in earlier}
    except (OSError, ValueError, KeyError, TypeError):
        return earlier


def _machine_differs(old: Run, new: Run) -> str:
    sides = _sides("machine", old, new)
    if sides is None:
        return "meta.json does not name the machine of both"
    recorded = identity_of(old.folder)["conditions"]
    identity = dict(identity_of(new.folder))
    # A condition that one of the versions did not record is not compared.
    identity["conditions"] = [name for name in identity["conditions"] if name in recorded]
    return machine_difference(*sides, identity)


def _build_differs(old: Run, new: Run) -> str:
    sides = _sides("build", old, new)
    if sides is None:
        return "meta.json does not name the build of both"
    return _first_difference(*sides, _BUILD) or _plugins_differ(old, new)


def _plugins_differ(old: Run, new: Run) -> str:
    """build_difference() of harness/bench/record/meta.h: their folders may differ."""
    one, other = (
        [dict(zip(("name", "file_hash"), it)) for it in _plugins(run)] for run in (old, new)
    )
    if len(one) != len(other):
        return f"{len(one)} and {len(other)} plug-ins"
    for a, b in zip(one, other):
        if difference := _first_difference(a, b, ["file_hash"]):
            return f"plug-in {b['name']}, {difference}"
    return ""


def _plugins(run: Run) -> list[tuple[str, str]]:
    return sorted(
        (Path(str(one.get("file"))).name, str(one.get("file_hash", "unknown")))
        for one in run.plugins
    )


def _sides(what: str, old: Run, new: Run) -> tuple[dict[str, Any], dict[str, Any]] | None:
    sides = old.about(what), new.about(what)
    return sides if all(sides) else None


def _first_difference(one: Mapping[str, Any], other: Mapping[str, Any], names: list[str]) -> str:
    for name in names:
        if one.get(name) != other.get(name):
            return _difference(name, one, other)
    return ""


def _difference(name: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    return f"{name} {one.get(name)!r} and {other.get(name)!r}"


def other_machines(old: Run, new: Run) -> bool:
    """True if both runs name their machines, and the machines differ."""
    known = all(isinstance(run.meta.get("machine"), dict) for run in (old, new))
    return known and bool(_machine_differs(old, new))
