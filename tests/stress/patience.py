# SPDX-License-Identifier: Apache-2.0
"""How long to look for what an engine shows in time on a quiet machine.

Real threads meet when the scheduler lets them, and some checks need all threads of an epoch to have
been seen waiting. So a test that needs a thing to be seen looks again, with another seed and more
time, before it fails; what has to be seen stays the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Seen = TypeVar("Seen")

LOOKS_S = (2, 4, 8, 16, 30)


def look_until(enough: Callable[[Seen], bool], look: Callable[[int, int], Seen]) -> Seen:
    """The first result of `look(seconds, seed)` that is enough; else the last one."""
    for seed, seconds in enumerate(LOOKS_S, start=1):
        seen = look(seconds, seed)
        if enough(seen):
            break
    return seen
