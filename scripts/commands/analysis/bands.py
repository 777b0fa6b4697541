# SPDX-License-Identifier: Apache-2.0
"""The bands of figures whose error is known: two more columns for each figure, with the ends of the
interval in which it may be. An error model (error_model.py) adds them, and pictures draw them."""

from __future__ import annotations

import pandas as pd


def low(figure: str) -> str:
    """The column with the lower end of a figure's band."""
    return f"{figure}_low"


def high(figure: str) -> str:
    return f"{figure}_high"


def bounds(rows: pd.DataFrame, figure: str) -> tuple[float, float] | None:
    """The medians of the ends of the rows' bands; None if they have none."""
    if low(figure) not in rows or not rows[low(figure)].notna().any():
        return None
    return float(rows[low(figure)].median()), float(rows[high(figure)].median())


def figures_and_bounds(rows: pd.DataFrame, figure: str) -> pd.Series:
    """All that a scale must have room for."""
    columns = [one for one in (figure, low(figure), high(figure)) if one in rows]
    return pd.concat([rows[one] for one in columns])
