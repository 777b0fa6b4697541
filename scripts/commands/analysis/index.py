# SPDX-License-Identifier: Apache-2.0
"""The index of a folder of runs: one line for each, the newest first. Reads of a run only what the
line shows, so that an index of a thousand runs takes seconds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from analysis import saved, templates, text
from analysis.errors import InputError
from analysis.loader import mapping
from analysis.page import as_html
from analysis.page.colours import Inks


Entry = dict[str, Any]  # as the template shows it


def entries(folder: Path) -> list[Entry]:
    """InputError if the folder has no run."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; name a folder of runs, as results/runs")
    found = [_entry(one.parent) for one in folder.glob("*/trials.csv")]
    if not found:
        raise InputError(f"{folder}: none of its folders holds a run; name a folder of runs")
    return sorted(found, key=lambda one: (one["started_at"], one["run_id"]), reverse=True)


def _entry(folder: Path) -> Entry:
    meta = _meta(folder / "meta.json")
    machine, build = (mapping(meta.get(name)) for name in ("machine", "build"))
    rows, valid = _rows(folder / "trials.csv")
    commit = str(build.get("commit") or "")[:12] + ("+" if build.get("modified") else "")
    return dict(
        folder=folder,
        run_id=str(meta.get("run_id") or folder.name),
        preset=str(meta.get("preset") or mapping(meta.get("plan")).get("preset") or ""),
        started_at=str(meta.get("started_at") or ""),
        machine=", ".join(str(machine[k]) for k in ("host", "cpu_model") if machine.get(k)),
        build=" ".join(part for part in (str(build.get("version") or ""), commit) if part),
        rows=rows,  # None: trials.csv cannot be read
        valid=valid,
        state=str(mapping(meta.get("end")).get("state") or ""),
        baselines=saved.names_of(folder),
        report=(folder / "report.html").is_file(),
    )


def _meta(path: Path) -> dict[str, Any]:
    try:
        return mapping(json.loads(path.read_text(encoding="utf-8-sig", errors="replace")))
    except (OSError, ValueError):
        return {}


def _rows(path: Path) -> tuple[int | None, int]:
    try:
        column = pd.read_csv(path, usecols=["valid"], dtype=str, on_bad_lines="skip")["valid"]
    except (OSError, ValueError):
        return None, 0
    return len(column), int((column == "true").sum())


def page(folder: Path, found: list[Entry]) -> str:
    environment = templates.environment(as_html.TEMPLATES)
    environment.filters.update(line=text.one_line)
    return environment.get_template("index.html.j2").render(
        style=as_html.style(Inks([])), entries=found, folder=folder.name
    )
