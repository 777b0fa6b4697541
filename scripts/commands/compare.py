#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the primitives of a run with a baseline, two runs of one machine cell by cell, or
several machines side by side: each within itself."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace

from analysis import modules

modules.need("lockbench compare", "pandas", "scipy")

from analysis import command, comparison, exports, fleet_tables, hdr, likeness, loader  # noqa: E402
from analysis import machines, saturation, saved, selection, tables, units, verdict  # noqa: E402
from analysis.fleet import Fleet  # noqa: E402

EXPORTS = {**exports.FORMATS, "hlog": hdr.log}
MOST_LINES = 48  # of --brief: two screens


EXAMPLES = """
Examples
  lockbench compare results/runs/mine                            each primitive with the baseline
  lockbench compare results/runs/mine --baseline keyed --where threads=8,keys=64
  lockbench compare runs/before runs/after --force               two builds, cell by cell
  lockbench compare runs/after --baseline-run main --fail-if-slower 5%
  lockbench compare runs/epyc runs/xeon --pool machine           two machines
For two versions of a lock, lockbench ab measures in turn, which drift does not touch.

Exit codes: 0 done, 2 bad input, 3 with --fail-if-slower: something is slower.
"""


def parser() -> command.Parser:
    made = command.Parser(prog="lockbench compare", description=__doc__, epilog=EXAMPLES)
    made.add_argument(
        "runs",
        nargs="+",
        metavar="RUN",
        help="folder of a run; one, two of one machine, or one of each machine",
    )
    made.add_argument(
        "--baseline",
        metavar="P",
        help="primitive to compare with (one run), or the only one to compare (two)",
    )
    made.add_argument(
        "--baseline-run",
        metavar="NAME",
        help="compares the run with this one: a baseline (run --save-baseline), or a run's folder",
    )
    made.add_argument(
        "--format",
        choices=("text", "csv", "markdown", "json", *EXPORTS),
        default="text",
        help="the others have the figures of one run, for other tools: Google Benchmark's JSON,"
        " github-action-benchmark, Bencher, and an HdrHistogram log of the waits",
    )
    made.add_argument(
        "--brief",
        action="store_true",
        help="as text and Markdown: the most important groups of cells only",
    )
    made.add_argument(
        "--same-within",
        type=command.share,
        default=verdict.SAME_WITHIN,
        metavar="SHARE",
        help="differences up to this do not matter (5%%)",
    )
    made.add_argument(
        "--wait-limit",
        type=command.nanoseconds,
        default=saturation.WAIT_LIMIT_NS,
        metavar="TIME",
        help="open loops: from which rate on the p99 wait exceeds this (1ms)",
    )
    made.add_argument(
        "--fail-if-slower",
        type=command.share,
        metavar="SHARE",
        help="exit 3 if anything is significantly slower, and by more than this",
    )
    made.add_argument(
        "--force", action="store_true", help="compare two runs of different machines or builds"
    )
    made.add_argument(
        "--pool",
        choices=("machine",),
        help="with several machines: also the mean of their ratios, with its interval and I²",
    )
    selection.add_option(made)
    return made


def compared(arguments: argparse.Namespace) -> comparison.Result | Fleet:
    runs = [selection.load(folder, arguments.where) for folder in arguments.runs]
    for note in (note for run in runs for note in run.notes):
        command.print_note("lockbench compare", note)
    options = comparison.Options(
        baseline=arguments.baseline,
        same_within=arguments.same_within,
        force=arguments.force,
        wait_limit_ns=arguments.wait_limit,
    )
    if arguments.baseline_run is not None:
        return against_saved(runs, arguments, options)
    members = machines.fleet(runs)
    if len(members) == 1:
        check_pool(arguments, 1)
        return comparison.within(members[0].run, options)
    if len(members) == len(runs) == 2 and not side_by_side(runs, arguments):
        check_pool(arguments, 1)
        return comparison.between(runs[0], runs[1], options)
    if arguments.fail_if_slower is not None:
        raise loader.InputError(
            f"--fail-if-slower: {len(members)} machines given, which have no common time before and"
            " after; give one run, or two of one machine"
        )
    if arguments.pool is not None:
        likeness.check_kinds([member.run for member in members])
    return Fleet(members, arguments.baseline, arguments.same_within, arguments.pool is not None)


def against_saved(
    runs: Sequence[loader.Run], arguments: argparse.Namespace, options: comparison.Options
) -> comparison.Result:
    if len(runs) != 1:
        raise loader.InputError(f"--baseline-run: {len(runs)} runs given; name one to compare")
    check_pool(arguments, 1)
    old = selection.load(saved.folder_of(arguments.baseline_run, "--baseline-run"), arguments.where)
    return comparison.between(old, runs[0], replace(options, any_build=True))


def side_by_side(runs: Sequence[loader.Run], arguments: argparse.Namespace) -> bool:
    """True if two runs are two machines, rather than one machine before and after."""
    if arguments.force or arguments.fail_if_slower is not None:
        return False
    return likeness.other_machines(runs[0], runs[1])


def check_pool(arguments: argparse.Namespace, number: int) -> None:
    if arguments.pool:
        raise loader.InputError(
            f"--pool machine: {units.plural(number, 'machine')} given; name runs of two machines or"
            " more, or a merged run"
        )


def exported(arguments: argparse.Namespace) -> str:
    """The figures of one run, for another tool to compare."""
    runs = machines.fleet([selection.load(folder, arguments.where) for folder in arguments.runs])
    given = arguments.fail_if_slower is not None or arguments.baseline_run is not None
    if len(runs) != 1 or given or arguments.pool or arguments.baseline:
        raise loader.InputError(
            f"--format {arguments.format}: has the figures of one run, and compares nothing; name"
            " one run of one machine, without options that compare"
        )
    for note in runs[0].run.notes:
        command.print_note("lockbench compare", note)
    return EXPORTS[arguments.format](runs[0].run)


def written_fleet(fleet: Fleet, form: str, brief: bool) -> str:
    if form == "csv":
        return fleet_tables.as_csv(fleet)
    if form == "json":
        return fleet_tables.as_json(fleet)
    if form == "markdown":
        return fleet_tables.as_markdown(fleet, brief)
    return fleet_tables.as_text(fleet, brief)


def written(result: comparison.Result, form: str, brief: bool) -> str:
    if form == "csv":
        return tables.as_csv(result)
    if form == "json":
        return tables.as_json(result)
    if brief:
        result = comparison.brief(result, MOST_LINES)
    if form == "markdown":
        return tables.as_markdown(result)
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal else None
    return tables.as_text(result, width, colour=terminal and "NO_COLOR" not in os.environ)


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    if arguments.format in EXPORTS:
        sys.stdout.write(exported(arguments))
        return 0
    result = compared(arguments)
    if isinstance(result, Fleet):
        sys.stdout.write(written_fleet(result, arguments.format, arguments.brief))
        return 0
    sys.stdout.write(written(result, arguments.format, arguments.brief))
    if arguments.fail_if_slower is None:
        return 0
    slower = comparison.slower_than(result, arguments.fail_if_slower)
    for line in slower:
        command.print_note(
            "lockbench compare",
            f"slower: {line.primitive}, {result.table.groups[line.group].name}: {line.ratio:.3f}×",
        )
    return command.FOUND if slower else command.SUCCESS


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("lockbench compare", body, argv)


if __name__ == "__main__":
    sys.exit(main())
