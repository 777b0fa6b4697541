# SPDX-License-Identifier: Apache-2.0
"""The table of all cells: what stands below each heading, on the page and in Markdown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import report
import synthetic
from analysis.page import cell_table
from support import Capture, printed

Fields = dict[str, str]  # of a row, by the headings above them


@pytest.fixture(scope="module", name="run")
def run_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two primitives in one cell, with another figure in each column."""

    def change(row: dict) -> None:
        keyed = row["primitive"] == "keyed"
        row.update(operations_per_s=(4e6 if keyed else 1e6) * (1 + 0.001 * row["block"]))
        row.update(wait_p99_ns=55, wait_max_ns=148e6, wait_mean_ns=3000, fairness_jain=0.98)
        row.update(load_share=0.4, operations=8000, thread_operations_min=2900, lock_bytes=408)
        row.update(cpu_user_s=0.0012, cpu_system_s=0.0004)

    think = {"think_kind": "exp", "think_ns": 300}
    cells = [{**cell, **think} for cell in synthetic.sweep(("global", "keyed"), threads=(2,))]
    folder = tmp_path_factory.mktemp("table")
    return synthetic.write_run(folder / "run", cells=cells, blocks=6, change=change)


@pytest.fixture(scope="module", name="table")
def table_fixture(run: Path) -> str:
    assert report.main([str(run)]) == 0
    page = (run / "report.html").read_text(encoding="utf-8")
    return page.split('<table class="cells all"')[1].partition("</table>")[0]


def rows_of(table: str) -> list[Fields]:
    head, _, body = table.partition("<tbody>")
    names = re.findall(r"<th[^>]*>([^<]*)</th>", head)
    rows = [re.split(r"<t[hd]\b[^>]*>", row)[1:] for row in body.split("<tr>")[1:]]
    assert {len(row) for row in rows} == {len(names)}
    return [dict(zip(names, (re.sub("<[^>]*>", "", one).strip() for one in row))) for row in rows]


def rows_in_markdown(written: str) -> list[Fields]:
    table = written.partition("<summary>Cells</summary>")[2].strip().partition("\n\n")[0]
    lines = [[one.strip() for one in line.split("|")[1:-1]] for line in table.splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[2:]]


def test_each_column_of_the_page_shows_what_its_heading_says(table: str) -> None:
    first, second = rows_of(table)
    assert list(first.items()) == [
        ("primitive", "keyed"),
        ("verdict", "fastest, significant ! unfair: longest wait 148 ms"),
        ("of the fastest", "1.00×"),
        ("median", "4.01 M/s"),
        ("threads", "2"),
        ("keys", "64"),
        ("hold", "200 ns spin"),
        ("workload", "counter · load 40 %"),
        ("p99 wait", "55 ns"),
        ("least – greatest", "4.00 M/s – 4.02 M/s"),
        ("longest wait", "148 ms"),
        ("mean wait", "3 µs"),
        ("slowest thread", "72 %"),
        ("Jain", "0.98"),
        ("CPU/op", "200 ns"),
        ("memory", "408 B"),
        ("pictures", "memory cost fairness distribution percentiles"),
    ]
    assert list(second) == list(first)
    assert list(second.values())[:4] == [
        "global",
        "slower ! unfair: longest wait 148 ms",
        "0.25×",
        "1.00 M/s",
    ]


def test_each_column_in_markdown_shows_what_its_heading_says(run: Path, capsys: Capture) -> None:
    first, second = rows_in_markdown(printed(report.main, capsys, run, "--format", "markdown"))
    assert list(first.items()) == [
        ("primitive", "keyed"),
        ("cell", "counter · load 40 % · 2 threads · 64 keys · hold 200 ns spin"),
        ("median", "4.01 M/s"),
        ("least – greatest", "4.00 M/s – 4.02 M/s"),
        ("of the fastest", "1.00× (fastest, significant)"),
        ("p99 wait", "55 ns"),
        ("longest wait", "148 ms"),
        ("slowest thread", "72 %"),
    ]
    assert (second["median"], second["of the fastest"]) == ("1.00 M/s", "0.25× (slower)")


def test_a_heading_says_how_the_script_reads_its_column(table: str) -> None:
    heads = re.findall(r"<th([^>]*)>([^<]*)</th>", table.partition("<tbody>")[0])
    classes = {
        name: re.sub('.*class="([^"]*)".*|.*', r"\1", attributes) for attributes, name in heads
    }
    having = {
        word: [name for name, words in classes.items() if word in words.split()]
        for word in ("n", "verdict", "links", "more")
    }
    assert having == {
        "n": [one.name for one in cell_table.COLUMNS if one.number],
        "verdict": ["verdict"],
        "links": ["pictures"],
        "more": ["p99 wait"],
    }
    units = [(unit[1], name) for text, name in heads if (unit := re.search('unit="(.*)"', text))]
    assert units == [("threads", "threads"), ("keys", "keys")]
