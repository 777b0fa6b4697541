# SPDX-License-Identifier: Apache-2.0
"""The known error of figures, beside how they vary from block to block.

Of measured figures, nothing. A capability whose rows are not measured says how wrong they may be,
by an error model of its own (capabilities.py). Readers of a run ask for the members here, and never
which subclass it is.

Figures of different error models are never in one ratio: their errors would be in it, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from analysis import capabilities


class ErrorModel:
    """The error of measurements, and the contract of others. `processors` are the hardware threads
    of the run's machine, None if it does not say. Errors of ratios are those of the rates of two
    primitives in one cell."""

    participle = "measured"  # what was done to its rows
    plural = "measurements"  # what its rows are
    banner = ""  # at the top of everything that shows a run of it
    prefix = ""  # of names in exports to tools that keep a history
    banded = False  # whether figures have bands, and are drawn with dashes
    name = ""  # of the error, as in `within the error of …`; empty if there is none

    def covers(self, rows: pd.DataFrame) -> pd.Series:
        """Says of each row whether this is its error model."""
        return pd.Series(True, index=rows.index)

    def adopted(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows that were computed from rows of this error model: covers() says so of them."""
        return rows

    def source(self, machine: Mapping[str, Any]) -> str:
        """Says what the figures are for a machine of meta.json, in words for a title; empty if they
        were measured there."""
        return ""

    def machine_name(self, machine: Mapping[str, Any]) -> str:
        """A short name for such a machine; empty if it has the name of the machine itself."""
        return ""

    def with_bounds(self, rows: pd.DataFrame, processors: float | None) -> pd.DataFrame:
        """With the bands of the figures (bands.py); the same rows if there are none."""
        return rows

    def explained(self) -> list[str]:
        """The words of a picture about its dashes and bands."""
        return []

    def explained_ratio(self) -> list[str]:
        """The same of a picture that shows ratios of primitives without bands."""
        return []

    def ratio_error(self, threads: float, hold_ns: float, processors: float | None) -> float:
        """By which factor, as a logarithm, a ratio may be wrong."""
        return 0.0

    def exceeds_error(
        self, ratio: float, threads: float, hold_ns: float, processors: float | None
    ) -> bool:
        """True if a ratio, at least 1, is above 1 by more than that."""
        return math.log(ratio) > self.ratio_error(threads, hold_ns, processors)

    def ratio_words(self, classes: Sequence[tuple[float, float]], processors: float | None) -> str:
        """How accurate ratios are, for cells of these threads and holds; empty if only their blocks
        say it."""
        return ""


MEASURED = ErrorModel()


def _others() -> list[ErrorModel]:
    """The error models of the capabilities that are there."""
    return [module.ERROR_MODEL for module in capabilities.modules("error_model")]


def parts(rows: pd.DataFrame) -> list[tuple[ErrorModel, pd.DataFrame]]:
    """The rows of each error model that has any; measured rows are the first."""
    found, left = [], rows
    for error_model in _others():
        own = error_model.covers(left)
        if own.any():
            found.append((error_model, left[own]))
            left = left[~own]
    return [(MEASURED, left)] * (not left.empty) + found


def explained(error_models: Iterable[ErrorModel]) -> list[str]:
    """The words of a picture with rows of these about their bands."""
    return list(dict.fromkeys(line for one in error_models for line in one.explained()))


def of(rows: pd.DataFrame) -> ErrorModel:
    """The error model of the rows; if some were measured, that of the others."""
    return next((one for one in _others() if one.covers(rows).any()), MEASURED)
