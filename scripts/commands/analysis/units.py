# SPDX-License-Identifier: Apache-2.0
"""Numbers as people read them: three significant digits and a unit."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
NANOSECONDS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}  # as texts have them
_COUNTS = ((1e9, " G"), (1e6, " M"), (1e3, " k"))
_BYTES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def quantity(text: str, scales: Mapping[str, float]) -> float | None:
    """`1.5 us`, with the units of `scales`; None if it is no such text."""
    matched = re.fullmatch(r"([\d.,]+)\s*(\D*)", text.strip())
    if not matched or matched[2] not in scales:
        return None
    try:
        return float(matched[1].replace(",", "")) * scales[matched[2]]
    except ValueError:
        return None


def digits(value: float, significant: int = 3) -> str:
    """`value` with so many significant digits and no exponent: 1234 -> 1,230; 0.0123 -> 0.0123."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    exponent = math.floor(math.log10(abs(value)))
    rounded = round(value, significant - 1 - exponent)
    decimals = max(0, significant - 1 - math.floor(math.log10(abs(rounded))))
    if decimals > 6:
        return f"{value:.{significant - 1}e}"
    return f"{rounded:,.{decimals}f}"


def short(value: float, significant: int = 3) -> str:
    """As digits(), but 1.0 is 1: for labels, where trailing zeros are noise."""
    text = digits(value, significant)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def nanoseconds(value: float, trim: bool = True) -> str:
    """200 -> 200 ns, 5000 -> 5 µs, 1e8 -> 100 ms; untrimmed, as columns want it: 5.00 µs."""
    show = short if trim else digits
    for scale, unit in _TIMES:
        if abs(value) >= scale * 0.9995:
            return f"{show(value / scale)} {unit}"
    return f"{show(value)} ns"


def seconds(value: float, trim: bool = True) -> str:
    return nanoseconds(value * 1e9, trim)


def count(value: float, trim: bool = True) -> str:
    """1000 -> 1 k, 2500000 -> 2.5 M."""
    show = short if trim else digits
    for scale, prefix in _COUNTS:
        if abs(value) >= scale * 0.9995:
            return f"{show(value / scale)}{prefix}"
    return show(value)


def number(value: float) -> str:
    """Exact while that is short: 4096 -> 4,096, 1000000 -> 1 M."""
    return whole(value) if abs(value) < 100_000 else count(value)


def whole(value: float) -> str:
    """A number of things: 1000000 -> 1,000,000."""
    return f"{value:,.0f}"


def memory(value: float) -> str:
    for scale, unit in _BYTES:
        if abs(value) >= scale:
            return f"{short(value / scale)} {unit}"
    return f"{short(value)} B"


def ratio(value: float, significant: int = 3) -> str:
    """1.234 -> 1.23×; what is not 1 is not written as 1: 1.0004 -> 1.0004×."""
    while value != 1 and significant < 6 and digits(value, significant).rstrip("0") == "1.":
        significant += 1
    return f"{digits(value, significant)}×"


def plural(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def whole_percent(share: float) -> str:
    """0.503 -> 50 %."""
    return f"{100 * share:.0f} %"


def percent(share: float) -> str:
    """0.5 -> 50 %."""
    return f"{100 * share:.4g} %"
