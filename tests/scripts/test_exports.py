# SPDX-License-Identifier: Apache-2.0
"""Exports for other tools: what each holds, and that the tools take it, where they are there."""

from __future__ import annotations

import base64
import csv
import json
import os
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import compare
import pytest
import notebook
import npm_package
import synthetic
from analysis import hdr, loader
from support import ROOT, MakeRun, Capture, refusal, shown

CELLS = synthetic.sweep(["global:lock=std", "keyed", "striped:lock=std,stripes=64"], threads=(1, 4))
REFERENCE = ROOT / "results" / "reference" / "xeon-2vcpu" / "quick"
GOOGLE = Path("/usr/share/benchmark/compare.py")  # of the package libbenchmark-tools


def halved(row: dict[str, Any]) -> None:
    row["operations_per_s"] /= 2


def test_google_benchmark_json_has_each_block_and_their_aggregates(
    make_run: MakeRun, capsys: Capture
) -> None:
    run = make_run(cells=CELLS, blocks=4)
    found = json.loads(shown(capsys, run, "--format", "benchmark-json"))
    trials = loader.load(run).valid
    repetitions = [one for one in found["benchmarks"] if one["run_type"] == "iteration"]
    assert len(repetitions) == len(trials) == 24
    assert len({one["name"] for one in repetitions}) == 6
    times = sorted(one["real_time"] for one in repetitions)
    assert times == pytest.approx(sorted(1e9 / trials["operations_per_s"]))
    aggregates = [one for one in found["benchmarks"] if one["run_type"] == "aggregate"]
    assert [one["aggregate_name"] for one in aggregates[:4]] == ["mean", "median", "stddev", "cv"]
    assert found["context"]["num_cpus"] == 8


@pytest.mark.skipif(not GOOGLE.is_file(), reason="install the package libbenchmark-tools")
def test_google_benchmarks_compare_reads_it(
    make_run: MakeRun, capsys: Capture, tmp_path: Path
) -> None:
    for name, change in (("old", None), ("new", halved)):
        run = make_run(name, cells=CELLS, blocks=10, change=change)
        (tmp_path / f"{name}.json").write_text(shown(capsys, run, "--format", "benchmark-json"))
    files = [str(tmp_path / "old.json"), str(tmp_path / "new.json")]
    done = subprocess.run(
        [sys.executable, str(GOOGLE), "--no-color", "benchmarks", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if "/keyed/" in line]
    means = [line.split()[1] for line in lines if "threads:4_mean" in line]
    assert means and all(float(one) == pytest.approx(1.0, abs=0.02) for one in means)
    assert any("_pvalue" in line for line in lines)


def test_github_action_benchmark_gets_a_list_of_figures(make_run: MakeRun, capsys: Capture) -> None:
    found = json.loads(shown(capsys, make_run(cells=CELLS, blocks=4), "--format", "action"))
    assert len(found) == 6 and {one["unit"] for one in found} == {"ns/op"}
    assert all(isinstance(one["value"], float) and one["value"] > 0 for one in found)
    assert all(one["range"].startswith("± ") and float(one["range"][2:]) > 0 for one in found)
    assert {tuple(one) for one in found} == {("name", "unit", "value", "range", "extra")}


def test_bencher_gets_latency_and_throughput(make_run: MakeRun, capsys: Capture) -> None:
    found = json.loads(shown(capsys, make_run(cells=CELLS, blocks=4), "--format", "bmf"))
    assert len(found) == 6
    for measures in found.values():
        assert set(measures) == {"latency", "throughput"}
        for one in measures.values():
            assert one["lower_value"] <= one["value"] <= one["upper_value"]


def test_names_are_the_same_in_every_run(make_run: MakeRun, capsys: Capture) -> None:
    one, other = (
        set(json.loads(shown(capsys, make_run(name, cells=CELLS, seed=seed), "--format", "bmf")))
        for seed, name in enumerate(("one", "other"))
    )
    assert one == other
    assert "counter/keyed/keys:64/hold_kind:spin/hold_ns:200/threads:4" in one


@pytest.mark.parametrize("form", ["benchmark-json", "action", "bmf", "hlog"])
def test_an_export_is_of_one_run(make_run: MakeRun, capsys: Capture, form: str) -> None:
    runs = [str(make_run(name, cells=CELLS)) for name in ("one", "two")]
    assert "name one run" in refusal(compare.main, capsys, *runs, "--format", form)


def test_nothing_valid_is_nothing_to_export(make_run: MakeRun, capsys: Capture) -> None:
    run = make_run(change=lambda row: row.update(valid="false"))
    assert "no row is valid" in refusal(compare.main, capsys, run, "--format", "bmf")


def decoded(text: str) -> dict[int, int]:
    """By the format's description alone: counts by the lowest value of each index."""
    raw = base64.b64decode(text)
    cookie, length = struct.unpack(">ii", raw[:8])
    assert cookie == 0x1C849314 and length == len(raw) - 8
    data = zlib.decompress(raw[8:])
    cookie, size, offset, digits, low, _, ratio = struct.unpack(">iiiiqqd", data[:40])
    assert (cookie, offset, digits, low, ratio) == (0x1C849313, 0, 3, 1, 1.0)
    assert size == len(data) - 40
    counts: dict[int, int] = {}
    index, at = 0, 40
    while at < len(data):
        number = shift = 0
        while True:
            byte = data[at]
            at += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        value = (number >> 1) ^ -(number & 1)
        if value <= 0:
            index += max(1, -value)
            continue
        bucket, sub = max(0, index // 1024 - 1), index % 1024 + (1024 if index >= 1024 else 0)
        counts[sub << bucket] = value
        index += 1
    return counts


@pytest.mark.parametrize("value", [1, 2, 1000, 2047, 2048, 2049, 123_456, 10**9, 3 * 10**12])
def test_a_value_comes_back_within_a_thousandth(value: int) -> None:
    ((found, count),) = decoded(hdr.encoded({value: 300})).items()
    assert count == 300 and found <= value <= found * 1.001


def test_several_values_keep_their_counts() -> None:
    counts = {1: 5, 2: 1, 4: 7, 5_000: 70_000, 2**40: 1}
    found = decoded(hdr.encoded(counts))
    assert list(found.values()) == list(counts.values())


def test_the_log_has_a_line_for_each_cell(make_run: MakeRun, capsys: Capture) -> None:
    lines = shown(capsys, make_run(cells=CELLS, blocks=2), "--format", "hlog").splitlines()
    data = [line.split(",") for line in lines if line.startswith("Tag=")]
    assert len(data) == 6 and all(len(fields) == 5 for fields in data)
    for fields in data:
        # Six buckets of each of two blocks: 100, 50, 25, 12, 6 and 3 waits.
        assert sum(decoded(fields[4]).values()) == 2 * 196


# The tag of each histogram of a log, how many values it has, the longest and the median.
READS_LOG = """
const hdr = require(process.argv[1]);
const reader = new hdr.HistogramLogReader(require("fs").readFileSync(0, "utf-8"));
const found = [];
for (let h = reader.nextIntervalHistogram(); h; h = reader.nextIntervalHistogram()) {
  found.push([h.tag, h.totalCount, h.maxValue, h.getValueAtPercentile(50)]);
}
console.log(JSON.stringify(found));
"""


@pytest.mark.long
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_hdr_histogram_js_reads_the_log(make_run: MakeRun, capsys: Capture) -> None:
    log = shown(capsys, make_run(cells=CELLS, blocks=2), "--format", "hlog")
    package = str(npm_package.folder("hdr-histogram-js"))
    done = subprocess.run(
        ["node", "-e", READS_LOG, package], input=log, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    lines = [line.split(",") for line in log.splitlines() if line.startswith("Tag=")]
    assert [one[0] for one in found] == [fields[0].removeprefix("Tag=") for fields in lines]
    for (_, count, longest, median), fields in zip(found, lines):
        counts = decoded(fields[4])
        assert count == sum(counts.values()) == 2 * 196
        assert longest == pytest.approx(max(counts), rel=2e-3)
        ranked = [value for value, times in sorted(counts.items()) for _ in range(times)]
        assert median == pytest.approx(ranked[(len(ranked) - 1) // 2], rel=2e-3)


Figures = dict[tuple[str, ...], float]


def example_says(folder: Path, *words: str) -> tuple[Figures, Figures]:
    """The medians and the p99 waits that an example of an analysis writes of the reference run."""
    settings = {"LOCKBENCH_RUN": str(REFERENCE), "LOCKBENCH_OUT": str(folder), "MPLBACKEND": "Agg"}
    subprocess.run(words, check=True, env={**os.environ, **settings}, stdout=subprocess.DEVNULL)
    found: list[Figures] = []
    for name, columns, figure in (
        ("medians.csv", "workload scenario threads keys hold_ns lock", "median"),
        ("waits.csv", "threads lock", "p99_ns"),
    ):
        with (folder / name).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        keys = [tuple(row[one].removesuffix(".0") for one in columns.split()) for row in rows]
        assert len(set(keys)) == len(rows) > 20
        found.append({key: float(row[figure]) for key, row in zip(keys, rows)})
    return found[0], found[1]


@pytest.fixture(name="in_pandas", scope="module")
def in_pandas_fixture(tmp_path_factory: pytest.TempPathFactory) -> tuple[Figures, Figures]:
    folder = tmp_path_factory.mktemp("pandas")
    said = example_says(folder, sys.executable, str(ROOT / "examples" / "analysis.py"))
    assert (folder / "analysis.svg").stat().st_size > 10_000
    return said


def test_the_example_in_pandas_has_the_medians_of_the_loader(
    in_pandas: tuple[Figures, Figures],
) -> None:
    valid = loader.load(REFERENCE).valid
    cell = ["label", "workload", "scenario", "threads", "keys", "hold_ns"]
    known = valid[valid["mode"] == "timed"].groupby(cell, dropna=False)["operations_per_s"]
    assert sorted(in_pandas[0].values()) == pytest.approx(sorted(known.median()), rel=1e-12)


def test_the_notebook_has_the_cells_of_the_example_and_runs(
    tmp_path: Path, in_pandas: tuple[Figures, Figures]
) -> None:
    written = json.loads((ROOT / "examples" / "analysis.ipynb").read_text(encoding="utf-8"))
    assert written == notebook.of_example(), "run python3 tests/scripts/notebook.py"
    code = ["".join(cell["source"]) for cell in written["cells"] if cell["cell_type"] == "code"]
    script = tmp_path / "cells.py"
    script.write_text("\n\n".join(code), encoding="utf-8")
    assert example_says(tmp_path, sys.executable, str(script)) == in_pandas


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="install the package r-base-core")
def test_the_example_in_r_says_what_the_one_in_pandas_says(
    tmp_path: Path, in_pandas: tuple[Figures, Figures]
) -> None:
    in_r = example_says(tmp_path, "Rscript", str(ROOT / "examples" / "analysis.R"))
    assert in_r[0] == pytest.approx(in_pandas[0], rel=1e-12)
    assert in_r[1] == in_pandas[1]
