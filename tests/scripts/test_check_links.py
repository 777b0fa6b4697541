# SPDX-License-Identifier: Apache-2.0
"""check_links.py finds links that lead nowhere, and nothing else."""

from pathlib import Path

import pytest


import check_links
from support import Capture

OTHER = """# Other page

## Two words

## Two words

```sh
## no heading
```

## `run`: it's x
"""


def complaints(tmp_path: Path, capsys: Capture, page: str) -> list[str]:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "other.md").write_text(OTHER, encoding="utf-8")
    (tmp_path / "page.md").write_text(page, encoding="utf-8")
    status = check_links.main([str(tmp_path)])
    lines = capsys.readouterr().out.splitlines()
    assert status == (1 if lines else 0)
    return lines


@pytest.mark.parametrize(
    "text",
    [
        "[a](docs/other.md)",
        "[a](docs/)",
        "[a](docs/other.md#two-words) and [b](docs/other.md#two-words-1)",
        "[a](docs/other.md#run-its-x)",
        "# Here\n\n[a](#here)",
        "[a](https://example.org/none.md) and [b](mailto:a@example.org)",
        "`[a](none.md)`",
        "```\n[a](none.md)\n```",
        "~~~\n```\n[a](none.md)\n~~~",
        '![a picture](docs/other.md "with a title")',
    ],
)
def test_a_link_that_leads_somewhere_is_accepted(
    tmp_path: Path, capsys: Capture, text: str
) -> None:
    assert not complaints(tmp_path, capsys, text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[a](none.md)", "page.md:1: none.md: there is no such file"),
        ("# Here\n\n[a](#there)", "page.md:3: #there: the page has no such heading"),
        ("[a](docs/other.md#no-heading)", "docs/other.md#no-heading: the page has no such heading"),
        ("[a](docs/other.md#two-words-2)", "the page has no such heading"),
        ("text that\nends [on the\nthird](none.md) line", "page.md:3: none.md"),
        ("[![picture](none.svg)](docs/other.md)", "none.svg: there is no such file"),
        ("[![picture](docs/other.md)](none.md)", "none.md: there is no such file"),
        ("```\ncode\n```\n[a](none.md)", "page.md:4: none.md"),
        ("`` ` `` [a](none.md)", "none.md: there is no such file"),
    ],
)
def test_a_broken_link_is_reported(
    tmp_path: Path, capsys: Capture, text: str, complaint: str
) -> None:
    (line,) = complaints(tmp_path, capsys, text)
    assert complaint in line


def test_every_link_of_this_project_leads_somewhere(capsys: Capture) -> None:
    assert check_links.main([]) == 0, capsys.readouterr().out
