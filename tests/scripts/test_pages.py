# SPDX-License-Identifier: Apache-2.0
"""Comments as they are written here become Doxygen's pages, without a warning."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pages
import pytest
from support import ROOT


def shown(text: str) -> str:
    return "\n".join(pages.header(text))


def test_the_first_comment_is_the_file_s_and_its_class_s() -> None:
    text = shown("// SPDX-License-Identifier: X\n\n// Gate: opens.\n\nclass Gate {\n};")
    assert "/// \\file\n/// Gate: opens." in text
    assert text.endswith("/// Gate: opens.\n/// \nclass Gate {\n};")


def test_a_comment_behind_a_member_is_that_member_s() -> None:
    assert shown("int a = 0;  // in ns\n" + 20 * " " + "// or us") == (
        "int a = 0;  ///< in ns\n  ///< or us"
    )
    assert shown('f("a, // b");') == 'f("a, // b");'


def test_words_are_no_mark_up_but_between_backticks() -> None:
    assert "/// a &lt;T&gt; \\@b `vector<T>` c" in shown("// a <T> @b `vector<T>` c")


def test_what_is_set_in_columns_stays_so() -> None:
    text = shown("// Rules\n//   - one\n//   - two")
    assert "/// <pre>\n/// Rules\n///   \\- one\n///   \\- two\n/// </pre>" in text


def test_links_lead_to_headings() -> None:
    text = "\n".join(pages.page("# A\n[b](#1-b-c)\n## 1. B, c\n## D", False))
    assert text == "# A\n[b](#to-1-b-c)\n## 1. B, c {#to-1-b-c}\n## D"


@pytest.mark.skipif(shutil.which("doxygen") is None, reason="install the package doxygen")
def test_the_pages_are_made_without_a_warning() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/maintain/pages.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    html = ROOT / "build" / "doxygen" / "html"
    assert "a key's hash chooses one" in (html / "classlockbench_1_1StripedLock.html").read_text(
        encoding="utf-8"
    )
