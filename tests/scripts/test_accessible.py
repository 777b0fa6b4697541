# SPDX-License-Identifier: Apache-2.0
"""The findings of axe-core on each kind of page, in both themes and three widths: no violation."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import npm_package
import pytest
import report
import synthetic
from browser import Browser
from test_stress_report import CLEAN, FAILED, run

from analysis import flamegraph, stress
from analysis.flamegraph import Frame


def of_one_run(folder: Path) -> Path:
    made = synthetic.write_run(folder / "run", cells=synthetic.quick(), blocks=5)
    assert report.main([str(made)]) == 0
    return made / "report.html"


def of_two_runs(folder: Path) -> Path:
    runs = [synthetic.write_run(folder / name, run_id=name, blocks=3) for name in ("one", "two")]
    assert report.main([*map(str, runs)]) == 0
    return runs[0] / "report.html"


def of_three_machines(folder: Path) -> Path:
    """One of them disagrees with the others."""
    runs = synthetic.write_fleet(
        folder,
        cells=synthetic.sweep(["global:lock=std", "keyed"], threads=(1, 8), keys=(1, 64)),
        blocks=6,
        speeds=lambda number, label: 0.4 if (number, label) == (1, "keyed") else 1.0,
    )
    assert report.main([*map(str, runs)]) == 0
    return runs[0] / "report.html"


def index(folder: Path) -> Path:
    """An index of a run with a page, one without, and one that cannot be read."""
    of_one_run(folder)
    synthetic.write_run(folder / "other", run_id="other", blocks=3)
    (folder / "broken").mkdir()
    (folder / "broken" / "trials.csv").write_text("", encoding="utf-8")
    assert report.main(["--index", str(folder)]) == 0
    return folder / "index.html"


def of_stress(folder: Path) -> Path:
    page = folder / "stress.html"
    page.write_text(stress.page(run(FAILED, CLEAN)), encoding="utf-8")
    return page


def of_stress_of_several_locks(folder: Path) -> Path:
    page = folder / "stress.html"
    several = run(FAILED, CLEAN, {**CLEAN, "lock": "other"})
    page.write_text(stress.page(several), encoding="utf-8")
    return page


def with_flamegraph(folder: Path) -> Path:
    """A page that holds the picture: axe-core reads HTML."""
    stacks = flamegraph.Stacks(
        {
            (Frame("main", "program"), Frame("futex", "kernel")): 6,
            (Frame("main", "program"), Frame("malloc", "library")): 4,
        }
    )
    heading = flamegraph.Heading("keyed", "keyed, counter", 99)
    page = folder / "flamegraph.html"
    page.write_text(
        "<!doctype html><html lang=en><title>Flame graph</title><main><h1>Flame graph</h1>"
        f"{flamegraph.svg(stacks, heading)}</main></html>",
        encoding="utf-8",
    )
    return page


PAGES: dict[str, Callable[[Path], Path]] = {
    "run": of_one_run,
    "two-runs": of_two_runs,
    "machines": of_three_machines,
    "index": index,
    "stress": of_stress,
    "stress-several": of_stress_of_several_locks,
    "flamegraph": with_flamegraph,
}


@pytest.fixture(scope="module", name="axe")
def axe_fixture() -> str:
    return (npm_package.folder("axe-core") / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Browser, axe: str) -> list[str]:
    page.run(axe + "; 0")
    found: list[str] = page.settled(
        "axe.run(document).then((r) => r.violations.map((v) =>"
        " `${v.id}: ${v.nodes.length} × ${v.nodes[0].html.slice(0, 200)}`))"
    )
    return found


@pytest.mark.parametrize("name", ["stress", "stress-several"])
def test_a_page_says_its_language_and_its_title(tmp_path: Path, name: str) -> None:
    text = PAGES[name](tmp_path).read_text(encoding="utf-8")
    assert '<html lang="en"' in text and re.search(r"<title>[^<]+</title>", text)


@pytest.mark.long
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(shared: Browser, axe: str, tmp_path: Path, name: str) -> None:
    """For eyes, too: LOCKBENCH_SCREENSHOTS names a folder for what was seen."""
    page = PAGES[name](tmp_path)
    pictures = Path(os.environ.get("LOCKBENCH_SCREENSHOTS") or tmp_path)
    for scheme in ("light", "dark"):
        shared.prefer(scheme)
        for width in (400, 1200, 1920):
            shared.open(page, width)
            assert violations(shared, axe) == [], (scheme, width)
            shared.picture(pictures / f"{name}-{scheme}-{width}.png", whole=True)


@pytest.mark.long
def test_axe_finds_what_is_wrong(shared: Browser, axe: str, tmp_path: Path) -> None:
    page = tmp_path / "wrong.html"
    page.write_text("<!doctype html><html><body><img src='data:,'></body></html>", encoding="utf-8")
    shared.open(page)
    assert any(one.startswith("image-alt: 1") for one in violations(shared, axe))
