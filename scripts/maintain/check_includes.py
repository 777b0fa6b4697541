#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every #include keeps the rules of docs/decisions/0002-include-rules.md.

Usage: check_includes.py [ROOT]

Walks *.h, *.h.in and *.cc below ROOT (unless given, the checkout that the script lies in), prints
each violation as `file:line: what is wrong, and what would be right`, and exits with 1 when there
is any. The rule of a folder is its file include_rules.txt; nothing else needs to change when a
folder is added or deleted. No CMakeLists.txt may compile a source of another folder by `../`.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

# The rules use these names for headers of other projects. Each name has a pattern for the path in
# an #include; the first pattern that matches counts. Headers that synchronize or run threads have
# their own name, because our locks may use them only through primitives/platform. "kernel" includes
# what the C library offers beyond the standard.
LIBRARIES = {
    "Abseil": r"absl/.+",
    "TBB": r"(oneapi/)?tbb/.+",
    "moodycamel": r"concurrentqueue/.+",
    "Google Benchmark": r"benchmark/.+",
    "GoogleTest": r"(gtest|gmock)/.+",
    "CLI11": r"CLI/.+",
    "toml++": r"toml\+\+/.+|toml\+\+\.h",
    "nlohmann json": r"nlohmann/.+",
    "hwloc": r"hwloc(/.+)?\.h",
    "Expat": r"expat\.h",
    "RE2": r"re2/.+\.h",
    "elfutils": r"elfutils/.+\.h|dwarf\.h",
    "SQLite": r"sqlite3\.h",
    "hiredis": r"hiredis/.+\.h",
    "libpq": r"libpq-fe\.h",
    "curl": r"curl/.+\.h",
    "ZooKeeper": r"zookeeper/.+\.h",
    "Asio": r"(boost/)?asio/.+\.hpp",
    "lockbench": r"lockbench/.+\.h",
    "locks from elsewhere": r"(ck_|nsync).*\.h",
    "std threads": r"atomic|barrier|condition_variable|future|latch|semaphore|shared_mutex"
    r"|stop_token|stdatomic\.h|thread",
    "std": r"[a-z_0-9]+",
    "kernel": r"(arpa|asm|gnu|linux|netinet|sys)/.+\.h|[a-z0-9_]+\.h",
}

STANDARD = frozenset({"std", "std threads"})
EVERYTHING = frozenset(LIBRARIES)


# Written in rules for what every part of stress may include.
GROUPS = {
    "STRESS": [
        f"harness/stress/{name}"
        for name in (
            "litmus",
            "oracles",
            "trace",
            "campaign.h",
            "engine_program.h",
            "forms.h",
            "interpreter.h",
            "lock_adapter.h",
            "mix.h",
            "owner_canary.h",
            "registered_lock.h",
            "renewed_lock.h",
            "report.h",
            "several_keys.h",
            "several_objects.h",
            "shared_holds.h",
            "stopped_waits.h",
            "worker_slot.h",
        )
    ]
}

RULES_FILE = "include_rules.txt"


@dataclass(frozen=True)
class Rule:
    """The files that those of one folder may include, beside the files of that folder itself."""

    own: tuple[str, ...]  # folders, all below them included, or single files
    libraries: frozenset[str]
    below: bool = False  # it is also the rule of folders below that have none


def parse_rule(text: str) -> Rule:
    """The rule in a folder's file: lines of `key: words`, of which an indented one continues the
    line before. `ours` names files and folders; `others` libraries, of which `standard` and
    `everything` are several, and `-name` is not one of them; `below: yes` see Rule."""
    values = {"ours": "", "others": "", "below": ""}
    for line in re.sub(r"\n +", " ", text).splitlines():
        if not line or line.startswith("#"):
            continue
        key, colon, words = line.partition(":")
        if not colon or key not in values:
            raise ValueError(f"'{line}' is none of {', '.join(values)}, with a colon")
        values[key] = words.strip()
    names: set[str] = set()
    for name in filter(None, values["others"].split(", ")):
        names |= {"standard": STANDARD, "everything": EVERYTHING}.get(name, {name})
    names -= {part for name in names if name[0] == "-" for part in (name, name[1:])}
    if unknown := names - EVERYTHING:
        raise ValueError(f"no library is called {', '.join(sorted(unknown))}")
    own = [part for word in values["ours"].split() for part in GROUPS.get(word, [word])]
    return Rule(tuple(own), frozenset(names), values["below"] == "yes")


Rules = dict[str, Rule]


def read_rules(root: Path) -> Rules:
    """The rules of all folders."""
    found = {}
    for path in sorted(root.rglob(RULES_FILE)):
        folder = path.parent.relative_to(root)
        if folder.parts and folder.parts[0] in SKIPPED:
            continue
        try:
            found[folder.as_posix()] = parse_rule(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{folder.as_posix()}/{RULES_FILE}: {error}") from error
    return found


SOURCE_SUFFIXES = (".h", ".cc", ".h.in")
SKIPPED = ("build", "results")  # at the top; and whatever begins with a dot, anywhere
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


@dataclass(frozen=True)
class Include:
    """One #include: its line, and the name of the header."""

    file: str  # path from the root
    line: int
    quoted: bool
    path: str


def main(argv: list[str] | None = None) -> int:
    """Prints the violations below a root folder; 0 when there are none, else 1."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[2])
    root: Path = parser.parse_args(argv).root
    sources = find_sources(root)
    if not sources:
        parser.error(f"{root}: holds no {' or '.join('*' + s for s in SOURCE_SUFFIXES)}")
    try:
        rules = read_rules(root)
    except ValueError as error:
        parser.error(str(error))
    violations = check(root, rules, sources)
    for violation in violations:
        print(violation)
    return 1 if violations else 0


def find_sources(root: Path) -> list[str]:
    """The C++ files below root, as paths from it, sorted."""
    found = []
    for path in root.rglob("*"):
        relative = path.relative_to(root)
        if not path.name.endswith(SOURCE_SUFFIXES) or relative.parts[0] in SKIPPED:
            continue
        if not any(part.startswith(".") for part in relative.parts):
            found.append(relative.as_posix())
    return sorted(found)


def check(root: Path, rules: Rules, sources: list[str]) -> list[str]:
    """Every violation in these files, each as one line."""
    folders = Folders(rules)
    folder_of = folders.folder_of
    includes = [i for source in sources for i in includes_of(root, source)]
    # A template represents the header that the build makes from it.
    known = frozenset(source.removesuffix(".in") for source in sources)
    violations = [f"{source}:1: {NO_RULE}" for source in sources if folder_of(source) is None]
    violations += [
        f"{i.file}:{i.line}: {wrong}" for i in includes if (wrong := violation_of(i, known, rules))
    ]
    violations += sources_of_others(root)
    ours = [i for i in includes if i.path in known]
    violations += circles((Edge(i, i.file, i.path) for i in ours), "file")
    violations += circles(folder_edges(ours, folder_of), "folder")
    # A folder and those below it may include each other's files in layers; seen from outside, they
    # are one.
    violations += circles(folder_edges(ours, folders.component_of), "component")
    return violations


NO_RULE = f"its folder has no rule: write one into its {RULES_FILE}, as its neighbours have"


# Folders of small projects of their own, which share a source.
PROJECTS = ("examples", "packaging")
OTHERS_SOURCE = re.compile(r"(?:^|[\s(])(\.\./\S+\.(?:cc|cpp|c))\b")


def sources_of_others(root: Path) -> Iterator[str]:
    """A violation for each source of another folder that a CMakeLists.txt compiles."""
    for path in sorted(root.rglob("CMakeLists.txt")):
        file = path.relative_to(root)
        if file.parts[0] in (*SKIPPED, *PROJECTS) or any(p.startswith(".") for p in file.parts):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if match := OTHERS_SOURCE.search(line.partition("#")[0]):
                yield (
                    f"{file.as_posix()}:{number}: compiles {match[1]}, a source of another folder: "
                    "let that folder offer it, by a library or by target_sources(… INTERFACE …)"
                )


def includes_of(root: Path, source: str) -> Iterator[Include]:
    """The #include lines of one file, in order."""
    lines = (root / source).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if match := INCLUDE.match(line):
            yield Include(source, number, match[1] == '"', match[2])


@dataclass(frozen=True)
class Folders:
    """The folders that have rules."""

    rules: Rules

    def folder_of(self, source: str) -> str | None:
        """The folder whose rule counts for a file."""
        folder = PurePosixPath(source).parent
        for parent in (folder, *folder.parents):
            rule = self.rules.get(str(parent))
            if rule is not None:
                return str(parent) if parent == folder or rule.below else None
        return None

    def component_of(self, source: str) -> str:
        """The part of the project that a file belongs to: a folder with all that is below it. The
        folders of a product, as harness/bench/plan, are parts of their own."""
        parts = PurePosixPath(source).parent.parts
        if parts[:1] != ("harness",):
            return "/".join(parts[:1])
        rule = self.rules.get("/".join(parts[:2]))
        return "/".join(parts[: 2 if rule is not None and rule.below else 3])


def library_of(path: str) -> str | None:
    """The name in LIBRARIES of an outside header."""
    for name, pattern in LIBRARIES.items():
        if re.fullmatch(pattern, path):
            return name
    return None


def violation_of(include: Include, known: frozenset[str], rules: Rules) -> str | None:
    """The fault of one #include alone, or None."""
    folders = Folders(rules)
    folder = folders.folder_of(include.file)
    if folder is None:
        return None  # reported once for the file
    rule = rules[folder]
    if include.path in known:
        if not include.quoted:
            return f"<{include.path}> is ours: write it in quotes"
        if folders.folder_of(include.path) == folder or may_use(rule, include.path):
            return None
        return forbidden(folder, rule, include.path)
    library = library_of(include.path)
    if library is None or (include.quoted and library in {"std", "std threads", "kernel"}):
        return f"{include.path} is no file from the root: write the whole path from there"
    if library in rule.libraries:
        return None
    allowed = ", ".join(sorted(rule.libraries))
    return f"{folder} may not use {library} ({include.path}); it may use {allowed}"


def may_use(rule: Rule, target: str) -> bool:
    """True if the rule names our file `target`, or a folder that holds it."""
    return target in rule.own or any(str(p) in rule.own for p in PurePosixPath(target).parents)


def forbidden(folder: str, rule: Rule, target: str) -> str:
    """The message for a file of ours that a folder may not see."""
    allowed = ", ".join((folder, *rule.own))
    return f"{folder} may not include {target}; it may include {allowed}"


@dataclass(frozen=True)
class Edge:
    """One step of the include graph, and the #include that makes it."""

    include: Include
    start: str
    end: str


def folder_edges(
    includes: Iterable[Include], owner_of: Callable[[str], str | None]
) -> Iterator[Edge]:
    """The steps from one folder to another, where `owner_of` says which one a file belongs to."""
    for include in includes:
        start, end = owner_of(include.file), owner_of(include.path)
        if start and end and start != end:
            yield Edge(include, start, end)


def circles(edges: Iterable[Edge], kind: str) -> list[str]:
    """One line for each circle that a depth-first walk over the edges closes."""
    graph: dict[str, list[Edge]] = {}
    for edge in edges:
        graph.setdefault(edge.start, []).append(edge)
    found: list[str] = []
    done: set[str] = set()

    def walk(node: str, path: list[str]) -> None:
        for edge in graph.get(node, []):
            if edge.end in path:
                circle = path[path.index(edge.end) :]
                first = circle.index(min(circle))
                way = " -> ".join([*circle[first:], *circle[:first], circle[first]])
                where = f"{edge.include.file}:{edge.include.line}"
                found.append(f"{where}: closes a circle of {kind}s: {way}")
            elif edge.end not in done:
                walk(edge.end, [*path, edge.end])
        done.add(node)

    for node in sorted(graph):
        if node not in done:
            walk(node, [node])
    return sorted(set(found))


if __name__ == "__main__":
    sys.exit(main())
