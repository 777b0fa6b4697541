# SPDX-License-Identifier: Apache-2.0
"""Which primitive on which cores: the picture of a run on several kinds of cores, and its words."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import report
import synthetic
from analysis import figure, loader, on_cores, verdict
from analysis.pictures import on_cores as pictures
from support import Capture, MakeRun, printed, words

Row = dict[str, Any]
SHARES = {"global": 0.12, "keyed": 0.49, "striped": 0.5, "keyed_table": 0.45}


@pytest.fixture(autouse=True)
def _style() -> None:
    figure.use_style()


def served(row: Row) -> None:
    """`global` lets slow cores starve, and is the slowest on mixed cores; `keyed` is the fastest
    there."""
    synthetic.serve_slow_cores(row, SHARES[row["primitive"]])
    if row["pinning"].startswith("mixed"):
        row["operations_per_s"] *= {"global": 0.5, "keyed": 2.0}.get(row["primitive"], 1.0)


@pytest.fixture
def run(make_run: MakeRun) -> Path:
    return make_run(cells=synthetic.on_kinds(SHARES), change=served)


def panels_of(folder: Path) -> list[on_cores.Panel]:
    loaded = loader.load(folder)
    return on_cores.panels(loaded, verdict.of_run(loaded))


def sentence_of(folder: Path) -> str:
    (panel,) = panels_of(folder)
    return on_cores.sentence(panel)


def test_fast_cores_come_first_then_mixed_ones_then_slow_ones(run: Path) -> None:
    (panel,) = panels_of(run)
    assert [one.heading for one in panel.cores] == [
        "on fast cores",
        "on mixed cores: fast 2, slow 2",
        "on slow cores",
    ]
    assert panel.cores[1].ranked == ["keyed", "striped", "keyed_table", "global"]
    assert panel.cores[1].leading == ["keyed"]


def test_a_sentence_says_who_is_fastest_where_and_who_starves_slow_cores(run: Path) -> None:
    said = sentence_of(run)
    assert re.search(r"on mixed cores keyed is fastest \([\d.]+ M/s\);", said)
    assert said.endswith(
        "the slow cores had 12 % of the operations under global, where an equal share is 50 %."
    )
    # What the blocks do not tell apart is not called faster.
    assert re.match(r"On fast cores \w+ \([\d.]+ M/s\), not significantly different from \w", said)


def test_the_fastest_on_all_cores_is_named_once(make_run: MakeRun) -> None:
    def change(row: Row) -> None:
        synthetic.serve_slow_cores(row, 0.5)
        row["operations_per_s"] *= 3 if row["primitive"] == "keyed" else 1

    said = sentence_of(make_run(cells=synthetic.on_kinds(), change=change))
    numbers = r"\([\d.]+ M/s\)"
    assert re.fullmatch(
        rf"Keyed is fastest on fast cores {numbers}, on mixed cores {numbers} and on slow cores"
        rf" {numbers}\.",
        said,
    )


@pytest.mark.parametrize("blocks", [2, 5])
def test_where_nothing_is_significant_nobody_is_the_fastest(make_run: MakeRun, blocks: int) -> None:
    def change(row: Row) -> None:
        row["operations_per_s"] = 1e6 * (1 + 0.3 * ((row["trial"] * 7) % 5))
        synthetic.serve_slow_cores(row, 0.1 + 0.2 * ((row["trial"] * 7) % 5))

    folder = make_run(cells=synthetic.on_kinds(), change=change, blocks=blocks)
    assert sentence_of(folder) == (
        "No difference between the primitives is significant, on any of these cores."
    )
    assert not any(one.leading for one in panels_of(folder)[0].cores)


def test_starved_threads_are_said_of_their_cores(make_run: MakeRun) -> None:
    def change(row: Row) -> None:
        served(row)
        if row["primitive"] == "global" and row["pinning"].startswith("mixed"):
            row.update(valid="false", outcome="starved", starved_s=4.2, operations_per_s="")

    folder = make_run(cells=synthetic.on_kinds(), change=change)
    assert "; on mixed cores threads starved under global." in sentence_of(folder)
    assert "starved" in words(pictures.draw(loader.load(folder))).split("\n")


def test_pinnings_with_the_same_cores_are_told_apart_and_unbound_threads_are_last(
    make_run: MakeRun,
) -> None:
    every = [
        {**cell, "pinning": pinning, "threads_by_kind": threads}
        for pinning, threads in {
            "none": "",
            "scatter": "fast 2, slow 2",
            "mixed:3+1": "fast 3, slow 1",
            "kind:fast": "fast 4",
        }.items()
        for cell in synthetic.sweep(["global", "keyed"], threads=(4,))
    ]
    (panel,) = panels_of(make_run(cells=every))
    assert [one.name for one in panel.cores] == [
        "on fast cores",
        "on mixed cores (mixed:3+1)",
        "on mixed cores (scatter)",
        "on cores that the kernel chose",
    ]


def test_the_picture_names_cores_primitives_shares_and_waits(run: Path) -> None:
    said = words(pictures.draw(loader.load(run)))
    for expected in ("on mixed cores: fast 2, slow 2", "all · slow", "fast · slow", "4 µs · 40 µs"):
        assert expected in said.split("\n")
    assert re.search(r"^[\d.]+ k · 12 %$", said, re.MULTILINE)


def test_a_run_without_waits_is_drawn_without_them(make_run: MakeRun) -> None:
    def change(row: Row) -> None:
        served(row)
        row.update({name: "" for name in row if "wait_p99" in name})

    said = words(pictures.draw(loader.load(make_run(cells=synthetic.on_kinds(), change=change))))
    assert "all · slow" in said and "fast · slow" not in said


def test_only_the_fastest_of_many_primitives_are_drawn(make_run: MakeRun) -> None:
    every = synthetic.on_kinds([f"striped:stripes={n}" for n in range(1, 15)])
    said = words(pictures.draw(loader.load(make_run(cells=every))))
    assert "the 12 fastest of 14 primitives are shown" in said


def one_kind(row: Row) -> None:
    row.update(threads_by_kind="")


def bound_in_one_way(row: Row) -> None:
    row.update(threads_by_kind="fast 2, slow 2", slow_operations_share=0.5, pinning="scatter")


@pytest.mark.parametrize("change", [one_kind, bound_in_one_way])
def test_other_runs_have_no_word_of_it(
    make_run: MakeRun, capsys: Capture, change: Callable[[Row], None]
) -> None:
    every = synthetic.sweep(["global", "keyed"], threads=(4,))
    folder = make_run(cells=every, change=change)
    assert pictures.draw(loader.load(folder)) is None and panels_of(folder) == []
    page = printed(report.main, capsys, folder, "--out", "-")
    assert on_cores.QUESTION not in page and "-cores" not in page.partition("<body>")[2]
    assert on_cores.QUESTION not in printed(report.main, capsys, folder, "--format", "markdown")


def test_the_page_begins_with_it_and_says_it_once(run: Path, capsys: Capture) -> None:
    page = printed(report.main, capsys, run, "--out", "-")
    positions = [page.index(f'<section id="r1-{name}"') for name in ("cores", "answer", "map")]
    assert positions == sorted(positions)
    said = sentence_of(run)
    assert page.count(said) == 1
    assert "threads on fast 2, slow 2: global" not in page  # the note of other runs
    assert f": {said}" in printed(report.main, capsys, run, "--format", "markdown")


def test_a_page_has_a_picture_for_each_cell(make_run: MakeRun, capsys: Capture) -> None:
    folder = make_run(cells=synthetic.on_kinds(keys=(1, 4, 64)), change=served)
    page = printed(report.main, capsys, folder, "--out", "-")
    section = page.partition('id="r1-cores"')[2].partition("</section>")[0]
    assert section.count("<figure") == 3
    for keys in ("1 key", "4 keys", "64 keys"):
        assert f"<dt>4 threads · {keys}</dt>" in section
