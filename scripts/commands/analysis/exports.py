# SPDX-License-Identifier: Apache-2.0
"""A run in the formats that other tools read. Pure: a run in, a string out. Valid rows alone.

benchmark-json  Google Benchmark's JSON (its user guide, "Output Formats"): a repetition for
                each block, and their mean, median, standard deviation and coefficient of variation.
                Its compare.py takes two of them.
action          What github-action-benchmark takes as `customSmallerIsBetter`: a list of name, unit,
                value and range.
bmf             Bencher Metric Format: by name, `latency` and `throughput`, each with the least and
                the greatest block.

All three have one figure for each cell: the time of one operation in ns, of fixed work the time of
all of it, of an open loop the p99 wait. Less is better in each.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis import cells, verdict
from analysis.loader import InputError, Run


@dataclass(frozen=True)
class Cell:
    """The valid rows of one cell."""

    name: str
    threads: int
    metric: str
    rows: pd.DataFrame  # a block each, in their order
    nanoseconds: pd.Series  # what the cell is about; less is better

    @property
    def unit(self) -> str:
        return {"makespan_s": "ns", "wait_p99_ns": "ns p99 wait"}.get(self.metric, "ns/op")


def found(run: Run) -> list[Cell]:
    """InputError if no row is valid."""
    made = list(_cells(run))
    if not made:
        raise InputError(f"{run.folder}: no row is valid; nothing can be exported")
    return made


def _cells(run: Run) -> Iterator[Cell]:
    for group in cells.groups(run.valid):
        for label, rows in group.rows.groupby("label", sort=False):
            metric = verdict.metric_of(rows)
            values = _nanoseconds(rows, metric)
            known = rows[values > 0].sort_values("block")
            if not known.empty:
                yield Cell(
                    # A tool that keeps a history must not mix what has different errors.
                    name=run.error.prefix + _name(group.key, str(label)),
                    threads=int(group.key["threads"] or 1),
                    metric=metric,
                    rows=known,
                    nanoseconds=values[known.index],
                )


def _nanoseconds(rows: pd.DataFrame, metric: str) -> pd.Series:
    if metric == "makespan_s":
        return rows[metric] * 1e9
    return rows["operation_ns"] if metric == verdict.RATE else rows[metric]


# The fields that a name contains besides the workload and the primitive, if they are not the
# default.
_USUAL = {"key_type": "u64", "key_distribution": "uniform", "think_kind": "none", "think_ns": 0.0}
_USUAL |= {"pinning": "none", "timeout_ns": 0.0, "mode": "timed", "arrivals": "poisson"}
_UNTOLD = {"workload", "scenario", "threads", "sample_every"}


def _name(key: dict[str, Any], label: str) -> str:
    """`counter/keyed/keys:64/hold_kind:spin/hold_ns:200/threads:4`: the same cell has the same name
    in every run."""
    workload = ":".join(str(key[name]) for name in ("workload", "scenario") if key[name])
    parts = [
        f"{name}:{_value(value)}"
        for name, value in key.items()
        if name not in _UNTOLD and value not in (None, "") and value != _USUAL.get(name)
    ]
    threads = [f"threads:{_value(key['threads'])}"] if key["threads"] is not None else []
    return "/".join([workload, label, *parts, *threads])


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def benchmark_json(run: Run) -> str:
    entries = []
    for family, cell in enumerate(found(run)):
        count = len(cell.rows)
        common = {
            "family_index": family,
            "per_family_instance_index": 0,
            "run_name": cell.name,
            "repetitions": count,
            "threads": cell.threads,
            "time_unit": "ns",
        }
        processor = _processor_ns(cell)
        for at in range(count):
            row = cell.rows.iloc[at]
            entry: dict[str, Any] = {
                "name": cell.name,
                **common,
                "run_type": "iteration",
                "repetition_index": at,
                "iterations": _whole(row["operations"]),
                "real_time": float(cell.nanoseconds.iloc[at]),
                "cpu_time": float(processor.iloc[at]),
            }
            if row["operations_per_s"] > 0:
                entry["items_per_second"] = float(row["operations_per_s"])
            entries.append(entry)
        entries += [_aggregate(cell, common, processor, name) for name in _AGGREGATES if count > 1]
    document = {"context": _context(run), "benchmarks": entries}
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _processor_ns(cell: Cell) -> pd.Series:
    """The processor time of one operation as real_time is given; real_time itself if it was not
    measured."""
    rows = cell.rows
    spent = (rows["cpu_user_s"] + rows["cpu_system_s"]) * 1e9
    if cell.metric != "makespan_s":
        spent = spent / rows["operations"].where(rows["operations"] > 0)
    return spent.where(spent.notna(), cell.nanoseconds)


_AGGREGATES = {
    "mean": ("time", lambda values: values.mean()),
    "median": ("time", lambda values: values.median()),
    "stddev": ("time", lambda values: values.std()),
    "cv": ("percentage", lambda values: values.std() / values.mean()),
}


def _aggregate(
    cell: Cell, common: dict[str, Any], processor: pd.Series, name: str
) -> dict[str, Any]:
    unit, of = _AGGREGATES[name]
    return {
        "name": f"{cell.name}_{name}",
        **common,
        "run_type": "aggregate",
        "aggregate_name": name,
        "aggregate_unit": unit,
        "iterations": len(cell.rows),
        "real_time": float(of(cell.nanoseconds)),
        "cpu_time": float(of(processor)) if processor.mean() > 0 else 0.0,
    }


def _context(run: Run) -> dict[str, Any]:
    facts = run.about("machine")
    started = str(run.trials["started_at"].iloc[0])
    return {
        "date": started,
        "host_name": str(facts.get("host") or ""),
        "executable": "lockbench",
        "num_cpus": _whole(facts.get("hardware_threads")) or 1,
        "mhz_per_cpu": 0,
        "cpu_scaling_enabled": False,
        "caches": [],
        "library_build_type": "release",
        "lockbench_run": run.run_id,
    }


def _whole(value: Any) -> int:
    return int(value) if isinstance(value, (int, float)) and value == value else 0


def action(run: Run) -> str:
    """The range is half of the distance from the least to the greatest block."""
    entries = [
        {
            "name": cell.name,
            "unit": cell.unit,
            "value": float(cell.nanoseconds.median()),
            "range": f"± {(cell.nanoseconds.max() - cell.nanoseconds.min()) / 2:.4g}",
            "extra": f"{len(cell.rows)} blocks, run {run.run_id}",
        }
        for cell in found(run)
    ]
    return json.dumps(entries, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def bmf(run: Run) -> str:
    document: dict[str, Any] = {}
    for cell in found(run):
        measures = {"latency": cell.nanoseconds}
        rates = cell.rows["operations_per_s"]
        if (rates > 0).all():
            measures["throughput"] = rates
        document[cell.name] = {
            name: {
                "value": float(values.median()),
                "lower_value": float(values.min()),
                "upper_value": float(values.max()),
            }
            for name, values in measures.items()
        }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


FORMATS = {"benchmark-json": benchmark_json, "action": action, "bmf": bmf}
