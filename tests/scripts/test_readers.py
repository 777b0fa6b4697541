# SPDX-License-Identifier: Apache-2.0
"""readers.py: a lock that readers share or a mutex, by the share of reads and the hold; who
starves. wait_limit.py: which primitive keeps the p99 wait below a limit, up to which rate."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import advise
import pytest
import report
import synthetic
from analysis import advice, loader, readers, verdict, wait_limit
from analysis.errors import InputError
from analysis.pictures import readers_or_mutex
from matplotlib.colors import to_rgba
from support import Capture, MakeRun

PRIMITIVES = ["global:lock=std", "global", "global:lock=std_shared"]
Lead = dict[tuple[float, int], float]  # by share of reads and hold: of the shared lock


def cells_of(lead: Lead) -> list[dict[str, Any]]:
    return [
        {**cell, "write_share": round(1 - reads, 6), "load_share": 0.5, "think_kind": "exp"}
        for reads, hold in lead
        for cell in synthetic.sweep(PRIMITIVES, (8,), (1,), (hold,), workload="read_mostly")
    ]


def led(
    lead: Lead, noise: float = 0.0, wait_max_ns: float = 1e5
) -> Callable[[dict[str, Any]], None]:
    def change(row: dict[str, Any]) -> None:
        shared = row["params"] == "lock=std_shared"
        by = lead[round(1 - row["write_share"], 6), row["hold_ns"]] if shared else 1
        jitter = 1 + (noise if row["block"] % 2 else -noise) * (1 if shared else -1)
        row["operations_per_s"] = 1e6 * by * jitter * (1 + row["block"] / 5000)
        row["fairness_jain"], row["wait_max_ns"] = 0.99, wait_max_ns if shared else 1e5

    return change


def case(**asked: Any) -> advice.Case:
    given: dict[str, Any] = {
        "threads": 8,
        "keys": 1,
        "workload": "read_mostly",
        "hold_kind": "spin",
    }
    given |= {"hold_ns": 2000.0, "write_share": 0.1, "any_load": True}
    return advice.Case(asked="the case", **{**given, **asked})


def advised(
    make_run: MakeRun, lead: Lead, asked: advice.Case | None = None, **options: Any
) -> advice.Advice:
    run = make_run(cells=cells_of(lead), blocks=7, change=led(lead, **options))
    return advice.of_run(loader.load(run), asked or case())


GRID: Lead = {
    **{(reads, 200): ratio for reads, ratio in ((0.5, 0.5), (0.9, 0.8), (0.99, 1.0))},
    **{(reads, 2000): ratio for reads, ratio in ((0.5, 0.9), (0.9, 1.3), (0.99, 1.6))},
    **{(reads, 20000): ratio for reads, ratio in ((0.5, 1.2), (0.9, 2.0), (0.99, 2.0))},
}


def test_the_map_says_from_which_reads_and_hold_on_readers_gain(make_run: MakeRun) -> None:
    found = advised(make_run, GRID)
    first = found.answer.index(
        "A lock that readers share, or a mutex? 8 threads, 1 key, 50 % load:"
    )
    assert found.answer[first + 1 :] == [
        "  hold 200 ns: a mutex is faster at 50 %, 90 % reads (1.25× to 2.00×); they differ by less"
        " than counts at 99 % reads",
        "  hold 2 µs: readers gain from 90 % reads on, up to 99 %: 1.30× to 1.60× the speed of a"
        " mutex; a mutex is faster at 50 % reads (1.11×)",
        "  hold 20 µs: readers gain from 50 % reads on, up to 99 %: 1.20× to 2.00× the speed of a"
        " mutex",
    ]
    lines = advice.written(found, "text").splitlines()
    at = next(i for i, line in enumerate(lines) if line.split()[:3] == ["reads", "hold", "200"])
    assert [line.split() for line in lines[at + 1 : at + 4]] == [
        ["50", "%", "mutex", "2.00×", "mutex", "1.11×", "shared", "1.20×"],
        ["90", "%", "mutex", "1.25×", "shared", "1.30×", "shared", "2.00×"],
        ["99", "%", "≈", "shared", "1.60×", "shared", "2.00×"],
    ]
    assert "| 50 % | mutex 2.00× |" in advice.written(found, "markdown")
    records = json.loads(advice.written(found, "json"))["map"]["fields"]
    assert {"shared", "mutex", "neither"} == {one["winner"] for one in records}
    assert len(records) == 9


def test_the_answer_is_that_of_the_cell_of_the_case(make_run: MakeRun) -> None:
    assert advised(make_run, GRID, case(write_share=0.5)).primitive == "global:lock=std"
    assert advised(make_run, GRID, case(write_share=0.01)).primitive == "global:lock=std_shared"
    far = advised(make_run, GRID, case(write_share=0.001))
    assert far.differences == ["1 % writes, asked 0.1 % writes"]


def test_of_locks_that_readers_share_the_standard_one_is_the_simplest(make_run: MakeRun) -> None:
    primitives = ["global:lock=std", "global:lock=absl_shared", "global:lock=std_shared"]
    cells = synthetic.sweep(primitives, (8,), (1,), (2000,), workload="read_mostly")

    def change(row: dict[str, Any]) -> None:
        row["operations_per_s"] = 1e6 * (1 if row["params"] == "lock=std" else 2)
        row["fairness_jain"], row["wait_max_ns"] = 0.99, 1e5

    cells = [{**cell, "write_share": 0.1} for cell in cells]
    run = loader.load(make_run(cells=cells, blocks=7, change=change))
    assert advice.of_run(run, case()).primitive == "global:lock=std_shared"


def test_what_the_trials_do_not_decide_is_no_draw(make_run: MakeRun) -> None:
    found = advised(make_run, GRID, noise=0.6)
    assert "not decided by these trials at" in "\n".join(found.answer)
    assert found.map is not None
    assert readers.UNDECIDED in {field.winner for field in found.map.fields}
    assert "?" in advice.written(found, "text").split()


def test_a_gain_that_ends_is_not_said_to_go_on(make_run: MakeRun) -> None:
    lead = {**GRID, (0.5, 2000): 1.5, (0.9, 2000): 1.5, (0.99, 2000): 0.5}
    (line,) = (one for one in advised(make_run, lead).answer if one.startswith("  hold 2 µs"))
    assert line == (
        "  hold 2 µs: readers gain at 50 %, 90 % reads (1.50×); a mutex is faster at 99 % reads"
        " (2.00×)"
    )


def test_what_is_not_decided_is_named_beside_a_gain() -> None:
    field = functools.partial(readers.Field, hold_ns=2000.0, shared="", mutex="")
    fields = [
        field(reads=0.5, ratio=0.5, winner=readers.MUTEX),
        field(reads=0.9, ratio=1.4, winner=readers.UNDECIDED),
        field(reads=0.99, ratio=1.6, winner=readers.SHARED),
    ]
    assert readers.answer(readers.Map("saturated loop", 8, 1, fields))[1:] == [
        "hold 2 µs: readers gain at 99 % reads: 1.60× the speed of a mutex; a mutex is faster at"
        " 50 % reads (2.00×); not decided by these trials at 90 % reads"
    ]


@pytest.mark.parametrize(
    ("think", "kind", "words"),
    [
        (lambda hold: hold, "exp", "think 1× the hold"),
        (lambda hold: 2000, "exp", "think 2 µs exp"),
        (lambda hold: 0, "none", "saturated loop"),
    ],
)
def test_a_map_may_be_at_a_think_time(
    make_run: MakeRun, think: Callable[[int], int], kind: str, words: str
) -> None:
    cells = [
        {**cell, "load_share": "", "think_kind": kind, "think_ns": think(cell["hold_ns"])}
        for cell in cells_of(GRID)
    ]
    run = loader.load(make_run(cells=cells, blocks=7, change=led(GRID)))
    (found,) = readers.maps(verdict.of_run(run))
    assert len(found.fields) == 9 and found.where == f"8 threads, 1 key, {words}"


def test_a_run_of_one_hold_has_no_map(make_run: MakeRun) -> None:
    found = advised(make_run, {key: ratio for key, ratio in GRID.items() if key[1] == 2000})
    assert found.map is None and not any("or a mutex?" in line for line in found.answer)


def test_a_long_wait_in_one_trial_is_said(make_run: MakeRun) -> None:
    change = led(GRID)

    def changed(row: dict[str, Any]) -> None:
        change(row)
        row["operations"] = 1_000_000
        if row["block"] == 3 and row["params"] == "lock=std_shared":
            row["wait_max_ns"] = 5e7

    run = make_run(cells=cells_of(GRID), blocks=7, change=changed)
    found = advice.of_run(loader.load(run), case())
    assert (
        "In 1 of 7 trials of locks that readers share, a thread starved or waited long: at most 50"
        " ms with global:lock=std_shared."
    ) in found.answer


@pytest.mark.parametrize(
    ("options", "operations", "said"),
    [
        (
            {},
            1_000_000,
            "No writer was seen to starve: of each lock that readers share, about 10,938 ",
        ),
        (
            {},
            2_000,
            "Too few waits of writers were timed to say whether they starve: about 22 (minim",
        ),
        (
            {"wait_max_ns": 5e7},
            1_000_000,
            "Threads that want to write may starve: global:lock=std_shared (unfair: longest wait",
        ),
    ],
)
def test_who_starves_is_said(
    make_run: MakeRun, options: dict[str, Any], operations: int, said: str
) -> None:
    change = led(GRID, **options)

    def changed(row: dict[str, Any]) -> None:
        change(row)
        row["operations"] = operations

    run = make_run(cells=cells_of(GRID), blocks=7, change=changed)
    found = advice.of_run(loader.load(run), case())
    assert any(line.startswith(said) for line in found.answer), found.answer


def test_the_picture_and_the_pages_have_the_map(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run(cells=cells_of(GRID), blocks=7, change=led(GRID))
    made = readers_or_mutex.draw(loader.load(folder))
    assert made is not None
    words = [text.get_text() for axes in made.axes for text in axes.texts]
    assert {"hold 200 ns", "99 % reads", "mutex 2.00×", "shared 1.60×", "≈"} <= set(words)
    winners = {patch.get_facecolor() for axes in made.axes for patch in axes.patches}
    assert {to_rgba(colour) for colour in readers_or_mutex.COLOURS.values()} <= winners
    for form, row in (
        ("html", '<td class="step2">mutex 2.00×</td>'),
        ("markdown", "| 50 % | mutex 2.00× | mutex 1.11× | shared 1.20× |"),
    ):
        page = tmp_path / f"page.{form}"
        assert report.main([str(folder), "--format", form, "--out", str(page)]) == 0
        text = page.read_text(encoding="utf-8")
        assert readers.QUESTION in text and row in text


@pytest.mark.parametrize(
    ("label", "shared"),
    [
        ("keyed_shared", True),
        ("keyed_shared:buckets=64", True),
        ("striped:lock=tbb_rw,stripes=64", True),
        ("global:lock=absl_shared", True),
        ("global:lock=tbb", False),
        ("keyed", False),
        ("global:lock=std", False),
    ],
)
def test_what_readers_share(label: str, shared: bool) -> None:
    assert readers.is_shared(label) is shared


# The rates are those of synthetic.served(): p99 = 4.6 / (capacity - rate).
def limited(make_run: MakeRun, waits_us: dict[str, dict[int, float]], **asked: Any) -> Any:
    rates = sorted({rate for by_rate in waits_us.values() for rate in by_rate})
    cells = synthetic.arriving(synthetic.sweep(list(waits_us), threads=(2,), keys=(1,)), rates)

    def change(row: dict[str, Any]) -> None:
        label = row["primitive"] + (":" + row["params"] if row["params"] else "")
        row["wait_p99_ns"] = 1e3 * waits_us[label][row["rate_per_s"]]

    run = loader.load(make_run(cells=cells, blocks=7, change=change))
    given: dict[str, Any] = {
        "threads": 2,
        "keys": 1,
        "hold_kind": "spin",
        "hold_ns": 200.0,
        "mode": "open",
    }
    given |= {"wait_limit_ns": 100e3, "any_load": True, **asked}
    return wait_limit.of_run(run, advice.Case(asked="it", **given))


WAITS = {
    "global:lock=std": {10_000: 20.0, 20_000: 90.0, 40_000: 300.0},
    "global": {10_000: 10.0, 20_000: 40.0, 40_000: 80.0},
    "keyed": {10_000: 10.0, 20_000: 110.0, 40_000: 80.0},
}


def test_the_simplest_that_holds_the_limit_at_the_rate_is_used(make_run: MakeRun) -> None:
    found = limited(make_run, WAITS, rate_per_s=20_000.0, any_load=False)
    assert wait_limit.answer(found) == [
        "Use global:lock=std: its p99 wait is at most 100 µs up to 20,000/s, not at 40,000/s"
        " (operations of all threads; in three quarters of the trials).",
        "Farther: global up to 40,000/s, the highest that was measured.",
    ]
    # A primitive that fails at a lower rate does not hold the limit at a higher one.
    (keyed,) = (one for one in found.held if one.primitive == "keyed")
    assert (keyed.up_to_per_s, keyed.not_at_per_s) == (10_000, 20_000)


def test_without_a_rate_the_one_that_holds_it_farthest_is_used(make_run: MakeRun) -> None:
    found = limited(make_run, WAITS)
    assert found.primitive == "global"
    assert "global:lock=std" in wait_limit.written(found, "text")
    document = json.loads(wait_limit.written(found, "json"))
    assert (document["up_to_per_s"], document["not_at_per_s"]) == (40_000, None)


def test_the_waits_are_a_table_in_each_format(make_run: MakeRun) -> None:
    found = limited(make_run, WAITS)
    (row,) = (line for line in wait_limit.written(found, "text").splitlines() if "  keyed " in line)
    assert row.split() == ["keyed", "10", "µs", "110", "µs", "80", "µs"]
    assert "| `keyed` | 10 µs | 110 µs | 80 µs |" in wait_limit.written(found, "markdown")
    lines = wait_limit.written(found, "csv").splitlines()
    assert lines[0] == "primitive,rate_per_s,wait_p99_ns" and "keyed,20000,110000" in lines


def test_a_limit_that_nothing_holds_has_no_answer(make_run: MakeRun) -> None:
    found = limited(make_run, WAITS, rate_per_s=40_000.0, wait_limit_ns=50e3, any_load=False)
    assert not found.answered
    assert wait_limit.answer(found) == [
        "No primitive that was measured has a p99 wait of at most 50 µs at 40,000 operations per"
        " second; the shortest is that of global: 80 µs."
    ]
    # Nor has a rate that was not measured.
    beyond = limited(make_run, WAITS, rate_per_s=50_000.0, any_load=False)
    assert not beyond.answered


def test_what_cannot_keep_up_does_not_hold_the_limit(make_run: MakeRun) -> None:
    def change(row: dict[str, Any]) -> None:
        row["wait_p99_ns"] = 1.0
        if row["rate_per_s"] == 20_000:
            row["unserved"] = row["operations"]

    cells = synthetic.arriving(synthetic.sweep(["global"], (2,), (1,)), (10_000, 20_000))
    run = loader.load(make_run(cells=cells, blocks=7, change=change))
    asked: dict[str, Any] = {
        "threads": 2,
        "keys": 1,
        "hold_kind": "spin",
        "hold_ns": 200.0,
        "mode": "open",
    }
    found = wait_limit.of_run(
        run, advice.Case(asked="it", wait_limit_ns=1e5, any_load=True, **asked)
    )
    assert [(one.up_to_per_s, one.not_at_per_s) for one in found.held] == [(10_000, 20_000)]


def test_the_command_answers_for_limits(make_run: MakeRun, capsys: Capture) -> None:
    cells = synthetic.arriving(synthetic.sweep(["global", "keyed"], (2,), (1,)), (1_000, 2_000))
    folder = make_run(cells=cells, blocks=7)
    asked: dict[str, Any] = {
        "threads": 2,
        "keys": 1,
        "asked": "x",
        "mode": "open",
        "hold_kind": "spin",
    }
    asked |= {"hold_ns": 200.0, "any_load": True}
    for limit, code in ((1e9, 0), (1.0, 4)):
        words = [str(folder), "--case", json.dumps({**asked, "wait_limit_ns": limit})]
        assert advise.main(words) == code
    assert "Use global" in capsys.readouterr().out
    closed = loader.load(make_run(cells=synthetic.sweep(["global", "keyed"], (2,), (1,))))
    with pytest.raises(InputError, match="has no open loop"):
        wait_limit.of_run(closed, advice.Case(**asked, wait_limit_ns=1.0))
