# SPDX-License-Identifier: Apache-2.0
"""The page of `lockbench whatif`: for each place, its waits beside what its holds are worth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import worth
from analysis import templates

PAGE = "whatif.html"
_HERE = Path(__file__).parent
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(answer: worth.Answer) -> str:
    environment = templates.environment(_HERE)
    environment.filters.update(share=worth.percent)
    return environment.get_template("whatif.html.j2").render(
        answer=answer,
        sentences=worth.sentences(answer),
        bars=[_bar(place) for place in answer.places],
        table=worth.table(answer.places),
        changed=_changed(answer.places),
        style=(_HERE / "observed.css").read_text(encoding="utf-8"),
        policy=_POLICY,
    )


def _changed(places: Sequence[worth.Worth]) -> str:
    """`20 %`; `11 to 20 %`, if steps of work are coarse or not all holds were changed."""
    shares = [place.changed_share for place in places]
    low, high = (worth.percent(share) for share in (min(shares), max(shares)))
    return high if low == high else f"{low.removesuffix(' %')} to {high}"


def _bar(place: worth.Worth) -> dict[str, object]:
    """Lengths from 0 to 1."""
    return {
        "name": place.name,
        "waits": place.waits_share,
        "worth": _clipped(place.decides),
        "interval": (
            None
            if place.low is None or place.high is None
            else (_clipped(place.low), _clipped(place.high))
        ),
    }


def _clipped(share: float) -> float:
    return min(1.0, max(0.0, share))
