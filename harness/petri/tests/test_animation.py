# SPDX-License-Identifier: Apache-2.0
"""Animations of Petri nets: pages and strips."""

from __future__ import annotations

import shutil
from typing import Any
from xml.etree import ElementTree

import pytest

import animated as animation
from analysis.errors import InputError

DOT = """digraph net {
  p0 [id=p0, shape=ellipse, label="●\\nfree"];
  t0 [id=t0, shape=box, label="acquires"];
  p1 [id=p1, shape=ellipse, label="\u00a0\\nheld"];
  p0 -> t0 [class=t0];
  t0 -> p1 [class=t0];
}"""
SVG = "{http://www.w3.org/2000/svg}"

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")


def trace(**changes: Any) -> animation.Trace:
    frames = [
        {"label": "initial marking", "fired": None, "tokens": ["●", "\u00a0"]},
        {"label": "acquires", "fired": 0, "tokens": ["\u00a0", "●"]},
    ]
    json = {"name": "a lock", "caption": "One step.", "dot": DOT, "frames": frames}
    return {**json, **changes}


def tokens(picture: ElementTree.Element) -> list[str]:
    """The first line of each place."""
    groups = [group for group in picture.iter(f"{SVG}g") if group.find(f"{SVG}ellipse") is not None]
    return [group.findtext(f"{SVG}text", "") for group in groups]


def fired(picture: ElementTree.Element) -> int:
    return sum(
        "fired" in group.attrib.get("class", "").split() for group in picture.iter(f"{SVG}g")
    )


@needs_dot
def test_a_page_has_every_frame_and_loads_nothing() -> None:
    page = animation.page(trace())
    assert page.endswith("</html>\n")
    assert page.count("<li>") == 2
    assert "src=" not in page and "@import" not in page
    assert page.count("http") == page.count("http-equiv") + page.count("http://www.w3.org/")


@needs_dot
def test_names_cannot_end_the_script_or_become_markup() -> None:
    frames = [{"label": "</script><b>", "fired": None, "tokens": ["●", "●"]}]
    page = animation.page(trace(name="<i>", frames=frames))
    assert page.count("</script>") == 1
    assert "<b>" not in page and "<i>" not in page


@needs_dot
def test_a_strip_has_a_picture_of_each_marking() -> None:
    document = ElementTree.fromstring(animation.strip(trace()))
    first, second = document.findall(f"{SVG}svg")
    assert tokens(first) == ["●", "\u00a0"] and fired(first) == 0
    assert tokens(second) == ["\u00a0", "●"] and fired(second) == 3  # a transition and two arcs
    assert [text.text for text in document.findall(f"{SVG}text")] == [
        "0  initial marking",
        "1  acquires",
    ]


@needs_dot
def test_the_last_marking_is_one_picture() -> None:
    document = ElementTree.fromstring(animation.strip(trace(), last=True))
    (picture,) = document.findall(f"{SVG}svg")
    assert tokens(picture) == ["\u00a0", "●"]


@needs_dot
def test_what_graphviz_refuses_is_an_error_in_one_line() -> None:
    with pytest.raises(InputError, match="`dot` failed: .*syntax error"):
        animation.page(trace(dot="digraph {"))


def test_without_graphviz_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match="install graphviz"):
        animation.page(trace())
