# SPDX-License-Identifier: Apache-2.0
"""`lockbench merge`: shards become one run; nothing is lost, nothing counts twice."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from program import Program, assert_complete, meta_of, rows_of
from tiers import rest_long

CELLS = ("--primitive", "global", "--primitive", "keyed", "--threads", "1", "--keys", "1,2")
WORK = "--mode fixed --sample-every 1 --operations 20 --hold sleep:100us --progress off"
PLAN = ("run", *CELLS, *WORK.split(), "--blocks", "3")
TRIALS = 3 * 4
FILES = ("trials.csv", "latency.csv", "meta.json", "schema.json")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three shards, measured once for all tests."""
    folder = tmp_path_factory.mktemp("shards")
    for i in (1, 2, 3):
        done = Program(folder).run(*PLAN, "--shard", f"{i}/3", "--out", f"shards/{i}")
        assert done.returncode == 0, done.stderr
    return folder / "shards"


@pytest.fixture
def shards(measured: Path, lockbench: Program) -> Path:
    shutil.copytree(measured, lockbench.folder / "shards")
    return lockbench.folder / "shards"


def merged(lockbench: Program, out: str, *words: str) -> Path:
    done = lockbench.run("merge", out, *words)
    assert done.returncode == 0, done.stderr
    return lockbench.folder / out


def refused(lockbench: Program, *words: str, code: int = 2) -> str:
    done = lockbench.run("merge", *words)
    assert done.returncode == code, (done.stdout, done.stderr)
    assert not (lockbench.folder / (words[0] + ".merging")).exists()
    return done.stderr


def edit_meta(folder: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    meta = meta_of(folder)
    edit(meta)
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")


def contents(folder: Path) -> dict[str, bytes]:
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
    return {name: (folder / name).read_bytes() for name in FILES}


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines(keepends=True)


def without_run_id(path: Path) -> list[str]:
    """The rows without the name of their run, in the order of trials."""
    header, *rows = [line.split(",") for line in lines_of(path)]
    at = header.index("run_id")
    return sorted(",".join(row[:at] + row[at + 1 :]) for row in rows)


def test_three_shards_become_one_run(lockbench: Program, shards: Path) -> None:
    done = lockbench.run("merge", "all", "shards/1", "shards/2", "shards/3")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert "Merged all: 3 runs on 1 machine, 12 of 12 trials" in done.stdout
    out = lockbench.folder / "all"
    assert_complete(out, TRIALS)
    assert [int(row["trial"]) for row in rows_of(out)] == sorted(
        int(row["trial"]) for row in rows_of(out)
    )
    for name in ("trials.csv", "latency.csv"):
        parts = sorted(row for i in (1, 2, 3) for row in without_run_id(shards / str(i) / name))
        assert without_run_id(out / name) == parts
    meta = meta_of(out)
    assert meta["end"]["state"] == "finished" and meta["end"]["trials_done"] == TRIALS
    assert [part["shard"]["index"] for part in meta["parts"]] == [1, 2, 3]
    assert [one["id"] for one in meta["machines"]] == [meta["machine"]["id"]]
    assert meta["plan_hash"] == meta_of(shards / "1")["plan_hash"]
    assert "shard" not in meta


def test_a_merged_run_is_read_as_any_other(lockbench: Program, shards: Path) -> None:
    merged(lockbench, "all", "shards")
    for command in ("compare", "report", "plot"):
        done = lockbench.run(command, "all")
        assert done.returncode == 0, done.stderr
    resumed = lockbench.run("run", "--resume", "all")
    assert resumed.returncode == 0 and "nothing was left to measure" in resumed.stderr
    # Repeated, each writes the same bytes.
    made = {path: path.read_bytes() for path in (lockbench.folder / "all").rglob("*.*")}
    assert any(path.name == "report.html" for path in made)
    for command in ("report", "plot"):
        assert lockbench.run(command, "all").returncode == 0
    assert {path: path.read_bytes() for path in (lockbench.folder / "all").rglob("*.*")} == made


def test_merging_is_idempotent_and_associative(lockbench: Program, shards: Path) -> None:
    whole = contents(merged(lockbench, "all", "shards/1", "shards/2", "shards/3"))
    assert contents(merged(lockbench, "folder", "shards")) == whole
    assert contents(merged(lockbench, "back", "shards/3", "shards/1", "shards/2")) == whole
    assert contents(merged(lockbench, "again", "all")) == whole
    assert contents(merged(lockbench, "twice", "all", "shards/2", "all", "shards/2")) == whole
    merged(lockbench, "left", "--partial", "shards/1", "shards/2")
    merged(lockbench, "right", "--partial", "shards/2", "shards/3")
    assert contents(merged(lockbench, "both", "left", "shards/3")) == whole
    assert contents(merged(lockbench, "overlapping", "left", "right")) == whole
    assert contents(merged(lockbench, "all", "shards")) == whole


def test_shards_that_differ_are_refused_by_the_field(lockbench: Program, shards: Path) -> None:
    other = lockbench.run(*PLAN, "--seed", "7", "--shard", "2/3", "--out", "other")
    assert other.returncode == 0, other.stderr
    message = refused(lockbench, "all", "shards/1", "other")
    assert "shards/1 and other: different plans (seed 1 and 7)" in message

    def rebuilt(meta: dict[str, Any]) -> None:
        meta["build"]["flags"] = "-O0"

    edit_meta(shards / "2", rebuilt)
    assert "different builds (flags " in refused(lockbench, "all", "shards")
    trials = shards / "3" / "trials.csv"
    trials.write_text(trials.read_text().replace("interference", "disturbed", 1))
    message = refused(lockbench, "all", "--partial", "shards/1", "shards/3")
    assert '"disturbed" where the first run has "interference"' in message
    assert "shards/3/trials.csv:1: different schemas" in message


def test_another_schema_version_is_refused(lockbench: Program, shards: Path) -> None:
    edit_meta(shards / "2", lambda meta: meta.update(schema_version=2))
    assert "schema version 2" in refused(lockbench, "all", "--partial", "shards")


def test_what_is_missing_is_said_and_merged_if_asked(lockbench: Program, shards: Path) -> None:
    shutil.rmtree(shards / "2")
    lines = lines_of(shards / "3" / "trials.csv")
    (shards / "3" / "trials.csv").write_text("".join(lines[:-2]))
    edit_meta(shards / "3", lambda meta: meta["end"].update(state="running", trials_done=0))
    message = refused(lockbench, "all", "shards")
    assert "6 of 12 trials are missing" in message
    assert "shards/3: is not finished; its own command goes on with it: lockbench run" in message
    assert "of 3 shards, there is no folder of 2" in message
    assert "nothing was merged" in message
    out = merged(lockbench, "all", "--partial", "shards")
    assert len(rows_of(out)) == 6
    meta = meta_of(out)
    assert meta["end"]["state"] == "interrupted"
    assert [part["end"]["trials_done"] for part in meta["parts"]] == [4, 2]
    # The rest is measured, and everything merged again.
    for i in (2, 3):
        done = lockbench.run(*PLAN, "--shard", f"{i}/3", "--out", f"shards/{i}")
        assert done.returncode == 0, done.stderr
    assert_complete(merged(lockbench, "all", "shards"), TRIALS)


def test_a_shard_that_was_run_again_counts_once(lockbench: Program, shards: Path) -> None:
    again = lockbench.run(*PLAN, "--shard", "2/3", "--out", "again")
    assert again.returncode == 0, again.stderr
    # The later row of one trial is not valid.
    path = lockbench.folder / "again" / "trials.csv"
    header = lines_of(path)[0].split(",")
    lines = lines_of(path)
    cells = lines[1].split(",")
    cells[header.index("valid")] = "false"
    for i in range(1, len(lines)):
        its = cells if i == 1 else lines[i].split(",")
        its[header.index("started_at")] = "2100-01-01T00:00:00Z"
        lines[i] = ",".join(its)
    path.write_text("".join(lines))
    bad = cells[header.index("trial")]
    done = lockbench.run("merge", "all", "shards", "again")
    assert done.returncode == 0, done.stderr
    assert (
        "shards/2: left out rows of 3 trials that another folder has, too"
        " (0 there valid and here not, 3 measured later there)" in done.stderr
    )
    assert (
        "again: left out rows of 1 trial that another folder has, too"
        " (1 there valid and here not, 0 measured later there)" in done.stderr
    )
    out = lockbench.folder / "all"
    assert_complete(out, TRIALS)
    for row in rows_of(out):
        assert row["valid"] == "true"
        later = row["started_at"].startswith("2100")
        assert later == (row["block"] == "1" and row["trial"] != bad)
    backwards = contents(merged(lockbench, "backwards", "again", "shards"))
    assert backwards == contents(out)


def test_rows_in_two_pieces_or_of_another_run_are_refused(lockbench: Program, shards: Path) -> None:
    trials = shards / "1" / "trials.csv"
    lines = lines_of(trials)
    trials.write_text("".join([*lines, lines[1]]))
    assert f"trials.csv:{len(lines) + 1}: trial" in refused(lockbench, "all", "shards")
    trials.write_text("".join([*lines[:2], lines[1], *lines[2:]]))
    assert "trials.csv:3: attempt 0 at trial" in refused(lockbench, "all", "shards")
    trials.write_text("".join(lines + lines_of(shards / "2" / "trials.csv")[1:]))
    message = refused(lockbench, "all", "shards")
    assert f"trials.csv:{len(lines) + 1}: run_id is" in message
    trials.write_text("".join(lines).replace(",keyed,", ",striped,", 1))
    assert 'primitive is "striped" where the plan has "keyed"' in refused(
        lockbench, "all", "shards"
    )


def test_times_that_a_cut_copy_lacks_come_from_a_whole_one(
    lockbench: Program, shards: Path
) -> None:
    whole = contents(merged(lockbench, "all", "shards"))
    latency = shards / "2" / "latency.csv"
    latency.write_text("".join(lines_of(latency)[:-1]))
    message = refused(lockbench, "other", "shards")
    assert "shards/2/latency.csv: lacks times of 1 trial that trials.csv has" in message
    assert len(rows_of(merged(lockbench, "other", "shards", "--partial"))) == TRIALS - 1
    for folders in (("all", "shards"), ("shards", "all")):
        assert contents(merged(lockbench, "other", "--partial", *folders)) == whole
    latency.unlink()
    assert len(rows_of(merged(lockbench, "none", "shards", "--partial"))) == TRIALS - 4


@pytest.mark.parametrize("cuts", rest_long([3, 12], 1))
@pytest.mark.parametrize("name", ["trials.csv", "latency.csv", "meta.json"])
def test_a_copy_that_was_cut_off_is_never_taken_for_a_whole_one(
    lockbench: Program, shards: Path, name: str, cuts: int
) -> None:
    path = shards / "2" / name
    text = path.read_bytes()
    whole = without_run_id(merged(lockbench, "whole", "shards") / "trials.csv")
    draw = random.Random(1)
    header = text.index(b"\n") + 1
    sizes = [0, header - 1, header, len(text) - 2, *draw.sample(range(len(text) - 1), cuts)]
    for size in sizes:
        path.write_bytes(text[:size])
        # Cut at the end of a row, a table is whole, and only too short.
        said = refused(lockbench, "all", "shards")
        assert "shards/2" in said or "of 12 trials are missing" in said, size
        done = lockbench.run("merge", "all", "--partial", "shards")
        if size < header and name != "meta.json":
            assert done.returncode == 2, size  # there is not even a header
            continue
        assert done.returncode == 0, (size, done.stderr)
        rows = without_run_id(lockbench.folder / "all" / "trials.csv")
        assert set(rows) <= set(whole), size
    assert lockbench.run("compare", "all").returncode == 0
    path.write_bytes(text)
    assert without_run_id(merged(lockbench, "all", "shards") / "trials.csv") == whole


def test_a_merge_that_is_killed_leaves_the_old_run_or_the_new_one(
    lockbench: Program, shards: Path
) -> None:
    out = merged(lockbench, "all", "--partial", "shards/1", "shards/2")
    old = contents(out)
    new = contents(merged(lockbench, "new", "shards"))
    draw = random.Random(2)
    seen = set()
    for _ in range(20):
        process = lockbench.start("merge", "all", "shards")
        try:
            process.communicate(timeout=draw.uniform(0.001, 0.05))
        except Exception:  # noqa: BLE001 - it was too slow, which was the aim
            process.kill()
            process.communicate()
        found = contents(out)
        assert found in (old, new)
        seen.add(found == new)
    assert contents(merged(lockbench, "all", "shards")) == new
    assert not (lockbench.folder / "all.merging").exists()


def test_a_full_disk_leaves_the_old_run(lockbench: Program, shards: Path) -> None:
    old = contents(merged(lockbench, "all", "--partial", "shards/1"))
    done = lockbench.run("merge", "all", "shards", file_limit=6 << 10)
    assert done.returncode == 1, done.stderr
    assert "ulimit -f" in done.stderr
    assert contents(lockbench.folder / "all") == old
    assert not (lockbench.folder / "all.merging").exists()


def test_what_is_no_merged_run_is_not_replaced(lockbench: Program, shards: Path) -> None:
    mine = lockbench.folder / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("everything")
    assert "is no merged run" in refused(lockbench, "mine", "shards")
    assert (mine / "thesis.tex").read_text() == "everything"
    assert "is no merged run" in refused(lockbench, "shards/1", "shards")
    merged(lockbench, "first", "--partial", "shards/1")
    message = refused(lockbench, "first", "--partial", "shards/2")
    assert "which is not among those that are merged" in message
    merged(lockbench, "first", "--partial", "first", "shards/2")


def test_the_data_of_each_machine_is_kept(lockbench: Program, shards: Path) -> None:
    def elsewhere(meta: dict[str, Any]) -> None:
        meta["machine"].update(id="node8-1", host="node8", boot_id="other", cores=64)
        meta["surroundings"] = {**meta["surroundings"], "busy": "others use 50 %"}

    edit_meta(shards / "2", elsewhere)
    trials = shards / "2" / "trials.csv"
    own = meta_of(shards / "1")["machine"]["id"]
    trials.write_text(trials.read_text().replace(own, "node8-1"))
    meta = meta_of(merged(lockbench, "all", "shards"))
    assert {one["id"]: one["cores"] for one in meta["machines"]}["node8-1"] == 64
    assert len(meta["machines"]) == 2
    assert [part["machine"] for part in meta["parts"]] == [own, "node8-1", own]
    assert "calibration" not in meta and "calibration" in meta["parts"][1]
    assert "shard 2/3: others use 50 %" in meta["surroundings"]["busy"]
    machines = {row["block"]: row["machine"] for row in rows_of(lockbench.folder / "all")}
    assert machines == {"0": own, "1": "node8-1", "2": own}


def test_shards_that_ran_at_the_same_time_on_one_machine_are_marked(
    lockbench: Program, shards: Path
) -> None:
    for i in (1, 2, 3):
        path = shards / str(i) / "trials.csv"
        lines = lines_of(path)
        at = lines[0].split(",").index("started_at")
        for row in range(1, len(lines)):
            cells = lines[row].split(",")
            minute = 30 if i == 3 else 0
            cells[at] = f"2025-01-31T10:{minute:02}:{row:02}Z"
            lines[row] = ",".join(cells)
        path.write_text("".join(lines))
    done = lockbench.run("merge", "all", "shards")
    assert done.returncode == 0
    assert "1 pair of runs measured at the same time on one machine" in done.stderr
    meta = meta_of(lockbench.folder / "all")
    runs = [meta_of(shards / str(i))["run_id"] for i in (1, 2)]
    assert [one["run_ids"] for one in meta["overlaps"]] == [runs]
    assert "measured at the same time on" in meta["surroundings"]["busy"]
    assert "Measured on a busy machine" in lockbench.run("compare", "all").stdout
