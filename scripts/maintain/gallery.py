#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what the pages of docs/ show of the runs in results/reference/, and writes their tables.

A page that shows images/reference/xeon-2vcpu/quick/winner.png shows the picture `winner` of the run
results/reference/xeon-2vcpu/quick: the pages themselves are the list. A + between machines, as in
images/reference/epyc-2vcpu+xeon-16vcpu/quick/cost-by-load.png, is a picture of several machines.
Each picture carries the id of its run, or of all of them, as the text `run` of the PNG, so that a
test finds pictures that are older than the run.

Between `<!-- by load: reference/epyc-2vcpu/loads -->` and `<!-- end of by load: … -->` a page has
the table of this run's ratios by load; with `many keys`, that of its most keys. With --out, no page
is changed.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "commands"))

from analysis import modules  # noqa: E402

modules.need("gallery", "matplotlib", "pandas", "scipy")

from PIL import Image  # noqa: E402  # matplotlib itself needs it
from PIL.PngImagePlugin import PngInfo  # noqa: E402

from matplotlib.figure import Figure  # noqa: E402

from analysis import by_load, command, figure, files, loader, machines, marked  # noqa: E402
from analysis.pictures import OF_MACHINES, PICTURES  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
RESULTS = ROOT / "results"
COLOURS = 256  # the most frequent ones stay exactly as they are

_LINK = re.compile(
    r"\((?:docs/|\.\./)?(?P<path>images/(?P<run>reference/[^/()\s]+/[^/()\s]+)/"
    r"(?P<picture>[^/()\s]+)\.png)\)"
)
_TABLE = re.compile(
    r"^<!-- (?P<name>(?P<what>by load|many keys): (?P<run>reference/\S+)) -->$", re.MULTILINE
)
_TABLES = {"by load": by_load.table, "many keys": by_load.many_keys}


@dataclass(frozen=True, order=True)
class Shown:
    """A picture that a page shows, and where."""

    path: Path  # from docs/
    run: str  # its folder, from results/; of several machines, with a + between them
    picture: str
    source: str  # page:line

    @property
    def folders(self) -> list[Path]:
        """The folders of its runs."""
        _, machine, preset = self.run.split("/")
        return [RESULTS / "reference" / one / preset for one in machine.split("+")]

    @property
    def run_ids(self) -> str:
        return " ".join(map(run_id_of, self.folders))


def parser() -> command.Parser:
    made = command.Parser(prog="gallery", description=__doc__)
    made.add_argument("pages", metavar="PAGE", nargs="*", type=Path, help="(all of docs/)")
    made.add_argument(
        "--out", metavar="DIR", type=Path, default=DOCS, help="where to write instead of docs/"
    )
    return made


def all_pages() -> list[Path]:
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def shown_on(pages: Sequence[Path]) -> Iterator[Shown]:
    """Each picture of a reference run once, from the first place that shows it."""
    seen = set()
    for page in pages:
        for number, line in enumerate(text_of(page).splitlines(), 1):
            for link in _LINK.finditer(line):
                shown = Shown(
                    Path(link["path"]), link["run"], link["picture"], f"{shown_path(page)}:{number}"
                )
                if shown.path not in seen:
                    seen.add(shown.path)
                    yield shown


def text_of(page: Path) -> str:
    try:
        return page.read_text(encoding="utf-8")
    except OSError as error:
        raise loader.InputError(f"{page}: cannot be read: {error.strerror}") from None


def shown_path(path: Path) -> Path:
    """A path as a reader of the checkout knows it."""
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def with_tables(text: str) -> str:
    """A page with its tables as their runs have them now."""
    for mark in _TABLE.finditer(text):
        with (RESULTS / mark["run"] / "comparisons.csv").open(encoding="utf-8", newline="") as rows:
            table = _TABLES[mark["what"]](list(csv.DictReader(rows)))
            text = marked.replaced(text, mark["name"], table)
    return text


def check(shown: Shown) -> None:
    """Refuses what can be known to be wrong before anything is drawn."""
    known = list(PICTURES) if len(shown.folders) == 1 else list(OF_MACHINES)
    if shown.picture not in known:
        raise loader.InputError(
            f"{shown.source}: no picture is called {shown.picture!r}; there are {', '.join(known)}"
        )
    missing = [one for one in shown.folders if not (one / "trials.csv").is_file()]
    if missing:
        runs = sorted(
            str(path.parent.relative_to(RESULTS))
            for path in RESULTS.glob("reference/*/*/trials.csv")
        )
        raise loader.InputError(
            f"{shown.source}: no run is in results/{missing[0].relative_to(RESULTS)}; there are"
            f" {', '.join(runs)}"
        )


def made_of(shown: Shown) -> Figure | None:
    runs = [loader.load(folder) for folder in shown.folders]
    if len(runs) == 1:
        return PICTURES[shown.picture](runs[0])
    return OF_MACHINES[shown.picture](machines.fleet(runs))


def draw(shown: Shown, out: Path) -> Path:
    made = made_of(shown)
    if made is None:
        raise loader.InputError(
            f"{shown.source}: the run {shown.run!r} has nothing to draw as {shown.picture!r}"
        )
    target = out / shown.path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        figure.save(made, target)
        shrink(target, shown.run_ids)
    except OSError as error:
        raise loader.InputError(f"{target}: cannot be written: {error.strerror}") from None
    return target


def run_id_of(run: Path) -> str:
    return str(json.loads((run / "meta.json").read_text(encoding="utf-8"))["run_id"])


def shrink(picture: Path, run_id: str) -> None:
    """The same picture in a third of the bytes. The colours that fill lines and fields are the most
    frequent ones and stay exact; only blends at the edges of letters move to their neighbours."""
    with Image.open(picture) as drawn:
        full = drawn.convert("RGB")
    counted = sorted(full.getcolors(full.width * full.height), reverse=True)[:COLOURS]
    kept = Image.new("P", (1, 1))
    kept.putpalette([channel for _, colour in counted for channel in colour])
    few = full.quantize(palette=kept, dither=Image.Dither.NONE)
    text = PngInfo()
    text.add_text("run", run_id)
    with files.replacing(picture) as part:
        few.save(part, format="png", optimize=True, pnginfo=text)


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    pages = arguments.pages or all_pages()
    wanted = sorted(shown_on(pages))
    for shown in wanted:
        check(shown)
    figure.use_style()
    for shown in wanted:
        print(shown_path(draw(shown, arguments.out)), flush=True)
    for page in pages if arguments.out == DOCS else []:
        old = text_of(page)
        if (new := with_tables(old)) != old:
            page.write_text(new, encoding="utf-8")
            print(shown_path(page), flush=True)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("gallery", body, argv)


if __name__ == "__main__":
    sys.exit(main())
