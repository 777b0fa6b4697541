# SPDX-License-Identifier: Apache-2.0
"""A CSV file of a run as a table: its lines, its columns, and their types.

Errors       InputError, one line: which file and line, what, and what would be right.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
import pandas as pd

from analysis.errors import InputError
from analysis.text import printable

SCHEMA_VERSION = "1"

# The most that is read of one file; far more than lockbench ever writes.
MOST_BYTES = 512 << 20


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """The text of a file. What fails while it is read is an InputError, too."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise InputError(f"{path}: is not a file; name a folder that `lockbench run` wrote")
        if size > MOST_BYTES:
            raise InputError(f"{path}: has {size:,} bytes; at most {MOST_BYTES:,} are read")
        # Some programs write a byte-order mark before the text when they save it.
        with open(path, encoding="utf-8-sig", errors="replace", newline="\n") as text:
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
class CsvTable:
    """A file's fields as text, by column."""

    columns: dict[str, Sequence[str]]
    lines: list[int]  # of the rows, in the file


def read_csv(path: Path, columns: list[str], lenient: bool = False) -> tuple[CsvTable, list[str]]:
    """All fields, with what was left out. Lenient: a column that the file lacks is empty in the
    table, and named in the result."""
    lines: list[int] = []
    rows: list[list[str]] = []
    notes = []
    with open_text(path) as text:
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
    return CsvTable(found, lines), notes


def _missing_columns(path: Path, header: list[str], columns: list[str]) -> list[str]:
    """Columns that a lenient reader does without; a file with none of them is none of ours."""
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
    if len(header) == 1 and (other := re.search("[;\t|]", header[0])):
        separated = "tabs" if other[0] == "\t" else f"'{other[0]}'"
        raise InputError(
            f"{path}, line 1: the columns are separated by {separated}; save the table with commas"
        )
    if missing := [name for name in columns if name not in header]:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise InputError(
            f"{path}, line 1: column {missing[0]} is missing{more};"
            f" schema {SCHEMA_VERSION} is described in results/README.md"
        )
    if twice := [name for name in columns if header.count(name) > 1]:
        raise InputError(f"{path}, line 1: column {twice[0]} is there twice; once is right")


def typed_frame(path: Path, table: CsvTable, columns: list[str], text: list[str]) -> pd.DataFrame:
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
            index = next(index for index in unknown if raw[index])
            raise InputError(
                f"{path}, line {table.lines[index]}, column {name}: {raw[index]!r} is not a"
                " number; a number or nothing is right"
            )
        size = np.abs(typed[name])
        absurd = np.flatnonzero((size > _LARGEST) | ((size > 0) & (size < 1 / _LARGEST)))
        if len(absurd):
            raise InputError(
                f"{path}, line {table.lines[absurd[0]]}, column {name}: {raw[absurd[0]]!r} is no"
                f" figure of a measurement; 0 or a number from {1 / _LARGEST:g} to {_LARGEST:g}, or"
                " nothing, is right"
            )
    return pd.DataFrame(typed, index=table.lines)


# Far beyond what can be measured or counted; products and squares of such figures are still finite.
_LARGEST = 1e30

# A character that no plain decimal number has.
_ODD = re.compile(r"[^0-9eE+.,-]")


def _numbers(values: Sequence[str]) -> np.ndarray:
    """A text that is no number is NaN. Most columns of a run say little, most often nothing."""
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
    """Each text is one object, however many rows have it: a column of a large run has few texts."""
    known = {text: _copied(printable(text)) for text in set(values)}
    return np.array([known[text] for text in values], dtype=object)


def _copied(text: str) -> str:
    """An object of its own. Those that were read lie among the texts of numbers, and memory is
    given back in large pieces: one text that stays would keep many that do not."""
    return text[:1] + text[1:]


def holds_text(values: Sequence[str]) -> bool:
    """True if a column that nothing describes holds text."""
    return bool(np.isnan(_numbers([value for value in values if value])).any())
