# SPDX-License-Identifier: Apache-2.0
"""What capabilities add to the analysis: modules in folders of their own below this one. One that
was deleted adds nothing, and nothing else names it.

error_model  MODEL: how wrong figures are that were not measured (error_model.py)
own_page     of a folder that is no run: FILE, by which it is known; WHAT it is, in words; PAGE, the
             name of its page; page(folder), the text of the page, or an InputError
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from pathlib import Path
from types import ModuleType


@lru_cache(maxsize=None)
def modules(name: str) -> tuple[ModuleType, ...]:
    """All of this name, in the order of their folders."""
    folders = sorted(file.parent.name for file in Path(__file__).parent.glob(f"*/{name}.py"))
    return tuple(importlib.import_module(f"analysis.{folder}.{name}") for folder in folders)
