# SPDX-License-Identifier: Apache-2.0
"""Names of any length and script: tables, pictures and pages keep their shape, and two names that
differ at their ends stay apart."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import report
import synthetic
from analysis import comparison, figure, loader, tables, text
from analysis.pictures import PICTURES
from matplotlib.text import Text
from tiers import rest_long
from support import Capture, shown


NAMES = {
    "wide": ("鍵" * 1000, "鍵" * 999 + "錠"),
    "long": ("n" * 1000, "n" * 999 + "m"),
    "mixed": ("clé-Schlüssel-ключ-🔑", "clé-Schlüssel-ключ-🔒"),
    "right-to-left": ("مفتاح" * 200, "מַפְתֵּחַ" * 120),
    "marks": ("e\u0301" * 500, "e\u0301" * 499 + "e\u0300"),
}
MOST_COLUMNS = 260


@pytest.fixture(name="named", scope="module", params=rest_long(NAMES, 1))
def named_fixture(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, tuple[str, str]]]:
    """A run of two primitives of these names beside a usual one."""
    names = NAMES[request.param]
    cells = synthetic.sweep(["global:lock=std", *names], threads=(1, 4), keys=(1, 64))
    folder = tmp_path_factory.mktemp("named") / "run"
    yield synthetic.write_run(folder, cells=cells, blocks=3), names


Named = tuple[Path, tuple[str, str]]


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_a_table_keeps_its_shape_and_names_apart(named: Named, capsys: Capture, form: str) -> None:
    run, names = named
    lines = shown(capsys, run, "--format", form).splitlines()
    assert max(map(text.columns, lines)) <= MOST_COLUMNS
    labels = set(text.cut_apart(["global:lock=std", *names], 60).values())
    assert len(labels) == 3
    for label in labels:
        written = label if form == "text" else text.markdown(label)
        assert sum(written in line for line in lines) >= 4


@pytest.mark.parametrize("width", [80, 120])
def test_on_a_terminal_the_columns_stand_below_each_other(named: Named, width: int) -> None:
    result = comparison.within(loader.load(named[0]), comparison.Options())
    lines = tables.as_text(result, width).splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("  primitive"))
    rows = lines[begin : lines.index("", begin)]
    assert max(map(text.columns, rows)) <= width
    ends = {
        text.columns(line[: line.index("/s") + 2])
        for line in rows
        if "/s" in line and not line.startswith("   ")
    }
    assert len(ends) == 1


def test_programs_get_whole_names(named: Named, capsys: Capture) -> None:
    run, names = named
    for form in ("csv", "json"):
        out = shown(capsys, run, "--format", form)
        rows = csv.DictReader(io.StringIO(out)) if form == "csv" else json.loads(out)["comparisons"]
        assert {row["primitive"] for row in rows} == set(names)


def test_a_picture_has_a_letter_for_each_and_room_for_all(named: Named) -> None:
    run, names = named
    figure.use_style()
    loaded = loader.load(run)
    for name in ("throughput-by-threads", "winner", "cost"):
        made = PICTURES[name](loaded)
        assert made is not None and made.get_figwidth() < 30
        made.draw_without_rendering()
        words = [found for found in made.findobj(Text) if found.get_text()]
        assert all(figure.drawable(found.get_text()) == found.get_text() for found in words)
        whole = made.bbox.padded(1)
        for found in words:
            box = found.get_window_extent()
            assert whole.x0 <= box.x0 and box.x1 <= whole.x1, (name, found.get_text())
    made = PICTURES["throughput-by-threads"](loaded)
    assert made is not None
    shown = {found.get_text() for found in made.findobj(Text)}
    assert len({figure.drawn(name) for name in names}) == 2
    assert {figure.drawn(name) for name in names} <= shown


@pytest.mark.long
def test_a_page_stays_small_and_has_the_whole_names(named: Named, tmp_path: Path) -> None:
    run, names = named
    assert report.main([str(run), "--out", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert len(page) < 400_000
    assert all(name in page for name in names)


def test_a_cut_name_has_its_ends_and_its_size() -> None:
    assert text.cut("short", 5) == "short"
    assert text.cut("abcdefghij", 7) == "abc…hij"
    assert text.cut("鍵" * 10, 9) == "鍵鍵…鍵鍵"
    assert text.cut("e\u0301" * 10, 5) == "e\u0301e\u0301…e\u0301e\u0301"


def test_names_that_differ_in_the_middle_get_numbers() -> None:
    first, second = "a" * 40 + "1" + "a" * 40, "a" * 40 + "2" + "a" * 40
    found = text.cut_apart([first, second, first], 20)
    assert found[first] != found[second] and found[second].endswith(" (2)")
    assert all(len(short) <= 20 for short in found.values())
