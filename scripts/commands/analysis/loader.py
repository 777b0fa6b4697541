# SPDX-License-Identifier: Apache-2.0
"""The one way into a run's folder: trials.csv, latency.csv and meta.json, checked.

Guarantees   every column of the run's own schema (schema.json; a run from before that has none) is
             there and of its type, a column that a later lockbench added too; a figure that was not
             measured is NaN; `label` is the primitive as users write it; `operation_ns` is the mean
             time of one operation; `load` is the load that was asked for, SATURATED if threads
             request the lock again at once, NaN if the think time was given; text is printable, on
             one line, and commands no terminal; a last line that has no end is left out, which
             `Run.notes` says.
Errors       InputError, one line: where, what, and what would be right.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from analysis import cells, error_model, origin, starvation, units
from analysis.csv_table import SCHEMA_VERSION, CsvTable, holds_text, open_text, read_csv
from analysis.csv_table import typed_frame
from analysis.error_model import ErrorModel
from analysis.errors import InputError as InputError
from analysis.text import printable

# The columns that trials.csv held when runs began to carry their schema. A column added since needs
# no line here: its run's schema describes it. Nor does one that the page's table shows
# (page/cell_table.py). One that a module reads by name is in READ_LATER.
TEXT = (
    "schema_version run_id preset target primitive params workload scenario mode key_type"
    " key_distribution hold_kind pinning seed valid outcome reason started_at think_kind"
    " disturbance pinning_held arrivals counts"
).split()

COLUMNS = (
    "schema_version run_id preset target trial block position primitive params workload scenario"
    " mode threads keys key_type key_distribution hold_kind hold_ns think_ns pinning seed warmup_s"
    " window_s operations operations_per_s makespan_s ideal_s efficiency wait_samples wait_mean_ns"
    " wait_p50_ns wait_p90_ns wait_p99_ns wait_p999_ns wait_max_ns thread_operations_min"
    " thread_operations_max fairness_jain overlap cpu_user_s cpu_system_s voluntary_switches"
    " involuntary_switches peak_rss_bytes lock_bytes timeouts lost_updates violations valid outcome"
    " reason started_at hold_lines think_kind think_lines timeout_ns sample_every"
    " operations_planned held_samples held_mean_ns held_p50_ns held_p99_ns held_max_ns attempt"
    " disturbance steal_share other_cpu_share pinning_held rate_per_s arrivals unserved"
    " idle_lateness_mean_ns false_conflicts key_bytes_live key_bytes_idle counts"
).split()

# Added since, and read by name: missing figures where a run is older.
READ_LATER = [*cells.LATE, "write_share", "load_share", "busy_share", "starved_s"]
READ_LATER += ["threads_by_kind", "slow_operations_share", "fast_wait_p99_ns", "slow_wait_p99_ns"]

# In `load`: threads request the lock again at once.
SATURATED = 2.0

LATENCY_TEXT = ["run_id", "kind"]
LATENCY_COLUMNS = ["run_id", "trial", "kind", "low_ns", "high_ns", "count", "attempt"]


@dataclass(frozen=True)
class Run:
    """One execution of a plan, as recorded in its folder."""

    folder: Path
    trials: pd.DataFrame  # every row, invalid ones too
    meta: dict[str, Any]
    notes: tuple[str, ...] = ()  # what was left out or is missing, a line each
    whole: Run | None = None  # the run that this one is a selection of

    @property
    def run_id(self) -> str:
        return str(self.trials["run_id"].iloc[0]) or self.folder.name

    @cached_property
    def final(self) -> pd.DataFrame:
        """One row a trial: of several attempts the valid one, else the last."""
        again = self.trials.duplicated(["run_id", "trial"]).any()
        if not again and self.trials.index.is_monotonic_increasing:
            return self.trials
        ranked = self.trials.sort_values(["valid", "attempt"], kind="stable", na_position="first")
        return ranked.drop_duplicates(["run_id", "trial"], keep="last").sort_index()

    @cached_property
    def valid(self) -> pd.DataFrame:
        """The final rows whose proof holds: the only ones whose figures may be shown."""
        return self.final[self.final["valid"]]

    def about(self, what: str) -> dict[str, Any]:
        """The machine, the build or the plan in meta.json; empty if it says nothing."""
        return mapping(self.meta.get(what))

    @property
    def plugins(self) -> list[dict[str, Any]]:
        listed = self.meta.get("plugins")
        return list(filter(None, map(mapping, listed if isinstance(listed, list) else [])))

    @property
    def cores(self) -> int | None:
        return _whole(self.about("machine").get("cores"))

    @property
    def hardware_threads(self) -> int | None:
        """How many threads can run at once there; None if the run does not say."""
        machine = self.about("machine")
        return _whole(machine.get("usable_threads")) or _whole(machine.get("hardware_threads"))

    @cached_property
    def latency(self) -> pd.DataFrame | None:
        """The histograms' buckets, or None when the run has none. Read when first asked for."""
        path = self.folder / "latency.csv"
        if not path.exists():
            return None
        table, _ = read_csv(path, LATENCY_COLUMNS)
        run_ids = pd.DataFrame({"run_id": table.columns["run_id"]}, index=table.lines)
        origin.check_run(path, run_ids, self.meta.get("run_id") or self.run_id)
        return typed_frame(path, table, LATENCY_COLUMNS, LATENCY_TEXT)

    @property
    def heading(self) -> str:
        """The run, its preset and its machine; a note if the preset is for another machine."""
        preset = self.preset
        named = f"preset {preset}" + (f" ({self.title})" if self.title else "")
        parts = [f"run {self.run_id}", named if preset else "", self.machine]
        target = self.about("target")
        if target.get("matches") is False:
            parts.append(f"not the {target.get('name')} that it was sized for")
        return " · ".join(part for part in parts if part)

    @property
    def preset(self) -> str:
        return str(self.trials["preset"].iloc[0])

    @property
    def title(self) -> str:
        """The title of the run's preset; empty if it has none."""
        title = self.about("plan").get("title")
        return " ".join(title.split()) if isinstance(title, str) else ""

    @property
    def banners(self) -> list[str]:
        """The lines at the top of everything that shows this run; usually nothing."""
        busy = self.about("surroundings").get("busy")
        busy_note = [f"Measured on a busy machine: {busy}"] if busy else []
        return [*filter(None, [self.error.banner]), *busy_note]

    def titled(self, title: str) -> str:
        """The title of a picture of this run, with its source if it was not measured."""
        return f"{title.removesuffix('?')}, {self.source}" if self.source else title

    @property
    def source(self) -> str:
        """Says what the figures are, in words for a title; empty if they were measured."""
        return self.error.source(self.about("machine"))

    @cached_property
    def error(self) -> ErrorModel:
        """The known error of the figures."""
        return error_model.of(self.trials)

    @property
    def machine(self) -> str:
        """The machine in half a line; says so if the run does not name it."""
        machine = self.about("machine")
        cpu_model = machine.get("cpu_model")
        if not cpu_model:
            return "machine unknown"
        parts = [" ".join(str(cpu_model).split())]
        threads = _whole(machine.get("hardware_threads"))
        if self.cores is not None:
            parts.append(units.plural(self.cores, "core"))
        if threads is not None and threads != self.cores:
            parts.append(f"{threads} hardware threads")
        return ", ".join([*parts, *self.limits])

    @property
    def limits(self) -> list[str]:
        """Says what the run was allowed to use of its machine, if not all of it."""
        machine = self.about("machine")
        said = []
        if isinstance(machine.get("cpu_quota"), (int, float)):
            said.append(f"a quota of {machine['cpu_quota']:.3g} processors' time")
        if isinstance(machine.get("cpuset"), str):
            said.append(f"only hardware threads {machine['cpuset']}")
        if isinstance(machine.get("cpu_weight"), (int, float)):
            said.append(f"CPU weight {machine['cpu_weight']:.3g} of the default")
        return said


def load(where: str | Path, lenient: bool = False) -> Run:
    """Reads a run's folder (its trials.csv will do as well). Lenient: columns may be missing; their
    figures then were not measured, and a note names them."""
    folder = Path(where)
    if folder.is_file() and folder.name == "trials.csv":
        folder = folder.parent
    if not folder.exists():
        raise InputError(f"{folder}: no such folder; a run's folder holds trials.csv")
    if not folder.is_dir():
        raise InputError(
            f"{folder}: is not a folder; name the run's folder, which holds trials.csv"
        )
    path = folder / "trials.csv"
    added = _added_columns(folder / "schema.json")
    columns = [*COLUMNS, *added]
    table, notes = read_csv(path, columns, lenient)
    if not table.lines:
        raise InputError(f"{path}: holds no trial; a finished one is a line after the header")
    present = {name for name, values in table.columns.items() if any(values)}
    if "primitive" in present and not lenient:
        present.add("label")
    if lenient:
        _fill_in(table)
    _check_version(path, table)
    known = set(columns)
    added.update(
        (name, holds_text(values)) for name, values in table.columns.items() if name not in known
    )
    text = [*TEXT, *(name for name, is_text in added.items() if is_text)]
    trials = typed_frame(path, table, [*COLUMNS, *added], text)
    for name in (name for name in READ_LATER if name not in trials):
        trials[name] = np.nan
    del table
    _check_truth_values(path, trials)
    trials["valid"] = trials["valid"] == "true"
    trials["label"] = _labels(trials)
    rates = trials["operations_per_s"]
    trials["operation_ns"] = 1e9 / rates.where(rates > 0)
    saturated = (trials["mode"] == "timed") & (trials["think_kind"] == "none")
    trials["load"] = trials["load_share"].mask(saturated, SATURATED)
    meta, meta_notes = _read_meta(folder / "meta.json")
    if "run_id" in present:
        origin.check_run(path, trials, meta.get("run_id") or trials["run_id"].iloc[0])
    origin.check_plan(path, trials, meta, present)
    run = Run(folder, starvation.recognized(trials, meta), meta)
    notes += [*meta_notes, *_notes_on_plugins(run), *_notes_on_end(run)]
    return replace(run, notes=tuple(map(printable, notes)))


def _added_columns(path: Path) -> dict[str, bool]:
    """Columns of the run's schema that COLUMNS does not know, and whether each holds text."""
    if not path.exists():
        return {}
    try:
        with open_text(path) as text:
            columns = json.load(text)["trials"]
        is_text_by_name = {str(one["name"]): one["unit"] in ("name", "text") for one in columns}
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}: is no schema ({error!r}); put back what `lockbench schema --format json` says"
        ) from None
    return {name: is_text for name, is_text in is_text_by_name.items() if name not in COLUMNS}


# The value of a column that a file lacks where nothing would fail all that is there.
_INSTEAD = {
    "schema_version": SCHEMA_VERSION,
    "valid": "false",
    "primitive": "unnamed",
    "block": "0",
}


def _fill_in(table: CsvTable) -> None:
    for name, value in _INSTEAD.items():
        if not any(table.columns[name]):
            table.columns[name] = [value] * len(table.lines)
    if not any(table.columns["trial"]):
        table.columns["trial"] = [str(i) for i in range(len(table.lines))]


def _check_version(path: Path, table: CsvTable) -> None:
    for line, found in zip(table.lines, table.columns["schema_version"]):
        if found != SCHEMA_VERSION:
            raise InputError(
                f"{path}, line {line}: schema_version {found!r}, but this program reads"
                f" {SCHEMA_VERSION!r}; use the lockbench that wrote the run"
            )


def _check_truth_values(path: Path, trials: pd.DataFrame) -> None:
    wrong = trials.index[~trials["valid"].isin(["true", "false"])]
    if len(wrong):
        raise InputError(
            f"{path}, line {wrong[0]}, column valid: {trials.at[wrong[0], 'valid']!r};"
            " true or false is right"
        )


def _labels(trials: pd.DataFrame) -> pd.Series:
    """Each label is one object, as texts of the table are (csv_table.py)."""
    pairs = list(zip(trials["primitive"], trials["params"]))
    labels = {
        (primitive, params): f"{primitive}:{params}" if params else primitive
        for primitive, params in set(pairs)
    }
    return pd.Series([labels[pair] for pair in pairs], index=trials.index)


def _read_meta(path: Path) -> tuple[dict[str, Any], list[str]]:
    """A run without its meta.json can still be shown; a note says that its machine is unknown."""
    if not path.exists():
        return {}, [f"{path}: no such file; the machine is unknown"]
    try:
        with open_text(path) as text:
            meta = json.load(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        return {}, [f"{path}: is not JSON ({error}); the machine is unknown"]
    if not isinstance(meta, dict):
        return {}, [f"{path}: is not a JSON object; the machine is unknown"]
    return _printable(meta), []


def _printable(value: Any) -> Any:
    """A JSON value with all text in it made printable."""
    if isinstance(value, dict):
        return {printable(name): _printable(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_printable(inner) for inner in value]
    return printable(value) if isinstance(value, str) else value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _notes_on_end(run: Run) -> list[str]:
    path, shard, state = run.folder / "meta.json", run.about("shard"), run.about("end").get("state")
    notes = []
    if shard:
        notes.append(
            f"{path}: shard {shard.get('index')}/{shard.get('of')} of a plan;"
            " `lockbench merge` makes one run of all shards"
        )
    if state not in (None, "finished"):
        rows = f"{len(run.trials):,} trials"
        notes.append(f"{path}: the run is {state}, not finished; shown are the {rows} that it has")
    return notes


def _notes_on_plugins(run: Run) -> list[str]:
    """Plug-ins that were not compiled as lockbench: their figures are not those of their locks."""
    return [
        f"{run.folder / 'meta.json'}: the plug-in {one.get('file')} was not compiled as lockbench:"
        f" {one['differs']}"
        for one in run.plugins
        if one.get("differs")
    ]


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _whole(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) and math.isfinite(value) else None
