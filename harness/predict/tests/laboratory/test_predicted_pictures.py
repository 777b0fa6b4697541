# SPDX-License-Identifier: Apache-2.0
"""Predictions in pictures and pages: dashed, named, with the error of the model as a band, never
in one ratio with measurements."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import plot
import pytest
import report
import synthetic
from analysis import figure, loader, machines, palette, verdict
from analysis.errors import InputError
from analysis.pictures import PICTURES, by_machine
from analysis.fleet import Fleet
from predicted import error_model
from laboratory import prediction as script
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from predicted_runs import PREDICTED, as_predicted
from support import MakeRun, Capture


CELLS = [
    *synthetic.sweep(threads=(1, 8, 64), keys=(1, 64), holds=(0, 200)),
    *synthetic.sweep(threads=(21,), holds=(100_000,), mode="fixed"),
]


@pytest.fixture(autouse=True)
def _style() -> None:
    figure.use_style()


def drawn(run: Path) -> dict[str, Figure]:
    (member,) = machines.fleet([loader.load(run)])
    made = {name: draw(member.run) for name, draw in PICTURES.items()}
    return {name: found for name, found in made.items() if found is not None}


def words(made: Figure) -> str:
    return " ".join(" ".join(text.get_text().split()) for text in made.findobj(Text))


def long_lines(made: Figure) -> list[Line2D]:
    """Lines of figures: not ticks, grids and leaders."""
    return [
        line
        for axes in made.axes
        for line in axes.lines
        if len(line.get_xdata()) > 1 and line.get_marker() not in ("", "None", None)
        if line.get_linestyle() != "None"
    ]


def test_every_picture_of_predictions_names_the_machine_in_its_title(make_run: MakeRun) -> None:
    made = drawn(as_predicted(make_run(cells=CELLS)))
    assert {"throughput-by-threads", "wait", "fairness", "makespan", "winner"} <= set(made)
    for name, one in made.items():
        title = one.texts[0].get_text()
        assert PREDICTED in words(one), name
        bold = [text.get_text() for text in one.texts if text.get_weight() == "bold"]
        assert PREDICTED in " ".join(bold), (name, title)
    measured = drawn(make_run("measured", cells=CELLS))
    assert not any("prediction" in words(one) for one in measured.values())


def test_lines_of_predictions_are_dashed_and_those_of_measurements_are_as_they_were(
    make_run: MakeRun,
) -> None:
    cells = synthetic.sweep(("global", "keyed"), threads=(1, 8, 64))
    predicted = drawn(as_predicted(make_run(cells=cells)))["throughput-by-threads"]
    assert {line.get_linestyle() for line in long_lines(predicted)} == {"--"}
    measured = drawn(make_run("measured", cells=cells))["throughput-by-threads"]
    assert {line.get_linestyle() for line in long_lines(measured)} == {"-"}
    assert palette.banded(palette.look("keyed")).colour == palette.look("keyed").colour


def test_the_band_is_that_of_the_file_of_errors(
    make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "errors.csv"
    header = ",".join(error_model.COLUMNS)
    rows = ["operations_per_s,200,1,2,0.8,9,0.9,1,1.1", "operations_per_s,200,2,2,0.8,9,0.5,1,3"]
    file.write_text("\n".join(["# machine: A", header, *rows]) + "\n", encoding="utf-8")
    read = error_model.table(file)
    monkeypatch.setattr(error_model, "table", lambda: read)
    error_model._band.cache_clear()
    try:
        cells = synthetic.sweep(("keyed",), threads=(1, 64))
        run = as_predicted(make_run(cells=cells, blocks=1))
        made = drawn(run)["throughput-by-threads"]
        (band,) = made.axes[0].collections[-1:]
        rates = loader.load(run).trials.set_index("threads")["operations_per_s"]
        heights = sorted({round(y, 3) for _, y in band.get_paths()[0].vertices})
        wanted = [rates[1] * 0.9, rates[1] * 1.1, rates[64] * 0.5, rates[64] * 3]
        assert heights == sorted(round(one, 3) for one in wanted)
        low, high = made.axes[0].get_ylim()
        assert low < min(wanted) and max(wanted) < high
    finally:
        error_model._band.cache_clear()


def test_pictures_of_measurements_have_no_band(make_run: MakeRun) -> None:
    for one in drawn(make_run(cells=CELLS)).values():
        assert not any("band:" in text.get_text() for text in one.findobj(Text))


def test_a_class_is_the_nearest_in_hold_and_in_threads_for_each_processor() -> None:
    rates = error_model.table()
    rates = rates[rates["figure"] == "operations_per_s"].set_index(["hold_ns", "threads"])

    def high(threads: int, hold: float, processors: int) -> float:
        found = error_model.band("operations_per_s", threads, hold, processors)
        assert found is not None
        return found.high

    assert high(1, 0, 64) == rates.loc[(0, 1), "high"]
    # The machine of the file had two processors.
    assert high(64, 0, 64) == high(64, float("nan"), 128) == rates.loc[(0, 2), "high"]
    assert high(128, 300, 64) == rates.loc[(200, 4), "high"]
    assert high(1024, 1e9, 64) == rates.loc[(20000, 8), "high"]
    assert error_model.band("peak_rss_bytes", 2, 0, 2) is None


def test_a_predicted_lead_within_the_error_is_not_significant() -> None:
    found = error_model.band(error_model.RATIO, 64, 0, 64)
    assert found is not None
    assert not error_model.ERROR_MODEL.exceeds_error(0.99 / found.low, 64, 0, 64)
    assert error_model.ERROR_MODEL.exceeds_error(1.01 / found.low, 64, 0, 64)


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_every_output_calls_a_predicted_ratio_significant_only_beyond_the_error(
    make_run: MakeRun, tmp_path: Path, factor: float
) -> None:
    """The ratios of the page, the picture and the table, just within the error and beyond it."""
    lead = factor * math.exp(error_model.ERROR_MODEL.ratio_error(64, 200, 64))

    def change(row: dict[str, Any]) -> None:
        noise = 1 + 0.001 * (row["block"] % 2)
        row["operations_per_s"] = 1e6 * (lead * noise if row["primitive"] == "keyed" else 1)

    cells = synthetic.sweep(("global", "keyed"), threads=(64,), keys=(1, 64))
    run = as_predicted(make_run(cells=cells, blocks=4, change=change))
    for one in verdict.of_run(loader.load(run)).comparisons:
        assert one.by_model == verdict.FASTER
        assert one.verdict == (verdict.FASTER if factor > 1 else verdict.INCONCLUSIVE)
        assert one.needed is None
        assert one.low is not None and (one.low > 1) == (factor > 1)
    out = tmp_path / "page.html"
    assert report.main([str(run), "--out", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    assert page.count('<span class="pill">significant</span>') == (factor > 1)
    assert page.count("fastest, significant") == (2 if factor > 1 else 0)
    assert {one["verdict"] for one in json.loads(comparisons_of(page))["comparisons"]} == {
        verdict.FASTER if factor > 1 else verdict.INCONCLUSIVE
    }


def comparisons_of(page: str) -> str:
    return page.partition('id="comparisons">')[2].partition("</script>")[0]


def test_errors_are_quantiles_of_each_class(make_run: MakeRun, tmp_path: Path) -> None:
    """A prediction that is twice the measurement has errors of a half, and no error in ratios."""
    cells = synthetic.sweep(("global", "keyed", "striped"), threads=(1, 2), holds=(200,))
    measured = make_run("measured", cells=cells)
    predicted = as_predicted(make_run("predicted", cells=cells))
    trials = predicted / "trials.csv"
    lines = trials.read_text(encoding="utf-8").splitlines()
    at = lines[0].split(",").index("operations_per_s")
    for i, line in enumerate(lines[1:], 1):
        fields = line.split(",")
        fields[at] = str(2 * float(fields[at]))
        lines[i] = ",".join(fields)
    trials.write_text("\n".join(lines) + "\n", encoding="utf-8")
    file = tmp_path / "errors.csv"
    assert script.main(["accuracy", str(measured), str(predicted), "--errors", str(file)]) == 0
    found = error_model.table(file).set_index(["figure", "threads"])
    for threads, one in ((1, 3), (2, 3)):
        rate = found.loc[("operations_per_s", threads)]
        assert (rate["low"], rate["high"], rate["cells"]) == (0.5, 0.5, one)
        assert found.loc[("ratio", threads), "high"] == 1
    assert error_model.measured_on(file).startswith("Imaginary CPU")


def test_several_machines_have_panels_of_ratios_with_bands(make_run: MakeRun) -> None:
    cells = synthetic.sweep(threads=(1, 8, 64), keys=(64,))
    run = as_predicted(make_run(cells=cells), names=("a", "b"))
    made = by_machine.draw(Fleet(machines.fleet([loader.load(run)])))
    assert made is not None
    titles = [axes.get_title(loc="left") for axes in made.axes]
    assert len(titles) == 2 and all("prediction for" in title for title in titles)
    assert all(axes.collections for axes in made.axes)


def test_rows_of_both_kinds_are_never_in_one_ratio(make_run: MakeRun, capsys: Capture) -> None:
    mixed = as_predicted(make_run("mixed", cells=CELLS), some=True)
    run = loader.load(mixed)
    with pytest.raises(InputError, match="never in one ratio"):
        verdict.of_run(run)
    parts = machines.fleet([run])
    assert [one.run.error.plural for one in parts] == ["measurements", "predictions"]
    assert sum(len(one.run.trials) for one in parts) == len(run.trials)
    capsys.readouterr()


def test_a_page_shows_both_kinds_side_by_side(make_run: MakeRun, tmp_path: Path) -> None:
    cells = synthetic.sweep(threads=(1, 8), keys=(1, 64))
    measured = make_run("measured", cells=cells)
    predicted = as_predicted(make_run("predicted", cells=cells))
    out = tmp_path / "page.html"
    assert report.main([str(measured), str(predicted), "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert f"({PREDICTED}, m64)" in text and "Predicted by the model of a machine" in text
    assert "dashed: predicted; band:" in text
    fleet = Fleet(machines.fleet([loader.load(measured), loader.load(predicted)]))
    own: list[Any] = [one.comparisons for one in fleet.tables]
    assert [len(one) > 0 for one in own] == [True, True]
    assert plot.main([str(measured), str(predicted), "--out", str(tmp_path / "plots")]) == 0


def test_a_figure_that_is_zero_everywhere_is_drawn(make_run: MakeRun, tmp_path: Path) -> None:
    """As the memory of locks that need none for each key."""

    def change(row: dict[str, Any]) -> None:
        row["key_bytes_live"] = row["key_bytes_idle"] = 0
        row["lock_bytes"] = 64

    run = make_run(cells=synthetic.sweep(threads=(1, 2)), change=change)
    out = tmp_path / "page.html"
    assert report.main([str(run), "--out", str(out)]) == 0 and out.exists()
