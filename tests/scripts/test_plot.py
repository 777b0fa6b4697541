# SPDX-License-Identifier: Apache-2.0
"""plot.py: which pictures a run gives, and what it says when it gives none."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import plot
import pytest
import synthetic
from analysis import endings, figure, loader, palette, scales
from analysis.pictures import PICTURES
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from support import ROOT, MakeRun, Capture, printed, refusal, words


@pytest.fixture(autouse=True)
def _style() -> None:
    figure.use_style()


def drawn(run: Path) -> dict[str, Figure]:
    loaded = loader.load(run)
    made = {name: draw(loaded) for name, draw in PICTURES.items()}
    return {name: found for name, found in made.items() if found is not None}


def test_each_axis_of_a_sweep_gives_its_picture(make_run: MakeRun) -> None:
    cells = synthetic.sweep(threads=(1, 4), keys=(1, 64), holds=(0, 1000))
    assert set(drawn(make_run(cells=cells))) == {
        "throughput-by-threads",
        "throughput-by-keys",
        "throughput-by-hold",
        "wait",
        "fairness",
        "winner",
        "cost",
    }


def test_a_picture_that_has_nothing_to_show_is_not_drawn(make_run: MakeRun) -> None:
    names = drawn(make_run(cells=synthetic.sweep(["keyed"], threads=(1,))))
    assert not {"throughput-by-threads", "winner", "makespan", "fairness"} & set(names)


def test_late_writes_at_a_service_are_drawn_although_their_rows_are_not_valid(
    make_run: MakeRun,
) -> None:
    def change(row: dict[str, Any]) -> None:
        row.update(round_trips=4, operations=100, refused_writes=0)
        if row["primitive"] == "keyed":
            row.update(refused_writes=25)
        else:
            row.update(lost_updates=70, valid="false")

    made = synthetic.sweep(("global", "keyed"), threads=(4,))
    found = drawn(make_run(cells=made, change=change, blocks=2))
    assert {"70 %", "20 %", "none"} <= set(words(found["late-writes"]).split("\n"))


def test_updates_that_a_lock_of_this_machine_loses_are_no_late_writes(make_run: MakeRun) -> None:
    def change(row: dict[str, Any]) -> None:
        row.update(lost_updates=70, valid="false")

    assert "late-writes" not in drawn(
        make_run(cells=synthetic.sweep(threads=(4,)), change=change, blocks=2)
    )


def test_holds_that_touch_lines_have_an_axis_of_their_own(make_run: MakeRun) -> None:
    cells = [
        {**cell, "hold_kind": "touch", "hold_lines": lines}
        for lines in (1, 8, 64)
        for cell in synthetic.sweep(threads=(2,))
    ]
    for cell in cells:
        cell["hold_ns"] = 0
    names = drawn(make_run(cells=cells, change=lambda row: row.update(hold_ns="")))
    assert "throughput-by-cache-lines" in names and "throughput-by-hold" not in names


def test_no_hold_starts_the_axis_of_holds(make_run: MakeRun) -> None:
    def empty(row: dict[str, Any]) -> None:
        row["hold_ns"] = "" if row["hold_kind"] == "none" else row["hold_ns"]

    cells = synthetic.sweep(threads=(2,), holds=(0, 1000))
    made = drawn(make_run(cells=cells, change=empty))["throughput-by-hold"]
    assert "0 ns" in words(made) and "1 µs" in words(made)


def test_a_primitive_at_one_value_of_an_axis_is_no_line_on_it(make_run: MakeRun) -> None:
    cells = synthetic.sweep(["keyed"], threads=(1, 2)) + synthetic.sweep(["striped"], threads=(2,))
    text = words(drawn(make_run(cells=cells))["throughput-by-threads"])
    assert "keyed" in text and "striped" not in text


def test_every_block_is_a_point(make_run: MakeRun) -> None:
    cells = synthetic.sweep(["keyed", "striped"], threads=(1, 2, 4))
    made = drawn(make_run(cells=cells, blocks=5))["throughput-by-threads"]
    points = [line for line in made.axes[0].lines if line.get_solid_capstyle() == "round"]
    assert [np.isfinite(line.get_xdata()).sum() / 2 for line in points] == [3 * 5, 3 * 5]


def test_invalid_rows_are_out_of_the_pictures_and_in_the_footnote(make_run: MakeRun) -> None:
    made = drawn(make_run(cells=synthetic.sweep(["none", "keyed"], threads=(1, 2))))
    text = words(made["throughput-by-threads"])
    assert "5 rows excluded as invalid: 5 lost updates (none)" in text


def test_every_picture_tells_run_and_machine(make_run: MakeRun) -> None:
    for made in drawn(make_run(cells=synthetic.quick(), blocks=2)).values():
        assert "run 20250101-120000" in words(made) and "Imaginary CPU" in words(made)


def test_makespan_bars_start_at_zero_and_tell_the_efficiency(make_run: MakeRun) -> None:
    cells = synthetic.sweep(["global", "keyed"], (21,), (6,), (10**8,), mode="fixed")
    made = drawn(make_run(cells=cells))["makespan"]
    assert made.axes[0].get_xlim()[0] == 0
    assert "efficiency 28" in words(made) and "efficiency 99" in words(made)


def test_makespans_without_an_ideal_do_not_promise_one(make_run: MakeRun) -> None:
    cells = synthetic.sweep(["global", "keyed"], (21,), (6,), (10**8,), mode="fixed")
    made = drawn(make_run(cells=cells, change=lambda row: row.update(ideal_s=0)))["makespan"]
    assert "ideal" not in words(made) and "efficiency" not in words(made)


def test_stripes_are_an_axis_and_what_has_none_crosses_it(make_run: MakeRun) -> None:
    primitives = ["keyed", "striped:stripes=20", "striped:stripes=64", "striped:stripes=256"]
    made = drawn(make_run(cells=synthetic.sweep(primitives, threads=(8,))))
    text = words(made["throughput-by-stripes"])
    assert "striped:stripes=N" in text and "keyed" in text and "striped:stripes=64" not in text


def test_a_cell_that_was_not_swept_gets_bars_from_zero(make_run: MakeRun) -> None:
    made = drawn(make_run(cells=synthetic.sweep(threads=(8,))))
    assert made["throughput"].axes[0].get_xlim()[0] == 0
    assert "throughput" not in drawn(make_run("swept", cells=synthetic.sweep()))


def test_the_winner_shows_losses_and_those_that_do_not_matter_alike(make_run: MakeRun) -> None:
    def lead(by: float) -> Callable[[dict[str, Any]], None]:
        def change(row: dict[str, Any]) -> None:
            differs = (0.02, -0.02, 0.0)[row["block"]]
            row["operations_per_s"] = 1e6 * (by + differs if row["primitive"] == "keyed" else 1)

        return change

    cells = synthetic.sweep(["keyed", "striped"], threads=(1, 2), keys=(1, 64))
    small = drawn(make_run("small", cells=cells, blocks=3, change=lead(1.03)))["winner"]
    clear = drawn(make_run("clear", cells=cells, blocks=3, change=lead(1.3)))["winner"]
    assert "≤ 5 %" in words(small) and "23 %" not in words(small)
    assert words(clear).split("\n").count("23 %") == 4
    faces = {patch.get_facecolor() for axes in small.axes for patch in axes.patches}
    assert faces == {to_rgba(palette.LOSSES[0])}
    assert to_rgba(palette.LOSSES[2]) in {patch.get_facecolor() for patch in clear.axes[0].patches}


def test_a_loss_that_the_blocks_do_not_bear_out_is_white_and_has_a_mark(make_run: MakeRun) -> None:
    def change(row: dict[str, Any]) -> None:
        loses = row["primitive"] == "keyed" and row["block"] % 2 == 0
        row["operations_per_s"] = 0.5e6 if loses else 1e6

    cells = synthetic.sweep(["keyed", "striped"], threads=(1, 2), keys=(1, 64))
    made = drawn(make_run(cells=cells, change=change))["winner"]
    assert words(made).split("\n").count("34 % ?") == 4
    assert {patch.get_facecolor() for patch in made.axes[0].patches} >= {to_rgba("white")}


def test_loads_are_columns_of_the_winner(make_run: MakeRun) -> None:
    def change(row: dict[str, Any]) -> None:
        share = {1000: 0.1, 0: ""}[row["think_ns"]]
        slow = row["primitive"] == "striped" and share == ""
        row.update(load_share=share, operations_per_s=1e6 * (0.4 if slow else 1))

    cells = [
        {**cell, "think_kind": "exp" if think else "none", "think_ns": think}
        for think in (1000, 0)
        for cell in synthetic.sweep(["keyed", "striped"], threads=(2, 8), keys=(64,))
    ]
    (axes,) = drawn(make_run(cells=cells, change=change))["winner"].axes
    rows: dict[float, list[tuple[float, str]]] = {}
    for text in axes.texts:
        x, y = text.get_position()
        rows.setdefault(y, []).append((x, text.get_text()))
    assert [[word for _, word in sorted(rows[y])] for y in sorted(rows, reverse=True)] == [
        ["2 threads", "8 threads"],
        ["10 %", "saturated"] * 2,
        ["keyed", *["≤ 5 %"] * 4],
        ["striped", "≤ 5 %", "60 %", "≤ 5 %", "60 %"],
    ]


def test_the_floor_never_wins(make_run: MakeRun) -> None:
    cells = synthetic.sweep(["none", "keyed", "global"], threads=(1, 2), keys=(1, 64))
    made = drawn(make_run(cells=cells, change=lambda row: row.update(valid="true")))["winner"]
    assert "none" not in [text.get_text() for text in made.axes[0].texts]


def test_short_names_keep_the_values_of_parameters() -> None:
    assert figure.short("striped:lock=std,stripes=64") == "striped:std,64"


def test_micro_rows_have_a_picture_of_their_own(make_run: MakeRun) -> None:
    cells = synthetic.sweep(
        ["keyed", "striped"], threads=(1,), workload="uncontended", mode="micro"
    )
    limit = {**cells[0], "primitive": "rmw", "workload": "limit"}
    made = drawn(make_run(cells=[*cells, {**cells[0], "key_type": "string"}, limit]))
    assert set(made) == {"uncontended"}
    text = words(made["uncontended"])
    assert "rmw" in text and "limit" in text and "string keys" in text


def test_names_are_data_and_not_markup(make_run: MakeRun, capsys: Capture) -> None:
    def rename(row: dict[str, Any]) -> None:
        row["params"] = r"a=$\frac{1}$" if row["primitive"] == "keyed" else "b=名\x07$"

    assert plot.main([str(make_run(change=rename)), "--format", "svg"]) == 0


@pytest.mark.long
def test_a_logarithmic_axis_says_so(make_run: MakeRun) -> None:
    stripes = [f"striped:stripes={count}" for count in (1, 8)]
    cells = [
        *synthetic.sweep(threads=(1, 2, 4, 8, 16), keys=(1, 64), holds=(0, 1000)),
        *synthetic.sweep(stripes, threads=(2,), keys=(9,)),
        *synthetic.arriving(synthetic.sweep(threads=(2,)), [1000, 100_000]),
        *synthetic.sweep(["global", "keyed"], (1,), (7,), (0,), "uncontended", mode="micro"),
    ]
    made = drawn(make_run(cells=cells))
    assert {"cost", "fairness", "scalability", "uncontended", "wait", "wait-by-rate"} <= set(made)
    checked = 0
    for name, one in made.items():
        for axes in one.axes:
            for scale, label in (
                (axes.get_xscale(), axes.get_xlabel()),
                (axes.get_yscale(), axes.get_ylabel()),
            ):
                assert ("(log)" in label) == (scale == "log"), (name, label)
                checked += scale == "log"
    assert checked > 20


def test_an_svg_is_the_same_each_time(make_run: MakeRun, tmp_path: Path, capsys: Capture) -> None:
    run = make_run(cells=synthetic.sweep(threads=(1, 2), keys=(1, 64)))
    for out in ("a", "b"):
        assert plot.main([str(run), "--out", str(tmp_path / out), "--format", "svg"]) == 0
    pictures = sorted((tmp_path / "a").iterdir())
    assert pictures
    for picture in pictures:
        assert picture.read_bytes() == (tmp_path / "b" / picture.name).read_bytes()


def test_each_file_that_is_written_is_printed(make_run: MakeRun, capsys: Capture) -> None:
    run = make_run()
    told = printed(plot.main, capsys, run).split()
    assert sorted(told) == sorted(str(path) for path in (run / "plots").iterdir())
    assert {Path(path).suffix for path in told} == {".png", ".svg"}


def test_one_block_and_one_primitive_are_drawn(make_run: MakeRun) -> None:
    made = drawn(make_run(cells=synthetic.sweep(["keyed"]), blocks=1))
    assert "one block: no spread" in words(made["throughput-by-threads"])


def test_figures_of_nothing_are_drawn_around(make_run: MakeRun, capsys: Capture) -> None:
    def blank(row: dict[str, Any]) -> None:
        if row["block"] == 1:
            row.update(operations_per_s=0, operations=0, thread_operations_max=0, wait_p99_ns=0)
        if row["block"] == 2:
            row.update(wait_p50_ns="", lock_bytes="", cpu_user_s="", fairness_jain="")

    run = make_run(cells=synthetic.sweep(threads=(1, 2), keys=(1, 64), holds=(0, 10)), change=blank)
    assert plot.main([str(run), "--format", "svg"]) == 0


def test_a_run_without_a_valid_row_is_not_drawn(make_run: MakeRun, capsys: Capture) -> None:
    run = make_run(change=lambda row: row.update(valid="false", lost_updates=15))
    assert "no row is valid" in refusal(plot.main, capsys, run)
    assert not (run / "plots").exists()


def test_a_run_without_figures_is_not_drawn(make_run: MakeRun, capsys: Capture) -> None:
    figures = [name for name in synthetic.COLUMNS if name.endswith(("_s", "_ns", "operations"))]
    run = make_run(change=lambda row: row.update({name: "" for name in figures}))
    assert "no figure to draw" in refusal(plot.main, capsys, run)


def test_an_out_that_cannot_be_made_is_refused(
    make_run: MakeRun, tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "cannot be made" in refusal(
        plot.main, capsys, make_run(), "--out", tmp_path / "file" / "out"
    )


@pytest.mark.parametrize("argv", [[], ["nowhere"], ["x", "--format", "pdf"], ["x", "--colour"]])
def test_a_wrong_command_line_ends_in_one_line(argv: list[str], capsys: Capture) -> None:
    assert refusal(plot.main, capsys, *argv).startswith("lockbench plot: ")


@pytest.mark.parametrize("script", ["plot", "compare"])
def test_an_interpreter_without_the_modules_is_told_in_one_line(script: str) -> None:
    path = Path(plot.__file__).with_name(f"{script}.py")
    ended = subprocess.run(  # -S: without what was installed besides Python
        [sys.executable, "-S", path, "run"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2 and ended.stderr.count("\n") == 1
    assert "has no" in ended.stderr and "python3-pandas" in ended.stderr


def test_the_interpreter_that_the_user_names_goes_on_instead(tmp_path: Path) -> None:
    named = tmp_path / "named"
    named.write_text('#!/bin/sh\necho "$@" "[$LOCKBENCH_PYTHON]"\n', encoding="utf-8")
    named.chmod(0o755)
    path = Path(plot.__file__)
    ended = subprocess.run(
        [sys.executable, "-S", path, "a run"],
        env={**os.environ, "LOCKBENCH_PYTHON": str(named)},
        capture_output=True,
        text=True,
        check=False,
    )
    # Without the variable: an interpreter that lacks the modules, too, does not begin once more.
    assert (ended.returncode, ended.stdout) == (0, f"{path} a run []\n"), ended.stderr


def labels_of_presets() -> set[str]:
    """Every primitive that a preset names."""
    found: set[str] = set()
    for path in (ROOT / "workloads/presets").glob("*.toml"):
        preset = tomllib.loads(path.read_text(encoding="utf-8"))
        for part in (preset, *preset.get("sweep", ())):
            named = part.get("primitive", [])
            found.update([named] if isinstance(named, str) else named)
    return found


@pytest.mark.parametrize("labels", [labels_of_presets(), set(synthetic.CHARACTER)])
def test_no_two_primitives_look_alike(labels: set[str]) -> None:
    assert len(labels) > 5
    for one, other in combinations(sorted(labels), 2):
        a, b = palette.look(one), palette.look(other)
        assert (a.colour, a.marker) != (b.colour, b.marker), (one, other)


def test_a_primitive_that_no_preset_names_has_a_look_of_its_family() -> None:
    ours, theirs = palette.look("keyed"), palette.look("keyed_of_a_plug_in:shards=16")
    assert palette.family("keyed_of_a_plug_in:shards=16") == "keyed"
    assert (ours.colour, ours.marker) != (theirs.colour, theirs.marker)


def test_names_of_lines_stay_apart_in_order_and_in_their_room() -> None:
    heights = endings.spread([0.99, 0.98, 0.5, 0.97], least=0.1, low=0, high=1)
    ordered = sorted(heights)
    assert max(heights) <= 1 and heights[0] > heights[1] > heights[3] > heights[2]
    assert all(b - a >= 0.1 - 1e-9 for a, b in zip(ordered, ordered[1:]))


@pytest.mark.parametrize("low, high", [(1, 1e9), (200, 410), (0.9, 1.1), (3e6, 3.1e6), (1e-3, 5)])
def test_a_logarithmic_axis_has_a_few_round_ticks(low: float, high: float) -> None:
    ticks = scales.round_ticks(low, high, most=6)
    assert 2 <= len(ticks) <= 6 and all(low <= tick <= high for tick in ticks)


def test_ticks_whose_words_would_touch_are_left_out() -> None:
    positions = [1.0, 2.0, 2.1, 4.0, 1000.0]
    kept = scales.apart(positions)
    assert kept[0] == 1 and kept[-1] == 1000 and 2.1 not in kept


def test_a_users_own_matplotlibrc_changes_nothing() -> None:
    matplotlib.rcParams["font.size"] = 40
    figure.use_style()
    assert matplotlib.rcParams["font.size"] == figure.LABEL
