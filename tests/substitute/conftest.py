# SPDX-License-Identifier: Apache-2.0
"""Gives each test the program in an empty folder, as the tests of commands have it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "command")]

import program  # noqa: E402


@pytest.fixture
def lockbench(tmp_path: Path) -> program.Program:
    return program.Program(tmp_path)
