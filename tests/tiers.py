# SPDX-License-Identifier: Apache-2.0
"""Which cases of a test run always, and which with `./scripts/test.sh --long` alone."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice
from typing import Any

import pytest

LONG = os.environ.get("LOCKBENCH_TESTS") == "long"


def rest_long(cases: Iterable[Any], quick: int) -> list[Any]:
    """The cases, those after the first `quick` marked `long`."""
    rest = iter(cases)
    return [*islice(rest, quick), *(pytest.param(case, marks=pytest.mark.long) for case in rest)]
