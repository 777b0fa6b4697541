# SPDX-License-Identifier: Apache-2.0
"""compare.py: tables of medians and ratios, verdicts, refusals."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import compare
import pytest
import synthetic
from analysis import comparison, likeness, loader, tables, units, verdict
from support import SCRIPTS, MakeRun, Capture, compared, refusal, shown


def slowed(factor: float, label: str = "keyed") -> Callable[[dict[str, Any]], None]:
    def change(row: dict[str, Any]) -> None:
        if row["primitive"] == label:
            row["operations_per_s"] *= factor

    return change


def cell(document: dict[str, Any], primitive: str) -> dict[str, Any]:
    return next(one for one in document["cells"] if one["primitive"] == primitive)


def record(document: dict[str, Any], primitive: str) -> dict[str, Any]:
    (found,) = (one for one in document["comparisons"] if one["primitive"] == primitive)
    return found


def one_cell(*primitives: str) -> list[dict[str, Any]]:
    return synthetic.sweep(primitives, threads=(4,))


@pytest.mark.parametrize("form", ["text", "csv", "markdown", "json"])
def test_names_command_no_terminal_and_break_no_line(
    make_run: MakeRun, capsys: Capture, form: str
) -> None:
    hostile = "a\x1b[2J\u202eb\r\nc\x9bd<img src=x>"

    def rename(row: dict[str, Any]) -> None:
        if row["primitive"] == "keyed":
            row.update(primitive=hostile, reason=hostile, valid="false")

    run = make_run(name="run\x1b[2J", change=rename)
    (run / "meta.json").write_text("{", encoding="utf-8")  # of which a note tells
    sound = compare.main([str(make_run(name="sound")), "--format", form]), capsys.readouterr()
    given = compare.main([str(run), "--format", form]), capsys.readouterr()
    assert given[0] == sound[0]
    lines = (given[1].out + given[1].err).replace("\u2060", "").split("\n")
    assert [line for line in lines if not line.isprintable()] == []
    if form == "markdown":
        assert "<img" not in given[1].out.replace("\\<", "")


def invalid(**figures: object) -> dict[str, Any]:
    """A run without a valid row."""
    return {"change": lambda row: row.update(valid="false", **figures)}


LEASES = {"cells": one_cell("lease:leases=4", "lease_condvar:leases=4")}


@pytest.mark.parametrize(
    ("options", "words", "told"),
    [
        ({"blocks": 1}, [], "1 block: no interval and no verdict (minimum 3)"),
        ({"blocks": 2}, [], "2 blocks: no interval and no verdict (minimum 3)"),
        ({"cells": one_cell("keyed", "global:lock=std")}, [], "against global:lock=std"),
        (LEASES, [], "against lease_condvar:leases=4"),
        # A baseline may have more parameters than were named.
        (LEASES, ["--baseline", "lease"], "against lease:leases=4"),
        (invalid(outcome="deadlock", reason="no progress for 1 s"), [], "no progress for 1 s"),
        (invalid(lost_updates=15, operations=21, reason=""), [], "lost 15 of 21 updates"),
        (invalid(reason="a|b <c> `d`"), ["--format", "markdown"], r"a\|b \<c\> \`d\`"),
    ],
)
def test_a_table_tells(
    make_run: MakeRun, capsys: Capture, options: dict[str, Any], words: list[str], told: str
) -> None:
    out = shown(capsys, make_run(**options), *words)
    assert told in out
    assert "change" not in options or "M/s" not in out


def test_fixed_work_is_told_by_its_makespan_and_faster_is_above_one(
    make_run: MakeRun, capsys: Capture
) -> None:
    run = make_run(
        cells=synthetic.sweep(["global", "keyed"], (21,), (6,), (10**8,), mode="fixed")
    )
    keyed = record(compared(capsys, run), "keyed")
    assert keyed["metric"] == "makespan_s"
    assert keyed["value"] == pytest.approx(0.6, rel=0.02)
    assert keyed["ratio"] == pytest.approx(3.5, rel=0.02)


def test_uncontended_costs_are_told_by_the_operation_and_faster_is_above_one(
    make_run: MakeRun, capsys: Capture
) -> None:
    def bare(row: dict[str, Any]) -> None:
        row["operations_per_s"] = {"global": 5e7, "keyed": 1e8}[row["primitive"]]

    cells = synthetic.sweep(
        ["global:lock=std", "keyed"], (1,), workload="uncontended", mode="micro"
    )
    run = make_run(cells=cells, change=bare)
    keyed = record(compared(capsys, run), "keyed")
    assert keyed["metric"] == "operation_ns"
    assert keyed["value"] == pytest.approx(10) and keyed["ratio"] == pytest.approx(2)
    assert "10.0 ns" in shown(capsys, run)


def test_a_figure_without_its_proof_is_not_printed(make_run: MakeRun, capsys: Capture) -> None:
    cells = synthetic.sweep(["global", "none"], (21,), (6,), (10**8,), mode="fixed")
    run = make_run(cells=cells)
    document = compared(capsys, run)
    assert cell(document, "none")["median"] is None and document["comparisons"] == []
    row = next(r for r in shown(capsys, run).splitlines() if r.startswith("  none"))
    assert row.split(maxsplit=1)[1] == "lost 14 of 21 updates (5 of 5 blocks not valid)"


def test_one_primitive_alone_has_no_ratio(make_run: MakeRun, capsys: Capture) -> None:
    assert compared(capsys, make_run(cells=one_cell("keyed")))["comparisons"] == []


def test_the_floor_is_nobodys_baseline(make_run: MakeRun) -> None:
    run = loader.load(make_run(cells=synthetic.sweep(["none", "keyed"], threads=(1,))))
    (group,) = verdict.of_run(run).groups
    assert group.competitors == ["keyed"] and verdict.of_run(run).comparisons == []
    assert [one.primitive for one in verdict.of_run(run, "none").comparisons] == ["keyed"]


def test_a_misspelt_baseline_gets_the_nearest_right_one(make_run: MakeRun, capsys: Capture) -> None:
    assert "did you mean striped?" in refusal(
        compare.main, capsys, make_run(), "--baseline", "stripped"
    )


def test_a_slower_second_run_fails_the_build(make_run: MakeRun, capsys: Capture) -> None:
    cells = one_cell("keyed")
    old = make_run("old", cells=cells, blocks=12)
    new = make_run("new", cells=cells, blocks=12, change=slowed(0.5))
    assert compare.main([str(old), str(new), "--fail-if-slower", "5%"]) == 3
    assert "slower: keyed" in capsys.readouterr().err
    assert compare.main([str(old), str(new), "--fail-if-slower", "60%"]) == 0


def test_a_run_against_itself_is_not_called_different(make_run: MakeRun, capsys: Capture) -> None:
    run = make_run(blocks=12)
    found = {one["verdict"] for one in compared(capsys, run, run)["comparisons"]}
    assert found <= {"same", "inconclusive"}


def test_runs_of_different_machines_are_no_before_and_after_unless_forced(
    make_run: MakeRun, capsys: Capture
) -> None:
    machine = {**synthetic.META["machine"], "cpu_model": "Other"}
    runs = make_run("old"), make_run("new", meta={**synthetic.META, "machine": machine})
    assert "different machines" in refusal(compare.main, capsys, *runs, "--fail-if-slower", "5%")
    notes = compared(capsys, *runs, "--force")["notes"]
    assert any("by force though the machines differ" in note for note in notes)


MACHINE: dict[str, Any] = synthetic.META["machine"]
PLUGIN = {"file": "build/mine.so", "file_hash": "01"}
IDENTITY = {
    "conditions": ["cpu_model", "usable_threads", "cpu_quota", "cpuset", "cpu_weight"],
    "names": ["boot_id", "host"],
}
OLDER = {"conditions": ["cpu_model", "usable_threads"], "names": []}


def of_machine(identity: object = IDENTITY, **members: object) -> dict[str, Any]:
    """meta.json of such a machine, and what the run lists as identifying one."""
    return {"machine": {**MACHINE, **members}, "identity": identity}


@pytest.mark.parametrize(
    "old, new, said",
    [
        (of_machine(usable_threads=2), of_machine(usable_threads=1), "usable_threads 2 and 1"),
        (of_machine(), of_machine(cpu_quota=0.5), "cpu_quota None and 0.5"),
        (of_machine(cpuset="0-1"), of_machine(cpuset="2-3"), "cpuset '0-1' and '2-3'"),
        (of_machine(cpu_weight=0.5), of_machine(), "cpu_weight 0.5 and None"),
        (of_machine(boot_id="a", host="n"), of_machine(boot_id="b", host="m"), "host 'n' and 'm'"),
        (of_machine(boot_id="a", host="n"), of_machine(boot_id="b", host="n"), ""),
        (of_machine(boot_id="a", host="n"), of_machine(boot_id="a", host="m"), ""),
        (of_machine(), of_machine(boot_id="a", host="m"), ""),
        # A condition that an older version did not record is not compared.
        (of_machine(OLDER, usable_threads=2), of_machine(cpuset="0-1", usable_threads=2), ""),
        ({"machine": {}}, {"machine": {}}, "does not name the machine"),
        ({}, {"build": {**synthetic.META["build"], "commit": "7"}}, "different builds (commit"),
        ({"plugins": [PLUGIN]}, {"plugins": [{**PLUGIN, "file": "elsewhere/mine.so"}]}, ""),
        (
            {"plugins": [PLUGIN]},
            {"plugins": [{**PLUGIN, "file_hash": "02"}]},
            "different builds (plug-in mine.so, file_hash '01' and '02')",
        ),
        ({"plugins": [PLUGIN]}, {"plugins": [PLUGIN] * 2}, "builds (1 and 2 plug-ins)"),
        ({"plugins": [PLUGIN]}, {"plugins": None}, "different builds (1 and 0 plug-ins)"),
    ],
)
def test_runs_of_other_machines_and_builds_are_refused_unless_forced(
    make_run: MakeRun, old: dict[str, Any], new: dict[str, Any], said: str
) -> None:
    runs = []
    for name, meta in (("old", old), ("new", new)):
        folder = make_run(name, meta={**synthetic.META, **meta})
        if "identity" in meta:
            schema = {"trials": [], "machine_identity": meta["identity"]}
            (folder / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
        runs.append(loader.load(folder))
    if not said:
        assert likeness.check(runs[0], runs[1], force=False) == []
        return
    with pytest.raises(loader.InputError, match=re.escape(said)):
        likeness.check(runs[0], runs[1], force=False)
    (note,) = likeness.check(runs[0], runs[1], force=True)
    assert note.startswith("compared by force though the ")


def test_runs_without_a_common_cell_are_refused(make_run: MakeRun, capsys: Capture) -> None:
    runs = make_run("old", cells=one_cell("keyed")), make_run("new", cells=one_cell("striped"))
    assert "no cell in common" in refusal(compare.main, capsys, *runs)


def test_cells_of_one_run_only_are_counted(make_run: MakeRun, capsys: Capture) -> None:
    runs = make_run("old", cells=one_cell("keyed")), make_run(
        "new", cells=one_cell("keyed", "none")
    )
    assert "1 cell of only one of the runs excluded" in compared(capsys, *runs)["notes"]


@pytest.mark.parametrize(
    "argv", [[], ["a", "b", "c"], ["x", "--format", "xml"], ["x", "--fail-if-slower", "lots"]]
)
def test_a_wrong_command_line_ends_in_one_line(argv: list[str], capsys: Capture) -> None:
    assert refusal(compare.main, capsys, *argv).startswith("lockbench compare: ")


def test_two_groups_never_share_a_heading(make_run: MakeRun) -> None:
    cells = [{**cell, "sample_every": n} for n in (1, 64) for cell in one_cell("global", "keyed")]
    result = comparison.within(loader.load(make_run(cells=cells)), comparison.Options())
    told = {line.group for line in result.lines}
    assert len(told) == 2 and all("waits timed" in group for group in told)


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_the_table_leaves_columns_out_rather_than_overflow(make_run: MakeRun, width: int) -> None:
    run = loader.load(make_run(cells=one_cell("global:lock=std", "keyed"), blocks=12))
    text = tables.as_text(comparison.within(run, comparison.Options()), width)
    table = [line for line in text.splitlines() if line.startswith("  ")]
    assert max(map(len, table)) <= width


def test_a_long_verdict_goes_on_below_itself(make_run: MakeRun) -> None:
    cells = one_cell("global:lock=std", "keyed")
    run = loader.load(make_run(cells=cells, blocks=2))
    text = tables.as_text(comparison.within(run, comparison.Options()), 70)
    table = text[text.index("  primitive") : text.index("\n\n", text.index("  primitive"))]
    assert max(map(len, table.splitlines())) <= 70 and len(table.splitlines()) > 3
    assert re.search(r"inconclusive: .* needed", " ".join(table.split()))


def test_colour_is_for_terminals_that_want_it(make_run: MakeRun) -> None:
    run = loader.load(make_run(cells=one_cell("global:lock=std", "keyed"), blocks=12))
    result = comparison.within(run, comparison.Options())
    assert "\x1b[" in tables.as_text(result, colour=True)
    assert "\x1b[" not in tables.as_text(result)


def test_a_torn_run_is_compared_with_a_warning(make_run: MakeRun, capsys: Capture) -> None:
    path = make_run() / "trials.csv"
    path.write_bytes(path.read_bytes()[:-9])
    assert compare.main([str(path.parent)]) == 0
    assert "is cut off" in capsys.readouterr().err


_WITHOUT = """
import sys
for name in {missing!r}:
    sys.modules[name] = None
sys.path[0] = {scripts!r}
import runpy
sys.argv = {words!r}
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize("script", ["compare", "gate", "follow", "advise", "report", "plot"])
def test_a_script_needs_only_the_modules_that_it_names(make_run: MakeRun, script: str) -> None:
    """`lockbench` starts each with an interpreter that has these (analysis_command.cc)."""
    path = SCRIPTS / f"{script}.py"
    call = re.search(r"^modules\.need\(([^)]*)\)", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert call
    missing = {"jinja2", "matplotlib", "pandas", "scipy"} - set(re.findall('"([^"]*)"', call[1]))
    run = make_run()
    words = [str(path), str(run)] if script == "compare" else [str(path), "--help"]
    code = _WITHOUT.format(missing=sorted(missing), scripts=str(SCRIPTS), words=words)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("wins", "told"),
    [
        (lambda block: 1e3 ** (block % 2), "over 10×"),
        (lambda block: 1.1 + 0.01 * (block % 2), "1."),
    ],
    ids=["wide", "narrow"],
)
def test_an_interval_that_says_nothing_is_not_printed(
    make_run: MakeRun, capsys: Capture, wins: Callable[[int], float], told: str
) -> None:
    def change(row: dict[str, Any]) -> None:
        row["operations_per_s"] = 1e6 * (wins(row["block"]) if row["primitive"] == "keyed" else 1)

    cells = synthetic.sweep(["global:lock=std", "keyed"], threads=(2,))
    (line,) = [
        one
        for one in shown(capsys, make_run(cells=cells, change=change)).splitlines()
        if one.startswith("  keyed ")
    ]
    assert told in line.partition("×")[2] and "e-" not in line


def test_a_ratio_comes_with_the_medians_of_the_blocks_that_it_is_of(
    make_run: MakeRun, capsys: Capture
) -> None:
    """The baseline was valid in late blocks only, in which the machine was slow."""

    def change(row: dict[str, Any]) -> None:
        slow = 4 if row["block"] >= 20 else 1
        row["operations_per_s"] = 1e6 / slow * (0.94 if row["primitive"] == "keyed" else 1)
        if row["primitive"] != "keyed" and row["block"] < 20:
            row.update(valid="false", reason="disturbed")

    cells = synthetic.sweep(["global:lock=std", "keyed"], threads=(2,))
    run = make_run(cells=cells, blocks=25, change=change)
    (one,) = verdict.of_run(loader.load(run)).comparisons
    assert (one.value, one.baseline_value) == (pytest.approx(235_000), pytest.approx(250_000))
    assert one.verdict == verdict.SLOWER and not one.note
    assert "in 5 common blocks 235 k/s against 250 k/s" in shown(capsys, run)


def test_what_is_faster_is_never_written_as_one() -> None:
    for value, text in ((1.0004, "1.0004×"), (0.99999, "0.99999×"), (1.0, "1.00×"), (1.2, "1.20×")):
        assert units.ratio(value) == text
    assert units.ratio(1.004, 2) == "1.004×"


def test_a_line_has_the_median_and_the_quartiles_of_its_blocks(make_run: MakeRun) -> None:
    def change(row: dict[str, Any]) -> None:
        row["operations_per_s"] = 1e6 * (1, 9, 3, 2, 4)[row["block"]]

    run = loader.load(make_run(cells=synthetic.sweep(threads=(1,)), change=change, blocks=5))
    for line in comparison.within(run, comparison.Options()).lines:
        assert (line.median, line.spread_low, line.spread_high) == (3e6, 2e6, 4e6)


def test_groups_are_in_the_order_of_their_keys_whatever_that_of_the_trials(
    make_run: MakeRun,
) -> None:
    run = loader.load(make_run(cells=synthetic.sweep(threads=(1, 2, 4, 8, 16))))
    lines = comparison.within(run, comparison.Options()).lines
    threads = [re.findall(r"(\d+) threads?", line.group)[0] for line in lines]
    assert list(dict.fromkeys(threads)) == ["1", "2", "4", "8", "16"]
