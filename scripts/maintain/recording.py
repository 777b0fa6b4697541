#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a recording of a terminal as an animated SVG beside it.

The recording is asciinema's, version 2 of its format. The one in docs/images was made so, and can
be made again on any machine, with the figures of that machine:

    shown="lockbench advise --threads 32 --rate 64000 --hold 3us --keys 5000"
    shown="$shown --distribution hot:0.01,0.9 | head -9"
    asciinema rec --overwrite --cols 92 --rows 18 -t "$shown" -c "$shown" docs/images/advise.cast
    scripts/maintain/recording.py docs/images/advise.cast

The title is the command that is shown being typed.

The animation plays once, and ends with the last screen. A reader who prefers reduced motion sees
only the last screen. It follows the reader's choice of a light or a dark theme. The same recording
always gives the same file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "commands"))

from analysis import modules  # noqa: E402

modules.need("recording", "pyte")

import pyte  # noqa: E402

from analysis import command, files  # noqa: E402
from analysis.errors import InputError  # noqa: E402
from analysis.text import printable  # noqa: E402

_LETTER = 8.43  # width of a letter of 14 points
_LINE = 19
_PAD = 14
_TITLE = 30
_LONGEST_S = 12.0  # a longer recording is shown faster
_LEAST_S = 0.15  # screens that follow sooner are shown as one
_TYPING_S = 1.5  # the command, before its output
_MOST_CELLS = 400 * 200
_STYLE = """
svg { --paper: #ffffff; --edge: #d5d9de; --ink: #1b1f24; --quiet: #57606a; --red: #a3201a;
  --green: #0a6b42; --brown: #7a4a00; --blue: #0b57a4; --magenta: #7d3c98; --cyan: #00606a; }
@media (prefers-color-scheme: dark) { svg { --paper: #12151a; --edge: #38414b; --ink: #e7eaee;
  --quiet: #a3acb8; --red: #ff9a91; --green: #62d29b; --brown: #f2b45c; --blue: #7fb8f5;
  --magenta: #d596ea; --cyan: #52cdd6; } }
text { font: 14px "DejaVu Sans Mono", ui-monospace, Menlo, Consolas, monospace; fill: var(--ink);
  white-space: pre; }
.bold { font-weight: bold; }
.title { font: 12px "DejaVu Sans", Verdana, sans-serif; fill: var(--quiet); }
"""
_COLOURS = ("red", "green", "brown", "blue", "magenta", "cyan")


@dataclass(frozen=True)
class Recording:
    columns: int
    rows: int
    command: str
    output: Sequence[tuple[float, str]]  # seconds from the start, what was written


@dataclass(frozen=True)
class Piece:
    """Letters of one line that look the same."""

    column: int
    text: str
    colour: str
    bold: bool


Picture = tuple[tuple[Piece, ...], ...]  # the pieces of each row


@dataclass(frozen=True)
class Shown:
    """A screen, and how long after the start of the animation it appears."""

    at_s: float
    picture: Picture


def parser() -> command.Parser:
    made = command.Parser(prog="recording", description=__doc__)
    made.add_argument("file", metavar="FILE.cast", type=Path, help="FILE.svg is written beside it")
    return made


def read(text: str) -> Recording:
    """Raises InputError, with the line, for anything but version 2 of the format."""
    lines = text.splitlines()
    try:
        header = json.loads(lines[0])
        if header["version"] != 2:
            raise InputError(f"line 1: version {header['version']}, and only 2 can be drawn")
        columns, rows = int(header["width"]), int(header["height"])
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise InputError("line 1: is no header of a recording of asciinema") from error
    if not (0 < columns and 0 < rows and columns * rows <= _MOST_CELLS):
        raise InputError(f"line 1: a terminal of {columns} columns and {rows} rows")
    output = []
    for number, line in enumerate(lines[1:], 2):
        try:
            at, kind, written = json.loads(line)
            if kind == "o":
                output.append((float(at), str(written)))
        except (TypeError, ValueError) as error:
            raise InputError(f'line {number}: is no event, as [1.5, "o", "text"]') from error
    return Recording(columns, rows, str(header.get("title", "")), output)


def screens(recording: Recording) -> list[Shown]:
    """The screens that are seen, from the empty terminal on. The command is typed first."""
    screen = pyte.Screen(recording.columns, recording.rows)
    stream = pyte.Stream(screen)
    found = [Shown(0.0, _picture(screen))]
    typed = f"$ {recording.command}" if recording.command else ""
    if typed:
        for part in range(1, 7):
            cut = len(typed) * part // 6
            screen.reset()
            stream.feed(typed[:cut])
            found.append(Shown(_TYPING_S * part / 6, _picture(screen)))
        stream.feed("\r\n")
    begin = found[-1].at_s + (_LEAST_S if typed else 0)
    faster = speed(recording)
    for at, written in recording.output:
        stream.feed(written)
        shown = Shown(begin + at / faster, _picture(screen))
        if shown.at_s - found[-1].at_s < _LEAST_S and len(found) > 1:
            shown = Shown(found.pop().at_s, shown.picture)
        if shown.picture != found[-1].picture:
            found.append(shown)
    return found


def speed(recording: Recording) -> float:
    """How many times as fast it is shown as it was recorded."""
    took = max((at for at, _ in recording.output), default=0.0)
    return max(1.0, round(took / _LONGEST_S, 1))


def _picture(screen: pyte.Screen) -> Picture:
    return tuple(tuple(_pieces(screen, row)) for row in range(screen.lines))


def _pieces(screen: pyte.Screen, row: int) -> Iterator[Piece]:
    cells = [(column, screen.buffer[row][column]) for column in range(screen.columns)]
    while cells and cells[-1][1].data == " ":
        cells.pop()
    for (colour, bold), group in groupby(cells, lambda one: (one[1].fg, one[1].bold)):
        letters = list(group)
        text = "".join(cell.data for _, cell in letters)
        if text.strip():
            yield Piece(letters[0][0], text, colour if colour in _COLOURS else "", bold)


def svg(recording: Recording) -> str:
    """The animation."""
    shown = screens(recording)
    wide = recording.columns * _LETTER
    tall = recording.rows * _LINE
    whole = f"{wide + 2 * _PAD:.0f} {tall + _TITLE + _PAD:.0f}"
    box = f'width="{wide + 2 * _PAD:.0f}" height="{tall + _TITLE + _PAD:.0f}"'
    last = [_text_of(row) for row in shown[-1].picture]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} viewBox="0 0 {whole}" role="img"'
        ' aria-labelledby="title desc">',
        f'<title id="title">{escape(printable(recording.command))}</title>',
        f'<desc id="desc">{escape(" ".join(line for line in last if line))}</desc>',
        f"<style>{_STYLE}{_film(shown, tall)}</style>",
        f'<rect x="0.5" y="0.5" width="{wide + 2 * _PAD - 1:.0f}"'
        f' height="{tall + _TITLE + _PAD - 1:.0f}" rx="8" fill="var(--paper)"'
        ' stroke="var(--edge)"/>',
        f'<text class="title" x="{_PAD}" y="19">{_title(recording)}</text>',
        f'<svg x="{_PAD}" y="{_TITLE}" width="{wide:.1f}" height="{tall}">',
        '<g class="film">',
        *_drawn(shown, tall),
        "</g></svg></svg>",
    ]
    return "\n".join(lines) + "\n"


def _title(recording: Recording) -> str:
    faster = speed(recording)
    return "a real run" + (f", {faster:g} times as fast" if faster > 1 else "")


def _film(shown: Sequence[Shown], tall: int) -> str:
    """Moves the strip of screens by one at a time; without motion, the last one is seen."""
    last = (len(shown) - 1) * tall
    total = max(shown[-1].at_s, 0.1)
    steps = " ".join(
        f"{100 * one.at_s / total:.2f}% {{ transform: translateY({-number * tall}px); }}"
        for number, one in enumerate(shown)
    )
    still = f"transform: translateY({-last}px);"
    return (
        f".film {{ {still} animation: film {total:.2f}s steps(1, end); }}\n"
        f"@keyframes film {{ {steps} }}\n"
        "@media (prefers-reduced-motion: reduce) { .film { animation: none; } }\n"
        "@media print { .film { animation: none; } }\n"
    )


def _drawn(shown: Sequence[Shown], tall: int) -> Iterator[str]:
    """The screens below each other. A row that was there before is only referred to."""
    known: dict[tuple[int, tuple[Piece, ...]], str] = {}
    for number, one in enumerate(shown):
        parts = []
        for row, pieces in enumerate(one.picture):
            if not pieces:
                continue
            if (row, pieces) in known:
                parts.append(f'<use href="#{known[row, pieces]}"/>')
                continue
            known[row, pieces] = name = f"r{len(known)}"
            parts.append(f'<g id="{name}">{"".join(_text(piece, row) for piece in pieces)}</g>')
        if parts:
            yield f'<g transform="translate(0 {number * tall})">{"".join(parts)}</g>'


def _text(piece: Piece, row: int) -> str:
    """Letters in their columns, whatever font the reader has."""
    look = ' class="bold"' if piece.bold else ""
    if piece.colour:
        look += f' style="fill:var(--{piece.colour})"'
    position = f'x="{piece.column * _LETTER:.1f}" y="{row * _LINE + 14}"'
    wide = f'textLength="{len(piece.text) * _LETTER:.1f}"'
    return f"<text {position} {wide}{look}>{escape(printable(piece.text))}</text>"


def _text_of(row: Sequence[Piece]) -> str:
    return printable(" ".join(piece.text.strip() for piece in row))


def main(argv: Sequence[str]) -> int:
    file: Path = parser().parse_args(argv).file
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read: {error}") from error
    try:
        made = svg(read(text))
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    target = file.with_suffix(".svg")
    with files.replacing(target) as part:
        part.write_text(made, encoding="utf-8")
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(command.run("recording", main, None))
