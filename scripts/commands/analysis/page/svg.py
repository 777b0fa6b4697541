# SPDX-License-Identifier: Apache-2.0
"""A matplotlib figure as inline SVG of a page.

What matplotlib draws in a fixed colour gets the page's own, which follow the theme; all that
belongs to one primitive stands in one group, which the page's script can name, point at and hide.
Text stays text. Ids are the picture's own, so that many can stand in one page.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from matplotlib.figure import Figure

from analysis import figure
from analysis.page.colours import Inks

_SPACE = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_FIXED = {figure.INK: "ink", figure.QUIET: "quiet", figure.GRID: "grid", "#9A9A9A": "axis"}
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_LONG = re.compile(r"-?\d+\.\d{2,}")
_OWN = "own-"  # a gid that an artist of a primitive bears, before the primitive's number


def own(number: int) -> str:
    """The gid of everything that belongs to the primitive of this number."""
    return f"{_OWN}{number}"


def inline(made: Figure, name: str, inks: Inks, titles: Mapping[int, str], described: str) -> str:
    """The figure as an <svg>. `name`: begins its ids; `titles`: the words for each primitive, by
    number; `described`: id of the element that describes it in words."""
    out = io.BytesIO()
    made.savefig(out, format="svg", metadata={"Date": None})
    root = ElementTree.fromstring(out.getvalue())
    _strip_namespaces(root)
    for parent in list(root.iter()):
        # A style here would apply to the whole page, so page.css has the styles.
        for found in [child for child in parent if child.tag in ("metadata", "style")]:
            parent.remove(found)
    _drop_paper(root)
    by_colour = {look.colour.lower(): inks.numbers[label] for label, look in inks.looks.items()}
    for element in root.iter():
        _recolour(element, by_colour)
        _shorten(element)
    _gather(root, titles)
    _rename(root, name)
    wide, tall = root.get("viewBox", "0 0 0 0").split()[2:]
    root.attrib.clear()
    root.attrib.update(viewBox=f"0 0 {wide} {tall}", role="img")
    root.set("aria-labelledby", described)
    return ElementTree.tostring(root, encoding="unicode")


def _strip_namespaces(root: ElementTree.Element) -> None:
    """HTML needs no declaration of either."""
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.removeprefix(_SPACE)
        if _LINK in element.attrib:
            element.set("href", element.attrib.pop(_LINK))


def _drop_paper(root: ElementTree.Element) -> None:
    """The page is the paper: it would stay white in the dark."""
    for parent in root.iter("g"):
        for child in list(parent):
            if child.get("id", "").startswith("patch_") and _is_paper(child):
                parent.remove(child)


def _is_paper(element: ElementTree.Element) -> bool:
    styles = [path.get("style", "") for path in element.iter("path")]
    return bool(styles) and all("fill: #ffffff" in style for style in styles)


def _recolour(element: ElementTree.Element, by_colour: Mapping[str, int]) -> None:
    style = element.get("style")
    if style is None:
        return

    def themed(match: re.Match[str]) -> str:
        found = match[0].lower()
        for colour, name in _FIXED.items():
            if found == colour.lower():
                return f"var(--{name})"
        if found in by_colour:
            return f"var(--c{by_colour[found]})"
        return "var(--paper)" if found == "#ffffff" else match[0]

    style = _COLOUR.sub(themed, style)
    if element.tag == "text":
        style = re.sub(r"font: (?:bold |\d{3} )?([\d.]+)px [^;]*", _font, style)
        if "fill" not in style:
            style += "; fill: var(--ink)"
    element.set("style", style.replace(": ", ":").replace("; ", ";"))


def _font(match: re.Match[str]) -> str:
    weight = ";font-weight:600" if "bold" in match[0] or "700" in match[0] else ""
    return f"font-size:{match[1]}px{weight}"


def _shorten(element: ElementTree.Element) -> None:
    """A tenth of a point is finer than any screen."""
    for name in ("d", "x", "y", "transform", "width", "height"):
        if name in element.attrib:
            text = _LONG.sub(lambda match: f"{float(match[0]):.1f}", element.attrib[name])
            element.set(name, text.replace("\n", "").strip().replace(" (-0.0)", ""))


def _gather(root: ElementTree.Element, titles: Mapping[int, str]) -> None:
    """One group for each primitive, where its last part stands, with its words first."""
    parents = {child: parent for parent in root.iter() for child in parent}
    parts: dict[str, list[ElementTree.Element]] = {}
    for element in list(root.iter("g")):
        if element.get("id", "").startswith(_OWN):
            parts.setdefault(element.attrib.pop("id"), []).append(element)
    for gid, found in parts.items():
        number = int(gid.removeprefix(_OWN))
        group = ElementTree.Element("g", {"class": "own", "data-own": str(number)})
        if number in titles:
            ElementTree.SubElement(group, "title").text = titles[number]
        last = parents[found[-1]]
        last.insert(list(last).index(found[-1]), group)
        for element in found:
            parents[element].remove(element)
        group.extend(_reach(found))
        group.extend(found)
        for element in found:
            parents[element] = group


def _reach(parts: Sequence[ElementTree.Element]) -> list[ElementTree.Element]:
    """Thin lines again, unseen and broad, for a finger to meet."""
    broad = []
    for part in parts:
        for path in part.findall("path"):
            if "fill:none" in path.get("style", "").replace(" ", ""):
                found = {key: path.attrib[key] for key in ("d", "clip-path") if key in path.attrib}
                broad.append(ElementTree.Element("path", {**found, "class": "reach"}))
    return broad


def _rename(root: ElementTree.Element, name: str) -> None:
    """Ids that something refers to begin with the picture's name; the others go."""
    referred = set()
    for element in root.iter():
        for value in element.attrib.values():
            referred.update(re.findall(r"url\(#([^)]+)\)", value))
        if element.get("href", "").startswith("#"):
            referred.add(element.attrib["href"][1:])
    short = {old: f"{name}-{i}" for i, old in enumerate(sorted(referred))}
    for element in root.iter():
        old = element.attrib.pop("id", None)
        if old in short:
            element.set("id", short[old])
        for key, value in list(element.attrib.items()):
            if key == "href" and value[1:] in short:
                element.set(key, f"#{short[value[1:]]}")
            elif "url(#" in value:
                element.set(
                    key, re.sub(r"url\(#([^)]+)\)", lambda m: f"url(#{short[m[1]]})", value)
                )
