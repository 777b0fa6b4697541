# SPDX-License-Identifier: Apache-2.0
"""The plan that the tests distribute: 24 short trials in 3 blocks of 4 comparison groups."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FLAGS = """
    --primitive global --primitive keyed --threads 1 --keys 1,2,3,4 --mode fixed --operations 4
    --hold sleep:25ms --sample-every 1 --blocks 3
""".split()
# A job engine keeps the processors busy itself; another host does not inherit the variable.
FLAGS += ["--patience", "0"]
TRIALS = 24
PRESET = 'title = "for tests"\nprimitive = "keyed"\n'


def meta_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    return found


def is_whole(run: Path) -> bool:
    """True if a merged run is there and has all trials."""
    return (run / "meta.json").exists() and meta_of(run)["end"]["state"] == "finished"
