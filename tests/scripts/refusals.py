# SPDX-License-Identifier: Apache-2.0
"""What a script says when it refuses its command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest


def refusal(
    main: Callable[[Sequence[str]], int], capsys: pytest.CaptureFixture[str], *argv: object
) -> str:
    """The one line on standard error with which `main` ends; its exit code is 2."""
    capsys.readouterr()
    try:
        status = main([str(part) for part in argv])
    except SystemExit as error:
        status = int(error.code or 0)
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1), (status, out, err)
    return err
