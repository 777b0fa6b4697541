# SPDX-License-Identifier: Apache-2.0
"""verdict.py: its records, that all outputs show the same ones, and that headlines follow."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import compare
import pytest
import report
import synthetic
from analysis import cells, comparison, follow, loader, sequential, summary, tables, units, verdict
from analysis.page import answer
from test_report import Page
from tiers import rest_long
from support import ROOT, SCRIPTS, MakeRun, Capture


REFERENCE = ROOT / "results" / "reference"
RUNS = sorted(path.parent for path in REFERENCE.glob("*/*/trials.csv"))
SEEDS = rest_long(range(20), 4)


def drawn(make_run: MakeRun, seed: int) -> Path:
    """Some run: of any mode, with outliers, invalid rows and few or many blocks."""
    draw = random.Random(seed)
    mode = draw.choice(["timed", "timed", "fixed", "open", "micro"])
    made = synthetic.sweep(
        draw.sample(synthetic.COUNTER, draw.randint(2, 6)),
        threads=draw.sample((1, 2, 4, 8), draw.randint(1, 3)),
        keys=draw.sample((1, 64, 1024), draw.randint(1, 3)),
        holds=draw.sample((200, 1000, 5000) if mode == "fixed" else (0, 200, 5000), 2),
        mode=mode,
    )
    if mode == "open":
        made = synthetic.arriving(made, (1000, 64_000))
    twins = draw.random() < 0.5

    def change(row: dict[str, Any]) -> None:
        if twins:  # all are one lock
            row["operations_per_s"] = 1e6 * (1 + row["block"] / 10) * draw.lognormvariate(0, 0.05)
        if draw.random() < 0.05:
            for name in ("operations_per_s", "makespan_s", "wait_p99_ns"):
                row[name] = row.get(name) and row[name] * draw.choice([0.1, 7])
        if draw.random() < 0.1:
            row.update(valid="false", reason="lost 3 of 9 updates")

    return make_run(f"drawn-{seed}", cells=made, blocks=draw.randint(1, 12), change=change)


def typed(row: dict[str, str]) -> dict[str, Any]:
    """A line of CSV, its texts kept and its numbers read."""
    texts = {"cell", "workload", "mode", "key_distribution", "machine"}
    texts |= {"primitive", "baseline", "metric", "verdict"}
    numbers = {name: json.loads(text or "null") for name, text in row.items() if name not in texts}
    return {name: numbers.get(name, text) for name, text in row.items()}


def check_record(one: dict[str, Any]) -> None:
    assert tuple(one) == verdict.FIELDS
    for name, kinds in {
        **dict.fromkeys(("value", "baseline_value", "ratio"), (float,)),
        **dict.fromkeys(("low", "high", "confidence", "p", "p_corrected"), (float, type(None))),
        **dict.fromkeys(("threads", "keys"), (int, type(None))),
        "blocks": (int,),
        "hold_ns": (float, type(None)),
    }.items():
        assert type(one[name]) in kinds, name
    if one["low"] is None:
        assert one["blocks"] < sequential.LEAST_BLOCKS and one["verdict"] == "inconclusive"
        return
    assert 0 < one["low"] <= one["ratio"] <= one["high"]
    assert one["confidence"] >= 1 - sequential.ALPHA
    excludes = one["low"] > 1 or one["high"] < 1
    assert excludes == (one["verdict"] in ("faster", "slower"))
    assert excludes == (one["p_corrected"] <= sequential.ALPHA)
    if excludes:
        assert (one["verdict"] == "faster") == (one["ratio"] > 1)
        assert not contrary(one)
    if one["verdict"] == "same":
        assert 1 / 1.05 <= one["low"] and one["high"] <= 1.05


def contrary(one: dict[str, Any]) -> bool:
    """True if the medians order the two sides otherwise than the ratio does."""
    rates = one["value"] / one["baseline_value"]
    speeds = rates if one["metric"] == verdict.RATE else 1 / rates
    return (speeds - 1) * (one["ratio"] - 1) < 0


def check_table_rows(text: str, records: list[dict[str, Any]]) -> None:
    """Every record has its row, in order, with its own ratio, interval and verdict."""
    rows = [[part.strip() for part in line.split("|")[1:-1]] for line in text.splitlines()]
    rows = [row for row in rows if len(row) == len(tables._HEADERS) and row[3].endswith("×")]
    by_words = sorted((row[0].replace("\\", ""), row[3], row[-1].split(":")[0]) for row in rows)
    expected = sorted(
        (one["primitive"], units.ratio(one["ratio"]), one["verdict"]) for one in records
    )
    assert [(a, b, c.split(";")[0]) for a, b, c in by_words] == expected
    for row in rows:
        low, dash, high = row[4].partition(" – ")
        if dash:
            excludes = float(low.replace(",", "")) > 1 or float(high.replace(",", "")) < 1
            assert excludes == (row[-1].startswith(("faster", "slower"))), row
            assert float(high.replace(",", "")) <= 10.1 * float(low.replace(",", ""))
    opposite = sum("opposite directions" in row[-1] for row in rows)
    assert opposite == sum(contrary(one) for one in records)


def check_outputs_agree(capsys: Capture, run: Path, page: bool) -> None:
    """Loads and decides once: the formats get one result, as from one call each."""
    result = compare.compared(compare.parser().parse_args([str(run)]))
    assert isinstance(result, comparison.Result)
    forms = ("json", "csv", "markdown", "text")
    out = {form: compare.written(result, form, brief=False) for form in forms}
    capsys.readouterr()
    records = json.loads(out["json"])["comparisons"]
    for one in records:
        check_record(one)
    assert len({(one["cell"], one["primitive"]) for one in records}) == len(records)
    table = csv.DictReader(io.StringIO(out["csv"]))
    assert [typed(row) for row in table] == records
    check_table_rows(out["markdown"], records)
    for word in ("faster", "slower", "same"):
        count = sum(one["verdict"] == word for one in records)
        assert len(re.findall(rf"  {word}(?:[:;].*)?$", out["text"], re.MULTILINE)) == count
    if page:
        assert report.main([str(run)]) == 0
        written = (run / "report.html").read_text(encoding="utf-8")
        assert Page(written).comparisons == records


@pytest.mark.parametrize("seed", SEEDS)
def test_all_outputs_show_the_same_records(make_run: MakeRun, capsys: Capture, seed: int) -> None:
    check_outputs_agree(capsys, drawn(make_run, seed), page=seed < 2)


@pytest.mark.parametrize("run", rest_long(RUNS, 2), ids=lambda run: run.name)
def test_all_outputs_of_a_reference_run_agree(run: Path, capsys: Capture) -> None:
    check_outputs_agree(capsys, run, page=False)


def check_headline(told: answer.Advice, table: verdict.Table) -> None:
    """Each clause of the sentence, in each cell that it speaks of."""
    whole = len(told.groups)
    others = {
        group: [
            table.between(group, told.primitive, label)
            for label in table.groups[group].competitors
            if label != told.primitive
        ]
        for group in told.groups
    }
    ahead = {
        group
        for group, found in others.items()
        if all(one is not None and one.verdict == verdict.FASTER for one in found)
    }
    if told.confidence == "tie":
        check_tie(told, table)
    words = {whole: "significant", 0: "tie" if told.confidence == "tie" else "undecided"}
    assert told.confidence == words.get(len(ahead), f"significant in {len(ahead)} of {whole} cells")
    if all_cells := re.search(r"(?:Fastest|wait) in all (\d+) cells", told.because):
        assert int(all_cells[1]) == whole == len(ahead)
    if part := re.search(r"(?:Fastest|wait) in (\d+) of (\d+) cells", told.because):
        assert (int(part[1]), int(part[2])) == (len(ahead), whole)
    if rivals := re.search(
        r"not significantly different from (.*?)( in each|;|: more|\.|$)", told.because
    ):
        check_rivals(rivals[1], told, table, [p for p in told.groups if p not in ahead])
    usual = re.search(
        r"; ([\d.,]+)×(?: to ([\d.,]+)×)? (?:the speed of|as short a p99 wait as that of) (\S+)"
        r" \((.*)\)",
        told.because,
    )
    if usual:
        check_against_the_usual(usual, told, table)


def check_tie(told: answer.Advice, table: verdict.Table) -> None:
    """None of them is significantly slower than the fastest, and none is farther from it."""
    said = re.match(r"(.*) \(within (\d+) %\); take (\S+), the simplest", told.because)
    assert said is not None and said[3] == told.primitive
    names = said[1].replace(" or ", ", ").split(", ")
    assert told.primitive in names and len(names) > 1
    for group in told.groups:
        first = table.groups[group].competitors[0]
        for one in (table.between(group, name, first) for name in names if name != first):
            assert one is not None and one.verdict != verdict.SLOWER
            assert one.ratio >= 1 - (int(said[2]) + 0.5) / 100 and one.ratio >= 0.9


def check_rivals(names: str, told: answer.Advice, table: verdict.Table, groups: list[int]) -> None:
    for group in groups:
        labels = [label for label in table.groups[group].competitors if label != told.primitive]
        named = labels if names.startswith("at least") else names.split(", ")
        found = [table.between(group, told.primitive, label) for label in named]
        same = [one is None or not one.significant for one in found]
        assert any(same) if names.startswith("at least") else all(same), told


def check_against_the_usual(said: re.Match[str], told: answer.Advice, table: verdict.Table) -> None:
    low, high = (float(text.replace(",", "")) for text in (said[1], said[2] or said[1]))
    found = [table.between(group, told.primitive, said[3]) for group in told.groups]
    known = [one for one in found if one is not None]
    for one in known:
        assert low * 0.949 <= one.ratio <= high * 1.051
    for count, word in ((sum(one.verdict == w for one in known), w) for w in ("faster", "slower")):
        assert (word in said[4]) == (count > 0)
        if count and len(known) > 1:
            assert f"{word} in {count} of {len(known)} cells" in said[4]


def check_headlines(folder: Path) -> None:
    table = verdict.of_run(loader.load(folder, lenient=True))
    for question in answer.questions(summary.of(table), table):
        for told in question.advice:
            check_headline(told, table)


@pytest.mark.parametrize("seed", SEEDS)
def test_headlines_hold_in_every_cell_that_they_speak_of(make_run: MakeRun, seed: int) -> None:
    check_headlines(drawn(make_run, seed))


@pytest.mark.parametrize("run", rest_long(RUNS, 2), ids=lambda run: run.name)
def test_headlines_of_a_reference_run_hold(run: Path) -> None:
    check_headlines(run)


def rates(make_run: MakeRun, base: list[float], keyed: list[float]) -> verdict.Table:
    """A run of global, the baseline, and keyed, with these rates in its blocks."""

    def change(row: dict[str, Any]) -> None:
        of_both = {"global": base, "keyed": keyed}
        row["operations_per_s"] = of_both[row["primitive"]][row["block"]]

    made = synthetic.sweep(["global", "keyed"], threads=(2,))
    return verdict.of_run(loader.load(make_run(cells=made, blocks=len(base), change=change)))


def test_ratios_are_geometric_means_of_paired_ratios(make_run: MakeRun) -> None:
    (one,) = rates(make_run, [2e6, 2e7, 8e6], [1e6, 1e7, 1e6]).comparisons
    assert (one.primitive, one.baseline) == ("keyed", "global")
    assert one.ratio == pytest.approx(1 / math.cbrt(2 * 2 * 8))


def test_medians_that_contradict_the_ratios_make_it_inconclusive(make_run: MakeRun) -> None:
    # Paired, keyed is 10 % faster in every block but one, which is the median of both.
    base = [1e6 * 2**block for block in range(9)]
    keyed = [1.1 * rate for rate in base]
    (before,) = rates(make_run, base, keyed).comparisons
    keyed[4] = 0.999 * base[4]
    (one,) = rates(make_run, base, keyed).comparisons
    assert before.verdict == "faster" and one.ratio > 1 and one.value < one.baseline_value
    assert one.verdict == "inconclusive" and "opposite directions" in one.words()
    assert one.p == 1 and one.low == 1


def test_a_comparison_from_the_other_side_is_its_mirror(make_run: MakeRun) -> None:
    table = rates(make_run, [2e6, 2.1e6, 2.2e6], [1e6, 1e6, 1e6])
    one, other = (table.between(0, *pair) for pair in (("keyed", "global"), ("global", "keyed")))
    assert one is not None and other is not None
    assert other.ratio == pytest.approx(1 / one.ratio)
    assert (one.verdict, other.verdict) == ("slower", "faster")
    assert other.low == pytest.approx(1 / (one.high or 0)) and other.value == one.baseline_value


def test_equal_rates_are_the_same(make_run: MakeRun) -> None:
    noise = [1, 1.001, 0.999, 1.0005, 0.9995]
    table = rates(make_run, [1e6] * 5, [1e6 * one for one in noise])
    assert [one.verdict for one in table.comparisons] == ["same"]
    strict = [1e6 * one**40 for one in noise]
    table = rates(make_run, [1e6] * 5, strict)
    assert [one.verdict for one in table.comparisons] == ["inconclusive"]


def test_an_inconclusive_comparison_says_how_many_blocks_it_needs(make_run: MakeRun) -> None:
    (one,) = rates(make_run, [1e6] * 5, [1.1e6, 1.3e6, 1.2e6, 0.99e6, 1.2e6]).comparisons
    assert re.fullmatch(r"inconclusive: faster in 4 of 5 blocks, about \d+ needed", one.words())


def test_a_block_with_one_side_invalid_is_no_pair(make_run: MakeRun) -> None:
    def change(row: dict[str, Any]) -> None:
        if row["primitive"] == "striped" and row["block"] == 1:
            row.update(valid="false", reason="x")

    made = synthetic.sweep(["keyed", "striped"], threads=(2,))
    (one,) = verdict.of_run(loader.load(make_run(cells=made, change=change))).comparisons
    assert one.blocks == 4


def test_every_pair_of_a_group_has_one_comparison(make_run: MakeRun) -> None:
    labels = ["global", "keyed", "none", "striped"]
    run = loader.load(make_run(cells=synthetic.sweep(labels, threads=(1,))))
    table = verdict.of_run(run)
    for a in labels:
        for b in labels:
            expected = a != b and cells.FLOOR not in (a, b)
            assert (table.between(0, a, b) is not None) == expected


def test_a_run_that_goes_on_is_asked_line_by_line(make_run: MakeRun) -> None:
    made = synthetic.sweep(["global", "keyed", "striped"], threads=(1, 4))
    first, rest = make_run(cells=made, blocks=3), make_run("later", cells=made, blocks=40)
    script = SCRIPTS / "follow.py"
    with subprocess.Popen(
        [sys.executable, str(script), str(first)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as child:
        assert child.stdin is not None and child.stdout is not None
        found = []
        for rows in (None, (rest / "trials.csv").read_text(encoding="utf-8"), "spoilt\n"):
            if rows is not None:
                (first / "trials.csv").write_text(rows, encoding="utf-8")
            child.stdin.write("\n")
            child.stdin.flush()
            found.append(json.loads(child.stdout.readline()))
        child.stdin.close()
        assert child.wait() == 0
    early, late, spoilt = found
    assert early["comparisons"] == late["comparisons"] == 4
    assert early["decided"] < late["decided"] and early["needed"] > 3
    assert early["decided"] + len(early["open"]) == 4
    assert "trials.csv" in spoilt["error"]


def test_open_comparisons_name_the_trials_of_their_cells(make_run: MakeRun) -> None:
    run = loader.load(make_run(cells=synthetic.sweep(["global", "keyed"], (1, 2)), blocks=2))
    labels = run.trials.set_index("trial")[["label", "threads", "block"]]
    for one in follow.progress(verdict.of_run(run))["open"]:
        mine, base = (labels.loc[number] for number in one["trials"])
        assert (mine["label"], base["label"]) == ("keyed", "global")
        assert mine["threads"] == base["threads"] and mine["block"] == base["block"] == 0
