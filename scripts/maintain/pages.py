#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes build/doxygen/html: the pages that Doxygen makes of the headers and of docs/.

Doxygen sees copies, in which a header's plain `//` is what documents it: its first comment the
file, one above a declaration that declaration, one behind a member that member. Their words are no
mark-up, but for `code`; a paragraph that is set in columns stays as it is set. In a page, headings
that its own links lead to get the names that these links have.

A warning of Doxygen's is an error here."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = Path("build") / "doxygen"
FOLDERS = ("primitives", "workloads", "harness", "docs")
OTHER_SYSTEMS = ("portable", "windows")
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples/README.md", "results/README.md")

# A comment of lines of its own; and one behind a declaration.
LINE = re.compile(r"^(\s*)//(?: (.*))?$")
BEHIND = re.compile(r"^(?P<code>\s*[^\s/#].*?[;,{})])\s+// (?P<words>.*)$")
GOES_ON = re.compile(r"^\s{20,}// (?P<words>.*)$")
COLUMNS = re.compile(r"^ |\S {2,}\S")


def escaped(words: str) -> str:
    """Words without a command's or a tag's meaning."""
    return re.sub(r"([\\@#])", r"\\\1", html.escape(words, quote=False))


def prose(words: str) -> str:
    """Words without a mark-up's meaning, but for what stands between backticks."""
    parts = words.split("`")
    if len(parts) % 2 == 0:
        return escaped(words.replace("`", "'"))
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([*_])", r"\\\1", escaped(parts[i]))
    return "`".join(parts)


def paragraph(lines: list[str]) -> Iterator[str]:
    if any(COLUMNS.search(line) for line in lines):
        # A dash that begins a line would begin a list.
        kept = (re.sub(r"^( *)-", r"\1\\-", escaped(line.replace("`", ""))) for line in lines)
        yield from ("<pre>", *kept, "</pre>")
    else:
        yield from map(prose, lines)


def block(lines: list[str], indent: str, of_file: bool) -> Iterator[str]:
    """A comment of whole lines."""
    if of_file:
        yield f"{indent}/// \\file"
    gathered: list[str] = []
    for line in [*lines, ""]:
        if line:
            gathered.append(line)
            continue
        if gathered:
            yield from (f"{indent}/// {words}" for words in [*paragraph(gathered), ""])
        gathered = []


def comment_at(lines: list[str], begin: int) -> list[str]:
    """The words of the comment of whole lines that begins there; none where there is none."""
    words = []
    for line in lines[begin:]:
        found = LINE.match(line)
        if found is None or "SPDX" in line:
            break
        words.append(found[2] or "")
    return words


def with_contract(lines: list[str]) -> list[str]:
    """The header's first comment again at the class that it is about, if it says so."""
    begin = next((i for i in range(len(lines)) if comment_at(lines, i)), 0)
    words = comment_at(lines, begin)
    name = re.match(r"(\w+): ", words[0]) if words else None
    for i, line in enumerate(lines):
        if name and re.match(rf"(class|struct) (alignas\(\w+\) )?{name[1]}\b.*{{", line):
            declaration = i - 1 if lines[i - 1].startswith("template") else i
            contract = [f"// {word}" for word in words]
            own = [""] if LINE.match(lines[declaration - 1]) is None else ["//"]
            return [*lines[:declaration], *own, *contract, *lines[declaration:]]
    return lines


def header(text: str) -> Iterator[str]:
    lines = with_contract(text.splitlines())
    of_file = True
    i = 0
    while i < len(lines):
        words = comment_at(lines, i)
        behind = BEHIND.match(lines[i])
        if words:
            indent = lines[i][: lines[i].index("/")]
            yield from block(words, indent, of_file)
            of_file = False
            i += len(words)
            continue
        if behind and behind["code"].count('"') % 2 == 0:
            yield f"{behind['code']}  ///< {prose(behind['words'])}"
            while i + 1 < len(lines) and (more := GOES_ON.match(lines[i + 1])):
                yield f"  ///< {prose(more['words'])}"
                i += 1
        else:
            yield lines[i]
        i += 1


def anchor(heading: str) -> str:
    """The name of a heading in links to it."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def page(text: str, is_main: bool) -> Iterator[str]:
    wanted = set(re.findall(r"\]\(#([^)]+)\)", text))
    for i, line in enumerate(text.splitlines()):
        heading = re.match(r"^#{2,} (.*)$", line)
        if is_main and i == 0:
            line += " {#mainpage}"
        if heading and anchor(heading[1]) in wanted:
            line += f" {{#to-{anchor(heading[1])}}}"
        # Doxygen's names begin with a letter.
        yield line.replace("](#", "](#to-").replace("](images/", "](docs/images/")


def sources() -> Iterator[Path]:
    """The files that are shown, as the checkout names them."""
    yield from (Path(page) for page in PAGES)
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            # These have the names of what is shown.
            if file.suffix in {".h", ".md"} and file.parent.name not in OTHER_SYSTEMS:
                yield file.relative_to(ROOT)


def main(argv: list[str]) -> int:
    """Returns 0, 1 when Doxygen warned of something, 2 when it is not there."""
    if argv[1:]:
        print(f"pages.py: unknown argument '{argv[1]}'; there are none", file=sys.stderr)
        return 2
    if shutil.which("doxygen") is None:
        print("pages.py: doxygen is missing; install the package doxygen", file=sys.stderr)
        return 2
    copies = ROOT / PLACE / "source"
    shutil.rmtree(copies, ignore_errors=True)
    for file in sources():
        text = (ROOT / file).read_text(encoding="utf-8")
        copy = copies / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        lines = page(text, file == Path("README.md")) if file.suffix == ".md" else header(text)
        copy.write_text("\n".join(lines) + "\n", encoding="utf-8")
    shutil.copytree(
        ROOT / "docs" / "images", ROOT / PLACE / "html" / "docs" / "images", dirs_exist_ok=True
    )
    done = subprocess.run(["doxygen", str(ROOT / "docs" / "Doxyfile")], cwd=copies, check=False)
    if done.returncode != 0:
        return 1
    print(f"{PLACE}/html/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
