# SPDX-License-Identifier: Apache-2.0
"""How far measurements were from predictions of similar cells: the error band of a prediction.

prediction_errors.csv, which `scripts/laboratory/prediction.py accuracy --errors` writes, has
quantiles of measured over predicted for each class of cells: the length of the hold, and the
threads for each processor of the machine that was measured. A prediction takes the class that is
nearest to it, on a logarithmic scale; one thread is a class of its own, because it has no
contention.

The classes come from one machine. That the errors elsewhere are like these is an assumption.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pandas as pd

FILE = Path(__file__).with_name("prediction_errors.csv")

SHARE = 0.8  # of the cells, between the quantiles that are written
RATIO = "ratio"  # of the rates of two primitives in one cell
FIGURES = (
    "operations_per_s wait_p50_ns wait_p90_ns wait_p99_ns wait_p999_ns wait_max_ns fairness_jain"
).split() + [RATIO]
COLUMNS = "figure hold_ns threads processors share cells low middle high".split()

LOOP_NS = 50.0  # without a hold, an operation still takes as long as the loop around it
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
    """Of the nearest class; None if the file has no errors of the figure."""
    return _band(figure, float(threads), hold_ns if hold_ns == hold_ns else 0.0, processors)


@lru_cache(maxsize=4096)
def _band(figure: str, threads: float, hold_ns: float, processors: float | None) -> Band | None:
    own = table()
    own = own[(own["figure"] == figure) & ((own["threads"] == 1) == (threads <= 1))]
    if own.empty:
        return None

    def distance(row: pd.Series) -> tuple[float, float]:
        hold = abs(math.log((row["hold_ns"] + LOOP_NS) / (hold_ns + LOOP_NS)))
        crowd = row["threads"] / (row["processors"] if processors else 1)
        return hold, abs(math.log(crowd / (threads / (processors or 1))))

    nearest = min((row for _, row in own.iterrows()), key=distance)
    return Band(*(float(nearest[name]) for name in ("low", "middle", "high", "share")))


def low(figure: str) -> str:
    """The column with the lower end of a figure's band."""
    return f"{figure}_low"


def high(figure: str) -> str:
    return f"{figure}_high"


def with_bounds(trials: pd.DataFrame, processors: float | None) -> pd.DataFrame:
    """Predicted rows with columns for the ends of the bands of their figures; others as they
    are."""
    if not is_predicted(trials):
        return trials
    classes = list(zip(trials["threads"], trials["hold_ns"]))
    made = {}
    for figure in (one for one in FIGURES if one in trials):
        bands = [band(figure, threads, hold, processors) for threads, hold in classes]
        for name, factors in (
            (low(figure), [one.low if one else math.nan for one in bands]),
            (high(figure), [one.high if one else math.nan for one in bands]),
        ):
            made[name] = (trials[figure] * factors).clip(upper=_AT_MOST.get(figure, math.inf))
    if "makespan_s" in trials:
        # The same work takes as much longer as the rate is lower.
        work = trials["makespan_s"] * trials["operations_per_s"]
        made[low("makespan_s")] = work / made[high("operations_per_s")]
        made[high("makespan_s")] = work / made[low("operations_per_s")]
    return trials.assign(**made)


def is_predicted(rows: pd.DataFrame) -> bool:
    return "predicted" in rows and bool((rows["predicted"] == "true").any())


def is_mixed(rows: pd.DataFrame) -> bool:
    """Whether some rows were predicted and others were not."""
    return is_predicted(rows) and not bool((rows["predicted"] == "true").all())


def bounds(rows: pd.DataFrame, figure: str) -> tuple[float, float] | None:
    """The medians of the ends of the rows' bands; None if they are measured."""
    if low(figure) not in rows or not rows[low(figure)].notna().any():
        return None
    return float(rows[low(figure)].median()), float(rows[high(figure)].median())


def figures_and_bounds(rows: pd.DataFrame, figure: str) -> pd.Series:
    """All that a scale must have room for."""
    columns = [one for one in (figure, low(figure), high(figure)) if one in rows]
    return pd.concat([rows[one] for one in columns])


def explained(predicted: bool) -> list[str]:
    """What a picture of predictions says of its bands, and nothing on one of measurements."""
    about = "dashed: predicted; band: {} of the figures measured on {} were in it"
    return [_alike(about)] if predicted else []


def explained_ratio(predicted: bool) -> list[str]:
    """The same of a picture that shows ratios of primitives without bands."""
    about = "also hatched: a predicted lead within the error of such ratios, which is that of {} of"
    return [_alike(f"{about} them on {{}}")] if predicted else []


def _alike(about: str) -> str:
    said = about.format(f"{100 * float(table()['share'].iloc[0]):.0f} %", measured_on())
    return f"{said}, for cells with about such a hold and as many threads for each processor"


def ratio_error(threads: float, hold_ns: float, processors: float | None) -> float:
    """By which factor, as a logarithm, a predicted ratio of two primitives may be wrong: the
    greater end of its band."""
    found = band(RATIO, threads, hold_ns, processors)
    return max(-math.log(found.low), math.log(found.high), 0.0) if found else math.inf


def exceeds_error(ratio: float, threads: float, hold_ns: float, processors: float | None) -> bool:
    """Whether a predicted ratio of two primitives, at least 1, is above 1 by more than that."""
    return math.log(ratio) > ratio_error(threads, hold_ns, processors)


def ratio_words(classes: Sequence[tuple[float, float]], processors: float | None) -> str:
    """How accurate the ratio of two primitives is, for cells of these threads and holds; the least
    accurate of them counts."""
    found = [band(RATIO, threads, hold, processors) for threads, hold in classes]
    worst = max((one for one in found if one), key=lambda one: one.high, default=None)
    if worst is None:
        return ""
    return (
        f"Where predictions were measured ({measured_on()}), {100 * worst.share:.0f} % of the"
        f" ratios of two primitives in such cells were within a factor of {worst.high:.2f} of the"
        " predicted ratio"
    )
