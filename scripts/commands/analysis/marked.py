# SPDX-License-Identifier: Apache-2.0
"""The parts of a page that a program writes: between `<!-- name -->` and `<!-- end of name -->`."""

from __future__ import annotations

from analysis.errors import InputError


def replaced(page: str, name: str, text: str) -> str:
    """The page with the text between its marks."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise InputError(f"the page wants one line {begin.strip()} and one {end}")
    before, _, rest = page.partition(begin)
    return before + begin + text + end + rest.partition(end)[2]
