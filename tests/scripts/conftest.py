# SPDX-License-Identifier: Apache-2.0
"""Lets the tests import the analysis as the scripts do, and makes runs for them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path[:0] = [str(SCRIPTS), str(Path(__file__).resolve().parent)]

import synthetic  # noqa: E402


@pytest.fixture
def make_run(tmp_path: Path) -> Callable[..., Path]:
    """Writes a made-up run below the test's own folder."""

    def make(name: str = "run", **options: Any) -> Path:
        return synthetic.write_run(tmp_path / name, **options)

    return make
