# SPDX-License-Identifier: Apache-2.0
"""A control group with little memory, where this user may make one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")


def own_path(controllers: str) -> str | None:
    """The path of this process's group in the hierarchy with exactly these controllers."""
    for line in Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines():
        _, found, path = line.split(":", 2)
        if found == controllers:
            return path.lstrip("/")
    return None


def parents() -> Iterator[tuple[Path, dict[str, str]]]:
    """Groups that may get a child, and what limits the child's memory (the file and what is written
    into it, but for the limit)."""
    old = own_path("memory")
    if old is not None:
        yield ROOT / "memory" / old, {"memory.limit_in_bytes": "{}"}
    # In version 2 a group with processes has no limited children, but the root.
    limits = {"memory.max": "{}", "memory.swap.max": "0"}
    for parent in (ROOT, ROOT / (own_path("") or "")):
        control = parent / "cgroup.subtree_control"
        if control.exists() and "memory" in control.read_text(encoding="ascii").split():
            yield parent, limits


@contextmanager
def memory_group(limit_bytes: int) -> Iterator[Path]:
    """The folder of a group whose processes get so much memory together. PermissionError says why
    there can be none. Its processes must have ended at the end."""
    refused = "no hierarchy of control groups limits memory"
    for parent, limits in parents():
        group = parent / f"lockbench-test-{os.getpid()}"
        try:
            group.mkdir()
        except OSError as error:
            refused = str(error)
            continue
        try:
            for name, text in limits.items():
                if (group / name).exists() or "swap" not in name:
                    (group / name).write_text(text.format(limit_bytes), encoding="ascii")
            yield group
        finally:
            group.rmdir()
        return
    raise PermissionError(refused)
