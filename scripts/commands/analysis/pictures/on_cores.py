# SPDX-License-Identifier: Apache-2.0
"""Which primitive on which cores? Of a processor whose cores are of several kinds.

For each way in which the threads were bound, the primitives, the fastest on top. Names in bold are
the fastest there, and what is not significantly different from it. A bar of mixed cores is divided:
its deep part is the work of fast cores, its pale part that of the slowest kind, and a stroke shows
where the pale part would begin if each thread did as much. Short pale parts are slow cores that
starve. Beside it lies the p99 wait: how long a thread on a slow core waits, and one on a fast core.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import cells, core_kinds, figure, on_cores, palette, scales, units, verdict
from analysis.loader import Run
from analysis.on_cores import Cores, Panel
from analysis.pictures import rows, throughput

MOST_LINES = 12  # primitives on the same cores
_MOST_PANELS = 8
_BARS, _WAITS, _GAP = 2.5, 1.7, 0.25  # inches
_DEEP, _PALE, _THICK = 0.62, 0.22, 0.66

WAIT = rows.Measure("wait_p99_ns", "p99 wait", units.nanoseconds)
FAST, SLOW = "fast_wait_p99_ns", "slow_wait_p99_ns"

Looks = Callable[[str], palette.Look]
Gids = Callable[[str], "str | None"]


@dataclass(frozen=True)
class Line:
    """A primitive on some cores, or the heading above these."""

    y: float
    cores: Cores
    label: str  # empty: a heading

    @property
    def rows(self) -> pd.DataFrame:
        return self.cores.valid(self.label)


def lines_of(panel: Panel) -> list[Line]:
    """From top to bottom, the first at 0."""
    found: list[Line] = []
    y = 0.0
    for cores in panel.cores:
        for label in ["", *cores.ranked[:MOST_LINES]]:
            found.append(Line(y, cores, label))
            y -= 1
        y -= 0.3
    return found


def tall(panel: Panel) -> float:
    """In lines."""
    return 1.2 - lines_of(panel)[-1].y


def undrawn(panels: Sequence[Panel]) -> str:
    """Words for the primitives that there is no room for, or empty."""
    most = max(len(one.ranked) for panel in panels for one in panel.cores)
    return f"the {MOST_LINES} fastest of {most} primitives are shown" if most > MOST_LINES else ""


def has_waits(panel: Panel) -> bool:
    return any(_waits(line) for line in lines_of(panel))


def draw_bars(
    axes: Axes,
    panel: Panel,
    name: Callable[[str], str],
    left: float,
    look: Looks,
    gid: Gids = lambda label: None,
) -> None:
    """With the names at the left and the figures at the right; `name`: of a primitive; `left`: the
    room of the names, in points."""
    for line in lines_of(panel):
        if not line.label:
            _write_quietly(axes, line.y, line.cores.heading, 0.0, -left)
            if line.cores.shares:
                _head_figures(axes, line, "all")
            continue
        bold = line.label in line.cores.leading
        rows.name_row(axes, line.y, name(line.label), gid(line.label), bold=bold)
        rows.name_row(axes, line.y, rate_words(line), gid(line.label), right=True, bold=bold)
        if not line.rows.empty:
            _draw_bar(axes, line, look(line.label), gid(line.label))
    rates = pd.concat([one.rows.loc[one.rows["valid"], verdict.RATE] for one in panel.cores])
    rows.finish(axes, rates, throughput.BARS)
    _bound(axes, panel)


def draw_waits(
    axes: Axes, panel: Panel, look: Looks, gid: Gids = lambda label: None, words: bool = False
) -> None:
    """Level with the bars: a filled mark is a wait on fast cores, an open one on the slowest.
    `words`: with the figures at the right."""
    if not has_waits(panel):
        axes.set_axis_off()
        return
    for line in lines_of(panel):
        if line.label:
            _draw_waits(axes, line, look(line.label).colour, gid(line.label))
        if line.label and words:
            rows.name_row(axes, line.y, wait_words(line), gid(line.label), right=True)
        elif words and line.cores.shares:
            _head_figures(axes, line, core_kinds.kinds_of(line.cores.threads)[0])
    values = [wait for line in lines_of(panel) for wait, _ in _waits(line)]
    rows.finish(axes, pd.Series(values), WAIT)
    _bound(axes, panel)


def _draw_waits(axes: Axes, line: Line, colour: str, gid: str | None) -> None:
    ends = [wait for wait, _ in _waits(line)]
    axes.plot(ends, [line.y] * len(ends), color=colour, linewidth=1.4, zorder=2, gid=gid)
    for wait, is_open in _waits(line):
        style = {
            "markerfacecolor": "white" if is_open else colour,
            "markeredgecolor": colour,
            "markeredgewidth": 1.4,
        }
        axes.plot([wait], [line.y], "o", markersize=5.5, zorder=3, gid=gid, **style)


def _bound(axes: Axes, panel: Panel) -> None:
    axes.set_ylim(0.6 - tall(panel), 0.6)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)


def _head_figures(axes: Axes, line: Line, first: str) -> None:
    """What the two figures of mixed cores are, above them: those of `first`, and of slow cores."""
    last = core_kinds.kinds_of(line.cores.threads)[-1]
    _write_quietly(axes, line.y, f"{first} · {last}", 1.0, 8.0)


def _write_quietly(axes: Axes, y: float, words: str, x: float, shift: float) -> None:
    axes.annotate(
        words,
        (x, y),
        xycoords=axes.get_yaxis_transform(),
        xytext=(shift, 0),
        textcoords="offset points",
        va="center_baseline",
        color=figure.QUIET,
        annotation_clip=False,
    )


def _draw_bar(axes: Axes, line: Line, look: palette.Look, gid: str | None) -> None:
    rates = line.rows[verdict.RATE]
    rate, share = float(rates.median()), line.cores.shares.get(line.label)
    slow = share.slow_share if share else line.cores.slow_part
    parts = ((0.0, rate * (1 - slow), _DEEP), (rate * (1 - slow), rate * slow, _PALE))
    for left, wide, alpha in parts:
        if wide > 0:
            style = {"color": look.colour, "alpha": alpha, "linewidth": 0}
            axes.barh(line.y, wide, _THICK, left=left, zorder=2, **style)[0].set_gid(gid)
    ends = (float(rates.min()), float(rates.max()))
    axes.plot(ends, (line.y, line.y), color=look.colour, linewidth=1.4, zorder=3, gid=gid)
    if len(rates) <= figure.MOST_POINTS:
        level = pd.Series([line.y] * len(rates))
        figure.draw_points(axes, rates.reset_index(drop=True), level, look.colour, gid)
    if share:
        at, reach = rate * (1 - share.equal_share), _THICK / 2 + 0.06
        ends_of_stroke = (line.y - reach, line.y + reach)
        axes.plot((at, at), ends_of_stroke, color=figure.INK, linewidth=1.2, zorder=4, gid=gid)


def rate_words(line: Line) -> str:
    """`2.1 M`; on mixed cores also the share of the slowest kind."""
    rate = line.cores.rate(line.label)
    if rate is None:
        return "starved" if line.label in line.cores.starved else "not valid"
    share = line.cores.shares.get(line.label)
    shared = f" · {core_kinds.percent(share.slow_share)}" if share else ""
    return f"{units.count(rate)}{shared}"


def _waits(line: Line) -> list[tuple[float, bool]]:
    """Median p99 waits, and whether each is that of the slowest kind."""
    if not line.label:
        return []
    share = line.cores.shares.get(line.label)
    if share:
        found = [(share.fast_p99_ns, False), (share.slow_p99_ns, True)]
    else:
        own = line.rows[cells.percentiles_tell(line.rows)]
        found = [(core_kinds.median(own["wait_p99_ns"]), line.cores.slow_part == 1)]
    return [(max(wait, scales.LEAST_WAIT_NS), slow) for wait, slow in found if wait is not None]


def wait_words(line: Line) -> str:
    """`4 µs`; on mixed cores `4 µs · 3.1 ms`: on the fast ones, and on the slowest."""
    return " · ".join(units.nanoseconds(wait) for wait, _ in _waits(line))


KEYS = [
    figure.Key("work of fast cores", {"marker": "s", "markersize": 8, "alpha": _DEEP}),
    figure.Key("of the slowest kind", {"marker": "s", "markersize": 8, "alpha": _PALE}),
    figure.Key("its equal share begins here", {"marker": "|", "color": figure.INK}),
    figure.Key("p99 wait on fast cores", {"marker": "o", "markersize": 5.5}),
    figure.Key(
        "on the slowest kind", {"marker": "o", "markersize": 5.5, "markerfacecolor": "white"}
    ),
]
NOTES = [
    "bold: the fastest on these cores, and what is not significantly different from it; on mixed"
    " cores, the % is the part of the operations that the slowest kind did",
]


def draw(run: Run) -> Figure | None:
    if not on_cores.measured(run.valid):
        return None
    panels = on_cores.panels(run, verdict.of_run(run))
    return _sheet(run, panels) if panels else None


def _sheet(run: Run, panels: Sequence[Panel]) -> Figure:
    """Two panels beside each other, each with its bars and its waits."""
    shown = cells.evenly(panels, _MOST_PANELS)
    columns = min(2, len(shown))
    lines = [line for panel in shown for line in lines_of(panel)]
    left = figure.widest([figure.drawn(line.label) for line in lines]) * 1.08 + 0.2
    said = [words(line) for line in lines if line.label for words in (rate_words, wait_words)]
    right = figure.widest(said) * 1.08 + 0.2
    _, varied = cells.same_and_different([panel.key for panel in shown])
    titles = [cells.describe(panel.key, varied) for panel in shown]
    room = left + _BARS + right + _GAP + _WAITS
    made, axes = figure.sheet(
        _heading(run, shown, len(panels) - len(shown)),
        figure.Grid(
            widths=[_BARS, _WAITS] * columns,
            heights=[
                rows.ROW * max(map(tall, shown[i : i + columns]))
                for i in range(0, len(shown), columns)
            ],
            lefts=[left, _GAP] * columns,
            right=right,
            above=figure.title_room(titles, room),
        ),
        count=2 * len(shown),
    )
    for i, (panel, title) in enumerate(zip(shown, titles)):
        bars, waits = axes[2 * i : 2 * i + 2]
        draw_bars(bars, panel, figure.drawn, left * 72, palette.look)
        draw_waits(waits, panel, palette.look, words=True)
        rows.write_title(bars, title, left, room)
    return made


def _heading(run: Run, shown: Sequence[Panel], more: int) -> figure.Heading:
    same, _ = cells.same_and_different([panel.key for panel in shown])
    left_out = [figure.not_shown(more, "the CSV has them all")] if more else []
    return figure.Heading(
        title=run.titled(on_cores.QUESTION),
        subtitles=[
            *run.banners,
            run.heading,
            cells.describe(same),
            "faint: each block, bar and mark: their median, thin: from the least to the greatest",
        ],
        keys=KEYS,
        footnotes=[
            *NOTES,
            undrawn(shown),
            *left_out,
            *run.error.explained(),
            cells.left_out(run.trials),
        ],
    )
