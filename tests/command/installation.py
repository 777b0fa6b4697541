# SPDX-License-Identifier: Apache-2.0
"""lockbench where somebody installed it, and the page that tells what to do with it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from program import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "add-a-primitive.md").read_text(encoding="utf-8")

# The build that is tested; its packages, as test_package.py leaves them; and these unpacked.
BUILD = Path(os.environ.get("LOCKBENCH_BUILD", "build/release")).resolve()
PACKAGES = BUILD / "packages"
UNPACKED = PACKAGES / "root" / "usr"

wants_build = pytest.mark.skipif(
    "LOCKBENCH_BUILD" not in os.environ, reason="wants the build that is installed"
)


def block(language: str) -> str:
    """The page's first block in that language."""
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def empty(folder: Path) -> Path:
    """Always the same folder, so that ccache knows what is compiled there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


class Installed:
    """lockbench in its prefix."""

    def __init__(self, prefix: Path) -> None:
        self.prefix = prefix
        self.env = {
            **os.environ,
            "PATH": f"{prefix / 'bin'}:{os.environ['PATH']}",
            "CMAKE_PREFIX_PATH": str(prefix),
            "LOCKBENCH_PYTHON": sys.executable,
        }
        if ccache := shutil.which("ccache"):
            self.env["CMAKE_CXX_COMPILER_LAUNCHER"] = ccache

    def sh(self, folder: Path, script: str) -> str:
        """The output of the commands; all of them must succeed."""
        done = subprocess.run(
            ["bash", "-euxc", script],
            cwd=folder,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=4 * PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
