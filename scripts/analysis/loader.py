# SPDX-License-Identifier: Apache-2.0
"""The one way into a run's folder: trials.csv, latency.csv and meta.json, checked.

Guarantees   every column of the run's own schema (schema.json; a run from before that has none) is
             there and of its type, a column that a later lockbench added too; a figure that was not
             measured is
             NaN; `label` is the primitive as users write it; `operation_ns` is the mean time of
             one operation; text is printable, on one line, and commands no terminal; a last
             line that has no end is left out, which `Run.notes` says.
Errors       InputError, one line: where, what, and what would be right.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn, TextIO

import numpy as np
import pandas as pd

from analysis import origin
from analysis.errors import InputError as InputError
from analysis.text import printable

SCHEMA_VERSION = "1"

# The most that is read of one file; far more than lockbench ever writes.
MOST_BYTES = 512 << 20

# What trials.csv held when runs began to carry their schema. A column added since needs no line
# here: its run's schema describes it.
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

# Added since, and shown: missing figures where a run is older.
SHOWN_LATER = ["expired_holds", "refused_writes", "write_share"]

PREDICTED = "Predicted by the model of a machine, not measured (docs/prediction.md)"

LATENCY_TEXT = ["run_id", "kind"]
LATENCY_COLUMNS = "run_id trial kind low_ns high_ns count attempt".split()


@dataclass(frozen=True)
class Run:
    """One execution of a plan, as recorded in its folder."""

    folder: Path
    trials: pd.DataFrame  # every row, invalid ones too
    meta: dict[str, Any]
    notes: tuple[str, ...] = ()  # what was left out or is missing, a line each

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

    @property
    def hardware_threads(self) -> int | None:
        """How many threads can run at once there; None if the run does not say."""
        machine = _mapping(self.meta.get("machine"))
        return _whole(machine.get("usable_threads")) or _whole(machine.get("hardware_threads"))

    @cached_property
    def latency(self) -> pd.DataFrame | None:
        """The histograms' buckets, or None when the run has none. Read when first asked for."""
        path = self.folder / "latency.csv"
        if not path.exists():
            return None
        table, _ = _read_csv(path, LATENCY_COLUMNS)
        run_ids = pd.DataFrame({"run_id": table.columns["run_id"]}, index=table.lines)
        origin.check_run(path, run_ids, self.meta.get("run_id") or self.run_id)
        return _typed(path, table, LATENCY_COLUMNS, LATENCY_TEXT)

    @property
    def heading(self) -> str:
        """Which run, of which preset, on which machine; that it was sized for another one."""
        preset = str(self.trials["preset"].iloc[0])
        parts = [f"run {self.run_id}", f"preset {preset}" if preset else "", self.machine]
        target = _mapping(self.meta.get("target"))
        if target.get("matches") is False:
            parts.append(f"not the {target.get('name')} that it was sized for")
        return " · ".join(part for part in parts if part)

    @property
    def banners(self) -> list[str]:
        """What stands at the top of everything that shows this run; usually nothing."""
        busy = _mapping(self.meta.get("surroundings")).get("busy")
        busy_note = [f"Measured on a busy machine: {busy}"] if busy else []
        return [PREDICTED, *busy_note] if self.predicted else busy_note

    def titled(self, title: str) -> str:
        """The title of a picture of this run; that of a prediction names its machine."""
        return f"{title}, {self.predicted_for}" if self.predicted else title

    @property
    def predicted_for(self) -> str:
        """`prediction for Intel Core …`; empty for measurements."""
        if not self.predicted:
            return ""
        model = _mapping(self.meta.get("machine")).get("cpu_model")
        return " ".join(str(model or "prediction").split())

    @property
    def predicted(self) -> bool:
        """Whether the rows come from the model of a machine, and nothing was measured."""
        return "predicted" in self.trials and bool((self.trials["predicted"] == "true").any())

    @property
    def machine(self) -> str:
        """The machine in half a line; says so if the run does not name it."""
        machine = _mapping(self.meta.get("machine"))
        model = machine.get("cpu_model")
        if not model:
            return "machine unknown"
        parts = [" ".join(str(model).split())]
        cores, threads = _whole(machine.get("cores")), _whole(machine.get("hardware_threads"))
        if cores is not None:
            parts.append(f"{cores} {'core' if cores == 1 else 'cores'}")
        if threads is not None and threads != cores:
            parts.append(f"{threads} hardware threads")
        return ", ".join(parts)


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
    table, notes = _read_csv(path, columns, lenient)
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
        (name, _is_text(values)) for name, values in table.columns.items() if name not in known
    )
    text = [*TEXT, *(name for name, is_text in added.items() if is_text)]
    trials = _typed(path, table, [*COLUMNS, *added], text)
    for name in (name for name in SHOWN_LATER if name not in trials):
        trials[name] = np.nan
    del table
    _check_truth_values(path, trials)
    trials["valid"] = trials["valid"] == "true"
    trials["label"] = _labels(trials)
    rates = trials["operations_per_s"]
    trials["operation_ns"] = 1e9 / rates.where(rates > 0)
    meta, meta_notes = _read_meta(folder / "meta.json")
    if "run_id" in present:
        origin.check_run(path, trials, meta.get("run_id") or trials["run_id"].iloc[0])
    origin.check_plan(path, trials, meta, present)
    notes += meta_notes + _notes_on_end(folder / "meta.json", meta, len(trials))
    return Run(folder=folder, trials=trials, meta=meta, notes=tuple(map(printable, notes)))


def _added_columns(path: Path) -> dict[str, bool]:
    """Columns of the run's schema that COLUMNS does not know, and whether each holds text."""
    if not path.exists():
        return {}
    try:
        with _open(path) as text:
            columns = json.load(text)["trials"]
        is_text_by_name = {str(one["name"]): one["unit"] in ("name", "text") for one in columns}
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}: is no schema ({error!r}); put back what `lockbench schema --format json` says"
        ) from None
    return {name: is_text for name, is_text in is_text_by_name.items() if name not in COLUMNS}


def _is_text(values: Sequence[str]) -> bool:
    """Of a column that nothing describes."""
    return bool(np.isnan(_numbers([value for value in values if value])).any())


@contextmanager
def _open(path: Path) -> Iterator[TextIO]:
    """The text of a file. What fails while it is read is an InputError, too."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise InputError(f"{path}: is not a file; name a folder that `lockbench run` wrote")
        if size > MOST_BYTES:
            raise InputError(f"{path}: has {size:,} bytes; at most {MOST_BYTES:,} are read")
        with open(path, encoding="utf-8", errors="replace", newline="\n") as text:
            yield text
    except FileNotFoundError:
        raise InputError(
            f"{path}: no such file; name a folder that `lockbench run` wrote"
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


class _Lines:
    """The whole lines of a file one by one, so that its text is never in memory at once. A last
    line without an end was cut off when its writer was killed."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self.cut_off = False

    def __iter__(self) -> Iterator[str]:
        for line in self._text:
            self.cut_off = not line.endswith("\n")
            if not self.cut_off:
                yield line


@dataclass(frozen=True)
class _Table:
    """A file's fields as text, by column."""

    columns: dict[str, Sequence[str]]
    lines: list[int]  # of the rows, in the file


def _read_csv(path: Path, columns: list[str], lenient: bool = False) -> tuple[_Table, list[str]]:
    """All fields, with what was left out. Lenient: a column that the file lacks is empty in the
    table, and named in the result."""
    lines: list[int] = []
    rows: list[list[str]] = []
    notes = []
    with _open(path) as text:
        source = _Lines(text)
        reader = csv.reader(source, strict=True)
        try:
            header: list[str] = next(reader, [])
            if lenient:
                notes += _missing_columns(path, header, columns)
            else:
                _check_header(path, header, columns)
            for row in reader:
                lines.append(reader.line_num)
                rows.append(row)
        except csv.Error as error:
            begun = (lines[-1] if lines else 0) + 1
            where = f"line {begun}" + (f" to {reader.line_num}" if reader.line_num > begun else "")
            raise InputError(f"{path}, {where}: {error}; is this a CSV file?") from None
        if source.cut_off:
            notes.append(f"{path}, line {reader.line_num + 1}: is cut off and was left out")
    for line, row in zip(lines, rows):
        if len(row) != len(header):
            raise InputError(
                f"{path}, line {line}: {len(row)} fields where the header has {len(header)};"
                " repair the line or delete it"
            )
    found: dict[str, Sequence[str]] = dict.fromkeys([*header, *columns], [""] * len(rows))
    found.update(zip(header, zip(*rows)))
    return _Table(found, lines), notes


def _missing_columns(path: Path, header: list[str], columns: list[str]) -> list[str]:
    """What a lenient reader does without; a file that has none of the columns is none of ours."""
    if not set(header) & set(columns):
        _check_header(path, header, columns)
    missing = [name for name in columns if name not in header]
    if len(set(header)) < len(header):
        _check_header(path, [*header, *missing], columns)
    if not missing:
        return []
    named = ", ".join(missing[:8]) + (f" and {len(missing) - 8} more" if len(missing) > 8 else "")
    word = "column is" if len(missing) == 1 else "columns are"
    return [f"{path}: {word} missing: {named}; what needs them is not shown"]


def _check_header(path: Path, header: list[str], columns: list[str]) -> None:
    if not header:
        raise InputError(f"{path}: is empty; its first line names the columns")
    if missing := [name for name in columns if name not in header]:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise InputError(
            f"{path}, line 1: column {missing[0]} is missing{more};"
            f" schema {SCHEMA_VERSION} is described in results/README.md"
        )
    if twice := [name for name in columns if header.count(name) > 1]:
        raise InputError(f"{path}, line 1: column {twice[0]} is there twice; once is right")


# What stands for a column that a file lacks where nothing would fail all that is there.
_INSTEAD = {
    "schema_version": SCHEMA_VERSION,
    "valid": "false",
    "primitive": "unnamed",
    "block": "0",
}


def _fill_in(table: _Table) -> None:
    for name, value in _INSTEAD.items():
        if not any(table.columns[name]):
            table.columns[name] = [value] * len(table.lines)
    if not any(table.columns["trial"]):
        table.columns["trial"] = [str(i) for i in range(len(table.lines))]


def _check_version(path: Path, table: _Table) -> None:
    for line, found in zip(table.lines, table.columns["schema_version"]):
        if found != SCHEMA_VERSION:
            raise InputError(
                f"{path}, line {line}: schema_version {found!r}, but this program reads"
                f" {SCHEMA_VERSION!r}; use the lockbench that wrote the run"
            )


def _typed(path: Path, table: _Table, columns: list[str], text: list[str]) -> pd.DataFrame:
    """The index is the line in the file."""
    typed: dict[str, np.ndarray] = {}
    for name in columns:
        raw = table.columns[name]
        if name in text:
            typed[name] = _printable_column(raw)
            continue
        typed[name] = _numbers(raw)
        unknown = np.flatnonzero(~np.isfinite(typed[name]))
        if len(unknown) != raw.count(""):
            place = next(place for place in unknown if raw[place])
            raise InputError(
                f"{path}, line {table.lines[place]}, column {name}: {raw[place]!r} is not a"
                " number; a number or nothing is right"
            )
    return pd.DataFrame(typed, index=table.lines)


# A character that no plain decimal number has.
_ODD = re.compile(r"[^0-9eE+.,-]")


def _numbers(values: Sequence[str]) -> np.ndarray:
    """What is no number is not one. Most columns of a run say little, most often nothing."""
    if values and values.count(values[0]) == len(values):
        return np.full(len(values), _converted(values[:1])[0])
    # Python reads plain numbers ten times as fast as pandas does. It would also read `1_0` and
    # digits of other scripts, which are no numbers in a table.
    if not _ODD.search(",".join(values)):
        try:
            if "" not in values:
                return np.fromiter(map(float, values), dtype=float, count=len(values))
            return np.array([float(value) if value else math.nan for value in values])
        except ValueError:
            pass
    return _converted(values)


def _converted(values: Sequence[str]) -> np.ndarray:
    raw = np.array(values, dtype=object)
    return np.asarray(pd.to_numeric(raw, errors="coerce"), dtype=float)


def _printable_column(values: Sequence[str]) -> np.ndarray:
    """Each text once: a column of a large run has few."""
    known = {text: printable(text) for text in set(values)}
    if any(text != recorded for text, recorded in known.items()):
        values = [known[text] for text in values]
    return np.array(values, dtype=object)


def _check_truth_values(path: Path, trials: pd.DataFrame) -> None:
    wrong = trials.index[~trials["valid"].isin(["true", "false"])]
    if len(wrong):
        raise InputError(
            f"{path}, line {wrong[0]}, column valid: {trials.at[wrong[0], 'valid']!r};"
            " true or false is right"
        )


def _labels(trials: pd.DataFrame) -> pd.Series:
    return trials["primitive"].where(
        trials["params"] == "", trials["primitive"] + ":" + trials["params"]
    )


def _read_meta(path: Path) -> tuple[dict[str, Any], list[str]]:
    """A run without its meta.json can still be shown; a note says that its machine is unknown."""
    if not path.exists():
        return {}, [f"{path}: no such file; the machine is unknown"]
    try:
        with _open(path) as text:
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


def _notes_on_end(path: Path, meta: dict[str, Any], rows: int) -> list[str]:
    state = _mapping(meta.get("end")).get("state")
    shard = _mapping(meta.get("shard"))
    if shard:
        notes = [
            f"{path}: shard {shard.get('index')}/{shard.get('of')} of a plan;"
            " `lockbench merge` makes one run of all shards"
        ]
    else:
        notes = []
    if state in (None, "finished"):
        return notes
    return notes + [
        f"{path}: the run is {state}, not finished; shown are the {rows:,} trials that it has"
    ]


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _whole(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) and math.isfinite(value) else None
