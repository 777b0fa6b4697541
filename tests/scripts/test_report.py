# SPDX-License-Identifier: Apache-2.0
"""report.py: what a page holds, in which order, of which runs; and that names are words in it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import report
import synthetic
from analysis import histograms, loader, palette, summary, text, verdict
from analysis.page import answer, as_html, as_markdown, colours, regions
from analysis.page.regions import Field
from analysis.pictures import PICTURES
from tiers import rest_long
from support import MakeRun, Capture, printed, refusal, shown


SECTIONS = "answer map waits fairness cost throughput cells invalid stressed machine method".split()
COMPARISONS: dict[str, str | None] = {"type": "application/json", "id": "comparisons"}
HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>' onload='alert(1)",
    '=cmd("calc")',
    "a\nb\r\n| c | `d` [e](f) & {{ 7*7 }} {% raw %}",
    "</svg></style></title><style>*{display:none}",
    "x" * 10_000,
)


class Page(HTMLParser):
    """The parts that a browser would make of a page: its elements, and its words."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.comparisons: list[dict[str, Any]] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if data.strip() and self.elements[-1:] == [("script", COMPARISONS)]:
            self.comparisons = json.loads(data)["comparisons"]
        else:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] or "" for _, attributes in self.elements if "id" in attributes]


def page_of(*runs: Path) -> Page:
    assert report.main([*map(str, runs)]) == 0
    return Page((runs[0] / "report.html").read_text(encoding="utf-8"))


def markdown_of(capsys: Capture, *runs: Path) -> str:
    capsys.readouterr()
    return printed(report.main, capsys, *runs, "--format", "markdown")


def table_of(folder: Path) -> pd.DataFrame:
    run = loader.load(folder)
    judged = verdict.of_run(run)
    return summary.of(judged)


def questions_of(folder: Path) -> list[answer.Question]:
    return answer.questions(table_of(folder), verdict.of_run(loader.load(folder)))


@pytest.fixture(scope="module", name="quick")
def quick_fixture(tmp_path_factory: pytest.TempPathFactory) -> Page:
    folder = tmp_path_factory.mktemp("quick")
    return page_of(synthetic.write_run(folder, cells=synthetic.quick(), blocks=3))


def test_sections_come_in_the_order_in_which_people_ask(quick: Page) -> None:
    found = [name for name in quick.ids if re.fullmatch(r"r1-[a-z]+", name)]
    assert [name for name in found if name != "r1-table"] == [f"r1-{name}" for name in SECTIONS]


def test_nothing_is_fetched_and_every_link_leads_somewhere(quick: Page) -> None:
    ids = set(quick.ids)
    assert len(quick.ids) == len(ids)
    for tag, attributes in quick.elements:
        assert tag not in ("iframe", "object", "img", "base")
        for name in ("src", "href", "action", "xlink:href"):
            where = attributes.get(name) or "#r1-answer"
            assert where.startswith("#") or where == "data:,"
            if where.startswith("#"):
                assert where[1:] in ids, where
    drawn = [attributes for tag, attributes in quick.elements if attributes.get("role") == "img"]
    assert len(drawn) > 10
    for attributes in drawn:
        assert set((attributes["aria-labelledby"] or "").split()) <= ids


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: name[:5].encode().hex())
def test_names_are_words_everywhere(make_run: MakeRun, capsys: Capture, name: str) -> None:
    def spoil(row: dict) -> None:
        if row["primitive"] == "keyed":
            row["primitive"] = name
        row["workload"], row["preset"], row["run_id"] = name, name, "r"
        if row["threads"] == 8:
            row.update(valid="false", reason=name)

    meta = {"machine": {"cpu_model": name, "cores": 2}, "command": name, "build": {"flags": name}}
    run = make_run(change=spoil, meta=meta)
    page = page_of(run)
    tags = {tag for tag, _ in page.elements}
    scripts = [attributes.get("type") for tag, attributes in page.elements if tag == "script"]
    assert not tags & {"img", "iframe"} and scripts == ["application/json", None]
    assert {one["primitive"] for one in page.comparisons} >= {text.printable(name)}
    assert [t for t, _ in page.elements].count("style") == 1
    for _, attributes in page.elements:
        assert not [key for key in attributes if key.startswith("on")]
    assert " ".join(text.printable(name).split())[:60] in page.text
    written = markdown_of(capsys, run)
    outside_code = re.sub(r"(`+)[^`].*?\1", "", written)
    opened = re.findall(r"(?<!\\)<(?!/?(?:details|summary)>)", outside_code)
    assert not opened, outside_code
    for table in re.findall(r"(?:^\|.*\n)+", written, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1


# Enough for every part of a page.
TWO = ("global:lock=std", "keyed")


def test_a_cell_that_begins_like_a_formula_is_words_in_a_spreadsheet(
    make_run: MakeRun, capsys: Capture
) -> None:
    def spoil(row: dict) -> None:
        row["primitive"] = "=cmd()" if row["primitive"] == "keyed" else row["primitive"]

    out = shown(capsys, make_run(change=spoil), "--format", "csv")
    assert ",'=cmd()," in out and ",=cmd()" not in out


def without(run: Path, column: str) -> Path:
    table = pd.read_csv(run / "trials.csv", dtype=str, keep_default_na=False)
    table.drop(columns=column).to_csv(run / "trials.csv", index=False)
    return run


# Every eighth first: neighbours belong together.
BY_EIGHTHS = [name for start in range(8) for name in synthetic.COLUMNS[start::8]]


@pytest.mark.parametrize("column", rest_long(BY_EIGHTHS, 10))
def test_without_any_one_column_there_still_is_a_page(
    make_run: MakeRun, capsys: Capture, column: str
) -> None:
    run = make_run(cells=synthetic.sweep(TWO, threads=(1, 4)), blocks=2)
    assert column in markdown_of(capsys, without(run, column)).replace("\\", "")


@pytest.mark.parametrize(
    "column", rest_long(["valid", "primitive", "threads", "keys", "mode", "block", "hold_ns"], 1)
)
def test_pictures_do_without_what_is_missing(make_run: MakeRun, column: str) -> None:
    run = make_run(cells=synthetic.sweep(TWO, threads=(1, 4)), blocks=2)
    assert f"column is missing: {column}" in page_of(without(run, column)).text


@pytest.mark.parametrize("header", [False, True])
def test_without_histograms_the_rows_percentiles_stand_in(make_run: MakeRun, header: bool) -> None:
    latency = make_run() / "latency.csv"
    if header:
        latency.write_text(latency.read_text(encoding="utf-8").partition("\n")[0] + "\n")
    else:
        latency.unlink()
    page = page_of(latency.parent)
    assert "Percentiles:" in page.text and "the distribution cannot be shown" in page.text


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"change": lambda row: row.update(valid="false", reason="broke")}, "No row is valid"),
        ({"blocks": 1}, "Only one block was measured"),
        ({"cells": synthetic.sweep(["keyed"])}, "Only one primitive was measured"),
        ({"cells": synthetic.sweep(threads=(4,))}, "Only one number of threads was measured (4)"),
        ({"cells": synthetic.sweep(["none"], threads=(1,))}, "nothing to compare"),
        ({"change": lambda row: row.update(wait_p50_ns="")}, "No wait was timed"),
    ],
)
def test_a_page_says_what_it_cannot_show(make_run: MakeRun, options: dict, told: str) -> None:
    assert told in page_of(make_run(**options)).text


def test_figures_of_invalid_rows_are_nowhere_and_their_reasons_are_told(make_run: MakeRun) -> None:
    def spoil(row: dict) -> None:
        if row["primitive"] == "striped":
            row.update(operations_per_s=987654321, valid="false", reason="lost 7 of 9 updates")

    page = page_of(make_run(change=spoil))
    assert "988 M" not in page.text and "987" not in page.text
    assert re.search(r"20 × striped ?: lost 7 of 9 updates", page.text)


def test_rivals_without_a_block_in_common_are_no_trouble(make_run: MakeRun) -> None:
    def disturb(row: dict) -> None:
        if (row["primitive"] == "global") == (row["block"] % 2 == 0):
            row.update(valid="false", reason="the window took 40 % longer than asked for")

    cells = synthetic.sweep(["global", "keyed"], threads=(2,))
    assert "the window took 40 %" in page_of(make_run(cells=cells, change=disturb)).text


def test_what_else_went_on_is_told(make_run: MakeRun) -> None:
    cells = synthetic.arriving(synthetic.sweep(threads=(2,)), [1000, 100_000])
    page = page_of(make_run(cells=cells))
    assert "Other processes used 1 % of the machine's time" in page.text
    assert "began 900 ns late in the median trial" in page.text


def test_open_loops_are_answered_by_where_they_saturate(make_run: MakeRun) -> None:
    cells = synthetic.arriving(synthetic.sweep(threads=(2,)), [1000, 100_000_000])
    page = page_of(make_run(cells=cells))
    assert "saturates between 1,000/s and 100,000,000/s" in page.text
    assert "nothing to compare" not in page.text


def test_an_open_loop_of_one_rate_has_percentiles_and_a_verdict_of_its_p99_wait(
    make_run: MakeRun,
) -> None:
    def change(row: dict) -> None:
        wait = {"global": 4000, "keyed": 1000, "striped": 3000}[row["primitive"]]
        row["wait_p99_ns"] = wait * (1 + 0.001 * row["block"])

    cells = synthetic.arriving(synthetic.sweep(threads=(2,)), [20_000])
    page = page_of(make_run(cells=cells, blocks=6, change=change))
    assert "No valid row has timed waits" not in page.text
    assert "Percentiles: counter · open loop · 20,000 arrivals/s · 2 threads" in page.text
    assert "keyed 2 threads × 64 keys × hold 200 ns spin × 20,000 arrivals/s" in page.text
    assert (
        "significant Shortest p99 wait, 3.0× as short a p99 wait as that of the second" in page.text
    )
    assert "4.0× as short a p99 wait as that of global:lock=std (faster)" in page.text
    assert re.search(r"p99 wait, best first: keyed 1 µs .*striped 3.01 µs .*std 4.01 µs", page.text)


def test_a_curve_of_percentiles_never_goes_down(make_run: MakeRun) -> None:
    """One block has ten times more waits, all of them short."""
    run = make_run(cells=synthetic.sweep(("keyed", "global"), threads=(2,)), blocks=4)
    table = pd.read_csv(run / "latency.csv")
    table.loc[table["trial"] < 2, "count"] *= 1000
    few = table["trial"].between(2, 7) & (table["low_ns"] < 500)
    table.loc[few, ["low_ns", "high_ns"]] *= 1000
    table.to_csv(run / "latency.csv", index=False)
    loaded = loader.load(run)
    for _, own in loaded.valid.groupby("label"):
        shares = 1 - 1 / np.geomspace(1.25, 1e5, 46)
        found, low, high = histograms.pooled(histograms.waits(loaded, own), shares)
        known = found[np.isfinite(found)]
        assert len(known) > 20 and (np.diff(known) >= 0).all()
        assert (low[: len(known)] <= known).all() and (known <= high[: len(known)]).all()
    buckets = pd.DataFrame({"block": [0, 1], "low_ns": [9, 99], "high_ns": [11, 101], "count": 50})
    found, low, high = histograms.pooled(buckets, np.array([0.5, 0.51, 0.999]))
    assert list(found[:2]) == [10, 100] and np.isnan(found[2]) and (low[1], high[0]) == (10, 100)


def test_a_wait_is_shown_of_the_cell_with_most_threads_and_all_families_have_one_scale(
    make_run: MakeRun,
) -> None:
    few = synthetic.sweep(("global", "keyed"), threads=(8,), keys=(1,))
    many = synthetic.sweep(synthetic.COUNTER, threads=(2, 16), keys=(64,))
    run = make_run(cells=few + many, blocks=3)
    page = page_of(run)
    shown = [one for one in re.findall(r"Percentiles: [^.]*? family", page.text)]
    assert {one.partition(" · hold")[0] for one in shown} == {
        "Percentiles: counter · 16 threads · 64 keys"
    }
    families = {palette.family(label) for label in synthetic.COUNTER} - {"none"}
    assert {one.split(" · ")[-1].removesuffix(" family") for one in shown} == families
    source = (run / "report.html").read_text(encoding="utf-8")
    drawn = [part.partition("</figure>")[0] for part in source.split("<figcaption")[1:]]
    axes = {tuple(re.findall(r">(\d+ [nµm]?s)<", one)) for one in drawn if ">Percentiles:" in one}
    assert len(axes) == 1


def test_the_table_of_a_saturated_loop_has_no_p99(make_run: MakeRun, capsys: Capture) -> None:
    """It favours the lock that starves threads; mean, longest wait and slowest thread do not."""

    def change(row: dict) -> None:
        starves = row["primitive"] == "global"
        row.update(wait_p99_ns=55 if starves else 1.5e6, wait_max_ns=148e6 if starves else 2e6)
        row.update(wait_mean_ns=3e6 if starves else 1e6, operations=8000)
        row.update(thread_operations_min=4 if starves else 900)

    run = make_run(cells=synthetic.sweep(("global", "keyed"), threads=(8,)), change=change)
    page = page_of(run)
    assert "55 ns" not in page.text and "1.5 ms" not in page.text
    assert "148 ms 3 ms 0 %" in page.text and "2 ms 1 ms 90 %" in page.text
    assert "mean wait, best first: keyed 1 ms (longest 2 ms), global 3 ms" in page.text

    capsys.readouterr()
    (line,) = [one for one in shown(capsys, run).splitlines() if one.startswith("  keyed ")]
    assert re.search(r"1.00 ms +– +2.00 ms +90 % ", line)


def test_events_of_an_operation_are_shown_and_the_missing_ones_named(make_run: MakeRun) -> None:
    def change(row: dict) -> None:
        row.update(cycles_per_operation=412 if row["primitive"] == "keyed" else 731)
        row.update(instructions_per_operation="", events_missing="no permission")

    run = make_run(cells=synthetic.sweep(("global", "keyed"), threads=(2,)), change=change)
    page = page_of(run)
    assert "processor cycles per operation, best first: keyed 412, global 731." in page.text
    assert "Not counted: instructions, cache misses," in page.text
    assert "energy (no permission)." in page.text
    figure = PICTURES["events"](loader.load(run))
    assert figure is not None
    assert {"412", "731"} <= {text.get_text() for text in figure.axes[0].texts}
    assert "(no permission)" in " ".join(text.get_text() for text in figure.texts)
    assert "Not counted" not in page_of(make_run("old", blocks=2)).text


def test_the_machines_limits_are_no_locks_to_choose_from(make_run: MakeRun) -> None:
    cells = synthetic.sweep(["rmw", "load"], (1,), (1,), (0,), "limit", mode="micro")
    page = page_of(make_run(cells=cells))
    assert "there is nothing to compare" in page.text


def test_several_runs_are_chapters_of_one_page(make_run: MakeRun) -> None:
    other = synthetic.sweep(["lease", "lease_tbb"], workload="checkout")
    page = page_of(make_run("one"), make_run("two", cells=other))
    assert {"r1-answer", "r2-answer"} <= set(page.ids) and len(page.ids) == len(set(page.ids))


def test_bare_costs_have_an_answer_and_a_picture(make_run: MakeRun) -> None:
    cells = synthetic.sweep(["global", "keyed"], (1,), (64,), (0,), "uncontended", mode="micro")
    for row in cells:
        row["hold_kind"] = "none"
    empty = {"wait_p50_ns": "", "fairness_jain": "", "cpu_user_s": "", "lock_bytes": ""}
    page = page_of(make_run(cells=cells, change=lambda row: row.update(empty)))
    assert "time of one operation" in page.text and "No valid row has timed waits" in page.text


def test_counts_of_stripes_are_one_line(make_run: MakeRun) -> None:
    primitives = [f"striped:stripes={count}" for count in (1, 8, 64)] + ["global:lock=std"]
    page = page_of(make_run(cells=synthetic.sweep(primitives, threads=(2,))))
    assert "Throughput by stripes:" in page.text and "striped:stripes=N" in page.text


@pytest.mark.long
def test_a_large_run_is_thinned_and_says_so(make_run: MakeRun) -> None:
    cells = synthetic.sweep(
        synthetic.COUNTER, threads=range(1, 13), keys=(1, 2, 4, 8, 16, 32, 64, 99)
    )
    run = make_run(cells=cells, blocks=1)
    page = page_of(run)
    assert "Shown: " in page.text and "more pictures of throughput are not drawn" in page.text
    assert (run / "report.html").stat().st_size < 2_000_000


@pytest.mark.long
def test_a_large_run_carries_a_part_of_its_comparisons_and_says_so(make_run: MakeRun) -> None:
    cells = synthetic.sweep(
        synthetic.COUNTER, threads=range(1, 13), keys=(1, 2, 4, 8, 16, 32, 64, 99, 128, 256)
    )
    run = make_run(cells=cells, blocks=1)
    page = page_of(run)
    assert 0 < len(page.comparisons) <= as_html.MOST_RECORDS
    source = (run / "report.html").read_text(encoding="utf-8")
    left = int(re.findall(r'"left_out":(\d+)', source)[0])
    assert left > 0
    whole = verdict.of_run(loader.load(run)).comparisons
    assert len(page.comparisons) + left == len(whole)
    groups = {(one["cell"]): 0 for one in page.comparisons}
    assert all(sum(one.cell == cell for one in whole) for cell in groups)


@pytest.mark.long
def test_many_primitives_share_colours_and_pictures_show_the_best(make_run: MakeRun) -> None:
    primitives = [f"striped:stripes={count}" for count in range(1, colours.MOST_OWN + 100)]
    run = make_run(cells=synthetic.sweep(primitives, threads=(2,)), blocks=1)
    page = page_of(run)
    assert "The pictures show 60 of 399 primitives" in page.text
    assert (run / "report.html").stat().st_size < 2_000_000
    symbols = [attributes for tag, attributes in page.elements if tag == "symbol"]
    assert len(symbols) < colours.MOST_OWN


def test_markdown_fits_a_comment_and_repeats_the_answer(make_run: MakeRun, capsys: Capture) -> None:
    run = make_run(cells=synthetic.quick())
    written = markdown_of(capsys, run)
    assert len(written) < 65_536
    for question in questions_of(run)[:12]:
        assert f"**{text.markdown(question.name)}**" in written
    assert as_markdown.LONGEST < 65_536


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "no such folder"),
        (["RUN", "--out", "/nowhere/x.html"], "cannot be written"),
        (["RUN", "--format", "pdf"], "invalid choice"),
        (["RUN"] * 13, "a page has room for 12"),
    ],
)
def test_wrong_words_end_in_one_line(
    make_run: MakeRun, capsys: Capture, arguments: list[str], told: str
) -> None:
    run = str(make_run())
    words = [run if word == "RUN" else word for word in arguments]
    assert told in refusal(report.main, capsys, *words)


# Which primitive for which region.

Fields = dict[regions.Point, Field]


def test_one_winner_everywhere_is_one_region() -> None:
    fields: Fields = {(t, k, 0): Field("keyed") for t in range(3) for k in range(4)}
    (region,) = regions.cover(fields)
    assert region.primitive == "keyed" and region.box == ((0, 2), (0, 3), (0, 0))


def test_a_region_reaches_over_fields_without_a_significant_difference() -> None:
    fields: Fields = {
        (0, 0, 0): Field("global", frozenset({"keyed"})),
        (1, 0, 0): Field("keyed"),
        (2, 0, 0): Field("keyed"),
    }
    (region,) = regions.cover(fields)
    assert region.primitive == "keyed" and len(region.points) == 3


def test_every_field_has_an_answer_and_none_a_wrong_one() -> None:
    draw = np.random.default_rng(7)
    names = ["a", "b", "c"]
    fields: Fields = {
        (t, k, h): Field(
            str(draw.choice(names)), frozenset(n for n in names if draw.random() < 0.3)
        )
        for t in range(4)
        for k in range(3)
        for h in range(2)
        if draw.random() < 0.9
    }
    covered = set()
    for region in regions.cover(fields):
        for point in region.points:
            one = fields[point]
            assert region.primitive == one.first or region.primitive in one.level
            covered.add(point)
    assert covered == set(fields)


def test_a_clear_lead_is_significant_and_a_tie_is_not(make_run: MakeRun) -> None:
    def fix(row: dict) -> None:
        noise = 1 + 0.01 * (row["block"] % 3)
        rate = {"keyed": 3e6, "striped": 3e6 / noise, "global": 1e6}[row["primitive"]]
        row["operations_per_s"] = rate * (1 + 0.01 * ((row["block"] + 1) % 3))

    cells = synthetic.sweep(["global", "keyed", "striped"], threads=(2,))
    run = make_run(cells=cells, change=fix)
    table = table_of(run)
    by_label = table.set_index("label")
    assert by_label.loc["global", "standing"] == summary.BEHIND
    assert by_label.loc["striped", "standing"] == summary.LEVEL
    assert not by_label["settled"].any()
    (advice,) = questions_of(run)[0].advice
    assert advice.primitive == "keyed" and advice.confidence == "tie"
    assert advice.because.startswith("keyed or striped (within 1 %); take keyed, the simplest")
    assert "global" in advice.because
    page = page_of(run)
    assert "tie keyed or striped (within 1 %); take keyed, the simplest" in page.text


def test_the_answer_knows_loads(make_run: MakeRun) -> None:
    """At a low load all are alike; in the saturated loop one of them is twice as fast."""

    def change(row: dict) -> None:
        share = {1000: 0.1, 200: 0.5, 0: ""}[row["think_ns"]]
        fast = row["primitive"] == "keyed" and share == ""
        noise = 1 + 0.001 * (row["block"] % 3)
        row.update(load_share=share, operations_per_s=1e6 * noise * (2 if fast else 1))

    cells = [
        {**cell, "think_kind": "exp" if think else "none", "think_ns": think}
        for think in (1000, 200, 0)
        for cell in synthetic.sweep(("global:lock=std", "keyed"), threads=(2,))
    ]
    run = make_run(cells=cells, blocks=6, change=change)
    (question,) = questions_of(run)
    (advice,) = question.advice
    assert advice.where.endswith("load 10 % to saturated") and advice.primitive == "keyed"
    assert advice.confidence == "significant in 1 of 3 cells"
    page = page_of(run)
    assert "global:lock=std ≤ 5 % ≤ 5 % 50 %" in page.text
    assert "keyed ≤ 5 % ≤ 5 % ≤ 5 %" in page.text


def test_the_floor_wins_nothing(make_run: MakeRun) -> None:
    cells = synthetic.sweep(["none", "keyed", "global"], threads=(1,))
    table = table_of(make_run(cells=cells))
    assert table.set_index("label").loc["none", "standing"] == ""


# Colours.


@pytest.mark.parametrize("theme", [colours.LIGHT, colours.DARK])
def test_words_stand_out_from_whatever_is_behind_them(theme: colours.Theme) -> None:
    for word in (
        theme["ink"],
        theme["quiet"],
        theme["link"],
        theme["good"],
        theme["fair"],
        theme["bad"],
    ):
        for behind in (theme["paper"], theme["card"]):
            assert colours.contrast(word, behind) >= colours.LEAST_FOR_TEXT
    for behind in (theme[f"step{i}"] for i in range(4)):
        assert colours.contrast(theme["ink"], behind) >= colours.LEAST_FOR_TEXT
    for look in map(palette.look, synthetic.CHARACTER):
        for behind in colours.fields(look.colour, theme):
            assert colours.contrast(theme["ink"], behind) >= colours.LEAST_FOR_TEXT


def test_contrast_is_that_of_the_guidelines() -> None:
    assert colours.contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert colours.contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


# G. Machado, M. Oliveira, L. Fernandes, "A physiologically-based model for simulation of color
# vision deficiency" (2009), for full protanopia, deuteranopia and tritanopia.
_BLINDNESS = {
    "red": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "green": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "blue": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def seen(colour: str, blindness: str) -> np.ndarray:
    """CIE Lab of what somebody sees who is blind to one of the primaries."""
    plain = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(plain <= 0.04045, plain / 12.92, ((plain + 0.055) / 1.055) ** 2.4)
    linear = np.clip(np.array(_BLINDNESS[blindness]) @ linear, 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    ratios = np.array(to_xyz) @ linear / [0.9505, 1.0, 1.089]
    roots = np.where(ratios > 0.008856, np.cbrt(ratios), 7.787 * ratios + 16 / 116)
    return np.array([116 * roots[1] - 16, 500 * (roots[0] - roots[1]), 200 * (roots[1] - roots[2])])


@pytest.mark.parametrize("blindness", _BLINDNESS)
@pytest.mark.parametrize("dark", [False, True])
def test_the_colour_blind_tell_primitives_apart(blindness: str, dark: bool) -> None:
    looks = {label: palette.look(label) for label in synthetic.CHARACTER}
    for (one, a), (other, b) in combinations(looks.items(), 2):
        shown = [colours.on_dark(look.colour) if dark else look.colour for look in (a, b)]
        apart = float(np.linalg.norm(seen(shown[0], blindness) - seen(shown[1], blindness)))
        same_shape = a.marker == b.marker and a.dash == b.dash
        assert apart >= 10 or not same_shape, (one, other, apart)


def test_a_page_made_twice_is_the_same(make_run: MakeRun) -> None:
    run = make_run()
    page_of(run)
    first = (run / "report.html").read_bytes()
    page_of(run)
    assert (run / "report.html").read_bytes() == first


def test_a_meta_file_of_any_shape_is_no_trouble(make_run: MakeRun) -> None:
    run = make_run()
    meta = {"machine": [1], "build": 7, "command": {"a": 1}, "target": "x", "calibration": None}
    (run / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    assert "meta.json does not contain the command" in page_of(run).text
