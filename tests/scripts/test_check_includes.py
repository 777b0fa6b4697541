# SPDX-License-Identifier: Apache-2.0
"""check_includes.py finds each kind of broken include rule, and nothing in a clean tree."""

from collections.abc import Callable
from pathlib import Path

import pytest


import check_includes
from support import ROOT, Capture

Check = Callable[[dict[str, str]], list[str]]

CLEAN = {
    "primitives/platform/clock.h": "#pragma once\n#include <time.h>\n#include <chrono>\n",
    "primitives/concepts.h": "#pragma once\n#include <chrono>\n",
    "primitives/lock.h": '#include <absl/hash/hash.h>\n#include "primitives/concepts.h"\n'
    '#include "primitives/platform/clock.h"\n',
    "workloads/settings.h": "#pragma once\n#include <atomic>\n",
    "workloads/counter.h": '#include "primitives/concepts.h"\n#include "workloads/settings.h"\n',
    "harness/bench/plan/cell.h": '#include "workloads/settings.h"\n',
    "harness/bench/plan/preset.cc": "#include <toml++/toml.h>\n"
    '#include "harness/bench/plan/cell.h"\n',
    "harness/program/main.cc": "#include <CLI/CLI.hpp>\n"
    '#include "harness/bench/record/build.h"\n',
    "harness/bench/record/build.h": "#pragma once\n",
    "tests/plan/plan_test.cc": '#include <gtest/gtest.h>\n#include "harness/bench/plan/cell.h"\n',
}


def rules_of_the_checkout() -> dict[str, str]:
    """The texts of all rules, by their files."""
    files = (f"{folder}/{check_includes.RULES_FILE}" for folder in check_includes.read_rules(ROOT))
    return {file: (ROOT / file).read_text(encoding="utf-8") for file in files}


@pytest.fixture(name="check")
def check_fixture(tmp_path: Path, capsys: Capture) -> Check:
    """Writes the clean tree with the files given over it, and returns what the check prints."""

    def check(changed: dict[str, str]) -> list[str]:
        for name, text in {**rules_of_the_checkout(), **CLEAN, **changed}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        status = check_includes.main([str(tmp_path)])
        lines = capsys.readouterr().out.splitlines()
        assert status == (1 if lines else 0)
        return lines

    return check


def test_a_clean_tree_has_no_violations(check: Check) -> None:
    assert not check({})


def test_the_rules_name_only_folders_and_libraries_that_are_told_apart() -> None:
    for folder, rule in check_includes.read_rules(ROOT).items():
        for name in rule.own:
            of_tests = name == "tests" and "tests" in folder.split("/")
            assert of_tests or name.split("/")[0] in {"primitives", "workloads", "harness"}, folder
        assert rule.libraries <= set(check_includes.LIBRARIES), folder


def test_what_a_rule_names_exists() -> None:
    for folder, rule in check_includes.read_rules(ROOT).items():
        for name in rule.own:
            there = (ROOT / name).exists() or (ROOT / f"{name}.in").exists()
            assert there, f"{folder}: {name}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("ours primitives\n", "'ours primitives' is none of ours, others, below, with a colon"),
        ("others: Boost\n", "no library is called Boost"),
    ],
)
def test_a_rule_that_cannot_be_read_is_told(
    tmp_path: Path, capsys: Capture, text: str, complaint: str
) -> None:
    (tmp_path / "harness").mkdir()
    (tmp_path / "harness" / "a.h").write_text("#pragma once\n", encoding="utf-8")
    (tmp_path / "harness" / check_includes.RULES_FILE).write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit):
        check_includes.main([str(tmp_path)])
    assert f"harness/{check_includes.RULES_FILE}: {complaint}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "include", "complaint"),
    [
        (
            "primitives/bad.h",
            '"harness/bench/plan/cell.h"',
            "may not include harness/bench/plan/cell.h",
        ),
        ("primitives/bad.h", '"workloads/settings.h"', "may not include workloads/settings.h"),
        ("primitives/platform/bad.h", '"primitives/concepts.h"', "may not include primitives/c"),
        ("workloads/bad.h", '"primitives/lock.h"', "may not include primitives/lock.h"),
        (
            "harness/bench/plan/bad.h",
            '"workloads/counter.h"',
            "may not include workloads/counter.h",
        ),
        ("harness/program/bad.cc", '"primitives/lock.h"', "may not include primitives/lock.h"),
        ("primitives/bad.h", "<CLI/CLI.hpp>", "may not use CLI11"),
        ("primitives/platform/bad.h", "<absl/hash/hash.h>", "may not use Abseil"),
        ("primitives/bad.h", "<linux/futex.h>", "may not use kernel"),
        ("primitives/bad.h", "<unistd.h>", "may not use kernel"),
        ("primitives/bad.h", "<atomic>", "may not use std threads"),
        ("harness/bench/plan/bad.h", "<hwloc.h>", "may not use hwloc"),
        ("harness/program/bad.cc", "<gtest/gtest.h>", "may not use GoogleTest"),
        ("harness/bench/plan/bad.h", '"cell.h"', "write the whole path"),
        ("harness/bench/plan/bad.h", '"harness/bench/plan/missing.h"', "write the whole path"),
        ("harness/bench/plan/bad.h", "<harness/bench/plan/cell.h>", "write it in quotes"),
        ("harness/bench/plan/bad.h", "<boost/lockfree/queue.hpp>", "write the whole path"),
    ],
)
def test_a_broken_rule_is_told_with_file_and_line(
    check: Check, file: str, include: str, complaint: str
) -> None:
    lines = check({file: f"// A reason.\n\n  #  include {include}\n"})
    lines = [line for line in lines if "circle" not in line]  # some break both kinds of rule
    assert len(lines) == 1
    assert lines[0].startswith(f"{file}:3: ")
    assert complaint in lines[0]


def test_a_folder_without_a_rule_is_told(check: Check) -> None:
    lines = check({"harness/attic/old.h": "#include <vector>\n"})
    assert len(lines) == 1
    assert lines[0].startswith("harness/attic/old.h:1: ")
    assert "no rule" in lines[0]


def test_a_source_of_another_folder_is_told(check: Check) -> None:
    (line,) = check(
        {"harness/bench/plan/CMakeLists.txt": "add_library(plan cell.cc\n ../kernel/a.cc)\n"}
    )
    assert line.startswith(
        "harness/bench/plan/CMakeLists.txt:2: compiles ../kernel/a.cc, a source of "
    )


def test_an_include_in_a_comment_counts_for_nothing(check: Check) -> None:
    assert not check({"primitives/good.h": '// #include "harness/bench/plan/cell.h"\n'})


def test_a_circle_of_files_in_one_folder_is_told(check: Check) -> None:
    lines = check(
        {
            "workloads/a.h": '#include "workloads/b.h"\n',
            "workloads/b.h": '#include "workloads/a.h"\n',
        }
    )
    assert len(lines) == 1
    assert "circle of files: workloads/a.h -> workloads/b.h -> workloads/a.h" in lines[0]


def test_a_circle_of_folders_is_told_even_where_the_files_make_none(
    check: Check,
) -> None:
    loose = "ours: primitives workloads\nothers: everything\nbelow: yes\n"
    lines = check(
        {
            "primitives/include_rules.txt": loose,
            "primitives/lock.h": '#include "workloads/settings.h"\n',
        }
    )
    assert [line.partition("closes a ")[2] for line in lines] == [
        "circle of folders: primitives -> workloads -> primitives",
        "circle of components: primitives -> workloads -> primitives",
    ]


def test_a_circle_of_components_is_told_where_the_folders_below_make_none(check: Check) -> None:
    lines = check(
        {
            "harness/plugin/load.h": '#include "harness/stress/explore/world/world.h"\n',
            "harness/stress/explore/world/world.h": "#pragma once\n",
            "harness/stress/explore/search/main.cc": '#include "harness/plugin/load.h"\n',
        }
    )
    told = "circle of components: harness/plugin -> harness/stress/explore -> harness/plugin"
    assert any(told in line for line in lines)
    assert not any("circle of folders" in line for line in lines)


def test_a_nested_folder_has_a_rule_of_its_own(check: Check) -> None:
    (line,) = check({"harness/bench/plan/deep/cell.h": "#pragma once\n"})
    assert line == f"harness/bench/plan/deep/cell.h:1: {check_includes.NO_RULE}"


def test_a_template_stands_for_the_header_made_of_it(check: Check) -> None:
    assert not check(
        {
            "harness/bench/record/build_values.h.in": "#pragma once\n",
            "harness/bench/record/build.cc": '#include "harness/bench/record/build_values.h"\n',
        }
    )


def test_built_and_hidden_files_are_not_ours(check: Check) -> None:
    bad = '#include "harness/bench/plan/cell.h"\n'
    assert not check({"build/release/generated.h": bad, "primitives/.trash/old.h": bad})


def test_a_folder_without_sources_is_an_error(tmp_path: Path, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        check_includes.main([str(tmp_path)])
    assert ended.value.code == 2
    assert str(tmp_path) in capsys.readouterr().err
