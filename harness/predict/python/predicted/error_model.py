# SPDX-License-Identifier: Apache-2.0
"""How far measurements were from predictions of similar cells: the error band of a prediction.

prediction_errors.csv, which `laboratory/prediction.py accuracy --errors` writes, has quantiles of
measured over predicted for each class of cells: the length of the hold, and the threads for each
processor of the machine that was measured. A prediction takes the class that is nearest to it, on a
logarithmic scale; one thread is a class of its own, because it has no contention.

The classes come from one machine. That the errors elsewhere are like these is an assumption.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from analysis import bands, cells
from analysis.error_model import ErrorModel

FILE = Path(__file__).with_name("prediction_errors.csv")

SHARE = 0.8  # of the cells, between the quantiles that are written
RATIO = "ratio"  # of the rates of two primitives in one cell
FIGURES = (
    "operations_per_s wait_p50_ns wait_p90_ns wait_p99_ns wait_p999_ns wait_max_ns fairness_jain"
).split() + [RATIO]
COLUMNS = [
    "figure",
    "hold_ns",
    "threads",
    "processors",
    "share",
    "cells",
    "low",
    "middle",
    "high",
]

_AT_MOST = {"fairness_jain": 1.0}


@dataclass(frozen=True)
class Band:
    """Factors of a prediction. Between `low` and `high` are `share` of the measured cells."""

    low: float
    middle: float
    high: float
    share: float


@lru_cache(maxsize=4)
def table(file: Path = FILE) -> pd.DataFrame:
    return pd.read_csv(file, comment="#")


def measured_on(file: Path = FILE) -> str:
    """The machine of the measurements in half a line, from the head of the file."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("# machine: "):
            return line.removeprefix("# machine: ")
    return "one machine"


def band(figure: str, threads: float, hold_ns: float, processors: float | None) -> Band | None:
    """The band of the nearest class; None if the file has no errors of the figure."""
    return _band(figure, float(threads), hold_ns if hold_ns == hold_ns else 0.0, processors)


@lru_cache(maxsize=4096)
def _band(figure: str, threads: float, hold_ns: float, processors: float | None) -> Band | None:
    own = table()
    own = own[(own["figure"] == figure) & ((own["threads"] == 1) == (threads <= 1))]
    if own.empty:
        return None

    def distance(row: pd.Series) -> tuple[float, float]:
        hold = abs(math.log((row["hold_ns"] + cells.LOOP_NS) / (hold_ns + cells.LOOP_NS)))
        crowd = row["threads"] / (row["processors"] if processors else 1)
        return hold, abs(math.log(crowd / (threads / (processors or 1))))

    nearest = min((row for _, row in own.iterrows()), key=distance)
    return Band(*(float(nearest[name]) for name in ("low", "middle", "high", "share")))


class Predicted(ErrorModel):
    """Errors of rows that the model of a machine gave: those whose column `predicted` is true."""

    participle = "predicted"
    plural = "predictions"
    banner = "Predicted by the model of a machine, not measured (docs/prediction.md)"
    prefix = "predicted/"
    banded = True
    name = "the error of such predictions"

    def covers(self, rows: pd.DataFrame) -> pd.Series:
        if "predicted" not in rows:
            return pd.Series(False, index=rows.index)
        return rows["predicted"] == "true"

    def adopted(self, rows: pd.DataFrame) -> pd.DataFrame:
        return rows.assign(predicted="true")

    def source(self, machine: Mapping[str, Any]) -> str:
        """`prediction for Intel Core …`."""
        return " ".join(str(machine.get("cpu_model") or "prediction").split())

    def machine_name(self, machine: Mapping[str, Any]) -> str:
        return f"prediction for {machine['id']}" if machine.get("id") else ""

    def with_bounds(self, rows: pd.DataFrame, processors: float | None) -> pd.DataFrame:
        classes = list(zip(rows["threads"], rows["hold_ns"]))
        made = {}
        for figure in (one for one in FIGURES if one in rows):
            found = [band(figure, threads, hold, processors) for threads, hold in classes]
            for name, factors in (
                (bands.low(figure), [one.low if one else math.nan for one in found]),
                (bands.high(figure), [one.high if one else math.nan for one in found]),
            ):
                made[name] = (rows[figure] * factors).clip(upper=_AT_MOST.get(figure, math.inf))
        if "makespan_s" in rows:
            # The same work takes as much longer as the rate is lower.
            work = rows["makespan_s"] * rows["operations_per_s"]
            made[bands.low("makespan_s")] = work / made[bands.high("operations_per_s")]
            made[bands.high("makespan_s")] = work / made[bands.low("operations_per_s")]
        return rows.assign(**made)

    def explained(self) -> list[str]:
        about = "dashed: predicted; band: {} of the figures measured on {} were in it"
        return [_alike(about)]

    def explained_ratio(self) -> list[str]:
        about = "also hatched: a predicted lead within the error of such ratios, which is that of"
        return [_alike(f"{about} {{}} of them on {{}}")]

    def ratio_error(self, threads: float, hold_ns: float, processors: float | None) -> float:
        """The greater end of the band of ratios."""
        found = band(RATIO, threads, hold_ns, processors)
        return max(-math.log(found.low), math.log(found.high), 0.0) if found else math.inf

    def ratio_words(self, classes: Sequence[tuple[float, float]], processors: float | None) -> str:
        """The least accurate class counts."""
        found = [band(RATIO, threads, hold, processors) for threads, hold in classes]
        worst = max((one for one in found if one), key=lambda one: one.high, default=None)
        if worst is None:
            return ""
        return (
            f"Where predictions were measured ({measured_on()}), {100 * worst.share:.0f} % of the"
            f" ratios of two primitives in such cells were within a factor of {worst.high:.2f} of"
            " the predicted ratio"
        )


def _alike(about: str) -> str:
    said = about.format(f"{100 * float(table()['share'].iloc[0]):.0f} %", measured_on())
    return f"{said}, for cells with about such a hold and as many threads for each processor"


ERROR_MODEL = Predicted()
