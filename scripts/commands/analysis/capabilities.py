# SPDX-License-Identifier: Apache-2.0
"""The additions of capabilities to the analysis: modules in packages in
harness/<capability>/python. One that was deleted adds nothing, and nothing else names it.

error_model  ERROR_MODEL: how wrong figures are that were not measured (error_model.py)
own_page     of a folder that is no run: FILE, by which it is known; WHAT it is, in words; PAGE, the
             name of its page; page(folder), the text of the page, or an InputError
"""

from __future__ import annotations

import importlib
import sys
from functools import lru_cache
from pathlib import Path
from types import ModuleType

# The root of the checkout, or of an installation, which has the same folders.
_ROOT = Path(__file__).resolve().parents[3]


@lru_cache(maxsize=None)
def modules(name: str) -> tuple[ModuleType, ...]:
    """All of this name, in the order of the capabilities."""
    found = []
    for file in sorted(_ROOT.glob(f"harness/*/python/*/{name}.py")):
        packages = str(file.parents[1])
        if packages not in sys.path:
            sys.path.append(packages)
        found.append(importlib.import_module(f"{file.parent.name}.{name}"))
    return tuple(found)
