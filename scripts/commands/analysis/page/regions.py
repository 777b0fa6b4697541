# SPDX-License-Identifier: Apache-2.0
"""Which primitive for which region: few boxes that cover a grid of fields. Pure.

A primitive covers a field when it is the fastest there, or is not significantly different from the
fastest and not far from it by the medians. The box that answers for most goes first, then the one
that answers for most of what is left, until nothing is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product

Point = tuple[int, ...]  # a number along each axis
Box = tuple[tuple[int, int], ...]  # first and last of each axis

# The weight of a primitive that is not significantly different from the fastest, which counts 1.
_LEVEL_WEIGHT = 0.6
# Boxes are grown from so many points of each primitive: neighbours grow into the same ones.
_MOST_SEEDS = 24


@dataclass(frozen=True)
class Field:
    """One cell without its primitive: the fastest primitive, and those that may be the fastest."""

    first: str
    level: frozenset[str] = field(default_factory=frozenset)  # near, the difference not significant


@dataclass(frozen=True)
class Region:
    """One primitive, and where it answers."""

    primitive: str
    box: Box
    points: list[Point]  # measured ones within the box


def cover(fields: Mapping[Point, Field]) -> list[Region]:
    """Boxes over all points; they may overlap."""
    left = set(fields)
    found: list[Region] = []
    while left:
        best = max(
            (region for label in _labels(fields, left) for region in _boxes(fields, label, left)),
            key=lambda region: _worth(fields, region, left),
        )
        found.append(best)
        left -= set(best.points)
    return found


def _labels(fields: Mapping[Point, Field], left: set[Point]) -> list[str]:
    labels: dict[str, None] = {}
    for point in sorted(left):
        labels[fields[point].first] = None
    return list(labels)


def _covers(found: Field, label: str) -> bool:
    return label == found.first or label in found.level


def _worth(fields: Mapping[Point, Field], region: Region, left: set[Point]) -> tuple[float, int]:
    """The worth of what it newly answers for; of equals the smaller box."""
    new = [point for point in region.points if point in left]
    sure = sum(fields[point].first == region.primitive for point in new)
    return sure + _LEVEL_WEIGHT * (len(new) - sure), -len(region.points)


def _boxes(fields: Mapping[Point, Field], label: str, left: set[Point]) -> list[Region]:
    """The greatest boxes grown from points that are left, and where the primitive covers: one axis
    after the other, in every order of axes."""
    found: dict[Box, Region] = {}
    covered = {point for point, one in fields.items() if _covers(one, label)}
    seeds = sorted(left & covered)
    for point in seeds[:: -(-len(seeds) // _MOST_SEEDS)]:
        for order in permutations(_varied(fields)):
            box = _grown(fields, covered, point, order)
            if box not in found:
                found[box] = Region(label, box, _inside(fields, box))
    return list(found.values())


def _varied(fields: Mapping[Point, Field]) -> list[int]:
    """The axes along which there are several points."""
    return [axis for axis, along in enumerate(zip(*fields)) if len(set(along)) > 1]


def _grown(
    fields: Mapping[Point, Field], covered: set[Point], point: Point, order: Sequence[int]
) -> Box:
    box: list[tuple[int, int]] = [(at, at) for at in point]
    reach = max(max(at) for at in fields)
    for axis in order:
        for step in (-1, 1):
            while True:
                low, high = box[axis]
                edge = high + 1 if step > 0 else low - 1
                if not 0 <= edge <= reach:
                    break
                slab: list[tuple[int, int]] = list(box)
                slab[axis] = (edge, edge)
                new = _inside(fields, tuple(slab))
                if not new or not covered.issuperset(new):
                    break
                box[axis] = (low, edge) if step > 0 else (edge, high)
    return tuple(box)


def _inside(fields: Mapping[Point, Field], box: Box) -> list[Point]:
    sides = (range(low, high + 1) for low, high in box)
    return [point for point in product(*sides) if point in fields]


def span(words: Sequence[str], first: int, last: int) -> str:
    """`2`, `2 and 4`, `2 to 16`."""
    if first == last:
        return words[first]
    return f"{words[first]} {'and' if last == first + 1 else 'to'} {words[last]}"
