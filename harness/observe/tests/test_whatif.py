# SPDX-License-Identifier: Apache-2.0
"""`lockbench whatif`: holds of a place get longer or look shorter, and what was measured becomes an
answer."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import shutil
import signal
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import worth
from analysis.errors import InputError
from program import Program, wait_until

LOADS = str(
    Path(
        os.environ.get("LOCKBENCH_LOADS", "build/release/harness/observe/tests/lockbench_loads")
    ).resolve()
)


def rows_of(folder: Path) -> list[dict[str, str]]:
    with (folder / "whatif.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_each_hold_of_the_place_is_longer_by_work(lockbench: Program) -> None:
    # Holds of 20 us, ten times longer: the processor does 60 ms more. They cannot look shorter by
    # that.
    words = ("--longer", "1000", "--blocks", "6", "--out", "out")
    done = lockbench.run("whatif", *words, "--", LOADS, "think", "300")
    assert done.returncode in (0, 4), done.stderr  # a busy machine needs more blocks
    rows = rows_of(lockbench.folder / "out")
    assert {(row["block"], row["variant"]) for row in rows} == {
        (str(block), str(variant)) for block in range(6) for variant in range(2)
    }
    assert [row["holds_1"] for row in rows if row["variant"] == "1"] == ["300"] * 6
    cpu_s = {
        variant: statistics.median(float(row["cpu_s"]) for row in rows if row["variant"] == variant)
        for variant in "01"
    }
    # Processor time, which other programs leave alone. A slow core takes longer, none takes half.
    assert cpu_s["1"] - cpu_s["0"] > 0.03
    assert done.stdout.startswith("think loads.c:")
    page = (lockbench.folder / "out/whatif.html").read_text(encoding="utf-8")
    assert "think loads.c" in page and page.count("<rect") == 2


def test_all_other_threads_pause_so_that_a_hold_looks_shorter(lockbench: Program) -> None:
    times = lockbench.folder / "times"
    words = ("--longer", "50", "--blocks", "3", "--out", "out", "--", "sh", "-c")
    done = lockbench.run("whatif", *words, f"{LOADS} beside 3000 >> {times}")
    assert done.returncode in (0, 4), done.stderr
    assert "whose holds look 50 % shorter" in done.stderr
    facts = json.loads((lockbench.folder / "out/whatif.json").read_text(encoding="utf-8"))
    (place,) = facts["places"]
    assert place["looks_shorter"]
    least_s = 3000 * 10e-6  # half of each hold, which takes 20 us at least
    rows = rows_of(lockbench.folder / "out")
    ends_s = [float(line.split()[0]) for line in times.read_text().splitlines() if line[-1] == "s"]
    assert len(ends_s) == 3 + len(rows)  # with those before, which pause for nothing
    for row, end_s in zip(rows, ends_s[3:]):
        pauses_s = float(row["pauses_s"])
        if row["variant"] == "0":
            assert pauses_s == 0
        else:
            # The thread without locks has paid all before the main thread goes on.
            assert pauses_s >= least_s and end_s >= least_s


@pytest.mark.parametrize("load", ["crowd_beside", "pipe_beside"])
def test_holds_are_longer_where_a_pause_would_tell_nothing(lockbench: Program, load: str) -> None:
    words = ("--blocks", "3", "--out", "out", "--", LOADS, load, "3000")
    done = lockbench.run("whatif", *words)
    assert done.returncode in (0, 4), done.stderr
    assert "whose holds are 20 % longer" in done.stderr
    assert {row["pauses_s"] for row in rows_of(lockbench.folder / "out")} == {"0"}


def test_a_program_of_a_given_time_is_asked_for_a_number(lockbench: Program) -> None:
    done = lockbench.run("whatif", "--blocks", "3", "--", LOADS, "until", "400")
    assert done.returncode in (0, 4), done.stderr
    assert "holds look 20 % shorter" in done.stderr
    assert "fewer of them" in done.stdout and "--metric" in done.stdout


def test_locks_without_holds_need_one_run(lockbench: Program) -> None:
    done = lockbench.run("whatif", "--out", "out", "--", LOADS, "condition", "50")
    assert done.returncode == 0, done.stderr
    assert "has holds of 1 % of the" in done.stderr and "seen: 1 process" in done.stderr
    assert not (lockbench.folder / "out/whatif.csv").exists()


def test_what_is_known_is_said_when_it_is_interrupted(lockbench: Program) -> None:
    words = ("whatif", "--blocks", "10000", "--out", "out", "--", LOADS, "racing", "1000")
    running = lockbench.start(*words)
    rows = lockbench.folder / "out/whatif.csv"
    wait_until(lambda: rows.exists() and len(rows_of(rows.parent)) >= 8, "three blocks")
    running.send_signal(signal.SIGINT)
    running.send_signal(signal.SIGINT)  # as by a terminal and by a program that passes it on
    out, err = running.communicate()
    assert running.returncode == 130, err
    assert "interrupted after" in err and "shares of the time" in out


def test_what_was_not_seen_is_no_answer(lockbench: Program) -> None:
    done = lockbench.run("whatif", "--out", "out", "--", "env", "-i", LOADS, "think", "300")
    assert done.returncode == 1
    assert "the program that did the work was not seen" in done.stderr


def test_a_place_of_two_processes_is_one(lockbench: Program) -> None:
    twice = f"{LOADS} think 300; {LOADS} think 300"
    done = lockbench.run("whatif", "--blocks", "3", "--out", "out", "--", "sh", "-c", twice)
    assert done.returncode in (0, 4), done.stderr
    rows = rows_of(lockbench.folder / "out")
    assert [row["holds_1"] for row in rows if row["variant"] == "1"] == ["600"] * 3
    assert {row["variant"] for row in rows} == {"0", "1"}


def test_locks_are_found_again_whoever_acquires_them_first(lockbench: Program) -> None:
    done = lockbench.run("whatif", "--blocks", "3", "--out", "out", "--", LOADS, "racing", "1000")
    assert done.returncode in (0, 4), done.stderr
    rows = rows_of(lockbench.folder / "out")
    assert {row["holds_1"] for row in rows if row["variant"] == "1"} == {"2000"}


def test_a_run_that_fails_later_leaves_what_is_known(lockbench: Program) -> None:
    count = lockbench.folder / "count"
    fails = f"echo >>{count}; test $(wc -l <{count}) -lt 9 && exec {LOADS} think 300"
    # Of processor time, with which holds are longer and no run comes before the blocks.
    words = ("--metric", "cpu", "--out", "out", "--", "sh", "-c", fails)
    done = lockbench.run("whatif", *words)
    assert done.returncode == 1
    assert "exit code 1" in done.stderr and "of 3 blocks" in done.stdout


@pytest.mark.parametrize(
    "words, said",
    [
        ((), "name the program after --, as `lockbench whatif -- ./benchmark`"),
        (("--metric", "("), "--metric: is neither wall nor cpu"),
        (("--lower-is-better", "--", "true"), "--lower-is-better: is for a printed number"),
        (("--longer", "0", "--", "true"), "--longer"),
        (("--", "./missing"), "missing"),
        (("--time-limit", "0", "--", LOADS, "think", "9"), "leaves no time to run the program"),
        (("--place", "no such", "--", LOADS, "think", "9"), "no place matches 'no such'; these"),
    ],
)
def test_bad_input_is_one_line(lockbench: Program, words: tuple[str, ...], said: str) -> None:
    done = lockbench.run("whatif", *words)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]
    # A place is looked for in the first run of the program.
    assert len(done.stderr.splitlines()) == (2 if "--place" in words else 1)


def test_a_program_that_fails_has_no_answer(lockbench: Program) -> None:
    done = lockbench.run("whatif", "--", LOADS, "quits", "100")
    assert done.returncode == 1
    assert "exit code 7" in done.stderr.splitlines()[-1]
    assert not list((lockbench.folder / "results/whatif").iterdir())


def test_a_first_run_that_does_not_end_is_ended_with_all_its_processes(lockbench: Program) -> None:
    mark = lockbench.folder / "mark"  # a pipe: it ends when its last writer has
    os.mkfifo(mark)
    reader = os.open(mark, os.O_RDONLY | os.O_NONBLOCK)
    sleeps = f"exec 3>{mark}; echo begun >&3; sleep 600; true"
    done = lockbench.run("whatif", "--time-limit", "2s", "--", "sh", "-c", sleeps)
    assert done.returncode == 1
    assert "sh did not end within --time-limit" in done.stderr.splitlines()[-1]
    os.set_blocking(reader, True)
    assert os.read(reader, 100) == b"begun\n" and os.read(reader, 100) == b""
    os.close(reader)


PLACE: dict[str, Any] = {
    "name": "get() cache.c:7",
    "kind": "mutex",
    "locks": 1,
    "hot_locks": 1,
    "acquisitions": 1000,
    "shared_acquisitions": 0,
    "blocked_s": 0.1,
    "hold": {"mean_ns": 1000},
}


def answer_of(
    folder: Path,
    times: Sequence[tuple[float, ...]],
    metric: str = "wall",
    holds_kept: float = 1.0,
    **about: Any,
) -> worth.Answer:
    """Of blocks with the time as it is, and with holds of each place a fifth longer."""
    count = len(times[0]) - 1
    process = {
        "wall_s": 1.0,
        "blocked_s": 0.2,
        "greatest_gain": 0.2,
        "places": [PLACE | {"name": f"place {i + 1}"} | about for i in range(count)],
    }
    observed = {
        "command": ["./server"],
        "coverage": {"window_s": 1.0},
        "processes": [process],
        "verdict": {"kind": "may_cost"},
    }
    known = {
        "acquisitions": PLACE["acquisitions"],
        "holds_s": 0.5,
        "most_gain_s": 0.15,
        "change_ns": 200,
        "looks_shorter": False,
    }
    known |= {name: value for name, value in about.items() if name in known}
    measured = [
        {"name": f"place {i + 1}", "process": 0, "place": i, "blocked_s": (0.05, 0.15)[i]} | known
        for i in range(count)
    ]
    (folder / "observed.json").write_text(json.dumps(observed), encoding="utf-8")
    facts = {"schema_version": 2, "holds_kept_when_longer": holds_kept, "places": measured}
    (folder / "whatif.json").write_text(json.dumps(facts), encoding="utf-8")
    counted = [f"holds_{i + 1}" for i in range(count)]
    lines = [",".join(["block", "variant", "wall_s", "cpu_s", "printed", "pauses_s", *counted])]
    for block, block_times in enumerate(times):
        for variant, value in enumerate(block_times):
            holds = PLACE["acquisitions"] * (1 if variant == 0 else holds_kept)
            lines.append(f"{block},{variant},{value},{value},{value},0" + f",{holds}" * count)
    (folder / "whatif.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return worth.load(folder, metric, metric != "printed")


def noisy(*means: float, blocks: int = 12) -> list[tuple[float, ...]]:
    """A half percent up and down, in a pattern of its own for each column."""
    return [
        tuple(mean * (1 + 0.005 * (-1) ** (block >> column)) for column, mean in enumerate(means))
        for block in range(blocks)
    ]


def test_the_slope_is_the_share_that_holds_decide(tmp_path: Path) -> None:
    # 4 % longer with holds that are a fifth longer: they decide a fifth of the time.
    answer = answer_of(tmp_path, noisy(1.0, 1.04, blocks=20))
    (place,) = answer.places
    assert place.share == pytest.approx(0.2, abs=0.01)
    assert place.gain == pytest.approx(0.04, abs=0.002)
    assert place.low is not None and place.high is not None and place.low < 0.2 < place.high
    assert place.matters and place.is_known and not place.is_nothing
    # No more than its holds take, half of the time, and all waits.
    assert place.gain_without_holds <= 0.7
    assert "of 1 s, 200 ms" in worth.sentences(answer)[0]


def test_holds_that_look_shorter_gain_what_is_saved(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, noisy(1.0, 0.97, blocks=20), looks_shorter=True)
    (place,) = answer.places
    assert place.gain == pytest.approx(0.03, abs=0.002)
    assert place.gain_low is not None and place.gain_high is not None
    assert place.gain_low < 0.03 < place.gain_high and place.matters
    # However alike the runs are: the method is off by a quarter, and more runs do not help.
    assert place.gain_low < 0.75 * place.gain and place.gain_high > 1.25 * place.gain
    assert place.is_known
    assert "A hold shorter by a fifth gains 3 % (" in worth.sentences(answer)[0]
    assert worth.table(answer.places)[1][4] == "3 %"


def test_pauses_are_no_part_of_the_time(tmp_path: Path) -> None:
    answer_of(tmp_path, noisy(1.0, 1.0, blocks=20), looks_shorter=True)
    path = tmp_path / "whatif.csv"
    rows = pd.read_csv(path)
    rows["pauses_s"] = rows["variant"] * 0.04
    rows.to_csv(path, index=False)
    assert worth.load(tmp_path, "wall", True).places[0].gain == pytest.approx(0.04, abs=0.002)


def test_holds_that_were_left_out_count(tmp_path: Path) -> None:
    # Half of the holds got longer, so the others are worth as much again.
    answer = answer_of(tmp_path, noisy(1.0, 1.04), acquisitions=2000)
    assert answer.places[0].share == pytest.approx(0.4, abs=0.02)


def test_a_rate_gains_what_its_time_loses(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, noisy(100.0, 100 / 1.04), metric="printed")
    (place,) = answer.places
    assert place.gain == pytest.approx(1 / 0.96 - 1, abs=0.003)


def test_a_program_of_a_given_time_is_not_said_to_gain_nothing(tmp_path: Path) -> None:
    times = noisy(1.0, 1.0005, blocks=40)
    answer = answer_of(tmp_path, times, holds_kept=0.9)
    said = worth.sentences(answer)
    assert "10 % fewer of them" in said[0] and "gain nothing" not in " ".join(said)
    assert "--metric" in said[-1]
    # Where holds look shorter, as many as usual need not mean as much work.
    assert answer_of(tmp_path, times, holds_kept=0.9, looks_shorter=True).places[0].does_less
    assert not answer_of(tmp_path, times, looks_shorter=True).places[0].does_less
    # A number that it prints says what it did.
    rate = answer_of(tmp_path, times, metric="printed", holds_kept=0.9)
    assert not rate.places[0].does_less


def test_waits_that_cost_nothing_are_left_alone(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, noisy(1.0, 1.04, 1.0005, blocks=40))
    assert [place.name for place in answer.places] == ["place 1", "place 2"]
    assert answer.places[1].is_nothing
    said = worth.sentences(answer)
    assert "place 2: shorter holds gain nothing" in said[1]
    assert said[2].startswith("place 2 has 75 % of the waits: shorter holds there gain nothing")


@pytest.mark.parametrize(
    "kind, said", [("not_the_problem", "not your problem"), ("partly_seen", "compare-program")]
)
def test_locks_are_no_problem_only_if_all_was_seen(tmp_path: Path, kind: str, said: str) -> None:
    answer_of(tmp_path, noisy(1.0, 1.0005, blocks=40))
    observed = json.loads((tmp_path / "observed.json").read_text(encoding="utf-8"))
    observed["verdict"]["kind"] = kind
    (tmp_path / "observed.json").write_text(json.dumps(observed), encoding="utf-8")
    assert said in worth.sentences(worth.load(tmp_path, "wall", True))[-1]


def test_what_is_not_known_is_not_said(tmp_path: Path) -> None:
    times = [(1.0, 1.3), (1.2, 0.9), (0.9, 1.0), (1.1, 1.2), (1.0, 1.3), (1.3, 1.1)]
    answer = answer_of(tmp_path, times)
    assert not answer.is_known
    assert "not known yet" in worth.sentences(answer)[0]
    assert "more blocks" in worth.sentences(answer)[-1]
    few = answer_of(tmp_path, times[:2])
    assert not few.is_known and "takes 3 blocks" in worth.sentences(few)[0]


def test_no_more_is_decided_than_the_holds_take(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, noisy(1.0, 1.3, blocks=20))  # 150 % of the time
    (place,) = answer.places
    assert place.decides == 0.5 and place.gain == pytest.approx(0.1)
    assert place.is_impossible
    said = worth.sentences(answer)[0]
    assert "of 1 s, 500 ms (500 ms to 500 ms) are its holds" in said, said
    assert "no hold at all at most 70 %" in said
    (usual,) = answer_of(tmp_path, noisy(1.0, 1.04, blocks=20)).places
    assert not usual.is_impossible


def test_that_all_of_the_time_could_be_gained_tells_nothing(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, noisy(1.0, 1.04, blocks=20))
    place = dataclasses.replace(
        answer.places[0], blocked_share=0.9, low_of_runs=0.4, high_of_runs=1
    )
    assert place.gain_without_holds == 1
    said = worth.sentences(dataclasses.replace(answer, places=[place]))[0]
    assert "A hold shorter by a fifth gains" in said and "no hold at all" not in said


def test_no_more_is_gained_than_holds_and_waits_allow(tmp_path: Path) -> None:
    wide = [(1.0, 1.3), (1.2, 0.9), (0.9, 1.0), (1.1, 1.2), (1.0, 1.3), (1.3, 1.1)]
    answer = answer_of(tmp_path, wide, most_gain_s=0.012)
    (place,) = answer.places
    assert place.high is not None and worth.FIFTH * place.high > 0.012
    assert place.gain_high == 0.012 and place.is_known and not place.is_nothing
    assert "gains little, if anything: at most 1.2 %" in worth.sentences(answer)[0]
    # However little the runs tell, this is nothing.
    answer = answer_of(tmp_path, wide, most_gain_s=0.009)
    assert answer.places[0].is_nothing and answer.is_known
    assert "gain nothing" in worth.sentences(answer)[0]


def test_where_threads_wait_longer_holds_do_not_tell_what_waking_them_costs(tmp_path: Path) -> None:
    unseen = "; what it costs to wake its waiters is not in that"
    longer = answer_of(tmp_path, noisy(1.0, 1.0005, blocks=40))
    (place,) = longer.places
    for waits, said in ((0.06, True), (0.04, False)):
        one = dataclasses.replace(place, waits_share=1.0, blocked_share=waits)
        answer = dataclasses.replace(longer, places=[one])
        assert (unseen in worth.sentences(answer)[0]) == said
    shorter = dataclasses.replace(place, waits_share=1.0, blocked_share=0.5, looks_shorter=True)
    assert unseen not in worth.sentences(dataclasses.replace(longer, places=[shorter]))[0]


def test_an_interrupted_block_is_left_out(tmp_path: Path) -> None:
    answer_of(tmp_path, noisy(1.0, 1.04, blocks=7))
    with (tmp_path / "whatif.csv").open("a", encoding="utf-8") as file:
        file.write("7,1,9,9,9,0,1000\n")
    assert worth.load(tmp_path, "wall", True).blocks == 7


@pytest.mark.parametrize(
    "about, said",
    [
        ({"locks": 64, "hot_locks": 2}, "spread what they protect over more locks"),
        ({"locks": 64, "hot_locks": 60}, "its locks are used evenly"),
        ({"shared_acquisitions": 900, "kind": "rwlock"}, "readers share the lock already"),
        ({}, "split its lock"),
    ],
)
def test_what_to_try_follows_from_the_use(tmp_path: Path, about: dict[str, Any], said: str) -> None:
    assert said in worth.sentences(answer_of(tmp_path, noisy(1.0, 1.04), **about))[-1]


def test_another_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not what `lockbench whatif` writes"):
        worth.load(tmp_path, "wall", True)


def test_names_of_the_program_are_escaped(tmp_path: Path) -> None:
    from observed import whatif_page

    answer = answer_of(tmp_path, noisy(1.0, 1.04))
    shutil.rmtree(tmp_path)
    answer.command.append("<script>")
    assert "<script>" not in whatif_page.page(answer)
