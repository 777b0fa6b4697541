# SPDX-License-Identifier: Apache-2.0
"""One colour, marker and line style for each primitive, the same in every picture.

The hue tells the family (how keys map to locks), after Okabe and Ito, "Color Universal Design"
(2008), which the colour-blind can tell apart. Within a family, shade, marker and line style tell
the members apart, so that nothing is lost in grey.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

# In the order of slots: a primitive listed here looks the same in every run.
_FAMILIES: dict[str, tuple[str, list[str]]] = {
    "none": ("#5A5A5A", ["none"]),
    "global": (
        "#0072B2",
        ["global"]
        + [f"global:lock={b}" for b in "std absl tbb_spin tbb pthread_spin tbb_queuing".split()],
    ),
    "keyed": (
        "#009E73",
        [
            "keyed",
            "keyed_table64",
            "keyed_table",
            "keyed_leaky",
            "keyed_absl",
            "keyed_tbb",
            "keyed_as_published",
        ],
    ),
    "striped": ("#E69F00", ["striped", "striped:lock=std", "striped_vector"]),
    "reentrant": ("#B8578F", ["reentrant", "recursive_mutex", "reentrant_as_published"]),
    "lease": (
        "#D55E00",
        ["lease", "lease_condvar", "lease_moodycamel", "lease_semaphore", "lease_tbb"],
    ),
    "file": ("#56B4E9", ["file", "file_as_published"]),
    "other": ("#8C6D31", []),
}
_PREFIXES = (
    ("recursive_mutex", "reentrant"),
    ("random_mutexes", "lease"),
    *((name, name) for name in _FAMILIES if name != "other"),
)
# Towards black (below 0) or white (above): neighbours in a family are far apart in grey.
_SHADES = (0.0, -0.5, 0.38, -0.25, 0.2, -0.68, 0.5)
_MARKERS = "osD^vPX<>*ph"
_FIRST_MARKER = dict(zip(_FAMILIES, (6, 0, 1, 3, 2, 4, 5, 7)))
_DASHES: tuple[str | tuple[int, tuple[float, ...]], ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (3, 1.2, 1, 1.2, 1, 1.2)),
)


@dataclass(frozen=True)
class Look:
    """How one primitive is drawn."""

    colour: str
    marker: str
    dash: str | tuple[int, tuple[float, ...]]
    width: float


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


def any_stripes(label: str) -> str:
    """`striped:stripes=64` as `striped:stripes=N`: one name for all counts of stripes."""
    return re.sub(r"\bstripes=\d{1,15}\b", "stripes=N", label)


class Palette(Mapping[str, Look]):
    """Looks for all primitives of a run. Depends on the set of labels alone, not on their order.

    `more`: names that a picture needs besides; they take no other primitive's look.
    """

    def __init__(self, labels: Iterable[str], more: Iterable[str] = ()) -> None:
        self._looks: dict[str, Look] = {}
        members: dict[str, list[str]] = {name: [] for name in _FAMILIES}
        first = set(labels)
        for label in sorted(first, key=natural) + sorted(set(more) - first, key=natural):
            members[family(label)].append(label)
        for name, found in members.items():
            colour, known = _FAMILIES[name]
            for label, slot in _slots(known, found).items():
                self._looks[label] = _look(colour, _FIRST_MARKER[name], slot)

    def __getitem__(self, label: str) -> Look:
        return self._looks[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self._looks)

    def __len__(self) -> int:
        return len(self._looks)


def _slots(known: list[str], found: list[str]) -> dict[str, int]:
    """Known members keep their slots; one with parameters stands in for its absent plain form."""
    slots = {label: known.index(label) for label in found if label in known}
    free = len(known)
    for label in found:
        plain = label.partition(":")[0]
        if label in slots:
            continue
        if plain in known and known.index(plain) not in slots.values():
            slots[label] = known.index(plain)
        else:
            slots[label] = free
            free += 1
    return slots


def _look(anchor: str, first_marker: int, slot: int) -> Look:
    return Look(
        colour=mix(anchor, _SHADES[slot % len(_SHADES)]),
        marker=_MARKERS[(first_marker + slot) % len(_MARKERS)],
        dash=_DASHES[slot % len(_DASHES)],
        width=2.0 if slot == 0 else 1.4,
    )


def mix(colour: str, shade: float) -> str:
    """The colour moved towards white (shade above 0) or black (below), by that share of the way."""
    target = 255 if shade > 0 else 0
    channels = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    moved = [round(c + (target - c) * abs(shade)) for c in channels]
    return "#" + "".join(f"{c:02X}" for c in moved)
