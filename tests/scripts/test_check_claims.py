# SPDX-License-Identifier: Apache-2.0
"""A claim about speed without a measurement, or against it, is found."""

from __future__ import annotations

from pathlib import Path

import check_claims
import pytest

CLAIM = """[[claim]]
page = "README.md"
text = "{text}"
source = "rows.csv"
where = {{primitive = "a", threads = "1"}}
at_least = {least}
"""


def checkout(folder: Path, page: str, claims: str) -> Path:
    (folder / "docs/data").mkdir(parents=True)
    (folder / "README.md").write_text(page, encoding="utf-8")
    (folder / "docs/choosing.md").write_text("# Nothing\n", encoding="utf-8")
    (folder / check_claims.CLAIMS).write_text(claims, encoding="utf-8")
    rows = "primitive,threads,ratio\na,1,1.3\na,1,1.1\na,2,0.7\nb,1,0.2\n"
    (folder / "rows.csv").write_text(rows, encoding="utf-8")
    return folder


def test_a_claim_that_its_rows_bear_is_fine(tmp_path: Path) -> None:
    page = "# Locks\n\nThis one is\nfaster with one thread. It has a name.\n"
    claims = CLAIM.format(text="faster with one thread", least=1.05)
    assert check_claims.check(checkout(tmp_path, page, claims)) == []


@pytest.mark.parametrize(
    "page, text, least, found",
    [
        ("It is faster.", "It is faster", 1.2, "ratio is 1.1 in a row, less than 1.2"),
        ("It is faster. That is slower.", "It is faster", 1, "no entry in"),
        ("| lock | 3 × the speed |", "It is faster", 1, "does not say: It is faster"),
    ],
)
def test_what_is_wrong_is_told(
    tmp_path: Path, page: str, text: str, least: float, found: str
) -> None:
    told = check_claims.check(checkout(tmp_path, page, CLAIM.format(text=text, least=least)))
    assert any(found in line for line in told), told


@pytest.mark.parametrize("primitive", ["c", ["a", "c"]])
def test_rows_that_do_not_exist_bear_nothing(primitive: str | list[str]) -> None:
    claim = {"where": {"primitive": primitive}, "at_least": 0}
    told = check_claims.broken(claim, [{"primitive": "a", "ratio": "1"}])
    assert told == "no row has {'primitive': 'c'}"


def test_a_bound_is_needed() -> None:
    rows = [{"primitive": "a", "ratio": "1"}]
    assert "neither" in check_claims.broken({"where": {"primitive": "a"}}, rows)


def test_code_is_no_statement() -> None:
    page = "Text.\n\n```sh\nrun --fast 3× # faster\n```\n\n| a | it is slower |\n|---|---|\n"
    assert check_claims.unfounded(page, []) == ["it is slower"]
