# SPDX-License-Identifier: Apache-2.0
"""The page's colours, for light and dark: each primitive's own, and fields to write upon.

Light shows the palette as it is. Dark turns lightness round and keeps the hue, so that the shades
of a family stay as far apart. Contrast is as in the Web Content Accessibility Guidelines 2.1
(2018).
"""

from __future__ import annotations

import colorsys
from collections.abc import Iterable

from analysis import palette

LEAST_FOR_TEXT = 4.5
LEAST_FOR_LINES = 2.2  # beside which marker, dash and name identify a line, too


# By name: what is neither a primitive's nor a field's. step0 to step3: losses, by Loss.step.
Theme = dict[str, str]

_LIGHT_AND_DARK = {
    "paper": ("#FFFFFF", "#12151A"),
    "card": ("#F6F7F9", "#1B2028"),
    "ink": ("#1B1F24", "#E7EAEE"),
    "quiet": ("#57606A", "#A3ACB8"),
    "grid": ("#E3E5E8", "#2B323C"),
    "axis": ("#9AA0A6", "#5E6875"),
    "link": ("#0B57A4", "#7FB8F5"),
    "good": ("#0A6B42", "#62D29B"),
    "fair": ("#8A4B00", "#F2B45C"),
    "bad": ("#B3261E", "#FF9A91"),
    "step0": (palette.LOSSES[0], "#1F3A4D"),
    "step1": (palette.LOSSES[1], "#4A3420"),
    "step2": (palette.LOSSES[2], "#6B4420"),
    "step3": (palette.LOSSES[3], "#8A5220"),
}
LIGHT, DARK = ({name: both[i] for name, both in _LIGHT_AND_DARK.items()} for i in range(2))


def luminance(colour: str) -> float:
    parts = []
    for value in palette.channels(colour):
        parts.append(value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4)
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: str, other: str) -> float:
    """From 1, the same, to 21, black on white."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def on_dark(colour: str) -> str:
    """The same hue where paper is dark."""
    hue, light, rich = colorsys.rgb_to_hls(*palette.channels(colour))
    light = 0.92 - 0.72 * light
    found = palette.hexadecimal(colorsys.hls_to_rgb(hue, light, min(rich, 0.62)))
    while contrast(found, DARK["paper"]) < LEAST_FOR_LINES + 1:
        found = palette.mix(found, 0.1)
    return found


def fields(colour: str, theme: Theme) -> tuple[str, str]:
    """Two fields of this colour that the theme's ink can be read upon: a deep and a pale one."""
    own = colour if theme is LIGHT else on_dark(colour)
    return _under(own, theme, 0.5), _under(own, theme, 0.82)


def _under(colour: str, theme: Theme, share: float) -> str:
    """The colour, moved towards the paper by at least this share and until ink stands out."""
    found = palette.between(colour, theme["paper"], share)
    while contrast(found, theme["ink"]) < LEAST_FOR_TEXT + 0.5:
        share = share + (1 - share) * 0.2
        found = palette.between(colour, theme["paper"], share)
    return found


# With more primitives than this a page has one number for all that look the same: the colours of
# ten thousand counts of stripes would be most of it.
MOST_OWN = 300


class Inks:
    """A number for each primitive of the page, and with it the names of its colours."""

    def __init__(self, labels: Iterable[str]) -> None:
        every = list(dict.fromkeys(labels))
        bare = [palette.any_stripes(label) for label in every]
        swept = [label for label in dict.fromkeys(bare) if bare.count(label) > 1]
        ordered = sorted({*every, *swept}, key=palette.order)
        self.looks = {label: palette.look(label) for label in ordered}
        self.numbers = {label: i for i, label in enumerate(self.looks)}
        if len(ordered) > MOST_OWN:
            alike = {label: (one.colour, one.marker) for label, one in self.looks.items()}
            numbers = {one: i for i, one in enumerate(dict.fromkeys(alike.values()))}
            self.numbers = {label: numbers[one] for label, one in alike.items()}
        # The first primitive of each number.
        self.names = {number: label for label, number in reversed(self.numbers.items())}

    def style(self, theme: Theme) -> str:
        """Every colour of a theme as CSS custom properties."""
        declarations = [f"--{name}:{value}" for name, value in theme.items()]
        for number, label in sorted(self.names.items()):
            colour = self.looks[label].colour
            deep, pale = fields(colour, theme)
            line = colour if theme is LIGHT else on_dark(colour)
            declarations.append(f"--c{number}:{line};--f{number}:{deep};--g{number}:{pale}")
        return ";".join(declarations)
