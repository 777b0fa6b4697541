# SPDX-License-Identifier: Apache-2.0
"""Figures along one axis: the shape that the pictures by threads, keys, hold and rate share.

Every block is a faint point, the line joins their medians. What is noise is no point of the line:
an open mark, with a stem from the bottom, says what it is at most. A facet with too many lines is
split by family of primitive, on the same scale and with the same reference line in each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import bands, cells, endings, error_model, figure, palette, scales, units
from analysis.cells import Group
from analysis.loader import Run

MOST_LINES = 7
ERROR_ALPHA = 0.1  # several bands lie on each other
MOST_PANELS = 12
LEAST_SPAN = 4.0  # of a y axis, from its lower to its upper end: noise does not fill a panel
REFERENCE = "global:lock=std"

_WIDE, _TALL, _LEFT = 2.75, 2.35, 0.72


@dataclass(frozen=True)
class Measure:
    """The figure that a y axis shows."""

    column: str
    label: str
    words: Callable[[float], str]
    share: bool = False  # from 0 to 1, on an even scale; else logarithmic
    title: str = ""  # of its panels, where a picture has several measures
    # The values that theory has for a facet, at given values of the axis; None: nothing.
    expected: Callable[[Group, Sequence[float]], Sequence[float] | None] | None = None
    # Positions on the axis at which rows of one primitive get a ring.
    ringed: Callable[[pd.DataFrame], Sequence[float]] | None = None
    # The drawing of one primitive instead of draw_line(), and the name at its end.
    line: Callable[[Axes, pd.DataFrame, palette.Look, Group], endings.End] | None = None
    names: Callable[[Group, str], str] = lambda group, label: figure.drawn(label)
    # The column that says which rows are noise, whose figure is only what it is at most.
    noise: str = ""

    def known(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with a figure. A logarithmic axis has none below zero; where figures have noise,
        a median needs them all the same."""
        figures = rows[self.column]
        return cells.only(rows, figures.notna() if self.noise else figures > 0)

    def is_noise(self, rows: pd.DataFrame) -> bool:
        """True if any row of one primitive at one value of the axis is noise."""
        return bool(self.noise) and bool(rows[self.noise].any())

    def of_median(self, rows: pd.DataFrame) -> str:
        """`31 ns`, or `less than 31 ns`."""
        words = self.words(float(rows[self.column].median()))
        return f"less than {words}" if self.is_noise(rows) else words


NOISE = "open mark: noise, which cannot be told from nothing and is at most so much"


RATE = Measure("operations_per_s", "operations per second", units.count)


@dataclass(frozen=True)
class Axis:
    """The figure that the x axis shows, and what is shown along it."""

    column: str
    label: str
    title: str
    words: Callable[[float], str]
    levels: bool = False  # what has no value on the axis is drawn across it
    what: str = "Throughput"
    measures: Sequence[Measure] = (RATE,)  # a column of panels each
    notes: Sequence[str] = ()
    says: str = ""  # in the heading; else what the points are


@dataclass(frozen=True)
class Panel:
    group: Group
    family: str  # empty when the panel shows all of the group
    labels: list[str]
    limits: tuple[float, float]
    levels: pd.DataFrame  # rows of the same cell that have no value on the axis
    measure: Measure = RATE

    @property
    def banded(self) -> bool:
        return error_model.of(self.group.rows).banded

    def look(self, label: str) -> palette.Look:
        look = palette.look(label)
        return palette.banded(look) if self.banded else look


def draw(run: Run, rows: pd.DataFrame, axis: Axis) -> Figure | None:
    """Facets of `rows` along the axis; None when nothing was measured at two values of it."""
    if rows[axis.column].nunique() < 2:
        return None
    rows = axis.measures[0].known(rows)
    placed = rows[axis.column].notna()
    facets = cells.axis_facets(cells.only(rows, placed), axis.column)
    if not facets:
        return None
    levels = rows[~placed] if axis.levels else rows[:0]
    by_facet = panels_of(facets, levels, axis.measures)
    panels = [panel for found in by_facet for panel in found]
    # As many whole facets as there is room for, from the first to the last at even distances.
    room = max(1, MOST_PANELS // max(map(len, by_facet)))
    shown = [panel for found in cells.evenly(by_facet, room) for panel in found][:MOST_PANELS]
    columns = _columns(shown, len(axis.measures))
    heading = _heading(run, facets, panels, len(shown), axis)
    return sheet(heading, shown, _titles(facets, shown), axis, columns)


def sheet(
    heading: figure.Heading,
    panels: Sequence[Panel],
    titles: Sequence[str],
    axis: Axis,
    columns: int,
) -> Figure:
    names = [one.measure.names(one.group, label) for one in panels for label in one.labels]
    names += [figure.drawn(label) for panel in panels for label in panel.levels["label"].unique()]
    right = endings.LABEL_GAP + figure.widest(names) + 0.1
    made, axes = figure.sheet(
        heading,
        figure.Grid.of_panels(titles, columns, size=(_WIDE, _TALL), left=_LEFT, right=right),
        count=len(panels),
    )
    for own_axes, panel, title in zip(axes, panels, titles):
        _draw_panel(own_axes, panel, axis)
        figure.panel_title(own_axes, title, _WIDE + right)
    return made


def _columns(panels: Sequence[Panel], measures: int) -> int:
    """A column for each measure, or for each number of keys if they are few; else as fits."""
    keys = [panel.group.key.get("keys") for panel in panels]
    if measures > 1:
        return measures
    if len(set(keys)) in (2, 3) and keys == keys[: len(set(keys))] * (len(keys) // len(set(keys))):
        return len(set(keys))
    return few_columns(len(panels))


def few_columns(panels: int) -> int:
    return min(panels, 2 if panels in (2, 4) else 3)


def _titles(facets: list[Group], panels: list[Panel]) -> list[str]:
    _, varied = cells.same_and_different([facet.key for facet in facets])
    parts = [
        (
            one.measure.title,
            cells.told_apart(one.group.key, varied),
            one.family and f"{one.family} family",
        )
        for one in panels
    ]
    return [" · ".join(filter(None, found)) for found in parts]


def _heading(
    run: Run, facets: list[Group], panels: list[Panel], shown: int, axis: Axis
) -> figure.Heading:
    same, _ = cells.same_and_different([facet.key for facet in facets])
    blocks = run.trials["block"].nunique()
    marked = ["mode", "think_kind", *(one.noise for one in axis.measures if one.noise)]
    every = pd.concat([facet.rows[marked] for facet in facets])
    loop = cells.in_the_saturated_loop(every)
    spread = (
        f"faint: each of {blocks} blocks (of many, their range); line: their median"
        if blocks > 1
        else "one block: no spread"
    )
    notes = [*notes_of(axis, every, [run]), cells.left_out(run.trials)]
    if len(panels) > shown:
        notes.append(figure.not_shown(len(panels) - shown, "the CSV has them all"))
    if any(_has_reference(panel) for panel in panels):
        notes.append(f"grey line: {REFERENCE}, the same in all panels of a cell")
    return figure.Heading(
        title=run.titled(f"{axis.what}{loop} by {axis.title}"),
        subtitles=[*run.banners, run.heading, cells.describe(same), axis.says or spread],
        footnotes=notes,
    )


def notes_of(axis: Axis, rows: pd.DataFrame, runs: Sequence[Run]) -> list[str]:
    """The meaning of the marks of these rows."""
    noise = [NOISE] if any(one.is_noise(rows) for one in axis.measures) else []
    return [*axis.notes, *noise, *error_model.explained(run.error for run in runs)]


# Panels of the same work have one scale, so that their heights compare.
_SAME_WORK = "workload scenario mode hold_kind hold_ns hold_lines".split()


def panels_of(
    facets: Sequence[Group], levels: pd.DataFrame, measures: Sequence[Measure]
) -> list[list[Panel]]:
    """The panels of each facet: one for each family and measure."""
    works = [str([facet.key.get(name) for name in _SAME_WORK]) for facet in facets]
    own_levels = [facet.alike(levels) for facet in facets]
    parts: dict[str, list[pd.DataFrame]] = {}
    for work, facet, own in zip(works, facets, own_levels):
        parts.setdefault(work, []).extend([facet.rows, own])
    limits = {work: [_limits(rows, one) for one in measures] for work, rows in parts.items()}
    return [
        [
            Panel(facet, family, labels, limit, own, measure)
            for family, labels in split(facet.labels).items()
            for measure, limit in zip(measures, limits[work])
        ]
        for facet, own, work in zip(facets, own_levels, works)
    ]


def _limits(parts: Sequence[pd.DataFrame], measure: Measure) -> tuple[float, float]:
    if measure.share:
        return 0.0, 1.04
    found = pd.concat([bands.figures_and_bounds(rows, measure.column) for rows in parts])
    found = found[found > 0]
    return (
        scales.padded([found.min(), found.max()], least=LEAST_SPAN) if len(found) else (1.0, 10.0)
    )


def split(labels: Sequence[str]) -> dict[str, list[str]]:
    """Those that a panel has room for, under an empty name; else by family of primitive."""
    if len(labels) <= MOST_LINES:
        return {"": list(labels)}
    families: dict[str, list[str]] = {}
    for label in sorted(labels, key=palette.natural):
        families.setdefault(palette.family(label), []).append(label)
    # The floor needs no panel of its own: it joins the smallest family.
    floor = families.pop(cells.FLOOR, [])
    if floor and families:
        families[min(families, key=lambda name: len(families[name]))] += floor
    elif floor:
        families[cells.FLOOR] = floor
    return families


def _has_reference(panel: Panel) -> bool:
    return bool(panel.family) and REFERENCE not in panel.labels and REFERENCE in panel.group.labels


def _draw_panel(axes: Axes, panel: Panel, axis: Axis) -> None:
    measure = panel.measure
    rows = panel.group.rows
    values = sorted(rows[axis.column].unique())
    positions = scales.positions(values)
    rows = rows[rows[measure.column].notna()]
    reference = rows[rows["label"] == REFERENCE]
    if _has_reference(panel) and not reference.empty:
        medians = reference.groupby(axis.column)[measure.column].median()
        dash = palette.BAND_DASH if panel.banded else "-"
        x = [positions[value] for value in medians.index]
        axes.plot(x, medians, **_REFERENCE_LINE, linestyle=dash)
    _draw_expected(axes, panel, values, positions)
    ends = []
    for label in panel.labels:
        own = rows[rows["label"] == label]
        if not own.empty:
            look = panel.look(label)
            draw = measure.line or _line_of(axis, measure, positions)
            ends.append(draw(axes, own, look, panel.group))
            for value in measure.ringed(own) if measure.ringed is not None else ():
                at = own.loc[own[axis.column] == value, measure.column].median()
                axes.plot([positions[value]], [at], **_RING)
    across = panel.levels[panel.levels[measure.column].notna()]
    for label, level in across.groupby("label")[measure.column].median().items():
        look = panel.look(label)
        axes.axhline(level, **look.line, zorder=2)
        ends.append(endings.End(positions[values[-1]], level, figure.drawn(label), look))
    scale(axes, axis, measure, positions, panel.limits)
    axes.set_ylabel(measure.label if measure.share else scales.logarithmic(measure.label))
    if ends:
        endings.label_ends(axes, ends)
    else:
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center", va="center")


def _line_of(
    axis: Axis, measure: Measure, positions: dict[float, float]
) -> Callable[[Axes, pd.DataFrame, palette.Look, Group], endings.End]:
    def draw(axes: Axes, own: pd.DataFrame, look: palette.Look, group: Group) -> endings.End:
        end = draw_line(axes, own, axis, measure, positions, look)
        return endings.End(*end, measure.names(group, own["label"].iloc[0]), look)

    return draw


def draw_line(
    axes: Axes,
    own: pd.DataFrame,
    axis: Axis,
    measure: Measure,
    positions: dict[float, float],
    look: palette.Look,
    gid: str | None = None,
) -> tuple[float, float]:
    """One primitive: a line through the medians of its blocks, every block a faint point, or of
    many a bar from the least to the greatest. Returns where the line ends."""
    draw_error(axes, own, axis.column, measure.column, positions, look.colour, gid)
    whole = own.groupby(axis.column)[measure.column].median()
    end = positions[whole.index[-1]], float(whole.iloc[-1])
    if measure.noise:
        noise = own[own[measure.noise]].groupby(axis.column)[measure.column].median()
        _draw_noise(axes, [positions[value] for value in noise.index], noise, look, gid)
        own = own.assign(**{measure.column: own[measure.column].mask(own[measure.noise])})
    by_value = own.groupby(axis.column)[measure.column]
    medians = by_value.median()
    x = [positions[value] for value in medians.index]
    if by_value.size().max() <= figure.MOST_POINTS:
        at = own[axis.column].map(positions)
        figure.draw_points(axes, at, own[measure.column], look.colour, gid)
    else:
        for at, low, high in zip(x, by_value.min(), by_value.max()):
            axes.plot((at, at), (low, high), color=look.colour, linewidth=4, alpha=0.3, gid=gid)
    edge = {"markeredgecolor": "white", "markeredgewidth": 0.5}
    axes.plot(x, medians, **look.line, marker=look.marker, markersize=5, **edge, zorder=3, gid=gid)
    return end


def _draw_noise(
    axes: Axes, x: Sequence[float], most: Sequence[float], look: palette.Look, gid: str | None
) -> None:
    same = {"color": look.colour, "gid": gid}
    for at, level in zip(x, most):
        # From below any limit of a logarithmic axis.
        axes.plot((at, at), (level * 1e-9, level), linewidth=0.8, alpha=0.5, zorder=2, **same)
        open_mark = {"marker": look.marker, "markersize": 5, "markerfacecolor": "white"}
        axes.plot([at], [level], linestyle="none", **open_mark, zorder=3, **same)


def scale(
    axes: Axes,
    axis: Axis,
    measure: Measure,
    positions: dict[float, float],
    limits: tuple[float, float],
    **how: float,
) -> None:
    """Both axes; `how`: for scales.log_axis_of()."""
    axes.set_ylim(*limits)
    if measure.share:
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], [measure.words(i / 4) for i in range(5)])
    else:
        scales.log_scale(axes, "y", measure.words)
    scales.log_axis_of(axes, positions, axis.words, axis.label, **how)


def draw_error(
    axes: Axes,
    own: pd.DataFrame,
    along: str,
    column: str,
    positions: dict[float, float],
    colour: str,
    gid: str | None = None,
) -> None:
    """The band of a primitive's figures along a line; nothing if they have none."""
    found = [
        (positions[value], *ends)
        for value, rows in own.groupby(along)
        if (ends := bands.bounds(rows, column)) is not None
    ]
    if found:
        x, low, high = zip(*found)
        axes.fill_between(
            x, low, high, color=colour, alpha=ERROR_ALPHA, linewidth=0, zorder=1, gid=gid
        )


def _draw_expected(
    axes: Axes, panel: Panel, values: Sequence[float], positions: dict[float, float]
) -> None:
    expected = panel.measure.expected
    reference = expected(panel.group, values) if expected is not None else None
    if reference is not None:
        axes.plot([positions[value] for value in values], reference, **_REFERENCE_LINE)


_RING = {
    "marker": "o",
    "markersize": 10,
    "markerfacecolor": "none",
    "markeredgecolor": figure.INK,
    "markeredgewidth": 0.9,
    "zorder": 4,
}
_REFERENCE_LINE: dict[str, object] = {"color": "#BBBBBB", "linewidth": 2.5, "zorder": 1}
