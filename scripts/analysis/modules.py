# SPDX-License-Identifier: Apache-2.0
"""Whether this interpreter has what a script imports. Imports nothing that could be missing."""

from __future__ import annotations

import importlib.util
import sys


def need(script: str, *modules: str) -> None:
    """Ends the program with exit 2 and one line if a module is missing."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        packages = " ".join(f"python3-{name}" for name in missing)
        print(
            f"{script}: {sys.executable} has no {' and no '.join(missing)}; install {packages},"
            " or name an interpreter that has them in LOCKBENCH_PYTHON",
            file=sys.stderr,
        )
        sys.exit(2)
