# SPDX-License-Identifier: Apache-2.0
"""One colour, marker and line style for each primitive: a function of its name and parameters
alone, so that a primitive looks the same in every picture of every run.

The hue shows the family (how keys map to locks), after Okabe and Ito, "Color Universal Design"
(2008), which colour-blind readers can distinguish. Within a family, the shade shows the name, and
marker and line style show the name and the numbers of its parameters, so that nothing is lost in
grey.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

# Names in the order of their slots, with those parameters that are not numbers.
_FAMILIES: dict[str, tuple[str, str]] = {
    "none": ("#5A5A5A", "none"),
    "global": (
        "#0072B2",
        "global global:lock=std global:lock=absl global:lock=tbb_spin global:lock=tbb"
        " global:lock=pthread_spin global:lock=tbb_queuing",
    ),
    "keyed": (
        "#009E73",
        "keyed keyed_table64 keyed_table keyed_leaky keyed_absl keyed_tbb keyed_as_published"
        " keyed_limited keyed_as_published:keys=known",
    ),
    "striped": (
        "#E69F00",
        "striped striped_vector striped:lock=std stripe_word striped_as_published",
    ),
    "reentrant": (
        "#B8578F",
        "reentrant recursive_mutex reentrant_as_published recursive_parking reentrant_repaired",
    ),
    "lease": (
        "#D55E00",
        "lease lease_condvar lease_moodycamel lease_semaphore lease_tbb lease:order=fifo"
        " lease_as_published random_mutexes_as_published lease:nesting=refuse"
        " lease:nesting=share lease:nesting=wait",
    ),
    "file": (
        "#56B4E9",
        "file file_as_published file:form=directory file_flock file_ofd file_robust_mutex"
        " file_unsafe_as_published",
    ),
    # Each service has a shade, a marker and a line of its own.
    "service": (
        "#6A51A3",
        "redis postgresql_advisory etcd zookeeper postgresql_row redlock redis_as_published"
        " postgresql_advisory:level=transaction postgresql_as_published",
    ),
    "other": ("#8C6D31", ""),
}
_PREFIXES = (
    ("recursive", "reentrant"),
    ("stripe", "striped"),
    ("random_mutexes", "lease"),
    *((service, "service") for service in ("redis", "redlock", "postgresql", "etcd", "zookeeper")),
    *((name, name) for name in _FAMILIES if name not in ("service", "other")),
)
# Towards black (below 0) or white (above): neighbours in a family are far apart in grey.
_SHADES = (0.0, -0.5, 0.38, -0.25, 0.2, -0.68, 0.5)
_MARKERS = "osD^vPX<>*ph"
_FIRST_MARKER = dict(zip(_FAMILIES, (6, 0, 1, 3, 2, 4, 5, 0, 7)))
_DASHES: tuple[str | tuple[int, tuple[float, ...]], ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (3, 1.2, 1, 1.2, 1, 1.2)),
)
BAND_DASH = (0, (3.5, 2.0))
# Of a loss, by its Loss.step, on white paper.
LOSSES = ("#CFE3F1", "#FBE3C8", "#F3B982", "#DE7F35")


@dataclass(frozen=True)
class Look:
    """How one primitive is drawn."""

    colour: str
    marker: str
    dash: str | tuple[int, tuple[float, ...]]
    width: float

    @property
    def line(self) -> dict[str, Any]:
        """As axes.plot() takes it, without the marker."""
        return {"color": self.colour, "linestyle": self.dash, "linewidth": self.width}


def family(label: str) -> str:
    """How the primitive maps keys to locks: the first word of its name, mostly."""
    name = label.partition(":")[0]
    for prefix, found in _PREFIXES:
        if name == prefix or name.startswith(prefix + "_") or name.startswith(prefix + "64"):
            return found
    return "other"


def natural(label: str) -> list[tuple[int, int, str]]:
    """Sort key in which stripes=64 comes before stripes=1024."""
    parts = re.findall(r"\d+|\D+", label)
    return [(0, int(p), "") if p.isdecimal() else (1, 0, p) for p in parts]


def order(label: str) -> tuple[int, list[tuple[int, int, str]]]:
    """Sort key: families together, and numbers within them ascending."""
    return list(_FAMILIES).index(family(label)), natural(label)


def any_stripes(label: str) -> str:
    """`striped:stripes=64` as `striped:stripes=N`: one name for all counts of stripes."""
    return re.sub(r"\bstripes=\d{1,15}\b", "stripes=N", label)


def look(label: str) -> Look:
    """How a primitive is drawn, in every picture."""
    name = family(label)
    colour, known = _FAMILIES[name][0], _FAMILIES[name][1].split()
    named, numbers = _without_numbers(label)
    slot = known.index(named) if named in known else len(known) + _stable_number(named)
    variant = sum(map(_variant, numbers))
    return Look(
        colour=mix(colour, _SHADES[slot % len(_SHADES)] + _tint(variant, slot // len(_SHADES))),
        marker=_MARKERS[(_FIRST_MARKER[name] + slot + variant) % len(_MARKERS)],
        dash=_DASHES[(slot + variant) % len(_DASHES)],
        width=2.0 if slot == 0 else 1.4,
    )


def banded(look: Look) -> Look:
    """The same for figures with a band: every line is dashed, markers and colours remain."""
    return replace(look, dash=BAND_DASH)


def _without_numbers(label: str) -> tuple[str, list[int]]:
    """`striped:lock=std,stripes=64` as `striped:lock=std` and [64]."""
    name, _, parameters = label.partition(":")
    pairs = [pair.partition("=")[::2] for pair in parameters.split(",") if pair]
    words = [f"{key}={value}" for key, value in pairs if not value.isdecimal()]
    return ":".join([name, ",".join(words)] if words else [name]), [
        int(value[:15]) for _, value in pairs if value.isdecimal()
    ]


def _variant(number: int) -> int:
    """1 to 13: two numbers with a ratio between 1.26 and 16 differ."""
    return 1 + round(3 * math.log2(max(number, 1))) % 13


def _tint(variant: int, round_of_shades: int) -> float:
    """A small change of the shade: for numbers, and where the shades are used again."""
    return (((5 * variant) % 13 - 6) * 0.02 if variant else 0.0) + 0.07 * (round_of_shades % 4)


def _stable_number(name: str) -> int:
    return zlib.crc32(name.encode()) % (len(_MARKERS) * len(_DASHES))


def mix(colour: str, shade: float) -> str:
    """The colour moved towards white (shade above 0) or black (below), by that share of the way."""
    return between(colour, "#FFFFFF" if shade > 0 else "#000000", abs(shade))


def between(one: str, other: str, share: float) -> str:
    return hexadecimal(a + (b - a) * share for a, b in zip(channels(one), channels(other)))


def channels(colour: str) -> tuple[float, float, float]:
    """Red, green and blue, from 0 to 1."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def hexadecimal(channels: Iterable[float]) -> str:
    return "#" + "".join(f"{round(255 * channel):02X}" for channel in channels)
