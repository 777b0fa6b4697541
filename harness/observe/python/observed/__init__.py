# SPDX-License-Identifier: Apache-2.0
"""The page of an observation: whether a program's locks are its problem, and which of its places.

Everything that comes from the program is escaped by the template engine; the page loads nothing.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jinja2

from analysis import templates, units
from analysis.errors import InputError

FILE = "observed.json"
SCHEMA_VERSION = 2
_HERE = Path(__file__).parent
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_MOST_DRAWN = 6
_MOST_ROWS = 40
_BARS_A_DECADE = 4


Bar = tuple[float, float, float]  # x and width, from 0 to 100; height, from 0 to 1, the highest


def load(folder: Path) -> dict[str, Any]:
    path = folder / FILE
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        version = found["schema_version"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not what `lockbench observe` writes: {error}") from None
    if version != SCHEMA_VERSION:
        raise InputError(
            f"{path}: has schema_version {version}; this program knows {SCHEMA_VERSION}"
        )
    return dict(found)


def page(folder: Path) -> str:
    found = load(folder)
    try:
        return _page(found)
    except (AttributeError, KeyError, TypeError, ValueError, jinja2.UndefinedError) as error:
        raise InputError(
            f"{folder / FILE}: not what this version of `lockbench observe` writes: {error}"
        ) from None


def _page(found: dict[str, Any]) -> str:
    environment = templates.environment(_HERE)
    environment.filters.update(time=units.nanoseconds, share=_share, whole=units.whole)
    return environment.get_template("observed.html.j2").render(
        observed=found,
        processes=[_process(one) for one in found["processes"] if one["places"]],
        style=(_HERE / "observed.css").read_text(encoding="utf-8"),
        policy=_POLICY,
    )


def _share(value: float) -> str:
    if 0 < value < 0.0001:
        return "< 0.01 %"
    return f"{units.short(100 * value, 2)} %"


def _process(process: dict[str, Any]) -> dict[str, Any]:
    places = process["places"]
    return process | {
        "rows": [place | {"on_slow": on_slow_cores(place)} for place in places[:_MOST_ROWS]],
        "by_kind": any("holds_by_kind" in place for place in places),
        "more": max(0, len(places) - _MOST_ROWS),
        "drawn": [place | {"histograms": histograms(place)} for place in places[:_MOST_DRAWN]],
        "timeline_s": max((until for until, _ in process.get("timeline", [])), default=0),
        "timeline": _timeline(process.get("timeline", [])),
        "crossed": [
            (places[a]["name"], places[b]["name"], pairs) for a, b, pairs in process["inversions"]
        ],
    }


def _timeline(periods: list[list[float]]) -> list[Bar]:
    """The shares of time in which a thread waited, along the program's time; none of one period."""
    if len(periods) < 2:
        return []
    whole = periods[-1][0]
    bars, begin = [], 0.0
    for until, share in periods:
        bars.append((100 * begin / whole, 100 * (until - begin) / whole, share))
        begin = until
    return bars


def on_slow_cores(place: dict[str, Any]) -> float | None:
    """The share of the holds that ended on cores of the slowest kind; None: not known."""
    kinds = place.get("holds_by_kind", [])
    holds = sum(one["holds"] for one in kinds)
    return kinds[-1]["holds"] / holds if holds else None


def histograms(place: dict[str, Any]) -> list[dict[str, Any]]:
    """The histograms of its waits, holds and thinks; only those that were timed."""
    return [
        _histogram(what, place[what])
        for what in ("wait", "hold", "think")
        if place[what]["samples"] > 0
    ]


def _histogram(name: str, times: dict[str, Any]) -> dict[str, Any]:
    """Times on a logarithmic axis."""
    counts: dict[int, float] = {}
    for low, high, count in times["buckets"]:
        middle = max(1.0, (low + high) / 2)
        bar = math.floor(_BARS_A_DECADE * math.log10(middle))
        counts[bar] = counts.get(bar, 0) + count
    first = _BARS_A_DECADE * (min(counts) // _BARS_A_DECADE)
    last = _BARS_A_DECADE * (max(counts) // _BARS_A_DECADE + 1)
    width = 100 / (last - first)
    most = max(counts.values())
    words = (
        f"{units.whole(times['samples'])} timed, mean {units.nanoseconds(times['mean_ns'])},"
        f" 99 % below {units.nanoseconds(times['p99_ns'])}, longest"
        f" {units.nanoseconds(times['max_ns'])}"
    )
    return {
        "name": name,
        "words": words,
        "bars": [
            ((at - first) * width, width, count / most) for at, count in sorted(counts.items())
        ],
        "ticks": [  # where, what, and how it is aligned there
            (
                (at - first) * width,
                units.nanoseconds(10 ** (at / _BARS_A_DECADE)),
                {first: "start", last: "end"}.get(at, "middle"),
            )
            for at in range(first, last + 1, _BARS_A_DECADE)
        ],
    }
