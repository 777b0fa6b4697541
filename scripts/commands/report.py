#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes one page of a run, or of several: what to use for which workload, and why to believe it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from analysis import modules

modules.need("lockbench report", "jinja2", "matplotlib", "pandas", "scipy")

from analysis import capabilities, command, files, index, loader, machines, selection  # noqa: E402
from analysis.fleet import Fleet  # noqa: E402
from analysis.page import as_html, as_markdown, chart, content, fleet_part  # noqa: E402
from analysis.page.chart import Maker  # noqa: E402

_MOST_RUNS = 12
_ADVICE = "name a writable file with --out"
EXAMPLES = """
The page is one file that loads nothing: send it by e-mail, open it from a disk, print it. It says
which primitive suits which threads, keys, load and hold, and how sure that is; then come cost and
waits by load, what each primitive loses against the fastest, waits, fairness, cost, throughput, all
cells, the invalid rows, the machine and the command that repeats the run. For several machines it
begins with one primitive for all of them.

Examples
  lockbench report results/runs/mine                       writes results/runs/mine/report.html
  lockbench report results/runs/mine --out ~/mine.html
  lockbench report threads-run keys-run holds-run          one page, a chapter for each
  lockbench report runs/*                                  a run of each machine, side by side
  lockbench report results/runs/mine --where threads=8,load=50%  these cells alone
  lockbench report results/observed/mine                   of a program that `observe` ran
  lockbench report --index                                 results/runs/index.html, of all runs
  lockbench report results/runs/mine --format markdown     for a pull request, to standard output
  lockbench report results/runs/mine --format markdown >> "$GITHUB_STEP_SUMMARY"
"""


def parser() -> command.Parser:
    made = command.Parser(prog="lockbench report", description=__doc__, epilog=EXAMPLES)
    made.add_argument(
        "runs",
        nargs="*",
        metavar="RUN",
        help="folder of a run; each is a chapter; runs of several machines are shown side by side",
    )
    made.add_argument(
        "--out",
        metavar="FILE",
        help="where to write; - is standard output (html: RUN/report.html, markdown: -)",
    )
    made.add_argument("--format", choices=("html", "markdown"), default="html")
    made.add_argument(
        "--index",
        action="store_true",
        help="writes index.html of all runs in a folder (results/runs), with links to their pages",
    )
    selection.add_option(made)
    return made


def page(runs: Sequence[loader.Run], html: bool) -> str:
    members = machines.fleet(runs)
    fleet = Fleet(members) if machines.differ([one.run for one in members]) else None
    if len(members) > _MOST_RUNS and fleet is None:
        raise loader.InputError(
            f"{len(members)} runs given; a page has room for {_MOST_RUNS}, or for any number of"
            " machines"
        )
    own = [one.run for one in members] if len(members) <= _MOST_RUNS else []
    inks = content.inks_of([one.run for one in members])
    chapters = content.chapters(own, inks, pictures=html)
    if fleet is None:
        return as_html.page(chapters, inks) if html else as_markdown.page(chapters)
    fleet_chapter = fleet_part.made(fleet, Maker(inks, "fp"), pictures=html)
    return (
        as_html.page(chapters, inks, fleet_chapter) if html else as_markdown.page(chapters, fleet)
    )


def write_index(arguments: argparse.Namespace) -> int:
    if len(arguments.runs) > 1 or arguments.format != "html":
        raise loader.InputError("--index: takes one folder of runs, and makes an HTML page of it")
    folder = Path(arguments.runs[0] if arguments.runs else files.RUNS)
    out = Path(arguments.out or folder / files.INDEX)
    files.write(out, index.page(folder, index.entries(folder)), _ADVICE)
    print(out)
    return 0


def write_own_page(arguments: argparse.Namespace, maker: ModuleType) -> int:
    folder = Path(arguments.runs[0])
    if len(arguments.runs) > 1 or arguments.format != "html" or arguments.where:
        raise loader.InputError(f"{folder}: is {maker.WHAT}; its page is HTML, of it alone")
    text: str = maker.page(folder)
    out = arguments.out or str(folder / maker.PAGE)
    if out == "-":
        sys.stdout.write(text)
        return 0
    files.write(Path(out), text, _ADVICE)
    print(out)
    return 0


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    if arguments.index:
        return write_index(arguments)
    if not arguments.runs:
        raise loader.InputError("no run given; name the folder of a run, as results/runs/mine")
    for maker in capabilities.modules("own_page"):
        if (Path(arguments.runs[0]) / maker.FILE).exists():
            return write_own_page(arguments, maker)
    runs = [selection.load(folder, arguments.where, lenient=True) for folder in arguments.runs]
    for note in (note for run in runs for note in run.notes):
        command.print_note("lockbench report", note)
    html = arguments.format == "html"
    chart.use_style()
    text = page(runs, html)
    out = arguments.out or (str(runs[0].folder / "report.html") if html else "-")
    if out == "-":
        sys.stdout.write(text)
    else:
        files.write(Path(out), text, _ADVICE)
        print(out)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("lockbench report", body, argv)


if __name__ == "__main__":
    sys.exit(main())
