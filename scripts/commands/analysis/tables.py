# SPDX-License-Identifier: Apache-2.0
"""The findings of `compare` as text, CSV, Markdown and JSON. Pure: a result in, a string out.

A figure without its proof is not printed: the reason is printed instead.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from analysis import cells, sections, sequential, unfairness, units, verdict
from analysis.comparison import Line, Result
from analysis.sections import Table
from analysis.text import columns, cut_apart, fitting, markdown, markdown_table, spreadsheet

_HEADERS = [
    "primitive",
    "median",
    "spread",
    "ratio",
    "interval",
    "mean wait",
    "p99 wait",
    "longest",
]
_HEADERS += ["slowest thread", "verdict"]
# The columns that a narrow terminal does without, the first to go first.
_EXPENDABLE = ["slowest thread", "mean wait", "spread", "longest", "p99 wait", "interval"]
# The verdict is folded there rather than that a column goes.
_LEAST_VERDICT = 24
WIDEST = 10  # the factor between the ends of an interval beyond which they are not printed
# The fields of a line, in JSON.
_RECORD = (
    "group primitive metric blocks blocks_planned median spread_low spread_high wait_mean_ns"
    " wait_p99_ns wait_max_ns idlest_share fairness_jain is_baseline blocks_needed unfair reason"
).split()
_COLOURS = {"faster": "32", "slower": "31", "same": "36"}


def as_text(result: Result, width: int | None = None, colour: bool = False) -> str:
    """Columns in the terminal's `width` (None: as wide as it takes)."""
    by_group = cells.by_group(result.lines)
    longest = (
        sections.LONGEST_NAME if width is None else max(20, min(sections.LONGEST_NAME, width // 3))
    )
    names = _names(result, longest)
    body = {name: [_fields(line, names) for line in lines] for name, lines in by_group.items()}
    headers, dropped = _fitting(body, width)
    kept = [_HEADERS.index(header) for header in headers]
    widths = [max([columns(_HEADERS[i])] + [columns(r[i]) for r in _figures(body)]) for i in kept]
    out = [*result.banners, result.heading, ""]
    out += [line for table in result.published for line in section_text(table)]
    for name, rows in body.items():
        out.append(f"{name}{_against(result, by_group[name], names)}")
        out.append("  " + _joined([_HEADERS[i] for i in kept], widths))
        for line, row in zip(by_group[name], rows):
            text = "  " + _text_row(line, row, kept, widths, width)
            out.append(_coloured(line, text) if colour else text)
        out.append("")
    out.extend(_sections_text(result, width))
    out.extend(_footer(result))
    if dropped:
        out.append(f"left out to fit {width} columns: {', '.join(dropped)}")
    return "\n".join(out).rstrip() + "\n"


def as_markdown(result: Result) -> str:
    out = [f"**{markdown(banner)}**\n" for banner in result.banners]
    out += [f"**{markdown(result.heading)}**", ""]
    names = _names(result, sections.LONGEST_NAME)
    for name, lines in cells.by_group(result.lines).items():
        out += [markdown(name + _against(result, lines, names)), ""]
        body = [map(markdown, _fields(line, names)) for line in lines]
        out += [*markdown_table(_HEADERS, body, f"l{'r' * (len(_HEADERS) - 2)}l"), ""]
    curves = _sections(result)
    out += [line for table in [*result.published, *curves] for line in section_markdown(table)]
    out += [f"- {markdown(note)}" for note in _footer(result)]
    return "\n".join(out).rstrip() + "\n"


def as_csv(result: Result) -> str:
    """The comparisons, a line each."""
    return records_csv(one.record() for one in result.table.comparisons)


def records_csv(records: Iterable[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, verdict.FIELDS, lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({name: _harmless(value) for name, value in record.items()})
    return out.getvalue()


def _harmless(value: object) -> object:
    return spreadsheet(value) if isinstance(value, str) else value


def as_json(result: Result) -> str:
    document = {
        "comparisons": [one.record() for one in result.table.comparisons],
        "heading": result.heading,
        "banners": result.banners,
        "same_within": result.table.same_within,
        "notes": result.notes,
        "cells": [{name: getattr(line, name) for name in _RECORD} for line in result.lines],
        "costs": [sections.cost_record(one) for one in result.costs],
        "scalability": [sections.curve_record(curve) for curve in result.scalability],
        "published": [dataclasses.asdict(table) for table in result.published],
        "saturation": [sections.saturation_record(one) for one in result.saturation],
        "readers": [one.record() for one in result.readers],
        "core_kinds": [one.record() for one in result.core_kinds],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _sections(result: Result, brief: bool = False) -> list[Table]:
    return sections.all_of(
        result.costs,
        result.scalability,
        result.saturation,
        result.readers,
        result.core_kinds,
        brief,
    )


def _sections_text(result: Result, width: int | None) -> list[str]:
    out = []
    for brief in (False, True):
        tables = _sections(result, brief)
        out = [line for table in tables for line in section_text(table)]
        if width is None or max(map(columns, out), default=0) <= width:
            break
    return out


def section_text(table: Table) -> list[str]:
    out = [table.title]
    if table.rows:
        shown = [table.headers, *table.rows]
        widths = [max(columns(row[i]) for row in shown) for i in range(len(table.headers))]
        out += ["  " + _joined(row, widths) for row in shown]
    return [*out, *(f"  {note}" for note in table.notes), ""]


def section_markdown(table: Table) -> list[str]:
    out = [f"**{markdown(table.title)}**", ""]
    if table.rows:
        body = [map(markdown, row) for row in table.rows]
        out += [*markdown_table(map(markdown, table.headers), body, "l" * len(table.headers)), ""]
    return [*out, *(f"- {markdown(note)}" for note in table.notes), *([""] if table.notes else [])]


def _names(result: Result, longest: int) -> dict[str, str]:
    """The name of each primitive that a table has room for."""
    return cut_apart((line.primitive for line in result.lines), longest)


def _against(result: Result, lines: Iterable[Line], names: Mapping[str, str]) -> str:
    """`lines`: of one group."""
    if result.against:
        return ""
    return "".join(f" · against {names[line.primitive]}" for line in lines if line.is_baseline)


def _fields(line: Line, names: Mapping[str, str]) -> list[str]:
    name = names[line.primitive]
    if line.median is None:
        return [name] + ["–"] * (len(_HEADERS) - 2) + [line.reason]
    show = SHOWN[line.metric]
    spread = (
        f"{show(line.spread_low or 0)} – {show(line.spread_high or 0)}"
        if line.blocks > 1
        else "one block"
    )
    compared = line.compared
    return [
        name,
        show(line.median),
        spread,
        "1" if line.is_baseline else units.ratio(compared.ratio) if compared else "–",
        interval(compared),
        *(
            units.nanoseconds(wait, trim=False) if wait is not None else "–"
            for wait in (line.wait_mean_ns, line.wait_p99_ns, line.wait_max_ns)
        ),
        f"{100 * line.idlest_share:.0f} %" if line.idlest_share is not None else "–",
        _verdict(line),
    ]


# A figure as columns have it, by its metric.
SHOWN: dict[str, Callable[[float], str]] = {
    "operations_per_s": lambda value: f"{units.count(value, trim=False)}/s",
    "makespan_s": partial(units.seconds, trim=False),
    "operation_ns": partial(units.nanoseconds, trim=False),
    "wait_p99_ns": partial(units.nanoseconds, trim=False),
}


def interval(compared: verdict.Comparison | None) -> str:
    """Digits enough to see on which side of 1 it lies. One that says nothing is not printed."""
    if compared is None or compared.low is None or compared.high is None:
        return "–"
    low, high = compared.low, compared.high
    if high > WIDEST * low:
        return f"over {WIDEST}×"
    for significant in range(3, 7):
        ends = units.digits(low, significant), units.digits(high, significant)
        if not compared.significant or "1" not in {text.rstrip("0").rstrip(".") for text in ends}:
            break
    return " – ".join(ends)


def _verdict(line: Line) -> str:
    words = "baseline" if line.is_baseline else line.compared.words() if line.compared else ""
    unfair = f"{unfairness.MARK} {line.unfair}" if line.unfair else ""
    return "; ".join(part for part in (words, _in_common(line), unfair, line.reason) if part)


def _in_common(line: Line) -> str:
    """The medians that the ratio is of, where they are not those of the table."""
    one = line.compared
    if one is None or not line.differs:
        return ""
    show = SHOWN[line.metric]
    blocks = units.plural(one.blocks, "common block")
    return f"in {blocks} {show(one.value)} against {show(one.baseline_value)}"


def _figures(body: dict[str, list[list[str]]]) -> list[list[str]]:
    return [row for rows in body.values() for row in rows]


def _fitting(body: dict[str, list[list[str]]], width: int | None) -> tuple[list[str], list[str]]:
    """The headers that fit, and the headers that do not fit."""
    headers, dropped = list(_HEADERS), []
    for candidate in _EXPENDABLE:
        if width is None or _table_width(body, headers) <= width:
            break
        headers.remove(candidate)
        dropped.append(candidate)
    return headers, dropped


def _table_width(body: dict[str, list[list[str]]], headers: list[str]) -> int:
    indices = [_HEADERS.index(header) for header in headers]
    rows = [_HEADERS, *_figures(body)]
    wide = [max(columns(row[i]) for row in rows) for i in indices]
    return sum(2 + column for column in wide[:-1]) + 2 + min(wide[-1], _LEAST_VERDICT)


def _text_row(
    line: Line, row: list[str], kept: list[int], widths: list[int], width: int | None
) -> str:
    if line.median is not None:
        return _folded(
            _joined([row[i] for i in kept], widths), sum(widths[:-1], 2 * len(kept)), width
        )
    return _folded(f"{_padded(row[0], widths[0])}  {line.reason}", widths[0] + 4, width)


def _folded(text: str, indent: int, width: int | None) -> str:
    """Text beyond `indent` continues below itself at the end of the terminal line."""
    if width is None or 2 + columns(text) <= width:
        return text
    begin = fitting(text, indent - 2)
    lines = textwrap.wrap(text[begin:], max(width - indent, _LEAST_VERDICT))
    return text[:begin] + ("\n" + " " * indent).join(lines)


def _joined(fields: Sequence[str], widths: Sequence[int]) -> str:
    """First and last to the left, figures to the right."""
    padded = [_padded(fields[0], widths[0])]
    padded += [_padded(text, wide, right=True) for text, wide in zip(fields[1:-1], widths[1:-1])]
    return "  ".join([*padded, fields[-1]]).rstrip()


def _padded(text: str, width: int, right: bool = False) -> str:
    space = " " * max(0, width - columns(text))
    return space + text if right else text + space


def _coloured(line: Line, text: str) -> str:
    code = _COLOURS.get(line.compared.verdict) if line.compared else None
    code = "33" if line.median is None else code
    return f"\x1b[{code}m{text}\x1b[0m" if code else text


def _footer(result: Result) -> list[str]:
    notes = list(result.notes)
    if result.table.comparisons:
        notes = [*how_to_read(result.table, result.against), *notes]
    if any(line.metric == "wait_p99_ns" for line in result.lines):
        notes.append("open loop: median and spread are of the p99 wait, from the intended start")
    if any(line.wait_mean_ns is not None for line in result.lines):
        notes.append(
            "slowest thread: its operations, of an equal share; p99 wait: of open loops and below"
            " saturation, since in a saturated loop it favours a lock that starves threads"
        )
    if any(line.unfair for line in result.lines):
        notes.append(unfairness.EXPLAINED)
    return notes


def how_to_read(table: verdict.Table, against: str = "") -> list[str]:
    against = against or "the baseline, paired by block"
    share = f"{100 * table.same_within:.3g} %"
    return [
        f"ratio: speed against {against}; above 1 is faster; geometric mean of the blocks",
        "interval: of the ratio, as its verdict needs it: if nothing differs, at most"
        f" {100 * sequential.ALPHA:.0f} % of tables have a faster or slower, whenever a run stops;"
        f" over {WIDEST}×: so wide that its ends say nothing",
        f"faster, slower: the interval excludes 1; same: it lies within {share} of 1;"
        " inconclusive: neither",
    ]
