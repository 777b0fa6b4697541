# SPDX-License-Identifier: Apache-2.0
"""Fixtures of tests of scripts, those of capabilities too: made-up runs, and a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import browser
import pytest
import synthetic


@pytest.fixture
def make_run(tmp_path: Path) -> Callable[..., Path]:
    """Writes a made-up run below the test's own folder."""

    def make(name: str = "run", **options: Any) -> Path:
        return synthetic.write_run(tmp_path / name, **options)

    return make


@pytest.fixture(scope="session", name="shared")
def shared_fixture() -> Iterator[browser.Browser]:
    """One browser for all tests that open a page. Skips them where there is none."""
    program = browser.find()
    if program is None:
        pytest.skip("no chromium on this machine")
    found = browser.Browser(program)
    yield found
    found.close()
