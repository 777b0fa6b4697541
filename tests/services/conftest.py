# SPDX-License-Identifier: Apache-2.0
"""Gives each test the program in an empty folder, and skips what this machine cannot test."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "command")]

import program  # noqa: E402

PLUGINS = Path(os.environ.get("LOCKBENCH_SERVICES", "build/release/services")).resolve()


@pytest.fixture
def lockbench(tmp_path: Path) -> program.Program:
    return program.Program(tmp_path)


@pytest.fixture(scope="session")
def plugins() -> Path:
    return PLUGINS
