# SPDX-License-Identifier: Apache-2.0
"""Checks if this interpreter has what a script imports. Imports nothing that could be missing."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys


def need(script: str, *modules: str) -> None:
    """If a module is missing, starts the script again with LOCKBENCH_PYTHON if that is another
    interpreter; else ends the program with exit 2 and one line."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        chosen = shutil.which(os.environ.get("LOCKBENCH_PYTHON", ""))
        if chosen and not os.path.samefile(chosen, sys.executable):
            once = {name: value for name, value in os.environ.items() if name != "LOCKBENCH_PYTHON"}
            os.execve(chosen, [chosen, *sys.argv], once)
        packages = " ".join(f"python3-{name}" for name in missing)
        print(
            f"{script}: {sys.executable} has no {' and no '.join(missing)}; install {packages},"
            " or name an interpreter that has them in LOCKBENCH_PYTHON",
            file=sys.stderr,
        )
        sys.exit(2)
