# SPDX-License-Identifier: Apache-2.0
"""Whether two runs may be compared: measured on one machine, with one build."""

from __future__ import annotations

from collections.abc import Callable

from analysis.loader import InputError, Run


def check(old: Run, new: Run, force: bool) -> list[str]:
    """Refuses runs of different machines or builds, or says that it was told not to."""
    notes = []
    for what, differs in (("machine", _machine_differs), ("build", _build_differs)):
        why = differs(old, new)
        if why and not force:
            raise InputError(
                f"{old.folder} and {new.folder}: different {what}s ({why});"
                " run both on one, or compare anyway with --force"
            )
        if why:
            notes.append(f"compared by force though the {what}s differ: {why}")
    return notes


_MACHINE = "cpu_model cores hardware_threads hypervisor memory_bytes kernel governor".split()
_BUILD = "commit modified version compiler build_type flags libraries".split()


def _differs(what: str, fields: list[str]) -> Callable[[Run, Run], str]:
    def first_difference(old: Run, new: Run) -> str:
        sides = [run.meta.get(what) for run in (old, new)]
        if not all(isinstance(side, dict) and side for side in sides):
            return f"meta.json does not tell the {what} of both"
        for name in fields:
            before, after = (side.get(name) for side in sides)  # type: ignore[union-attr]
            if before != after:
                return f"{name} {before!r} and {after!r}"
        return ""

    return first_difference


_machine_differs = _differs("machine", _MACHINE)
_build_differs = _differs("build", _BUILD)
