#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes examples/analysis.ipynb from the cells of examples/analysis.py."""

from __future__ import annotations

import json
from typing import Any
from support import ROOT

EXAMPLES = ROOT / "examples"
_MARK = "# %%"


def of_example() -> dict[str, Any]:
    """The notebook, in format 4.5 of Jupyter, without outputs."""
    text = (EXAMPLES / "analysis.py").read_text(encoding="utf-8")
    parts = text.split(_MARK)[1:]  # what comes before the first mark is the licence
    return {
        "cells": [_cell(number, part) for number, part in enumerate(parts)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(number: int, part: str) -> dict[str, Any]:
    kind, _, body = part.partition("\n")
    lines = body.strip("\n").split("\n")
    identity = {"id": f"cell-{number}", "metadata": {}}
    if "markdown" in kind:
        source = [line.removeprefix("#").removeprefix(" ") for line in lines]
        return {"cell_type": "markdown", **identity, "source": _joined(source)}
    code: dict[str, Any] = {"execution_count": None, "outputs": []}
    return {"cell_type": "code", **identity, **code, "source": _joined(lines)}


def _joined(lines: list[str]) -> list[str]:
    return [line + "\n" for line in lines[:-1]] + lines[-1:]


if __name__ == "__main__":
    text = json.dumps(of_example(), indent=1, ensure_ascii=False) + "\n"
    (EXAMPLES / "analysis.ipynb").write_text(text, encoding="utf-8")
