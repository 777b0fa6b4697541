# SPDX-License-Identifier: Apache-2.0
"""The report as its readers use it: opened from a file in Chromium, pointed at, sorted, filtered,
printed. Skipped, and said so, where there is no Chromium."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import report
import synthetic
from analysis.page import cell_table
from browser import Browser
from tiers import rest_long


# Every word that is seen, with the ratio of its colour's contrast to what is behind it.
CONTRASTS = """(() => {
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => rgb.slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const style = getComputedStyle(e);
      const image = style.backgroundImage.match(/rgb\\([^)]*\\)/g);
      if (image) return image.map(parts);
      const colour = parts(style.backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return [colour];
    }
    return [[255, 255, 255]];
  };
  const low = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const e = node.parentElement;
    if (!node.data.trim() || !e.checkVisibility() || e.closest("script,style,title")) continue;
    const style = getComputedStyle(e);
    const ink = light(parts(e.closest("svg") ? style.fill : style.color));
    for (const paper of behind(e).map(light)) {
      const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
      if (ratio < 4.5) low.push(`${node.data.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
    }
  }
  return low;
})()"""
# Of each column of the table of cells.
INDEX = {column.name: index for index, column in enumerate(cell_table.COLUMNS)}
VISIBLE = "[...document.querySelectorAll('.cells tbody tr')].filter((row) => !row.hidden)"


@pytest.fixture(scope="module", name="page")
def page_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")

    def unfair(row: dict) -> None:
        if row["primitive"] == "global" and row["threads"] == 8:
            row["fairness_jain"] = 0.5

    run = synthetic.write_run(folder / "run", cells=synthetic.quick(), blocks=5, change=unfair)
    assert report.main([str(run)]) == 0
    return run / "report.html"


@pytest.fixture(scope="module", name="several")
def several_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of three machines, one of which disagrees with the others."""
    cells = synthetic.sweep(
        ["global:lock=std", "keyed", "striped", "keyed_tbb"], threads=(1, 2, 4, 8), keys=(1, 64)
    )
    runs = synthetic.write_fleet(
        tmp_path_factory.mktemp("several"),
        cells=cells,
        blocks=6,
        speeds=lambda number, label: 0.4 if (number, label) == (1, "keyed") else 1.0,
    )
    assert report.main([*map(str, runs)]) == 0
    return runs[0] / "report.html"


@pytest.fixture(scope="module", name="chapters")
def chapters_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of two runs of one preset on one machine."""
    folder = tmp_path_factory.mktemp("chapters")
    runs = [synthetic.write_run(folder / name, run_id=name, blocks=3) for name in ("one", "two")]
    assert report.main([*map(str, runs)]) == 0
    return runs[0] / "report.html"


@pytest.fixture(name="opened")
def opened_fixture(shared: Browser, page: Path) -> Browser:
    shared.prefer("light")
    shared.open(page)
    return shared


def test_it_opens_from_a_file_without_complaint_or_request(opened: Browser, page: Path) -> None:
    assert opened.requests == [page.resolve().as_uri()]
    assert opened.complaints == []
    assert opened.run("document.title") == "synthetic · lockbench"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_every_word_can_be_read(shared: Browser, page: Path, scheme: str, width: int) -> None:
    shared.prefer(scheme)
    shared.open(page, width)
    assert shared.run(CONTRASTS) == []
    assert (
        shared.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    ) == (scheme == "light")


@pytest.mark.parametrize("width", rest_long([320, 1280, 390, 768], 2))
def test_it_is_never_wider_than_the_window(shared: Browser, page: Path, width: int) -> None:
    shared.open(page, width)
    assert shared.run("document.documentElement.scrollWidth") <= width
    smallest = shared.run(
        "Math.min(...[...document.querySelectorAll('.chart svg text')]"
        ".map((t) => t.getBoundingClientRect().height || 99))"
    )
    assert smallest >= (9 if width >= 390 else 7)


def test_the_toggle_changes_the_theme_and_comes_back(opened: Browser) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    light = opened.run(paper)
    opened.click("#theme")
    assert opened.run("document.querySelector('#theme').textContent") == "Theme: dark"
    assert opened.run(paper) != light
    opened.click("#theme")
    opened.click("#theme")
    assert opened.run("document.querySelector('#theme').textContent") == "Theme: auto"
    assert opened.run(paper) == light


def line_of(opened: Browser, number: str) -> tuple[float, float]:
    """Somewhere on the line of a primitive in the first picture."""
    position = opened.run(
        "(() => { const chart = document.querySelector('.chart');"
        " chart.scrollIntoView({block: 'center', behavior: 'instant'});"
        f" const path = chart.querySelector('.own[data-own=\"{number}\"] .reach');"
        " const at = path.getPointAtLength(path.getTotalLength() * 0.93);"
        " const p = at.matrixTransform(path.getScreenCTM()); return [p.x, p.y]; })()"
    )
    return position[0], position[1]


def test_pointing_at_a_line_names_it_and_its_values(opened: Browser) -> None:
    number = opened.run("document.querySelector('.chart .keys button').dataset.own")
    name = opened.run("document.querySelector('.chart .keys button').textContent")
    opened.point(*line_of(opened, number))
    told = opened.run("document.querySelector('#tip').hidden ? '' : tip.textContent")
    assert told.startswith(name + "\n") and "wait: of all blocks" in told and " – " in told
    opened.point(2, 2)
    assert opened.run("document.querySelector('#tip').hidden")


def test_pressing_a_line_hides_it_and_its_name_shows_it_again(opened: Browser) -> None:
    key = ".chart .keys button"
    number = opened.run(f"document.querySelector('{key}').dataset.own")
    state = (
        f"[document.querySelector('{key}').getAttribute('aria-pressed'), getComputedStyle("
        f"document.querySelector('.chart .own[data-own=\"{number}\"]')).pointerEvents]"
    )
    opened.click_at(*line_of(opened, number))
    assert opened.run(state) == ["false", "none"]
    opened.click(key)
    assert opened.run(state)[0] == "true"


def test_a_keyboard_alone_hides_a_line_and_sorts(opened: Browser) -> None:
    opened.run("document.querySelector('.chart .keys button').focus()")
    opened.press("Enter")
    pressed = "document.querySelector('.chart .keys button').getAttribute('aria-pressed')"
    assert opened.run(pressed) == "false"
    opened.press("Tab")
    assert opened.run("document.activeElement.matches('.chart .keys button')")
    opened.run("document.querySelector('.cells thead button').focus()")
    opened.press("Enter")
    assert (
        opened.run("document.querySelector('.cells th').getAttribute('aria-sort')") == "ascending"
    )


def test_a_column_sorts_by_size_both_ways_with_nothing_last(opened: Browser) -> None:
    index = INDEX["median"]
    rows = "[...document.querySelectorAll('.cells tbody tr')]"
    values = f"{rows}.map((r) => r.cells[{index}].dataset.v)"
    head = f".cells th:nth-child({index + 1})"
    opened.click(f"{head} button")
    up = opened.run(values)
    opened.click(f"{head} button")
    down = opened.run(values)
    assert opened.run(f"document.querySelector('{head}').getAttribute('aria-sort')") == "descending"
    for found, reverse in ((up, False), (down, True)):
        told = [float(value) for value in found if value]
        assert told == sorted(told, reverse=reverse) and len(set(told)) > 10
        assert all(not value for value in found[len(told) :])


def test_words_in_the_filter_all_must_be_in_a_row(opened: Browser) -> None:
    opened.click(".tools input")
    opened.type("keyed_t 8 threads")
    fields = ", ".join(f"r.cells[{INDEX[name]}].textContent" for name in ("primitive", "threads"))
    rows = opened.run(f"{VISIBLE}.map((r) => [{fields}])")
    assert rows and all("keyed_t" in name and threads == "8" for name, threads in rows)
    counted = opened.run("document.querySelector('.tools output').textContent")
    assert counted.startswith(f"{len(rows)} of ")
    opened.run(
        "(() => { const s = document.querySelector('.tools input'); s.value = '';"
        " s.dispatchEvent(new Event('input')); })()"
    )
    opened.run(
        "(() => { const s = document.querySelector('.tools select'); s.value = 'unfair';"
        " s.dispatchEvent(new Event('change')); })()"
    )
    verdicts = opened.run(f"{VISIBLE}.map((r) => r.querySelector('.verdict').textContent)")
    assert verdicts and all("unfair" in one for one in verdicts)
    assert len(verdicts) < opened.run("document.querySelectorAll('.cells tbody tr').length")


def test_a_row_leads_to_its_pictures(opened: Browser) -> None:
    opened.click(".tools input[type=checkbox]")
    opened.click(".cells tbody a")
    assert opened.run("document.querySelector('.chart:target') !== null")


# The width by which the verdicts of each table of cells stick out of what is seen of the table, and
# whether the table has to be scrolled.
SEEN = """[...document.querySelectorAll('table.cells')].map((table) => {
  const box = table.closest('.wide').getBoundingClientRect();
  const verdict = table.tBodies[0].querySelector('.verdict').getBoundingClientRect();
  const wide = table.closest('.wide');
  return [Math.round(verdict.right - box.right), wide.scrollWidth > wide.clientWidth];
})"""


@pytest.mark.parametrize("width", [400, 1200, 1920])
def test_the_verdict_is_seen_without_scrolling(shared: Browser, page: Path, width: int) -> None:
    shared.open(page, width)
    ((sticks_out, scrolls),) = shared.run(SEEN)
    assert sticks_out <= 0 and (not scrolls or width < 1200)


def test_all_figures_come_on_demand_beside_a_first_column_that_stays(
    shared: Browser, page: Path
) -> None:
    shared.open(page, 400)
    shown = "[...document.querySelectorAll('.cells thead th')].filter((h) => h.offsetWidth).length"
    before = shared.run(shown)
    shared.click(".tools input[type=checkbox]")
    assert shared.run(shown) == before + len(cell_table.ON_DEMAND)
    first = "document.querySelector('.cells tbody th').getBoundingClientRect().left"
    left = shared.run(first)
    shared.run("document.querySelector('table.cells').closest('.wide').scrollLeft = 500")
    assert shared.run(first) == left


@pytest.mark.parametrize("name", ["chapters", "several"])
def test_parts_of_a_page_have_names_of_their_own(
    shared: Browser, request: pytest.FixtureRequest, name: str
) -> None:
    shared.open(request.getfixturevalue(name))
    landmarks = (
        "[...document.querySelectorAll('main, nav, [role=region]')]"
        ".map((e) => e.tagName + ':' + e.getAttribute('aria-label'))"
    )
    found = shared.run(landmarks)
    assert len(set(found)) == len(found) and found.count("MAIN:null") == 1


@pytest.mark.parametrize("width", [400, 1200, 1920])
def test_several_machines_fit_into_the_window(shared: Browser, several: Path, width: int) -> None:
    shared.open(several, width)
    assert shared.complaints == [] and len(shared.requests) == 1
    assert shared.run("document.documentElement.scrollWidth") <= width
    assert shared.run(CONTRASTS) == []


def test_everything_has_a_name_for_a_screen_reader(opened: Browser) -> None:
    opened.call("Accessibility.enable")
    nodes = opened.call("Accessibility.getFullAXTree")["nodes"]
    opened.call("Accessibility.disable")
    asked = [
        node
        for node in nodes
        if not node.get("ignored")
        and node["role"]["value"] in ("button", "link", "image", "searchbox", "combobox", "region")
    ]
    assert len(asked) > 50
    assert [node for node in asked if not node.get("name", {}).get("value")] == []


def test_it_prints_light_and_without_its_controls(opened: Browser, page: Path) -> None:
    assert opened.printed().startswith(b"%PDF")
    media = {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    opened.call("Emulation.setEmulatedMedia", **media)
    shown = opened.run(
        "['#theme', '.tools', '.contents', '.keys'].map((s) =>"
        " getComputedStyle(document.querySelector(s)).display)"
    )
    paper = opened.run("getComputedStyle(document.documentElement).getPropertyValue('--paper')")
    around = opened.run(AROUND)
    opened.call("Emulation.setEmulatedMedia", media="", features=[])
    assert shown == ["none"] * 4 and paper == "#FFFFFF"
    assert set(around) <= {"block", "inline-block"} and len(around) > 5


# How everything around cards, pictures and tables of losses is laid out. A grid or a flexible box
# that goes on on the next page overlaps there.
AROUND = """[...document.querySelectorAll('.card, .chart, .losses')].flatMap((one) => {
  const found = [];
  for (; one !== document.documentElement; one = one.parentElement) {
    if (one.tagName !== 'TABLE') found.push(getComputedStyle(one).display);
  }
  return found;
})"""


def test_a_legend_is_shown_only_where_its_names_can_be_pressed(opened: Browser, page: Path) -> None:
    """The names at the ends of lines are enough elsewhere."""
    assert opened.run("[...document.querySelectorAll('.keys')].every((one) => !one.hidden)")
    source = page.read_text(encoding="utf-8")
    assert source.count('<ul class="keys" hidden') == source.count('<ul class="keys"') > 0


def test_names_from_a_run_do_nothing(shared: Browser, tmp_path: Path) -> None:
    name = '<img src=x onerror=document.title=1><script>document.title=2</script>"\' onclick="x'

    def spoil(row: dict) -> None:
        row["workload"] = name
        if row["primitive"] != "striped":
            row["primitive"] += name + "x" * 10_000

    run = synthetic.write_run(tmp_path / "run", change=spoil)
    assert report.main([str(run)]) == 0
    shared.open(run / "report.html")
    assert shared.requests == [(run / "report.html").resolve().as_uri()]
    assert shared.complaints == [] and shared.run("document.title") == "synthetic · lockbench"
    assert name in shared.run("document.body.textContent")
    shared.resize(390, 900)
    assert shared.run("document.documentElement.scrollWidth") <= 390


@pytest.mark.long
def test_pictures_of_it_can_be_kept(opened: Browser, page: Path) -> None:
    """For eyes: LOCKBENCH_SCREENSHOTS names a folder for what a phone and a desk show."""
    folder = Path(os.environ.get("LOCKBENCH_SCREENSHOTS") or page.parent)
    for name, width in (("phone", 400), ("desk", 1200), ("wide", 1920)):
        opened.resize(width, 900)
        opened.picture(folder / f"{name}.png", whole=True)
        assert (folder / f"{name}.png").stat().st_size > 50_000
