# SPDX-License-Identifier: Apache-2.0
"""Packages of npm that only long tests need: installed once for a test run, into a folder that is
removed at its end. LOCKBENCH_NODE_MODULES names a folder that has them already."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

import pytest

_LIMIT_S = 120


def folder(name: str) -> Path:
    """The folder of a package. Skips the test, with the reason, if it cannot be had."""
    found = _found(name)
    if isinstance(found, str):
        pytest.skip(found)
    return found


@lru_cache(maxsize=None)
def _found(name: str) -> Path | str:
    """The folder, or why there is none."""
    given = os.environ.get("LOCKBENCH_NODE_MODULES")
    if given:
        return Path(given) / name
    if shutil.which("npm") is None:
        return f"there is no npm, which installs {name}"
    prefix = tempfile.mkdtemp(prefix="lockbench-npm-")
    atexit.register(shutil.rmtree, prefix, ignore_errors=True)
    words = ["--prefix", prefix, "--no-audit", "--no-fund", "--ignore-scripts", name]
    try:
        done = subprocess.run(
            ["npm", "install", *words],
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"npm did not install {name} within {_LIMIT_S} s"
    if done.returncode != 0:
        return f"npm does not install {name}: {(done.stderr.splitlines() or ['no reason'])[-1]}"
    return Path(prefix) / "node_modules" / name
