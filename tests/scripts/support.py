# SPDX-License-Identifier: Apache-2.0
"""Shared by tests of the scripts: folders, types, and what a script says when it is called."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import compare
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts/commands"

MakeRun = Callable[..., Path]
Capture = pytest.CaptureFixture[str]
Main = Callable[[Sequence[str]], int]


def printed(main: Main, capsys: Capture, *argv: object, code: int = 0) -> str:
    """The text that `main` prints on standard output; it ends with this exit code."""
    capsys.readouterr()
    assert main([str(part) for part in argv]) == code
    return capsys.readouterr().out


def shown(capsys: Capture, *argv: object) -> str:
    """The output of compare.py."""
    return printed(compare.main, capsys, *argv)


def compared(capsys: Capture, *argv: object) -> dict[str, Any]:
    """The same as JSON."""
    found: dict[str, Any] = json.loads(shown(capsys, *argv, "--format", "json"))
    return found


def refusal(main: Main, capsys: Capture, *argv: object) -> str:
    """The one line on standard error with which `main` ends; its exit code is 2."""
    capsys.readouterr()
    try:
        status = main([str(part) for part in argv])
    except SystemExit as error:
        status = int(error.code or 0)
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1), (status, out, err)
    return err


def words(made: Figure | None) -> str:
    """All that is written in a picture, a line for each text."""
    assert made is not None
    made.draw_without_rendering()  # or ticks have no words yet
    return "\n".join(text.get_text() for text in made.findobj(Text))
