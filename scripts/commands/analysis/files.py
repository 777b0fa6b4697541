# SPDX-License-Identifier: Apache-2.0
"""Where runs are kept, and how a file is replaced in one step: a reader sees either the old
contents or the new."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from analysis.errors import InputError

RUNS = Path("results") / "runs"
INDEX = "index.html"  # of all runs in a folder


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields the path to write to; that file replaces `path` if there was no error. A link stays
    and leads to the new contents. If `path` exists and is not a file, for example a terminal or a
    pipe, it is written to instead."""
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


def write(path: Path, text: str, advice: str = "") -> None:
    """Replaces `path` by `text`. Raises InputError, which says why it cannot be written, and
    `advice`: what would be right."""
    try:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        why = f"{path}: cannot be written: {error.strerror}"
        raise InputError(f"{why}; {advice}" if advice else why) from None
