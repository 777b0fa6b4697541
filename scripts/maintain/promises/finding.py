# SPDX-License-Identifier: Apache-2.0
"""The promises and the findings, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    what: str  # is known in advance
    promised: str
    found: str
    kept: bool


def _verdict(finding: Finding) -> str:
    return "kept" if finding.kept else "NOT KEPT"


def as_text(findings: Sequence[Finding]) -> str:
    rows = [("known", "promised", "found", "")]
    rows += [(one.what, one.promised, one.found, _verdict(one)) for one in findings]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows
    )


def as_markdown(findings: Sequence[Finding], where: str) -> str:
    """`where`: the machine, and whatever else the figures depend on."""
    rows = ["| known | promised | found | |", "|---|---|---|---|"]
    rows += [f"| {one.what} | {one.promised} | {one.found} | {_verdict(one)} |" for one in findings]
    return "\n".join(rows) + f"\n\nMeasured on: {where}.\n"
