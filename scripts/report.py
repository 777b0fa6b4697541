#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes one page of a run, or of several: what to use for which workload, and why to believe it."""

from __future__ import annotations

import argparse
import logging
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from analysis import modules

modules.need("report", "jinja2", "matplotlib", "pandas", "scipy")

from analysis import command, files, loader  # noqa: E402
from analysis.page import as_html, as_markdown, chart, content  # noqa: E402

_MOST_RUNS = 12
EXAMPLES = """
The page is one file that loads nothing: send it by e-mail, open it from a disk, print it. It tells
which primitive suits which threads, keys and hold, and how sure that is; then come the map of
winners, throughput, waits, fairness, cost, every cell, what was not valid, the machine and the
command that repeats the run.

Examples
  lockbench report results/runs/mine                       writes results/runs/mine/report.html
  lockbench report results/runs/mine --out ~/mine.html
  lockbench report threads-run keys-run holds-run          one page, a chapter for each
  lockbench report results/runs/mine --format markdown     for a pull request, to standard output
  lockbench report results/runs/mine --format markdown >> "$GITHUB_STEP_SUMMARY"
"""


def parser() -> command.Parser:
    made = command.Parser(
        prog="report",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("runs", nargs="+", metavar="RUN", help="folder of a run; each is a chapter")
    made.add_argument(
        "--out",
        metavar="FILE",
        help="where to write; - is standard output (html: RUN/report.html, markdown: -)",
    )
    made.add_argument("--format", choices=("html", "markdown"), default="html")
    return made


def write(path: Path, text: str) -> None:
    """A reader never sees half a page."""
    try:
        with files.replacing(path) as part:
            part.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise loader.InputError(
            f"{path}: cannot be written: {error.strerror}; name a writable file with --out"
        ) from None


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    if len(arguments.runs) > _MOST_RUNS:
        raise loader.InputError(
            f"{len(arguments.runs)} runs given; a page has room for {_MOST_RUNS}"
        )
    runs = [loader.load(folder, lenient=True) for folder in arguments.runs]
    for note in (note for run in runs for note in run.notes):
        command.tell("report", note)
    html = arguments.format == "html"
    chart.use_style()
    chapters = content.chapters(runs, pictures=html)
    text = as_html.page(chapters) if html else as_markdown.page(chapters)
    out = arguments.out or (str(runs[0].folder / "report.html") if html else "-")
    if out == "-":
        sys.stdout.write(text)
    else:
        write(Path(out), text)
        print(out)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    # A glyph that the font lacks is drawn by the browser's own, or as a box; no news for the user.
    warnings.filterwarnings("ignore", message="Glyph .* missing")
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    return command.run("report", body, argv)


if __name__ == "__main__":
    sys.exit(main())
