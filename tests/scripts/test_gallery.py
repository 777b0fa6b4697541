# SPDX-License-Identifier: Apache-2.0
"""gallery.py: the pages' pictures are there, and each is of a run that is there; links lead on."""

from __future__ import annotations

import re
from pathlib import Path

import gallery
import pytest
from analysis import by_load, palette
from analysis.pictures import PICTURES
from PIL import Image
from support import Capture, refusal


PAGES = gallery.all_pages()
PICTURE = re.compile(r"!\[(?P<says>[^\]]*)\]\((?P<path>[^)\s]+)\)")
LARGEST = 100_000  # bytes: a page of a dozen pictures loads on a phone

QUICK = "images/reference/xeon-2vcpu/quick/throughput-by-threads.png"
ONE = "images/reference/epyc-2vcpu/article-21x6/makespan.png"


def name_of(page: Path) -> str:
    return page.name


def page_with(folder: Path, picture: str) -> Path:
    made = folder / "page.md"
    made.write_text(f"# A page\n\n![what it shows]({picture})\n", encoding="utf-8")
    return made


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_picture_of_a_page_is_there_and_told_in_words(page: Path) -> None:
    for link in PICTURE.finditer(page.read_text(encoding="utf-8")):
        if not link["path"].startswith(("http://", "https://")):
            assert (page.parent / link["path"]).is_file(), link["path"]
        assert link["says"].strip(), f"{link['path']} has no text for those who cannot see it"


def test_every_picture_of_a_reference_run_can_be_drawn_again() -> None:
    shown = list(gallery.shown_on(PAGES))
    assert shown
    for one in shown:
        gallery.check(one)


def test_no_picture_of_a_reference_run_is_left_that_no_page_shows() -> None:
    shown = {gallery.DOCS / one.path for one in gallery.shown_on(PAGES)}
    assert shown == set((gallery.DOCS / "images" / "reference").rglob("*.png"))


def test_pictures_are_of_the_run_that_they_are_shown_for() -> None:
    for one in gallery.shown_on(PAGES):
        with Image.open(gallery.DOCS / one.path) as picture:
            drawn = picture.info.get("run")
        assert (
            drawn == one.run_ids
        ), f"{one.path} is of run {drawn}: draw it with scripts/maintain/gallery.py"


def test_tables_are_of_the_runs_that_they_are_shown_for() -> None:
    old = {page: page.read_text(encoding="utf-8") for page in PAGES}
    for page, text in old.items():
        assert (
            gallery.with_tables(text) == text
        ), f"{page}: write it again with scripts/maintain/gallery.py"
    assert any("<!-- by load: " in text for text in old.values())


def test_a_table_has_our_range_and_the_peer_by_threads_hold_and_load() -> None:
    def row(
        cell: str, threads: int, hold: float, primitive: str, ratio: float, verdict: str
    ) -> dict[str, str]:
        return {
            "cell": cell,
            "threads": str(threads),
            "keys": "1",
            "hold_ns": str(hold),
            "primitive": primitive,
            "baseline": "global:lock=std",
            "ratio": str(ratio),
            "verdict": verdict,
        }

    rows = [
        row("counter · 1 key · load 50 %", 8, 2e4, "global", 1.5, "faster"),
        row("counter · 1 key · load 50 %", 8, 2e4, "keyed", 1.25, "inconclusive"),
        row("counter · 1 key · load 50 %", 8, 2e4, "global:lock=tbb_spin", 2, "faster"),
        row("counter · 1 key", 8, 2e4, "global", 0.9, "slower"),
        row("counter · 1 key · load 7.5 %, threads sleep", 64, 200, "global", 1, "same"),
        row("counter · 1 key", 8, 2e4, "global:lock=absl", 3, "faster"),
    ]
    assert by_load.table(rows).splitlines() == [
        "| threads, hold | 7.5 % | 50 % | saturated |",
        "|---|---:|---:|---:|",
        "| 8, 20 µs |  | 1.25–1.50? / 2.00 | 0.90 |",
        "| 64 that sleep, 200 ns | 1.00 |  |  |",
    ]


def test_a_table_of_many_keys_has_a_column_for_each_lock() -> None:
    def row(keys: int, load: str, threads: int, primitive: str, ratio: float) -> dict[str, str]:
        return {
            "cell": f"counter · {keys} keys{load}",
            "threads": str(threads),
            "keys": str(keys),
            "hold_ns": "200",
            "primitive": primitive,
            "baseline": "global:lock=std",
            "ratio": str(ratio),
            "verdict": "faster" if ratio > 2 else "inconclusive",
        }

    rows = [
        row(64, "", 16, "keyed", 17),
        row(64, "", 16, "global", 1.5),
        row(64, " · load 10 %", 16, "keyed", 18),
        row(64, "", 8, "striped:stripes=64", 13),
        row(1, "", 8, "keyed", 2.5),
    ]
    assert by_load.many_keys(rows).splitlines()[2:] == [
        "| 8, 200 ns | saturated |  | 13.00 |  |  |  |",
        "| 16, 200 ns | 10 % | 18.00 |  |  |  |  |",
        "| 16, 200 ns | saturated | 17.00 |  |  |  | 1.50? |",
    ]
    assert "17.00" not in by_load.table(rows) and "2.50" in by_load.table(rows)


BOTH = "images/reference/epyc-2vcpu+xeon-16vcpu/quick/cost-by-load.png"


def test_a_picture_of_two_machines_carries_the_ids_of_both_runs(tmp_path: Path) -> None:
    page = page_with(tmp_path, BOTH)
    (shown,) = gallery.shown_on([page])
    assert [one.parent.name for one in shown.folders] == ["epyc-2vcpu", "xeon-16vcpu"]
    assert len(shown.run_ids.split()) == 2
    assert gallery.main([str(page), "--out", str(tmp_path)]) == 0
    with Image.open(tmp_path / BOTH) as drawn:
        assert drawn.info["run"] == shown.run_ids


@pytest.mark.parametrize(
    "picture, told",
    [
        (BOTH.replace("xeon-16vcpu", "xeon-17vcpu"), "results/reference/xeon-17vcpu/quick"),
        (BOTH.replace("cost-by-load", "winner"), "there are by-machine, cost-by-load"),
    ],
)
def test_what_is_no_picture_of_two_machines_is_refused(
    tmp_path: Path, capsys: Capture, picture: str, told: str
) -> None:
    page = page_with(tmp_path, picture)
    assert told in refusal(gallery.main, capsys, page, "--out", tmp_path / "there")


def test_the_colours_of_two_primitives_stay_two_colours(tmp_path: Path) -> None:
    assert gallery.main([str(page_with(tmp_path, QUICK)), "--out", str(tmp_path)]) == 0
    with Image.open(tmp_path / QUICK) as drawn:
        found = {colour for _, colour in drawn.convert("RGB").getcolors(1 << 24)}
    for label in ("global", "global:lock=std", "keyed", "keyed_table64", "striped:stripes=64"):
        colour = palette.look(label).colour
        assert tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5)) in found, label


def test_pictures_of_reference_runs_are_small() -> None:
    for one in gallery.shown_on(PAGES):
        assert (gallery.DOCS / one.path).stat().st_size < LARGEST, one.path


def test_a_picture_is_drawn_once_however_often_it_is_shown(tmp_path: Path) -> None:
    page = page_with(tmp_path, ONE)
    page.write_text(page.read_text(encoding="utf-8") * 2, encoding="utf-8")
    assert [one.source for one in gallery.shown_on([page])] == [f"{page}:3"]


def test_pictures_of_no_reference_run_are_left_alone(tmp_path: Path) -> None:
    assert not list(gallery.shown_on([page_with(tmp_path, "images/architecture.svg")]))


def test_draws_where_it_is_told_to(tmp_path: Path, capsys: Capture) -> None:
    assert gallery.main([str(page_with(tmp_path, ONE)), "--out", str(tmp_path / "there")]) == 0
    made = tmp_path / "there" / ONE
    assert capsys.readouterr().out == f"{made}\n"
    assert list(made.parent.iterdir()) == [made]
    with Image.open(made) as drawn, Image.open(gallery.DOCS / ONE) as kept:
        assert drawn.size == kept.size
        assert made.stat().st_size < LARGEST


def test_an_unknown_picture_is_refused_with_its_line_and_what_there_is(
    tmp_path: Path, capsys: Capture
) -> None:
    page = page_with(tmp_path, "images/reference/xeon-2vcpu/quick/wining.png")
    told = refusal(gallery.main, capsys, page, "--out", tmp_path / "there")
    assert told.startswith(f"gallery: {page}:3: ") and "'wining'" in told
    assert all(name in told for name in PICTURES)
    assert not (tmp_path / "there").exists()


def test_an_unknown_run_is_refused_with_its_line_and_what_there_is(
    tmp_path: Path, capsys: Capture
) -> None:
    page = page_with(tmp_path, "images/reference/epyc-2vcpu/quack/winner.png")
    told = refusal(gallery.main, capsys, page, "--out", tmp_path / "there")
    assert told.startswith(f"gallery: {page}:3: ") and "results/reference/epyc-2vcpu/quack" in told
    assert "reference/xeon-2vcpu/quick" in told


def test_a_picture_that_the_run_has_nothing_for_is_refused(tmp_path: Path, capsys: Capture) -> None:
    page = page_with(tmp_path, "images/reference/epyc-2vcpu/article-21x6/wait-by-rate.png")
    told = refusal(gallery.main, capsys, page, "--out", tmp_path / "there")
    assert told.startswith(f"gallery: {page}:3: ") and "nothing to draw" in told


def test_a_page_that_is_not_there_is_refused(tmp_path: Path, capsys: Capture) -> None:
    assert "no-page.md: cannot be read" in refusal(gallery.main, capsys, tmp_path / "no-page.md")
