# SPDX-License-Identifier: Apache-2.0
"""Files that are replaced at one stroke: a reader sees the old contents or the new."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Gives the path to write to; it takes the place of `path` when all went well. A link stays
    and leads to the new contents; what is there and no file, as a terminal or a pipe, is written
    to instead."""
    if path.exists() and not path.is_file() and not path.is_dir():
        yield path
        return
    target = path.resolve()
    part = target.with_name(f".{target.name}.part")
    try:
        yield part
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
