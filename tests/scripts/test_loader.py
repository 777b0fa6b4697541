# SPDX-License-Identifier: Apache-2.0
"""The loader: what it reads, and what it says of what it cannot read."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import synthetic
from analysis import loader
from support import ROOT, MakeRun


def refusal(where: Path) -> str:
    with pytest.raises(loader.InputError) as caught:
        loader.load(where)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_columns_are_those_that_the_harness_writes() -> None:
    golden = ROOT / "tests" / "record" / "golden" / "full_row.csv"
    header = golden.read_text(encoding="utf-8").splitlines()[0].split(",")
    assert header[: len(loader.COLUMNS)] == loader.COLUMNS


def schema_of(*columns: tuple[str, str]) -> str:
    return json.dumps({"trials": [{"name": name, "unit": unit} for name, unit in columns]})


def test_a_column_that_the_run_s_schema_adds_is_read_as_it_says(make_run: MakeRun) -> None:
    def change(row: dict[str, Any]) -> None:
        row.update(spins=7, colour="12")

    folder = make_run(change=change)
    (folder / "schema.json").write_text(
        schema_of(("trial", "number"), ("spins", "count"), ("colour", "name")), encoding="utf-8"
    )
    trials = loader.load(folder).trials
    assert set(trials["spins"]) == {7.0}
    assert set(trials["colour"]) == {"12"}


def test_a_column_of_the_schema_that_is_missing_is_named(make_run: MakeRun) -> None:
    folder = make_run()
    (folder / "schema.json").write_text(schema_of(("spins", "count")), encoding="utf-8")
    assert "column spins is missing" in refusal(folder)


def test_a_column_that_nothing_tells_of_is_read_too(make_run: MakeRun) -> None:
    def change(row: dict[str, Any]) -> None:
        row.update(spins=7, colour="red")

    trials = loader.load(make_run(change=change)).trials
    assert set(trials["spins"]) == {7.0}
    assert set(trials["colour"]) == {"red"}


@pytest.mark.parametrize("text", ["{", "[]", '{"trials": 3}', '{"trials": [{}]}'])
def test_a_broken_schema_is_said_with_what_would_be_right(make_run: MakeRun, text: str) -> None:
    folder = make_run()
    (folder / "schema.json").write_text(text, encoding="utf-8")
    assert "lockbench schema --format json" in refusal(folder)


@pytest.mark.parametrize("run", sorted((ROOT / "results" / "reference").glob("*/*")))
def test_runs_from_before_schemas_were_carried_are_read(run: Path) -> None:
    assert not loader.load(run).trials.empty


def test_rows_that_the_harness_writes_are_read(tmp_path: Path) -> None:
    for name in ("full_row.csv", "almost_empty_row.csv"):
        golden = ROOT / "tests" / "record" / "golden" / name
        (tmp_path / "trials.csv").write_bytes(golden.read_bytes())
        assert len(loader.load(tmp_path).trials) == 1


def test_a_figure_that_was_not_measured_is_missing_and_not_zero(make_run: MakeRun) -> None:
    run = loader.load(make_run())
    assert run.trials["makespan_s"].isna().all()


def test_the_label_is_the_primitive_as_users_write_it(make_run: MakeRun) -> None:
    cells = synthetic.sweep(["striped:lock=std,stripes=64", "keyed"], threads=(1,))
    run = loader.load(make_run(cells=cells))
    assert set(run.trials["label"]) == {"striped:lock=std,stripes=64", "keyed"}


def test_trials_csv_itself_names_its_run(make_run: MakeRun) -> None:
    folder = make_run()
    assert loader.load(folder / "trials.csv").folder == folder


@pytest.mark.parametrize("cut", [1, 5, 200])
def test_a_line_cut_off_at_the_end_is_left_out_and_told(make_run: MakeRun, cut: int) -> None:
    folder = make_run()
    path = folder / "trials.csv"
    path.write_bytes(path.read_bytes()[:-cut])
    whole = len(synthetic.rows(synthetic.sweep()))
    run = loader.load(folder)
    assert len(run.trials) == whole - 1
    assert run.notes == (f"{path}, line {whole + 1}: is cut off and was left out",)


@pytest.mark.parametrize("name", ["trials.csv", "latency.csv", "meta.json"])
def test_what_is_not_a_file_is_not_waited_for(make_run: MakeRun, name: str) -> None:
    folder = make_run()
    path = folder / name
    for device in (None, "/dev/zero"):
        path.unlink()
        if device is None:
            os.mkfifo(path)
        else:
            path.symlink_to(device)
        with pytest.raises(loader.InputError, match="is not a file"):
            run = loader.load(folder)
            assert run.latency is not None


@pytest.mark.parametrize("name", ["trials.csv", "latency.csv", "meta.json", "schema.json"])
def test_a_byte_order_mark_is_no_part_of_a_file(make_run: MakeRun, name: str) -> None:
    folder = make_run()
    path = folder / name
    known = path.read_text(encoding="utf-8") if path.exists() else '{"trials": []}'
    path.write_text(known, encoding="utf-8-sig")
    for lenient in (False, True):
        run = loader.load(folder, lenient)
        assert not run.notes
        assert len(run.trials) and run.latency is not None


@pytest.mark.parametrize("figure", ["1e308", "-1e31", "4e-320"])
def test_a_figure_that_nothing_can_have_is_refused(make_run: MakeRun, figure: str) -> None:
    folder = make_run()
    path = folder / "trials.csv"
    header, first, rest = path.read_text(encoding="utf-8").split("\n", 2)
    cells = first.split(",")
    cells[header.split(",").index("operations_per_s")] = figure
    path.write_text("\n".join([header, ",".join(cells), rest]), encoding="utf-8")
    said = refusal(folder)
    assert f"line 2, column operations_per_s: '{figure}' is no figure of a measurement" in said


def test_the_title_of_the_preset_is_told(make_run: MakeRun) -> None:
    run = loader.load(make_run(meta={**synthetic.META, "plan": {"title": "Two  locks"}}))
    assert "(Two locks)" in run.heading
    for without in ({}, {"title": 3}):
        assert loader.load(make_run(meta={**synthetic.META, "plan": without})).title == ""


def test_what_a_run_was_allowed_of_its_machine_is_told(make_run: MakeRun) -> None:
    limits = {"cpu_quota": 0.5, "cpuset": "0-1,4", "cpu_weight": 0.25}
    machine = {**synthetic.META["machine"], **limits}
    heading = loader.load(make_run(meta={**synthetic.META, "machine": machine})).heading
    assert "a quota of 0.5 processors' time, only hardware threads 0-1,4, CPU weight" in heading


def test_a_run_without_meta_is_read_and_its_machine_unknown(make_run: MakeRun) -> None:
    folder = make_run()
    (folder / "meta.json").unlink()
    run = loader.load(folder)
    assert run.machine == "machine unknown"
    assert "meta.json" in run.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"machine": 3}',
        '{"machine": {"cores": "x"}}',
        '{"machine": {"hardware_threads": NaN}}',
        '{"machine": {"hardware_threads": -Infinity}}',
        '{"machine": {"usable_threads": 1e999}}',
        "[" * 100_000,
    ],
)
def test_a_broken_meta_spoils_no_row(make_run: MakeRun, text: str) -> None:
    folder = make_run()
    (folder / "meta.json").write_text(text, encoding="utf-8")
    run = loader.load(folder)
    assert run.machine == "machine unknown"
    assert run.hardware_threads is None


def test_an_unfinished_run_is_told(make_run: MakeRun) -> None:
    run = loader.load(make_run(meta={**synthetic.META, "end": {"state": "interrupted"}}))
    assert "interrupted" in run.notes[0]


@pytest.mark.parametrize("plugins", [[{"file": "a.so"}], "none", [3], None])
def test_only_a_plug_in_that_was_compiled_otherwise_is_told(
    make_run: MakeRun, plugins: Any
) -> None:
    assert loader.load(make_run(meta={**synthetic.META, "plugins": plugins})).notes == ()
    slow = {"file": "a.so", "differs": "optimisation none (lockbench: full)"}
    (note,) = loader.load(make_run(meta={**synthetic.META, "plugins": [slow]})).notes
    assert note.endswith("a.so was not compiled as lockbench: optimisation none (lockbench: full)")


def test_a_run_on_another_machine_than_its_target_says_so(make_run: MakeRun) -> None:
    target = {"name": "i7-1165G7", "matches": False}
    run = loader.load(make_run(meta={**synthetic.META, "target": target}))
    assert "not the i7-1165G7 that it was sized for" in run.heading


def test_latency_is_read_when_there_is_any(make_run: MakeRun) -> None:
    folder = make_run()
    latency = loader.load(folder).latency
    assert latency is not None and (latency["count"] > 0).any()
    (folder / "latency.csv").unlink()
    assert loader.load(folder).latency is None


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    for where, said in (("nowhere", "no such folder"), (".", "lockbench run")):
        assert said in refusal(tmp_path / where)
    assert "not a folder" in refusal(tmp_path / "notes.txt")


def in_line_4(edit: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    def edited(table: bytes) -> bytes:
        lines = table.split(b"\n")
        return b"\n".join([*lines[:3], edit(lines[3]), *lines[4:]])

    return edited


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda table: b"", "is empty"),
        (lambda table: table.partition(b"\n")[0] + b"\n", "holds no trial"),
        (lambda table: bytes(range(256)) * 40, ""),
        (lambda table: table.replace(b"\n1,2025", b"\n2,2025", 1), r"line 2\b.*'2'.*'1'"),
        (lambda table: table.replace(b",keys,", b",kees,", 1), "column keys is missing"),
        (lambda table: table.replace(b",", b";"), "columns are separated by ';'"),
        (lambda table: table.replace(b",", b"\t"), "columns are separated by tabs"),
        (
            lambda table: table.replace(b"\n", b",keys\n", 1).replace(b"Z,", b"Z,1,"),
            "column keys is there twice",
        ),
        (lambda table: table.replace(b",true,", b",perhaps,", 1), "true or false"),
        (in_line_4(lambda line: line[:40]), "line 4"),
        (in_line_4(lambda line: line.replace(b",", b',"', 1)), "line 4"),
        (in_line_4(lambda line: line.replace(b",", b"\r,", 1)), "line 4"),
    ],
)
def test_what_is_no_table_is_refused_with_its_line(
    make_run: MakeRun, edit: Callable[[bytes], bytes], said: str
) -> None:
    table = make_run() / "trials.csv"
    assert edit(before := table.read_bytes()) != before
    table.write_bytes(edit(before))
    assert re.search(said, refusal(table.parent))


def test_columns_added_at_the_end_are_no_hindrance(make_run: MakeRun) -> None:
    folder = make_run()
    path = folder / "trials.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(line + ",more" for line in lines) + "\n", encoding="utf-8")
    assert len(loader.load(folder).trials) == len(lines) - 1


@pytest.mark.parametrize("word", ["many", "nan", "inf", "1_0", "٣", "1e999", "--1", "1e", "1,2"])
def test_a_word_for_a_number_is_refused_with_line_and_column(make_run: MakeRun, word: str) -> None:
    def spoil(row: dict) -> None:
        if row["trial"] == 4:
            row["threads"] = word

    message = refusal(make_run(change=spoil))
    assert "line 6, column threads" in message and word in message


def appended(run: Path, other: Path, name: str = "trials.csv") -> Path:
    """As `cat` puts two tables into one file."""
    lines = (other / name).read_text(encoding="utf-8").splitlines(keepends=True)
    with (run / name).open("a", encoding="utf-8") as file:
        file.writelines(lines[1:])
    return run


def test_tables_of_two_runs_in_one_file_are_refused(make_run: MakeRun) -> None:
    run, other = make_run("run"), make_run("other", run_id="another", seed=2)
    rows = len((run / "trials.csv").read_text().splitlines())
    message = refusal(appended(run, other))
    assert f"trials.csv, line {rows + 1}: run_id 'another' where the run is" in message
    assert "lockbench merge" in message


def test_rows_of_another_run_than_that_of_meta_json_are_refused(make_run: MakeRun) -> None:
    run = make_run(run_id="another", meta=synthetic.META)
    assert "line 2: run_id 'another'" in refusal(run)


def test_latencies_of_two_runs_in_one_file_are_refused(make_run: MakeRun) -> None:
    run, other = make_run("run"), make_run("other", run_id="another")
    loaded = loader.load(appended(run, other, "latency.csv"))
    with pytest.raises(loader.InputError, match="latency.csv, line .* 'another'"):
        loaded.latency  # noqa: B018


def planned(run: Path) -> Path:
    """With the plan that its rows come from."""
    trials = [
        {
            "number": int(row["trial"]),
            "block": int(row["block"]),
            "seed": int(row["seed"]),
            "cell": {
                "primitive": row["label"],
                "threads": int(row["threads"]),
                "keys": int(row["keys"]),
            },
        }
        for _, row in loader.load(run).trials.iterrows()
    ]
    meta = json.loads((run / "meta.json").read_text(encoding="utf-8"))
    meta["plan"] = {"trials": trials, "added_later": 1}
    (run / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    return run


def test_rows_of_the_plan_are_read(make_run: MakeRun) -> None:
    assert not loader.load(planned(make_run())).notes


@pytest.mark.parametrize("column", ["block", "seed", "threads", "keys"])
def test_rows_of_another_plan_are_refused(make_run: MakeRun, column: str) -> None:
    run = planned(make_run())

    def change(row: dict[str, Any]) -> None:
        if row["trial"] == 3:
            row[column] = int(row[column]) + 1

    other = make_run("other", change=change)
    (other / "meta.json").write_bytes((run / "meta.json").read_bytes())
    assert f"line 5: {column} is" in refusal(other)


def test_a_trial_that_the_plan_does_not_have_is_refused(make_run: MakeRun) -> None:
    run = planned(make_run(blocks=2))
    other = make_run("other", blocks=3)
    (other / "meta.json").write_bytes((run / "meta.json").read_bytes())
    assert "trial 24 is not in the plan, which has 24 trials" in refusal(other)


def test_a_shard_says_that_it_is_one(make_run: MakeRun) -> None:
    run = make_run(meta={**synthetic.META, "shard": {"index": 3, "of": 8}})
    assert any("shard 3/8 of a plan" in note for note in loader.load(run).notes)
