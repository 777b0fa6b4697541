# SPDX-License-Identifier: Apache-2.0
"""advice.py: the answer to one case, its distance from the run, and the lines to paste."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import advise
import pytest
import synthetic
from analysis import advice, loader, snippets, verdict
from support import ROOT, MakeRun, Capture


def case(**asked: Any) -> advice.Case:
    given: dict[str, Any] = {
        "threads": 2,
        "keys": 64,
        "hold_kind": "spin",
        "hold_ns": 200.0,
        **asked,
    }
    return advice.Case(asked="the case", **given)


def rates(**by_primitive: float) -> Callable[[dict[str, Any]], None]:
    def change(row: dict[str, Any]) -> None:
        row["operations_per_s"] = 1e6 * by_primitive[row["primitive"]] * (1 + row["block"] / 5000)
        row["fairness_jain"], row["wait_max_ns"] = 0.99, 1e5

    return change


def advised(make_run: MakeRun, change: Any, asked: advice.Case, blocks: int = 5) -> advice.Advice:
    made = synthetic.sweep(["global", "keyed", "striped", "none"], threads=(2,))
    return advice.of_run(loader.load(make_run(cells=made, blocks=blocks, change=change)), asked)


def test_the_answer_names_one_primitive_and_how_sure_it_is(make_run: MakeRun) -> None:
    found = advised(make_run, rates(**{"global": 1, "keyed": 3, "striped": 2, "none": 9}), case())
    assert found.primitive == "keyed" and found.significant and found.answered
    assert found.answer[0].startswith("Use keyed. Significant: the 2 other primitives are all")
    assert found.answer[1].startswith("3.00×") and found.answer[1].endswith("usual choice: faster.")
    assert [one.rank for one in found.choices] == [1, 2, 3, 0]


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_a_busy_machine_is_said_once_and_first(make_run: MakeRun, form: str) -> None:
    made = synthetic.sweep(["global", "keyed"], threads=(2,))
    busy = {**synthetic.META, "surroundings": {"busy": "others use 90 % of the processors"}}
    told = advice.written(advice.of_run(loader.load(make_run(cells=made, meta=busy)), case()), form)
    assert told.count("others use 90 %") == 1
    if form != "json":
        assert "Measured on a busy machine" in told.splitlines()[0]


def test_others_that_are_not_slower_are_named(make_run: MakeRun) -> None:
    draw = iter([1.0, 0.9, 1.2, 0.8, 1.1] * 20)

    def change(row: dict[str, Any]) -> None:
        rates(**{"global": 1, "keyed": 9, "striped": 8.9, "none": 9})(row)
        if row["primitive"] == "striped":
            row["operations_per_s"] *= next(draw)

    found = advised(make_run, change, case())
    assert not found.significant and found.answered
    assert "not significantly slower than the best. As good: " in found.answer[0]


# Among equals: the most common one, but one that starves no thread before one that does.
@pytest.mark.parametrize(
    ("starving", "chosen", "price"),
    [
        ((), "global", "no thread was seen to starve"),
        (("global",), "striped", "no thread was seen to starve"),
    ]
    + [(("global", "keyed", "striped"), "global", "unfair: longest wait 22.7 ms")],
)
def test_on_a_tie_the_simplest_is_recommended_with_its_price(
    make_run: MakeRun, starving: tuple[str, ...], chosen: str, price: str
) -> None:
    draw = iter([1.0, 0.9, 1.2, 0.8, 1.1, 0.95, 1.05] * 20)

    def change(row: dict[str, Any]) -> None:
        rates(**{"global": 1, "keyed": 1.02, "striped": 1.04, "none": 9})(row)
        row["operations_per_s"] *= next(draw)
        row["lock_bytes"] = 2048
        if row["primitive"] in starving:
            row["wait_max_ns"] = 22.7e6

    found = advised(make_run, change, case())
    assert found.primitive == chosen and not found.significant
    assert found.answer[0].startswith(f"Use {chosen}, the simplest choice: ")
    (said,) = (line for line in found.answer if line.startswith("Its price: "))
    assert "2 KiB for all locks" in said and price in said


LOADS = {0.1: 1800.0, 0.5: 200.0, 0.9: 22.0, loader.SATURATED: 0.0}


def loaded_run(
    make_run: MakeRun, costs: dict[float, dict[str, float]], kind: str = "exp"
) -> loader.Run:
    """One thread, hold 200 ns. `costs`: ns of an operation beyond hold and think; if the threads
    sleep, the mean wait."""
    planned = [
        {**cell, "think_ns": LOADS[load], "think_kind": kind if LOADS[load] else "none"}
        for load in costs
        for cell in synthetic.sweep(costs[load], threads=(1,), keys=(64,))
    ]

    def change(row: dict[str, Any]) -> None:
        load = next(load for load, think in LOADS.items() if think == row["think_ns"])
        cost = costs[load][row["primitive"]]
        slept = kind.startswith("sleep")
        late = 60_000 * (1 + row["block"] * (row["primitive"] == "global")) if slept else 0
        whole = 200 + row["think_ns"] + (late or cost)
        row["operations_per_s"] = 1e9 / whole
        row["wait_mean_ns"], row["wait_p99_ns"] = cost, 10 * cost

    run = loader.load(make_run(cells=planned, blocks=7, change=change))
    thinks = {think: load for load, think in LOADS.items()}
    run.trials["load"] = run.trials["think_ns"].map(thinks)
    run.trials["load_share"] = run.trials["load"].where(run.trials["load"] < 1)
    return run


def costs_of(std: float, keyed: float, striped: float) -> dict[str, float]:
    return {"global": std, "keyed": keyed, "striped": striped}


# At which loads one primitive answers, from costs at 10, 50 and 90 % and in the saturated loop.
@pytest.mark.parametrize(
    ("costs", "answer"),
    [
        # Everywhere within 5 % of an operation.
        (
            [(20, 10, 12), (15, 10, 12), (15, 10, 12), (15, 10, 12)],
            "Use global, the simplest choice: it does not matter here. At no load",
        ),
        # The simplest up to 50 %, and then what is good at 90 % and in the loop.
        (
            [(20, 200, 12), (20, 60, 12), (90, 10, 60), (200, 10, 60)],
            "Use global up to 50 % load (2.43 M operations/s); keyed above it.",
        ),
        # A primitive that is good enough at all loads, although something else is better at some.
        (
            [(20, 10, 40), (300, 20, 10), (300, 10, 90), (300, 10, 90)],
            "Use keyed, at every load.",
        ),
        # The saturated loop decides nothing about the others.
        (
            [(20, 10, 12), (15, 10, 12), (15, 10, 12), (900, 10, 12)],
            "Use global at loads that programs have; keyed in the saturated loop, which few",
        ),
    ],
)
def test_the_answer_says_whether_it_depends_on_the_load(
    make_run: MakeRun, costs: list[tuple[float, float, float]], answer: str
) -> None:
    run = loaded_run(make_run, {load: costs_of(*one) for load, one in zip(LOADS, costs)})
    found = advice.of_run(run, case(threads=1, any_load=True))
    assert found.answered and found.answer[0].startswith(answer)
    assert [line.partition(" (")[0] for line in found.answer[1:]] == [
        "10 % load",
        "50 % load",
        "90 % load",
        "saturated loop",
    ]
    assert found.primitive == found.loads[0].chosen
    assert "Cost of locking by load" in advice.written(found, "text")
    told = json.loads(advice.written(found, "json"))["loads"]
    assert [one["primitive"] for one in told] == [one.chosen for one in found.loads]


def test_what_does_not_matter_is_said_with_its_figures(make_run: MakeRun) -> None:
    run = loaded_run(make_run, {0.1: costs_of(30, 10, 12)})
    found = advice.of_run(run, case(threads=1, any_load=True))
    assert found.answer[0].startswith(
        "Use global, the simplest choice: it does not matter here. keyed, the best, would save"
        " 20 ns (1 % of an operation); less than 5 % does not matter."
    )
    costs = found.answer[-1]
    assert costs.startswith("Locking costs: global 30 ns (1.5 % of an operation), p99 wait 300 ns;")
    assert "keyed 10 ns (0.5 % of an operation), p99 wait 100 ns" in costs


# Whatever the rates: a sleep of 1.8 us that ends 60 us late, or later, hides every wait.
@pytest.mark.parametrize(
    ("wait", "answer"),
    [
        (900, "Use global, the simplest choice: it does not matter here. keyed, the best, would"),
        (9000, "Use keyed: global, the simplest choice, costs 8.9 µs (14 % of an operation) more."),
    ],
)
def test_threads_that_sleep_are_compared_by_their_waits(
    make_run: MakeRun, wait: float, answer: str
) -> None:
    run = loaded_run(make_run, {0.1: costs_of(wait, 100, 120)}, kind="sleep:exp")
    found = advice.of_run(run, case(threads=1, any_load=True))
    assert found.answer[0].startswith(answer)
    assert [one.primitive for one in found.choices] == ["keyed", "striped", "global"]
    assert "% of an operation) more than the first" in found.choices[2].reason
    assert not any("speed" in line for line in found.answer)


def test_a_load_is_compared_with_loads(make_run: MakeRun) -> None:
    run = loaded_run(make_run, {load: costs_of(15, 10, 12) for load in (0.1, 0.5)})
    same = advice.of_run(run, case(threads=1, load=0.5, think_kind="exp", think_ns=999.0))
    assert same.differences == [] and len(same.loads) == 1 and same.loads[0].load == "50 % load"
    other = advice.of_run(run, case(threads=1, load=0.25, think_kind="exp", think_ns=999.0))
    assert other.differences == ["load 50 %, asked load 25 %"]


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        (500_000, "Measured at 497,512 operations per second, asked 500,000."),
        (900_000, "Measured at 497,512 operations per second, asked 900,000: the threads did not"),
    ],
)
def test_the_rate_that_was_reached_is_told(make_run: MakeRun, rate: float, said: str) -> None:
    run = loaded_run(make_run, {0.1: costs_of(15, 10, 12)})
    found = advice.of_run(run, case(threads=1, load=0.1, rate_per_s=rate))
    assert found.answer[-1].startswith(said)
    assert f"asked: the case, {rate:,} operations per second" in advice.written(found, "text")


def test_a_run_that_is_too_far_answers_nothing(make_run: MakeRun) -> None:
    change = rates(**{"global": 1, "keyed": 3, "striped": 2, "none": 9})
    found = advised(make_run, change, case(threads=64, keys=80_000))
    assert found.far and not found.answered
    assert found.answer[0].startswith("Not answered: the run is too far from the case (2 threads")
    assert "Evidence" in (text := advice.written(found, "text")) and "#include" not in text
    near = advised(make_run, change, case(keys=128))
    assert near.answered and near.differences == ["64 keys, asked 128"]


@pytest.mark.parametrize(
    ("asked", "why"),
    [({"memory_bytes": 100}, "takes 1.25 KiB, more than 100 B"), ({"fair": True}, "starves")],
)
def test_what_the_case_rules_out_does_not_compete(
    make_run: MakeRun, asked: dict[str, Any], why: str
) -> None:
    def change(row: dict[str, Any]) -> None:
        rates(**{"global": 1, "keyed": 3, "striped": 2, "none": 9})(row)
        if row["primitive"] == "keyed":
            row["fairness_jain"] = 0.4
        row["lock_bytes"] = 64 if row["primitive"] != "keyed" else 1280

    found = advised(make_run, change, case(**asked))
    assert found.primitive == "striped"
    (keyed,) = (one for one in found.choices if one.primitive == "keyed")
    assert keyed.rank == 0 and why in keyed.reason


def test_pools_of_another_size_do_not_answer(make_run: MakeRun) -> None:
    primitives = ["lease:leases=4", "lease_condvar:leases=4", "lease:leases=40"]
    cells = synthetic.sweep(primitives, threads=(8,), keys=(3,), workload="checkout")

    def change(row: dict[str, Any]) -> None:
        row["operations_per_s"] = 1e6 * (9 if row["params"] == "leases=40" else 1)
        row["fairness_jain"], row["wait_max_ns"] = 0.99, 1e5

    run = loader.load(make_run(cells=cells, change=change))
    asked = case(threads=8, keys=3, workload="checkout", capacity=4)
    found = advice.of_run(run, asked)
    assert found.primitive == "lease_condvar:leases=4"
    (other,) = (one for one in found.choices if one.rank == 0)
    assert (other.primitive, other.reason) == ("lease:leases=40", "is not for 4 holders of a key")


def test_how_many_operations_gave_up_is_told(make_run: MakeRun) -> None:
    cells = synthetic.sweep(["global", "keyed"], threads=(2,))

    def change(row: dict[str, Any]) -> None:
        rates(**{"global": 1, "keyed": 1})(row)
        row["timeout_ns"], row["operations"], row["timeouts"] = 5_000_000, 900, 100

    run = loader.load(make_run(cells=cells, change=change))
    found = advice.of_run(run, case(timeout_ns=5e6))
    assert "With global, 500 of 5,000 operations gave up after 5 ms." in found.answer
    other = advice.of_run(run, case())
    assert other.differences == ["timeout 5 ms, asked no timeout"]
    assert not any("gave up" in line for line in other.answer)


def test_the_command_ends_with_4_if_nothing_is_left(make_run: MakeRun, capsys: Capture) -> None:
    asked = {"threads": 2, "keys": 64, "asked": "x", "memory_bytes": 1}
    words = [str(make_run()), "--case", json.dumps(asked)]
    assert advise.main(words) == 4
    assert "Nothing that was measured answers the question." in capsys.readouterr().out
    with pytest.raises(SystemExit) as error:
        advise.main([words[0], "--case", "{}"])
    assert error.value.code == 2


def test_the_comparisons_are_those_of_the_run(make_run: MakeRun, capsys: Capture) -> None:
    folder = make_run()
    asked = json.dumps({"threads": 4, "keys": 64, "asked": "x"})
    assert advise.main([str(folder), "--case", asked, "--format", "json"]) == 0
    records = [one.record() for one in verdict.of_run(loader.load(folder)).comparisons]
    assert json.loads(capsys.readouterr().out)["comparisons"] == records


KNOWN = ["global", "global:lock=std", "keyed:buckets=2048", "striped:stripes=64"]
KNOWN += ["striped_vector:stripes=64", "keyed_shared", "reentrant", "recursive_mutex"]
KNOWN += ["global:lock=std_shared", "global:lock=std_timed", "lease:leases=4"]


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
@pytest.mark.parametrize("key_type", ["u64", "string"])
@pytest.mark.parametrize(
    ("several", "timeout_ns", "count"), [(False, 0, len(KNOWN)), (True, 0, 7), (False, 5e6, 6)]
)
def test_the_lines_to_paste_compile(
    tmp_path: Path, key_type: str, several: bool, timeout_ns: float, count: int
) -> None:
    source = ["#include <chrono>", "#include <cstdint>", "#include <mutex>"]
    source.append("#include <string_view>")
    bodies = []
    lines_of = {one: snippets.of(one, key_type, 3, several, timeout_ns) for one in KNOWN}
    known = {one: lines for one, lines in lines_of.items() if lines}
    assert len(known) == count, list(known)
    for number, (include, declared, *used) in enumerate(known.values()):
        source.append(include)
        key = "std::string_view key" if key_type == "string" else "std::uint64_t key"
        lines = "\n  ".join(used)
        given = f"{key}, {key.replace('key', 'other')}, std::uint64_t shard"
        bodies.append(
            f"namespace n{number} {{ {declared}\nvoid f({given}) {{\n"
            f"  (void)key, (void)other, (void)shard;\n  {lines}\n}} }}"
        )
    path = tmp_path / "lines.cc"
    path.write_text("\n".join([*source, *bodies, "int main() {}", ""]), encoding="utf-8")
    (tmp_path / "lockbench").symlink_to(ROOT / "primitives")  # as it is installed
    words = ["g++", "-std=c++20", "-fsyntax-only", "-I", str(ROOT), "-I", str(tmp_path), str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_primitive_with_other_parameters_has_no_lines() -> None:
    assert snippets.of("keyed_tbb", "u64") == []
    assert snippets.of("lease:leases=4,order=fifo", "u64") == []
    # One lock after the other could deadlock.
    assert snippets.of("striped_vector:stripes=64", "u64", several=True) == []


def on_kinds_of_cores(make_run: MakeRun, share: float = 0.5) -> loader.Run:
    def change(row: dict[str, Any]) -> None:
        synthetic.serve_slow_cores(row, share)

    return loader.load(make_run(cells=synthetic.on_kinds(), blocks=5, change=change))


@pytest.mark.parametrize(
    ("cores", "said", "threads"),
    [
        ("fast", "All threads ran on fast cores.", "fast 4"),
        (
            "",
            "The threads ran on several kinds of cores: 2 on fast ones, 2 on slow ones. --cores"
            " fast answers for fast cores alone.",
            "fast 2, slow 2",
        ),
    ],
)
def test_the_answer_says_on_which_cores_the_threads_ran(
    make_run: MakeRun, cores: str, said: str, threads: str
) -> None:
    asked = case(threads=4, keys=1, cores=cores, any_load=True)
    found = advice.of_run(on_kinds_of_cores(make_run), asked)
    assert said in found.answer and found.differences == []
    document = json.loads(advice.written(found, "json"))
    assert (document["cores"], document["threads_by_kind"]) == (cores or "all", threads)


def test_slow_cores_that_get_less_than_their_share_are_named(make_run: MakeRun) -> None:
    asked = case(threads=4, keys=1, any_load=True)
    found = advice.of_run(on_kinds_of_cores(make_run, share=0.1), asked)
    assert found.answer[-1].startswith(f"{found.primitive}: the slow cores had 10 % of the")
    elsewhere = advice.of_run(
        on_kinds_of_cores(make_run, share=0.1), case(threads=4, keys=1, cores="fast", any_load=True)
    )
    assert "Kinds of cores" not in advice.written(elsewhere, "text")


def test_other_cores_are_another_case(make_run: MakeRun) -> None:
    made = [one for one in synthetic.on_kinds() if one["pinning"] == "kind:slow"]
    run = loader.load(make_run(cells=made, blocks=5))
    found = advice.of_run(run, case(threads=4, keys=1, cores="fast", any_load=True))
    assert found.differences == ["slow cores, asked fast cores"]


def test_where_cores_are_of_one_kind_the_answer_has_no_word_of_them(make_run: MakeRun) -> None:
    change = rates(**{"global": 1, "keyed": 3, "striped": 2, "none": 9})
    for form in ("text", "json", "markdown"):
        said = advice.written(advised(make_run, change, case()), form)
        assert not re.search('ran on|"cores"|fast cores|threads_by_kind', said)
