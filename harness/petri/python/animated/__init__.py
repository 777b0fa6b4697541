# SPDX-License-Identifier: Apache-2.0
"""Firing sequences of Petri nets as a page to step through, or as a strip of pictures.

Graphviz draws the net once. Each marking is the same drawing with other tokens; the transition that
fired, and its arcs, have the class `fired`.
"""

from __future__ import annotations

import copy
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup

from analysis import templates
from analysis.errors import InputError

_FOLDER = Path(__file__).parent
_SVG = "http://www.w3.org/2000/svg"
_STRIP_WIDTH = 1320  # points, unless one picture is wider
_CAPTION = 22  # points above each picture of a strip
_GAP = 14
_LAYOUT_SECONDS = 60


# A net and a firing sequence; harness/petri/command/animation.h defines the format.
Trace = Mapping[str, Any]


def page(trace: Trace) -> str:
    """A page that loads nothing."""
    environment = templates.environment(_FOLDER)
    return environment.get_template("animation.html.j2").render(
        trace=trace,
        drawing=Markup(_text(_drawing(trace["dot"]))),
        style=Markup(_read("animation.css") + _read("net.css")),
        script=Markup(_read("animation.js")),
    )


def strip(trace: Trace, last: bool = False) -> str:
    """One SVG document: a picture per marking, from left to right and from top to bottom; or only
    the picture of the last marking."""
    drawing = _drawing(trace["dot"])
    width, height = map(float, drawing.attrib["viewBox"].split()[2:])
    frames = list(enumerate(trace["frames"]))[-1 if last else 0 :]
    caption = 0 if last else _CAPTION
    across = min(len(frames), max(1, int(_STRIP_WIDTH // (width + _GAP))))
    down = -(-len(frames) // across)
    total_width = across * (width + _GAP) - _GAP
    total_height = down * (height + caption + _GAP) - _GAP
    document = ElementTree.Element(
        f"{{{_SVG}}}svg",
        {
            "width": f"{total_width:.0f}",
            "height": f"{total_height:.0f}",
            "viewBox": f"0 0 {total_width:.0f} {total_height:.0f}",
            "role": "img",
        },
    )
    ElementTree.SubElement(document, f"{{{_SVG}}}title").text = trace["name"]
    ElementTree.SubElement(document, f"{{{_SVG}}}style").text = _read("net.css")
    paper = {"width": "100%", "height": "100%", "fill": "#fff"}
    ElementTree.SubElement(document, f"{{{_SVG}}}rect", paper)
    for place, (number, frame) in enumerate(frames):
        x = place % across * (width + _GAP)
        y = place // across * (height + caption + _GAP)
        if not last:
            at = {"x": f"{x + 6:.0f}", "y": f"{y + 15:.0f}", "class": "caption"}
            text = ElementTree.SubElement(document, f"{{{_SVG}}}text", at)
            text.text = f"{number}  {frame['label']}"
        picture = _shown(drawing, frame)
        picture.attrib.update({"x": f"{x:.0f}", "y": f"{y + caption:.0f}"})
        document.append(picture)
    return _text(document) + "\n"


def _shown(drawing: ElementTree.Element, frame: Mapping[str, Any]) -> ElementTree.Element:
    """The drawing with the tokens of the frame, without ids, which would not be unique."""
    picture = copy.deepcopy(drawing)
    for group in picture.iter(f"{{{_SVG}}}g"):
        node = group.attrib.pop("id", "")
        names = group.attrib.get("class", "").split()
        transition = f"t{frame['fired']}"
        if frame["fired"] is not None and (node == transition or transition in names):
            group.set("class", " ".join([*names, "fired"]))
        text = group.find(f"{{{_SVG}}}text")
        if node.startswith("p") and node[1:].isdigit() and text is not None:
            text.text = frame["tokens"][int(node[1:])]
    return picture


def _drawing(dot: str) -> ElementTree.Element:
    """The net as graphviz draws it, without tooltips that show the ids of nodes."""
    try:
        done = subprocess.run(
            ["dot", "-Tsvg"],
            input=dot,
            capture_output=True,
            encoding="utf-8",
            timeout=_LAYOUT_SECONDS,
            check=True,
        )
    except FileNotFoundError as error:
        raise InputError(
            "the program `dot` is missing, which draws nets; install graphviz"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise InputError(f"`dot` took more than {_LAYOUT_SECONDS} s for the layout") from error
    except subprocess.CalledProcessError as error:
        raise InputError(f"`dot` failed: {' '.join(error.stderr.split())}") from error
    drawing = ElementTree.fromstring(done.stdout)
    for parent in list(drawing.iter()):
        for child in list(parent):
            if child.tag == f"{{{_SVG}}}title":
                parent.remove(child)
    _, _, width, height = drawing.attrib["viewBox"].split()
    drawing.attrib.update({"width": width, "height": height})
    return drawing


def _text(element: ElementTree.Element) -> str:
    ElementTree.register_namespace("", _SVG)
    return ElementTree.tostring(element, encoding="unicode")


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
