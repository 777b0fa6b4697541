# SPDX-License-Identifier: Apache-2.0
"""model_checker.py: variants of a lock with one memory order weakened, what GenMC and `sim` say of
each, and the table of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import model_checker
import pytest
from analysis.errors import InputError
from model_checker import Row
from support import Capture

LOCK = """#ifdef ALL
# define mo_acquire memory_order_acquire
#endif
int take(atomic_int* l) {
  return atomic_exchange_explicit(l, 1, mo_acquire);
}
void give(atomic_int* l) { atomic_store_explicit(l, 0, memory_order_release); }
int look(atomic_int* l) { return atomic_load_explicit(l, memory_order_relaxed); }
"""


def test_each_order_is_weakened_by_itself_and_only_where_it_is_used() -> None:
    assert [found[2] for found in model_checker.orders(LOCK)] == ["acquire", "release"]
    changed, what = model_checker.weakened(LOCK, 0)
    assert what == "5: acquire"
    assert changed == LOCK.replace("1, mo_acquire)", "1, mo_relaxed)")
    assert model_checker.weakened(LOCK, 1)[1] == "7: release"


def test_a_variant_is_a_copy_of_the_folder(tmp_path: Path) -> None:
    lock = model_checker.simple("flag")
    (tmp_path / "flag").mkdir()
    (tmp_path / "flag" / "flag.c").write_text(LOCK, encoding="utf-8")
    (tmp_path / "flag" / "flag.h").write_text("", encoding="utf-8")
    made = list(model_checker.variants(lock, tmp_path, tmp_path / "out"))
    assert [(one.name, one.what) for one in made] == [
        ("flag_0", "as it is"),
        ("flag_1", "flag.c:5: acquire"),
        ("flag_2", "flag.c:7: release"),
    ]
    texts = [(tmp_path / "out" / one.name / "flag.c").read_text("utf-8") for one in made]
    assert texts[0] == LOCK and len(set(texts)) == 3
    assert (tmp_path / "out" / "flag_2" / "flag.h").exists()


def test_a_node_is_the_thread_s_own_in_both_programs() -> None:
    (lock,) = (one for one in model_checker.LOCKS if one.node)
    assert "mcs_spin_lock(self, node);" in model_checker.client(lock)
    unit = model_checker.unit(model_checker.Variant(lock, 3, "somewhere"))
    assert "static _Thread_local struct mcs_spinlock own_node;" in unit
    assert '.name = "mcs_spinlock_3"' in unit


@pytest.mark.parametrize(
    ("printed", "code", "broken", "executions"),
    [
        ("No errors were detected.\nNumber of complete executions explored: 6\n", 0, False, 6),
        (
            "Number of complete executions explored: 6\nNumber of blocked executions seen: 2\n",
            0,
            False,
            8,
        ),
        ("Error detected: Safety violation!\n", 42, True, 0),
        ("Error: Non-atomic race!\n", 42, True, 0),
    ],
)
def test_what_genmc_prints(printed: str, code: int, broken: bool, executions: int) -> None:
    found = model_checker.genmc_verdict(printed, code, 0.5)
    assert (found.broken, found.executions) == (broken, executions)


def test_what_is_no_verdict_is_not_taken_for_one() -> None:
    with pytest.raises(InputError, match="ended with 1: clang: fatal Error: no input"):
        model_checker.genmc_verdict("clang: fatal Error: no input", 1, 0.5)
    with pytest.raises(InputError, match="says inconclusive: too short"):
        model_checker.sim_verdict({"verdict": "inconclusive", "what": "too short"})


@pytest.mark.parametrize(
    ("bound", "whole", "every"),
    [
        ("in every interleaving under c11", True, True),
        ("in every interleaving under c11", False, False),
        ("under c11 with at most 3 preemptions and 2 old stores", True, False),
    ],
)
def test_what_counts_as_every_interleaving(bound: str, whole: bool, every: bool) -> None:
    explored: dict[str, Any] = {"bound": bound, "whole": whole}
    assert model_checker.explored_every({"explored": [explored]}) == every


def row(variant: str, theirs: bool, ours: bool) -> Row:
    return Row("flag", variant, 2, theirs, 6, 0.1, ours, 10, 0.25, not ours)


def test_the_table_has_a_line_for_each_lock_and_number_of_threads() -> None:
    rows = [row("as it is", False, False), row("5: acquire", True, True)]
    last = model_checker.table(rows).splitlines()[-1]
    assert last == "| flag | 2 | 2 | 1, 1, 1 | 1 | 1 | 6, 10 | 0.1, 0.25 |"
    assert model_checker.differences(rows) == []


def test_a_difference_is_named() -> None:
    (line,) = model_checker.differences([row("5: acquire", True, False)])
    assert line == "flag, 5: acquire, with 2 threads: GenMC says broken, `sim` the opposite"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--threads", "a"], "'a' is no list of numbers from 2 to 8; write 2,3"),
        (["--threads", "1"], "'1' is no list of numbers from 2 to 8; write 2,3"),
        (["--genmc", "/no/genmc"], "--genmc: /no/genmc: no such file or folder"),
        (["--lock", "zzz"], "invalid choice: 'zzz'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    words: list[str], said: str, tmp_path: Path, capsys: Capture
) -> None:
    with pytest.raises(SystemExit) as end:
        model_checker.body(
            ["--genmc", "/", "--tests", str(tmp_path), "--prefix", str(tmp_path), *words]
        )
    err = capsys.readouterr().err
    assert end.value.code == 2 and said in err and err.count("\n") == 1


def test_a_checkout_without_the_locks_is_named(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "lockbench").touch()
    with pytest.raises(InputError, match="spinlock: is missing; see --help"):
        model_checker.body(["--genmc", "/", "--tests", str(tmp_path), "--prefix", str(tmp_path)])
