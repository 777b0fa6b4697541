# SPDX-License-Identifier: Apache-2.0
"""A report says when its primitives were last stressed, and what came out."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import report
from analysis import loader, stressed
from support import MakeRun


def write_record(folder: Path, *lines: dict[str, Any] | str) -> None:
    """`folder`: of a run; the record is beside the folder of the runs."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder.parent.parent / "stress.jsonl").write_text("\n".join(texts), encoding="utf-8")


def result_of(lock: str, verdict: str = "clean", **more: Any) -> dict[str, Any]:
    at = more.pop("at", "2025-02-01T10:00:00Z")
    return {"lock": lock, "engine": "sim", "verdict": verdict, "at": at, "seconds": 12.0, **more}


@pytest.fixture
def run(tmp_path: Path, make_run: MakeRun) -> Path:
    made = make_run()
    folder = tmp_path / "results" / "runs" / "mine"
    folder.parent.mkdir(parents=True)
    made.rename(folder)
    return folder


def standings(run: Path) -> dict[str, stressed.Standing]:
    return {one.primitive: one for one in stressed.of_run(loader.load(run))}


def test_without_a_record_nothing_is_said(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run)
    assert standings(run) == {}


def test_the_newest_test_of_each_engine_counts(run: Path) -> None:
    label = next(iter(loader.load(run).trials["label"]))
    write_record(
        run,
        result_of(label, "failed", oracle="exclusion", command="lockbench stress x --schedule 1"),
        result_of(label, engine="real", seconds=30.0, at="2025-02-03T10:00:00Z"),
        result_of(label, "clean", at="2025-02-02T10:00:00Z"),
        "half a li",
        '"no test"',
        result_of(label, "unheard of"),
    )
    found = standings(run)
    words = "no failure found by sim (12 s), real (30 s), 2025-02-03, in another build"
    assert found[label].words == words
    assert not found[label].broken and found[label].command == ""
    others = [one for name, one in found.items() if stressed.design(name) != stressed.design(label)]
    assert others and all(one.words == "not stressed" for one in others)


def test_a_broken_lock_comes_with_its_replay_and_its_page(run: Path) -> None:
    label = next(iter(loader.load(run).trials["label"]))
    page = run.parent.parent / "broken lock.html"
    page.write_text("", encoding="utf-8")
    replay = f"lockbench stress {label} --schedule 1"
    broken = result_of(label, "failed", oracle="exclusion", command=replay, page=str(page))
    write_record(run, broken, result_of(label + "_string"))
    found = standings(run)[label]
    assert found.broken and found.command == replay and found.page == "../../broken%20lock.html"
    assert found.words.startswith("failed (exclusion) by sim (12 s); no failure found by sim")
    assert report.main([str(run)]) == 0
    html = (run / "report.html").read_text(encoding="utf-8")
    assert "failed (exclusion) by sim" in html and 'href="../../broken%20lock.html"' in html
    assert report.main([str(run), "--format", "markdown", "--out", str(run / "r.md")]) == 0
    assert "### Stress tests of these locks" in (run / "r.md").read_text(encoding="utf-8")


def test_a_record_that_is_no_file_is_not_awaited(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(run)
    os.mkfifo(run.parent.parent / "stress.jsonl")
    assert standings(run) == {}


@pytest.mark.parametrize(
    ("name", "design"),
    [
        ("striped:stripes=64", "striped"),
        ("striped:lock=std,stripes=64", "striped:lock=std"),
        ("keyed_limited_string:hold_limit_ms=3600000", "keyed_limited"),
        ("lease:order=fifo,nesting=share", "lease:nesting=share,order=fifo"),
    ],
)
def test_sizes_and_kinds_of_key_do_not_matter(name: str, design: str) -> None:
    assert stressed.design(name) == design
