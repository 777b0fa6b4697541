# SPDX-License-Identifier: Apache-2.0
"""Recordings of a terminal: what is read, which screens are shown, and that the picture in docs/ is
that of the recording beside it."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
import recording

from analysis.errors import InputError
from support import ROOT

IMAGES = ROOT / "docs" / "images"
HEADER = {"version": 2, "width": 20, "height": 4, "title": "lockbench list"}


def cast(*events: tuple[float, str], **header: object) -> str:
    lines = [json.dumps({**HEADER, **header})]
    return "\n".join(lines + [json.dumps([at, "o", text]) for at, text in events]) + "\n"


def words(shown: recording.Shown) -> list[str]:
    return [" ".join(piece.text.strip() for piece in row) for row in shown.picture]


def test_the_command_is_typed_and_then_its_output_seen() -> None:
    found = recording.screens(recording.read(cast((0.5, "one\r\n"), (1.5, "two"))))
    assert words(found[0]) == [""] * 4
    assert words(found[6]) == ["$ lockbench list", "", "", ""]
    assert words(found[-2]) == ["$ lockbench list", "one", "", ""]
    assert words(found[-1]) == ["$ lockbench list", "one", "two", ""]
    assert [one.at_s for one in found] == sorted(one.at_s for one in found)


def test_a_bar_that_is_written_again_replaces_itself_and_lines_scroll() -> None:
    found = recording.screens(
        recording.read(cast((1, "[= ]\r"), (2, "[==]\x1b[K\r\n"), (3, "a\r\nb\r\nc\r\n"), title=""))
    )
    assert words(found[2]) == ["[==]", "", "", ""]
    assert words(found[-1]) == ["a", "b", "c", ""]


def test_screens_that_follow_at_once_are_one() -> None:
    events = [(1 + i / 1000, f"{i} ") for i in range(5)]
    found = recording.screens(recording.read(cast(*events, title="")))
    assert [words(one)[0] for one in found] == ["", "0 1 2 3 4"]


def test_a_long_recording_is_shown_faster_and_says_so() -> None:
    long = recording.read(cast((48, "x")))
    assert recording.speed(long) == 4 and "4 times as fast" in recording.svg(long)
    assert recording.speed(recording.read(cast((2, "x")))) == 1


def test_colours_are_those_of_the_theme_and_markup_is_text() -> None:
    text = recording.svg(recording.read(cast((1, "\x1b[1;31m<b>&\x1b[0m c"))))
    ElementTree.fromstring(text)
    assert 'class="bold" style="fill:var(--red)">&lt;b&gt;&amp;</text>' in text


def test_without_motion_the_last_screen_is_seen() -> None:
    text = recording.svg(recording.read(cast((1, "a"), (2, "b"))))
    (last,) = re.findall(r"\.film \{ transform: (translateY\(-\d+px\)); animation", text)
    assert re.search(rf"100\.00% \{{ transform: {re.escape(last)}; \}}", text)
    assert "(prefers-reduced-motion: reduce) { .film { animation: none; } }" in text
    assert "infinite" not in text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "line 1: is no header"),
        ("[]", "line 1: is no header"),
        (cast(version=1), "line 1: version 1"),
        (cast(width=0), "line 1: a terminal of 0 columns"),
        (cast(width=10**6), "line 1: a terminal of 1000000 columns"),
        (cast((1, "a")) + "nonsense\n", "line 3: is no event"),
    ],
)
def test_what_is_no_recording_is_refused_with_its_line(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        recording.read(text)


def test_the_picture_is_that_of_the_recording_beside_it() -> None:
    casts = sorted(IMAGES.glob("*.cast"))
    assert casts
    for file in casts:
        made = recording.svg(recording.read(file.read_text(encoding="utf-8")))
        shown = file.with_suffix(".svg").read_text(encoding="utf-8")
        assert made == shown, f"run scripts/maintain/recording.py {file.relative_to(ROOT)}"


def test_the_readme_shows_the_cost_by_load_and_then_a_recording() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pictures = re.findall(r"!\[[^]]*\]\(([^)]*)\)", readme)
    assert pictures[0].endswith("/quick/cost-by-load.png")
    assert pictures[1] == "docs/images/advise.svg"


def test_the_figures_on_the_page_are_those_of_the_recording() -> None:
    page = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    shown = re.search(r"```console\n(.*?)```", page, re.DOTALL)
    assert shown is not None
    figures = re.findall(r"[\d.]+ (?:µs|ns|%)", shown[1])
    cast = recording.read((IMAGES / "advise.cast").read_text(encoding="utf-8"))
    printed = "".join(text for _, text in cast.output)
    assert len(figures) > 4
    assert [figure for figure in figures if figure not in printed] == []
