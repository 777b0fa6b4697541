# SPDX-License-Identifier: Apache-2.0
"""The page of a stress run: what it says, and how it is used in a browser (skipped without one)."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from browser import Browser
from test_report_in_browser import CONTRASTS

from analysis import stress


def step(at: int, thread: int, text: str, act: str, **more: Any) -> dict[str, Any]:
    return {"at": at, "thread": thread, "text": text, "act": act, **more}


def access(at: int, thread: int, act: str, was: str, now: str) -> dict[str, Any]:
    values = {"word": "lock+0", "was": was, "now": now, "order": "relaxed", "place": "spin.h:4"}
    return step(at, thread, f"{act} lock+0: {was} → {now}", act, access=True, **values)


STEPS = [
    step(1, 0, "requests key 0", "request", keys=[0]),
    access(2, 0, "load", "0", "0"),
    step(3, 1, "requests key 0", "request", keys=[0]),
    access(4, 1, "load", "0", "0"),
    access(5, 1, "buffered_store", "0", "1"),
    step(6, 1, "acquires key 0", "acquire", keys=[0]),
    access(7, 1, "flush", "0", "1"),
    access(8, 0, "update", "1", "2"),
    step(9, 0, "acquires key 0", "acquire", keys=[0], wrong=True),
]
EXPLORED = {
    "program": "L0 U | L0 U",
    "bound": "under tso with at most 3 preemptions",
    "whole": True,
    "executions": 1234,
    "states": 5,
    "seconds": 0.25,
}
FAILED: dict[str, Any] = {
    "engine": "sim",
    "lock": "mine",
    "verdict": "failed",
    "oracle": "exclusion",
    "what": "thread 0 acquires key 0 while thread 1 holds it",
    "how": "PCT",
    "found_after_s": 0.25,
    "replay": {
        "options": ["--engine", "sim", "--program", "K16 C254 L0 U | L0 U", "--schedule", "1.2"],
        "exact": True,
        "reruns": 0,
        "failures": 0,
        "command_s": 0.0,
        "command_failed": False,
    },
    "trace": [],
    "steps": STEPS,
    "evaluations": {"exclusion": 1234, "model": 5},
    "figures": {"steps": 4321, "steps_per_s": 2e6, "contended_share": 0.5, "longest_wait_ns": 2e6},
    "explored": [EXPLORED, {**EXPLORED, "program": "L0 U | T0 U", "whole": False}],
    "remarks": ["a remark"],
    "seconds": 0.5,
    "command": "lockbench stress mine --engine sim",
}
CLEAN: dict[str, Any] = {
    "engine": "real",
    "lock": "mine",
    "verdict": "clean",
    "evaluations": {"exclusion": 7},
    "figures": {},
    "remarks": [],
    "seconds": 1.0,
}


def run(*reports: dict[str, Any]) -> stress.Run:
    oracles = {"exclusion": "Two inside.", "model": "A wrong result.", "token": "It does not grow."}
    return stress.Run.parse({"machine": "on a machine", "oracles": oracles, "reports": reports})


def test_a_page_loads_nothing_and_allows_its_own_script_alone() -> None:
    page = stress.page(run(FAILED, CLEAN))
    assert page.endswith("</html>\n")
    assert (
        "src=" not in page and "@import" not in page and "http" not in page.replace("http-eq", "")
    )
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None and "unsafe" not in policy[1] and policy[1].count("sha256-") == 2
    assert " style=" not in page and " onclick=" not in page


def test_each_oracle_has_a_count_for_each_engine_or_was_never_asked() -> None:
    (lock,) = run(FAILED, CLEAN).locks
    assert [one.engine for one in lock.reports] == ["sim", "real"]
    assert lock.checks == [
        ("exclusion", "Two inside.", [("1,234 · failed", "bad"), ("7", "asked")]),
        ("model", "A wrong result.", [("5", "asked"), ("never", "never")]),
        ("token", "It does not grow.", [("never", "never"), ("never", "never")]),
    ]


def test_lanes_are_the_threads_with_their_acts() -> None:
    (report,) = run(FAILED).locks[0].failures
    assert report.lanes == [("thread 0", "L0 U"), ("thread 1", "L0 U")]
    assert [one["lane"] for one in report.steps] == [0, 0, 1, 1, 1, 1, 1, 0, 0]


@pytest.mark.parametrize(
    ("engine", "at", "said"),
    [("sim", 12345, "12345"), ("real", 12345, "12.3 µs"), ("services", 844553300, "844.55 ms")],
)
def test_a_step_has_its_number_or_a_time_that_fits_its_column(
    engine: str, at: int, said: str
) -> None:
    timed = {**FAILED, "engine": engine, "steps": [step(at, 0, "requests key 0", "request")]}
    ((report,),) = [lock.failures for lock in run(timed).locks]
    assert [report.time(one) for one in report.steps] == [said]


@pytest.mark.parametrize(
    ("reruns", "failures", "said"),
    [
        (10, 2, "seen once; happened again in 2 of 10 reruns"),
        (10, 3, "happened again in 3 of 10 reruns"),
        (0, 0, "was not run again"),
    ],
)
def test_a_failure_that_seldom_comes_back_was_seen_once(
    reruns: int, failures: int, said: str
) -> None:
    replay = {**FAILED["replay"], "exact": False, "reruns": reruns, "failures": failures}
    assert said == run({**FAILED, "replay": replay}).locks[0].failures[0].reproduced


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        (True, "happened again within 1.2 s of the command, in none of 10 reruns of the epoch"),
        (False, "seen once; in none of 10 reruns of the epoch, nor in 1.2 s of the command"),
    ],
)
def test_a_command_that_does_more_than_its_reruns_is_judged_by_itself(
    failed: bool, said: str
) -> None:
    seen = {"exact": False, "reruns": 10, "command_s": 1.2, "command_failed": failed}
    replay = {**FAILED["replay"], **seen}
    assert said == run({**FAILED, "replay": replay}).locks[0].failures[0].reproduced


def test_figures_have_the_units_of_their_names() -> None:
    assert run(FAILED).locks[0].reports[0].figures == [
        ("steps", "4,321"),
        ("steps", "2,000,000 per second"),
        ("contended", "50.0%"),
        ("longest wait", "2.0 ms"),
    ]


def test_what_was_explored_whole_is_apart_from_remarks() -> None:
    report = run(FAILED).locks[0].reports[0]
    cost = "under tso with at most 3 preemptions: 1,234 executions, 5 states, 0.250 s"
    assert report.explored == [("L0 U | L0 U", cost)]
    assert report.remarks == [f"not whole: `L0 U | T0 U` {cost}", "a remark"]


def test_a_run_of_several_locks_counts_the_broken_ones() -> None:
    several = run(FAILED, CLEAN, {**CLEAN, "lock": "other"})
    assert several.title == "2 locks" and several.summary == "1 of 2 broken"
    assert run(CLEAN).summary == "no failure found"


def test_no_level_of_headings_is_left_out() -> None:
    for reports in ([FAILED, CLEAN], [FAILED, {**CLEAN, "lock": "other"}]):
        levels = [int(level) for level in re.findall(r"<h(\d)", stress.page(run(*reports)))]
        assert levels[0] == 1
        assert all(next_one <= level + 1 for level, next_one in zip(levels, levels[1:])), levels


def test_names_cannot_end_the_script_or_become_markup() -> None:
    name = "</script><b>"
    spoilt = [{**one, "text": name, "word": name, "place": name} for one in STEPS]
    page = stress.page(run({**FAILED, "lock": name, "steps": spoilt, "command": name}))
    assert page.count("</script>") == 2
    assert "<b>" not in page.replace("<b>thread", "")


# ---- in a browser


@pytest.fixture(scope="module", name="page")
def page_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "stress.html"
    file.write_text(stress.page(run(FAILED, CLEAN)), encoding="utf-8")
    return file


@pytest.fixture(name="opened")
def opened_fixture(shared: Browser, page: Path) -> Browser:
    shared.prefer("light")
    shared.open(page)
    assert shared.complaints == []
    assert [one for one in shared.requests if not one.startswith("data:")] == [page.as_uri()]
    return shared


SHOWN = "document.querySelector('.step[aria-current] .text').textContent.trim()"
THREADS = "[...document.querySelectorAll('.threads td')].map((e) => e.textContent)"
WORD = "document.querySelector('.words td').textContent"


def test_it_opens_where_it_went_wrong(opened: Browser) -> None:
    assert opened.run(SHOWN) == "thread 0 acquires key 0"
    assert opened.run(THREADS) == ["holds key 0", "holds key 0"]
    assert opened.run("document.querySelector('output').textContent") == "9 of 9"


def test_keys_and_buttons_step_through_it(opened: Browser) -> None:
    opened.press("Home")
    assert opened.run(SHOWN) == "thread 0 requests key 0"
    assert opened.run("document.querySelector('.back').disabled")
    opened.press("ArrowRight")
    opened.press("ArrowRight")
    opened.click(".next")
    assert opened.run(SHOWN).startswith("thread 1 load lock+0: 0 → 0")
    assert opened.run(THREADS) == ["wants key 0", "wants key 0"]
    opened.click(".to-wrong")
    assert opened.run(SHOWN) == "thread 0 acquires key 0"


def test_a_word_has_the_value_that_all_see_and_what_waits_in_buffers(opened: Browser) -> None:
    for _ in range(4):
        opened.press("ArrowLeft")
    assert opened.run(WORD) == "0; thread 1 has 1 in its store buffer"
    opened.press("ArrowRight")
    opened.press("ArrowRight")
    assert opened.run(WORD) == "1"
    opened.press("ArrowRight")
    assert opened.run(WORD) == "2"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1200, 1920])
def test_it_can_be_read_and_is_never_wider_than_the_window(
    opened: Browser, page: Path, scheme: str, width: int
) -> None:
    opened.prefer(scheme)
    opened.open(page, width)
    assert opened.run("document.documentElement.scrollWidth") <= width
    assert opened.run(CONTRASTS) == []
    folder = Path(os.environ.get("LOCKBENCH_SCREENSHOTS") or page.parent)
    opened.picture(folder / f"stress-{scheme}-{width}.png", whole=True)
