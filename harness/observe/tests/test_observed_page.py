# SPDX-License-Identifier: Apache-2.0
"""The page of an observation has the figures of observed.json."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import observed
import pytest
import report
from support import Capture


def times(*buckets: tuple[int, int, int]) -> dict[str, Any]:
    samples = sum(count for _, _, count in buckets)
    figures = {"samples": samples, "mean_ns": 50.0, "p50_ns": 40.0, "p99_ns": 900.0}
    return {**figures, "max_ns": 1234.0, "buckets": [list(one) for one in buckets]}


PLACE: dict[str, Any] = {
    "name": "serve() server.c:12",
    "kind": "mutex",
    "threads": 4,
    "acquisitions": 1_000_000,
    "contended": 20_000,
    "condition_waits": 0,
    "failed_tries": 0,
    "locks": 64,
    "zipf": 0.5,
    "zipf_error": 0.01,
    "hottest_share": 0.1,
    "blocked_s": 0.25,
    "greatest_gain": 0.031,
    "wait": times((100, 200, 30), (1000, 2000, 10)),
    "hold": times((10, 10, 40)),
    "think": times(),
    "preset": "threads = 4",
}
FOUND: dict[str, Any] = {
    "schema_version": 2,
    "command": ["./server", "<b>"],
    "started_at": "2026-01-01T00:00:00Z",
    "wall_s": 2.0,
    "processor_s": 1.0,
    "sample_every": 16,
    "uncontended_ns": 11.0,
    "verdict": {
        "kind": "not_the_problem",
        "answer": "locks are not your problem: at most 3.1 %",
        "notes": ["seen: 1 process; one run"],
    },
    "processes": [
        {
            "pid": 7,
            "program": "./server",
            "answer": "locks are not your problem: at most 3.1 %",
            "threads": 4,
            "acquisitions": 1_000_000,
            "wall_s": 2.0,
            "places": [PLACE, {**PLACE, "name": "other() server.c:99"}],
            "inversions": [[0, 1, 3]],
            "timeline": [[1.0, 0.25], [3.0, 1.0]],
        }
    ],
}


def page_of(folder: Path, found: Any) -> str:
    (folder / observed.FILE).write_text(json.dumps(found), encoding="utf-8")
    assert report.main([str(folder)]) == 0
    return (folder / "observed.html").read_text(encoding="utf-8")


def test_the_page_begins_with_the_answer_and_has_the_places(tmp_path: Path) -> None:
    page = page_of(tmp_path, FOUND)
    assert "<h1>Locks are not your problem: at most 3.1 %</h1>" in page
    row = page[page.index("<tr><td>serve()") :].partition("</tr>")[0]
    cells = ["serve() server.c:12", "3.1 %", "250 ms", "2 %", "1,000,000", "64", "4", "40 ns"]
    assert row.removeprefix("<tr><td>").split("</td><td>")[:8] == cells
    assert "<li>Seen: 1 process; one run</li>" in page
    assert "locks of 1 pair of places are acquired in both orders by different threads" in page
    assert "other() server.c:99: 3 pairs of locks" in page
    assert "&lt;b&gt;" in page and "<b>server" not in page


def test_the_timeline_has_each_periods_share(tmp_path: Path) -> None:
    page = page_of(tmp_path, FOUND)
    timeline = page[page.index("timeline of the waits") :].partition("</svg>")[0]
    assert 'x="40.00" width="303.33" y="61.50" height="18.50"' in timeline  # a third, 25 %
    assert 'width="606.67" y="6.00" height="74.00"' in timeline
    assert ">3 s<" in timeline


def test_histograms_have_all_samples_on_a_logarithmic_axis() -> None:
    wait, hold = observed.histograms(PLACE)
    assert [height for _, _, height in wait["bars"]] == [1, 1 / 3]
    assert [name for _, name, _ in wait["ticks"]] == ["100 ns", "1 µs", "10 µs"]
    assert wait["bars"][1][0] - wait["bars"][0][0] == pytest.approx(4 * 100 / 8)
    assert [name for _, name, _ in hold["ticks"]] == ["10 ns", "100 ns"]


def test_the_page_of_no_process_has_the_verdict(tmp_path: Path) -> None:
    verdict = {"kind": "not_seen", "answer": "no verdict: it still runs", "notes": []}
    page = page_of(tmp_path, {**FOUND, "processes": [], "verdict": verdict})
    assert "<h1>No verdict: it still runs</h1>" in page


@pytest.mark.parametrize(
    "change, told",
    [
        ({"schema_version": 9}, "schema_version 9"),
        ({"processes": [{}]}, "not what this version of `lockbench observe` writes"),
        ({"command": 3}, "not what this version of `lockbench observe` writes"),
        (None, "not what `lockbench"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, capsys: Capture, change: Any, told: str) -> None:
    found = {**copy.deepcopy(FOUND), **change} if change else []
    (tmp_path / observed.FILE).write_text(json.dumps(found), encoding="utf-8")
    assert report.main([str(tmp_path)]) == 2
    assert told in capsys.readouterr().err
