# SPDX-License-Identifier: Apache-2.0
"""A flame graph: where the processor time of a program went, by call stacks.

Each box is a function. Its width is the share of the samples in which it was on the stack, and the
boxes above it are the functions that it called. The order from left to right is that of the names,
so equal samples give the same picture.

The picture is one SVG without a script: each box has a tooltip with the whole name. It follows the
reader's choice of a light or a dark theme.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal
from xml.sax.saxutils import escape

from analysis.text import cut, printable

Owner = Literal["program", "library", "kernel", "unknown"]

_WIDE = 1200.0
_MARGIN = 12.0
_TALL = 19  # a box, with the gap below it
_LETTER = 7.23  # width of a letter of 12 points in DejaVu Sans Mono
_THINNEST = 0.6  # narrower boxes are omitted because they are not visible
_HEAD = 84
_FRAME = re.compile(r"^\s+[0-9a-f]+ (?P<name>.*?) \((?P<file>[/\[].*)\)\s*$")
_MEANINGS: dict[Owner, str] = {
    "program": "lockbench",
    "library": "a shared library",
    "kernel": "the kernel",
    "unknown": "unknown",
}
_STYLE = """
svg { --paper: #ffffff; --ink: #1b1f24; --quiet: #57606a; --program: #b9d9ef; --library: #bfe6d4;
  --kernel: #f7d9a0; --unknown: #e0e3e7; background: var(--paper); }
@media (prefers-color-scheme: dark) { svg { --paper: #12151a; --ink: #e7eaee; --quiet: #a3acb8;
  --program: #17476b; --library: #17513c; --kernel: #5f430d; --unknown: #3a424d; } }
text { font: 12px "DejaVu Sans Mono", ui-monospace, Menlo, Consolas, monospace; fill: var(--ink); }
.title { font: bold 18px "DejaVu Sans", Verdana, sans-serif; }
.note { font: 12px "DejaVu Sans", Verdana, sans-serif; fill: var(--quiet); }
.program { fill: var(--program); } .library { fill: var(--library); }
.kernel { fill: var(--kernel); } .unknown { fill: var(--unknown); }
g:hover > rect { stroke: var(--ink); stroke-width: 1.5; }
"""


@dataclass(frozen=True, order=True)
class Frame:
    """A function on a stack, and which program, library or kernel it belongs to."""

    name: str
    owner: Owner


Stacks = Counter[tuple[Frame, ...]]  # samples of each stack; the outermost function comes first


@dataclass(frozen=True)
class Heading:
    primitive: str
    cell: str
    samples_per_s: int


@dataclass
class _Node:
    samples: int = 0
    called: dict[Frame, _Node] = field(default_factory=dict)


@dataclass(frozen=True)
class _Box:
    frame: Frame
    samples: int
    depth: int
    before: int  # samples to its left


def read(lines: Iterable[str]) -> Stacks:
    """The stacks in what `perf script --fields tid,ip,sym,dso` prints: a line that begins without
    a blank starts a sample, and each further line is a frame, the innermost first."""
    stacks: Stacks = Counter()
    frames: list[Frame] = []

    def end() -> None:
        # A frame above the part of the stack that was copied has no name.
        while frames and frames[-1].name == "[unknown]":
            frames.pop()
        if frames:
            stacks[tuple(reversed(frames))] += 1
        frames.clear()

    for line in lines:
        if line[:1].isspace() and line.strip():
            if found := _FRAME.match(line):
                frames.append(_frame(found["name"], found["file"]))
        else:
            end()
    end()
    return stacks


def _frame(name: str, file: str) -> Frame:
    base = PurePosixPath(file).name
    owner: Owner = "program"
    if file in ("[unknown]", "[heap]", "[stack]", "//anon"):
        owner = "unknown"
    elif file.startswith("["):
        owner = "kernel"
    elif ".so" in base:
        owner = "library"
    if name == "[unknown]" and file != "[unknown]":
        name = f"[{base.strip('[]')}]"
    return Frame(name, owner)


def short(name: str) -> str:
    """`lockbench::Looping<A, B>::run` as `Looping::run`: without arguments of templates and the
    namespaces that most functions are in."""
    kept = []
    depth = 0
    text = re.sub(r"operator(<=>|<<=?|>>=?|->\*?|<=?|>=?)", _spelt, name)
    for letter in text:
        depth += letter == "<"
        if depth == 0:
            kept.append(letter)
        depth -= letter == ">" and depth > 0
    return (
        re.sub(r"\b(?:lockbench|internal)::|\(anonymous namespace\)::", "", "".join(kept))
        .replace("\ue000", "<")
        .replace("\ue001", ">")
    )


def _spelt(match: re.Match[str]) -> str:
    """An operator whose signs are not the brackets of a template."""
    return match[0].replace("<", "\ue000").replace(">", "\ue001")


def svg(stacks: Stacks, heading: Heading) -> str:
    """The picture. Requires at least one sample."""
    root = _tree(stacks)
    boxes = [box for box in _boxes(root) if _width(box.samples, root.samples) >= _THINNEST]
    deepest = max(box.depth for box in boxes)
    tall = _HEAD + (deepest + 1) * _TALL + _MARGIN
    title = f"Processor time of {heading.primitive}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDE:.0f}" height="{tall:.0f}"'
        f' viewBox="0 0 {_WIDE:.0f} {tall:.0f}" role="img" aria-labelledby="title desc">',
        f'<title id="title">{_text(title)}</title>',
        f'<desc id="desc">{_text(in_words(stacks))}</desc>',
        f"<style>{_STYLE}</style>",
        '<rect width="100%" height="100%" fill="var(--paper)"/>',
        f'<text class="title" x="{_MARGIN}" y="28">{_text(title)}</text>',
        f'<text class="note" x="{_MARGIN}" y="47">{_text(_about(root.samples, heading))}</text>',
        *_legend({frame.owner for stack in stacks for frame in stack}),
    ]
    lines += [_drawn(box, root.samples, deepest) for box in boxes]
    return "\n".join([*lines, "</svg>"]) + "\n"


def folded(stacks: Stacks) -> str:
    """A line for each stack, as the tools of other flame graphs read them: `main;work;lock 12`."""
    lines = [
        ";".join(printable(frame.name).replace(";", ":") for frame in stack) + f" {samples}"
        for stack, samples in sorted(stacks.items())
    ]
    return "\n".join(lines) + "\n"


def in_words(stacks: Stacks) -> str:
    """The functions that used most of the time, as text for readers who cannot see the picture."""
    own: Counter[str] = Counter()
    for stack, samples in stacks.items():
        own[short(stack[-1].name)] += samples
    most = sorted(own.items(), key=lambda one: (-one[1], one[0]))[:5]
    total = own.total()
    return "Most time by itself: " + "; ".join(
        f"{name} {100 * samples / total:.0f} %" for name, samples in most
    )


def _tree(stacks: Stacks) -> _Node:
    root = _Node()
    for stack, samples in stacks.items():
        root.samples += samples
        node = root
        for frame in stack:
            node = node.called.setdefault(frame, _Node())
            node.samples += samples
    return root


def _boxes(root: _Node) -> Iterator[_Box]:
    """All boxes, each after the one that it stands on. Not recursive: stacks can be deep."""
    waiting = [(root, 0, 0)]
    while waiting:
        node, depth, before = waiting.pop()
        for frame, called in sorted(node.called.items()):
            yield _Box(frame, called.samples, depth, before)
            waiting.append((called, depth + 1, before))
            before += called.samples


def _width(samples: int, total: int) -> float:
    return (_WIDE - 2 * _MARGIN) * samples / total


def _drawn(box: _Box, total: int, deepest: int) -> str:
    x = _MARGIN + _width(box.before, total)
    y = _HEAD + (deepest - box.depth) * _TALL
    wide = _width(box.samples, total)
    said = f"{box.frame.name}: {100 * box.samples / total:.1f} % ({box.samples} of {total} samples)"
    letters = int((wide - 6) / _LETTER)
    label = ""
    if letters >= 5:
        name = _text(cut(short(box.frame.name), letters))
        label = f'<text x="{x + 3:.1f}" y="{y + 13:.0f}">{name}</text>'
    return (
        f"<g><title>{_text(said)}</title>"
        f'<rect class="{box.frame.owner}" x="{x:.1f}" y="{y:.0f}"'
        f' width="{max(wide - 0.4, 0.2):.1f}" height="{_TALL - 1}" rx="1.5"/>{label}</g>'
    )


def _about(samples: int, heading: Heading) -> str:
    count = "1 sample" if samples == 1 else f"{samples:,} samples"
    return (
        f"{heading.cell} · {count} of all threads, {heading.samples_per_s:,} a second and"
        " processor · from the start of the process to its end"
    )


def _legend(owners: set[Owner]) -> Iterator[str]:
    x = _MARGIN
    for owner, meaning in _MEANINGS.items():
        if owner not in owners:
            continue
        yield f'<rect class="{owner}" x="{x:.0f}" y="58" width="14" height="14" rx="1.5"/>'
        yield f'<text class="note" x="{x + 20:.0f}" y="69">{meaning}</text>'
        x += 44 + 7.2 * len(meaning)


def _text(text: str) -> str:
    return escape(printable(text))
