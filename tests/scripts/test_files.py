# SPDX-License-Identifier: Apache-2.0
"""Replacing a file: the old contents or the new, and nothing but files is replaced."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from analysis import files


def test_the_new_contents_come_at_one_stroke(tmp_path: Path) -> None:
    path = tmp_path / "page"
    path.write_text("old")
    with files.replacing(path) as part:
        part.write_text("half")
        assert path.read_text() == "old"
        part.write_text("new")
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_the_old_contents_stay_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "page"
    path.write_text("old")
    with pytest.raises(OSError, match="full"), files.replacing(path) as part:
        part.write_text("half")
        raise OSError("full")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_and_leads_to_the_new_contents(tmp_path: Path) -> None:
    path = tmp_path / "page"
    path.write_text("old")
    link = tmp_path / "link"
    link.symlink_to("page")
    with files.replacing(link) as part:
        part.write_text("new")
    assert link.is_symlink()
    assert path.read_text() == "new"


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with files.replacing(pipe) as part:
            part.write_text("new")
        assert os.read(reader, 10) == b"new"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
