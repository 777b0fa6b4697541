# SPDX-License-Identifier: Apache-2.0
"""A seed's preset ends with what its authors published beside what was measured."""

from __future__ import annotations

import re

from program import Program, rows_of


def lines_of(out: str) -> dict[str, list[str]]:
    """The table's lines by their first column; columns are apart by two blanks or more."""
    lines = [re.split(r"\s{2,}", line.strip()) for line in out.splitlines()]
    return {line[0]: line[1:] for line in lines}


def test_the_first_article_beside_what_the_ideal_allows(lockbench: Program) -> None:
    done = lockbench.run("run", "article-21x6", "--blocks", "1", "--out", "out", summary=True)
    assert done.returncode == 0, done.stderr
    lines = lines_of(done.stdout)
    assert any(line.startswith("Published (a tutorial in Python") for line in lines)
    one_lock = lines["one lock"]
    assert one_lock[:2] == ["2.108 s", "2.100 s"]
    saved = lines["saved by a lock per counter"]
    assert saved[:2] == ["71.1 %", "71.4 %"]
    # A machine that others take away for a while makes rows that are not valid.
    valid = all(row["valid"] == "true" for row in rows_of(lockbench.folder / "out"))
    assert saved[2].endswith(" %") or (not valid and saved[2] == "not valid")
