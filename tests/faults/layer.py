# SPDX-License-Identifier: Apache-2.0
"""How the calls that fault_layer.c sees can fail."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from tiers import LONG

LAYER = Path(
    os.environ.get("LOCKBENCH_FAULT_LAYER", "build/release/tests/faults/libfault_layer.so")
).resolve()

FAILURES: dict[str, tuple[int, ...]] = {
    "open": (errno.EIO, errno.EMFILE, errno.EACCES, errno.ENOSPC),
    "read": (errno.EIO, errno.EINTR),
    "write": (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.EINTR),
    "fsync": (errno.EIO, errno.ENOSPC, errno.EDQUOT),
    "fdatasync": (errno.EIO, errno.ENOSPC, errno.EDQUOT),
    "ftruncate": (errno.EIO,),
    "flock": (errno.ENOLCK, errno.EWOULDBLOCK),
    "rename": (errno.ENOSPC, errno.EIO),
    "mkdir": (errno.ENOSPC, errno.EACCES),
    "unlink": (errno.EIO,),
    "close": (errno.EIO,),
}
SHORT = ("read", "write")


def faults_of(name: str) -> Iterator[str]:
    yield from map(str, FAILURES[name])
    if name in SHORT:
        yield "short"


def chosen(calls: list[str]) -> Iterator[tuple[int, str]]:
    """Numbers and names of the calls that go wrong: the first of each kind and each fifth, or with
    LONG all."""
    for number, name in enumerate(calls, start=1):
        if LONG or number % 5 == 0 or name not in calls[: number - 1]:
            yield number, name


def calls_in(log: Path) -> list[str]:
    """The names of the calls that a layer wrote down, each with its number."""
    lines = [line.split() for line in log.read_text(encoding="utf-8").splitlines()]
    assert [int(line[0]) for line in lines] == list(range(1, len(lines) + 1))
    return [line[1] for line in lines]
