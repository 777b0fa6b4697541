# SPDX-License-Identifier: Apache-2.0
"""check_packages.py misses no package that is used, and none that is not."""

from pathlib import Path

import pytest


import check_packages
from support import ROOT

SCRIPT = (ROOT / "scripts/prepare.sh").read_text(encoding="utf-8")
RUN = check_packages.listed(SCRIPT, "run_packages")
TEST = check_packages.listed(SCRIPT, "test_packages")
USES = list(check_packages.uses_of(ROOT))


def test_the_lists_are_right() -> None:
    assert check_packages.check(RUN, TEST, USES) == []


@pytest.mark.parametrize("package", sorted(RUN | TEST))
def test_each_package_that_is_taken_out_is_missed(package: str) -> None:
    wrong = check_packages.check(RUN - {package}, TEST - {package}, USES)
    assert wrong and all(f" {package} is missing in " in line for line in wrong)


def test_what_the_program_needs_is_no_test_package() -> None:
    wrong = check_packages.check(RUN - {"file"}, TEST | {"file"}, USES)
    assert any(
        "cmake/package.cmake: " in line and "file is missing in run_" in line for line in wrong
    )


def test_a_package_that_nothing_uses_is_found() -> None:
    wrong = check_packages.check(RUN, TEST | {"cowsay"}, USES)
    assert wrong == ["scripts/prepare.sh: nothing uses cowsay"]


@pytest.mark.parametrize(
    "name, text, said",
    [
        ("CMakeLists.txt", "find_package(Kettle REQUIRED)\n", "find_package(Kettle)"),
        ("one.py", "from kettle.tea import pot\n", "import kettle"),
        ("one.py", "subprocess.run" + '(["kettle", "--boil"])\n', "calls kettle"),
    ],
)
def test_what_has_no_known_package_is_found(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    wrong = check_packages.check(set(), set(), list(check_packages.uses_of(tmp_path)))
    assert wrong == [f"{name}: {said}: name its package in scripts/maintain/check_packages.py"]
