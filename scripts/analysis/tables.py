# SPDX-License-Identifier: Apache-2.0
"""A comparison as text, CSV, Markdown and JSON. Pure: each takes a comparison and gives a string.

A figure without its proof is not printed: the reason stands in its place.
"""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Sequence

from analysis import sections, unfairness, units
from analysis.comparison import Comparison, Line
from analysis.sections import Table
from analysis.text import markdown, spreadsheet

_HEADERS = [
    "primitive",
    "median",
    "spread",
    "ratio",
    "95 % interval",
    "p99 wait",
    "Jain",
    "verdict",
]
# What a narrow terminal does without, the first to go first.
_EXPENDABLE = ["Jain", "spread", "p99 wait", "95 % interval"]
_COLOURS = {"faster": "32", "slower": "31", "same": "36"}


def as_text(comparison: Comparison, width: int | None = None, colour: bool = False) -> str:
    """Columns in the terminal's `width` (None: as wide as it takes)."""
    by_group = _by_group(comparison)
    body = {name: [_fields(line) for line in lines] for name, lines in by_group.items()}
    headers, dropped = _fitting(body, width)
    kept = [_HEADERS.index(header) for header in headers]
    widths = [
        max([_cells_wide(_HEADERS[i])] + [_cells_wide(r[i]) for r in _figures(body)]) for i in kept
    ]
    out = [comparison.heading, ""]
    for name, rows in body.items():
        out.append(f"{name}{_against(comparison, name)}")
        out.append("  " + _joined([_HEADERS[i] for i in kept], widths))
        for line, row in zip(by_group[name], rows):
            text = "  " + _text_row(line, row, kept, widths)
            out.append(_coloured(line, text) if colour else text)
        out.append("")
    out.extend(_sections_text(comparison, width))
    out.extend(_footer(comparison))
    if dropped:
        out.append(f"left out to fit {width} columns: {', '.join(dropped)}")
    return "\n".join(out).rstrip() + "\n"


def as_markdown(comparison: Comparison) -> str:
    out = [f"**{markdown(comparison.heading)}**", ""]
    for name, lines in _by_group(comparison).items():
        out += [markdown(name + _against(comparison, name)), ""]
        out.append("| " + " | ".join(_HEADERS) + " |")
        out.append("|---" + "|---:" * (len(_HEADERS) - 2) + "|---|")
        out += ["| " + " | ".join(map(markdown, _fields(line))) + " |" for line in lines]
        out.append("")
    for table in sections.all_of(comparison.scalability, comparison.saturation):
        out += [f"**{markdown(table.title)}**", ""]
        if table.rows:
            out.append("| " + " | ".join(table.headers) + " |")
            out.append("|---" * len(table.headers) + "|")
            out += ["| " + " | ".join(map(markdown, row)) + " |" for row in table.rows]
            out.append("")
        out += [*(f"- {markdown(note)}" for note in table.notes), *([""] if table.notes else [])]
    out += [f"- {markdown(note)}" for note in _footer(comparison)]
    return "\n".join(out).rstrip() + "\n"


def as_csv(comparison: Comparison) -> str:
    out = io.StringIO()
    records = [_record(comparison, line) for line in comparison.lines]
    writer = csv.DictWriter(out, list(records[0]) if records else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _harmless(value) for name, value in one.items()} for one in records)
    return out.getvalue()


def _harmless(value: object) -> object:
    return spreadsheet(value) if isinstance(value, str) else value


def as_json(comparison: Comparison) -> str:
    document = {
        "heading": comparison.heading,
        "same_within": comparison.same_within,
        "between_runs": comparison.between_runs,
        "notes": comparison.notes,
        "lines": [_record(comparison, line) for line in comparison.lines],
        "scalability": [sections.curve_record(curve) for curve in comparison.scalability],
        "saturation": [sections.saturation_record(one) for one in comparison.saturation],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _sections_text(comparison: Comparison, width: int | None) -> list[str]:
    out = []
    for brief in (False, True):
        tables = sections.all_of(comparison.scalability, comparison.saturation, brief)
        out = [line for table in tables for line in _section_text(table)]
        if width is None or max(map(_cells_wide, out), default=0) <= width:
            break
    return out


def _section_text(table: Table) -> list[str]:
    out = [table.title]
    if table.rows:
        shown = [table.headers, *table.rows]
        widths = [max(_cells_wide(row[i]) for row in shown) for i in range(len(table.headers))]
        out += ["  " + _joined(row, widths) for row in shown]
    return [*out, *(f"  {note}" for note in table.notes), ""]


def _by_group(comparison: Comparison) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    for line in comparison.lines:
        found.setdefault(line.group, []).append(line)
    return found


def _against(comparison: Comparison, group: str) -> str:
    baseline = comparison.baselines.get(group)
    if comparison.between_runs or baseline is None:
        return ""
    return f" · against {baseline}"


def _fields(line: Line) -> list[str]:
    if line.median is None:
        return [line.primitive] + ["–"] * (len(_HEADERS) - 2) + [line.reason]
    show = _SHOWN[line.metric]
    spread = f"{show(line.low or 0)} – {show(line.high or 0)}" if line.blocks > 1 else "one block"
    interval = line.interval
    return [
        line.primitive,
        show(line.median),
        spread,
        "1" if line.is_baseline else units.ratio(line.ratio) if line.ratio is not None else "–",
        f"{units.digits(interval.low)} – {units.digits(interval.high)}" if interval else "–",
        units.nanoseconds(line.wait_p99_ns, trim=False) if line.wait_p99_ns is not None else "–",
        f"{line.fairness_jain:.3f}" if line.fairness_jain is not None else "–",
        _verdict(line),
    ]


def _rate(value: float) -> str:
    return f"{units.count(value, trim=False)}/s"


def _makespan(value: float) -> str:
    return units.seconds(value, trim=False)


def _cost(value: float) -> str:
    return units.nanoseconds(value, trim=False)


_SHOWN = {
    "operations_per_s": _rate,
    "makespan_s": _makespan,
    "operation_ns": _cost,
    "wait_p99_ns": _cost,
}


def _verdict(line: Line) -> str:
    words = "baseline" if line.is_baseline else ""
    if line.verdict is not None:
        words = line.verdict.word
        if line.verdict.blocks_needed is not None:
            words += f": {_evidence(line, line.verdict.blocks_needed)}"
    unfair = f"{unfairness.MARK} {line.unfair}" if line.unfair else ""
    return "; ".join(part for part in (words, unfair, line.reason) if part)


def _evidence(line: Line, needed: int) -> str:
    """What the blocks said, where they were too few: as in `faster in 3 of 5 blocks`."""
    about = f"about {float(f'{needed:.2g}'):,.0f}"
    if line.agreeing_blocks is None or line.ratio is None:
        return f"{about} blocks would tell"
    word = "faster" if line.ratio > 1 else "slower"
    return f"{word} in {line.agreeing_blocks} of {line.paired_blocks} blocks, {about} would tell"


def _figures(body: dict[str, list[list[str]]]) -> list[list[str]]:
    return [row for rows in body.values() for row in rows]


def _fitting(body: dict[str, list[list[str]]], width: int | None) -> tuple[list[str], list[str]]:
    """The headers that fit, and those that had to go."""
    headers, dropped = list(_HEADERS), []
    for candidate in _EXPENDABLE:
        if width is None or _table_width(body, headers) <= width:
            break
        headers.remove(candidate)
        dropped.append(candidate)
    return headers, dropped


def _table_width(body: dict[str, list[list[str]]], headers: list[str]) -> int:
    columns = [_HEADERS.index(header) for header in headers]
    rows = [_HEADERS, *_figures(body)]
    return 2 + sum(2 + max(_cells_wide(row[i]) for row in rows) for i in columns) - 2


def _text_row(line: Line, row: list[str], kept: list[int], widths: list[int]) -> str:
    if line.median is not None:
        return _joined([row[i] for i in kept], widths)
    return f"{_padded(row[0], widths[0])}  {line.reason}"


def _joined(fields: Sequence[str], widths: Sequence[int]) -> str:
    """First and last to the left, figures to the right."""
    padded = [_padded(fields[0], widths[0])]
    padded += [_padded(text, wide, right=True) for text, wide in zip(fields[1:-1], widths[1:-1])]
    return "  ".join([*padded, fields[-1]]).rstrip()


def _padded(text: str, width: int, right: bool = False) -> str:
    space = " " * max(0, width - _cells_wide(text))
    return space + text if right else text + space


def _cells_wide(text: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def _coloured(line: Line, text: str) -> str:
    code = _COLOURS.get(line.verdict.word) if line.verdict else None
    code = "33" if line.median is None else code
    return f"\x1b[{code}m{text}\x1b[0m" if code else text


def _footer(comparison: Comparison) -> list[str]:
    notes = list(comparison.notes)
    if any(line.ratio is not None for line in comparison.lines):
        against = "the first run" if comparison.between_runs else "the baseline, paired by block"
        notes.insert(0, f"ratio: speed against {against}; above 1 is faster; median of the blocks")
        share = f"{100 * comparison.same_within:.3g} %"
        notes.insert(1, f"same: within {share}; verdicts hold over the whole table (Holm, 5 %)")
    if any(line.metric == "wait_p99_ns" for line in comparison.lines):
        notes.append("open loop: median and spread are of the p99 wait, from the intended start")
    if any(line.unfair for line in comparison.lines):
        notes.append(unfairness.EXPLAINED)
    return notes


def _record(comparison: Comparison, line: Line) -> dict[str, object]:
    interval, verdict = line.interval, line.verdict
    return {
        "group": line.group,
        "primitive": line.primitive,
        "baseline": "first run"
        if comparison.between_runs
        else comparison.baselines.get(line.group, ""),
        "metric": line.metric,
        "blocks": line.blocks,
        "blocks_planned": line.planned,
        "median": line.median,
        "spread_low": line.low,
        "spread_high": line.high,
        "ratio": 1.0 if line.is_baseline and line.median is not None else line.ratio,
        "ratio_low": interval.low if interval else None,
        "ratio_high": interval.high if interval else None,
        "p_holm": line.corrected_p,
        "wait_p99_ns": line.wait_p99_ns,
        "fairness_jain": line.fairness_jain,
        "unfair": line.unfair,
        "verdict": verdict.word if verdict else "baseline" if line.is_baseline else "",
        "blocks_needed": verdict.blocks_needed if verdict else None,
        "reason": line.reason,
    }
