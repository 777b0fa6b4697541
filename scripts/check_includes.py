#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every #include keeps the rules of docs/decisions/0002-include-rules.md.

Usage: check_includes.py [ROOT]

Walks *.h, *.h.in and *.cc below ROOT (unless given, the checkout that the script lies in), prints
each violation as `file:line: what is wrong, and what would be right`, and exits with 1 when there
is any. The rules are the table RULES; nothing else needs to change when a folder is added.
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


@dataclass(frozen=True)
class Rule:
    """What the files of one folder may include, beside the files of that folder itself."""

    own: tuple[str, ...]  # folders, all below them included, or single files
    libraries: frozenset[str]


# What all of stress may include.
STRESS = " ".join(
    f"harness/stress/{name}"
    for name in (
        "litmus oracles trace campaign.h engine_program.h interpreter.h lock_adapter.h mix.h"
        " owner_canary.h registered_lock.h report.h shared_holds.h worker_slot.h"
    ).split()
)


def rules(table: str) -> dict[str, Rule]:
    """Lines of `folder: what is ours | libraries`; an indented line continues the one before.
    `standard` and `everything` are several libraries; `-name` is not one of them."""
    found = {}
    for line in re.sub(r"\n +", " ", table).splitlines():
        if line and not line.startswith("#"):
            folder, own, libraries = map(str.strip, re.split("[:|]", line))
            names: set[str] = set()
            for name in filter(None, libraries.split(", ")):
                names |= {"standard": STANDARD, "everything": EVERYTHING}.get(name, {name})
            names -= {part for name in names if name[0] == "-" for part in (name, name[1:])}
            if unknown := names - EVERYTHING:
                raise ValueError(f"{folder}: no library is called {', '.join(unknown)}")
            found[folder] = Rule(tuple(own.replace("STRESS", STRESS).split()), frozenset(names))
    return found


# A file belongs to the deepest folder here that holds it. A folder that holds sources has a rule of
# its own; where it has none, the rule of a folder above it counts if that one is in WHOLE.
WHOLE = frozenset({"tests", "examples", "primitives", "primitives/platform", "harness/plugin"})
RULES = rules(
    """
primitives/platform: | standard, kernel
primitives: primitives/platform | std, Abseil, TBB
primitives/baselines: primitives | standard, Abseil, TBB, moodycamel, kernel
primitives/as_published: primitives/concepts.h primitives/platform | std
workloads: primitives/concepts.h primitives/platform primitives/service.h primitives/key_guard.h |
    standard, Abseil
# Locks of services, as plug-ins: what a plug-in is made of is found as lockbench installs it.
services: primitives | standard, lockbench, kernel
services/etcd: primitives services | standard, nlohmann json, curl, lockbench, kernel
services/redis: primitives services | standard, hiredis, lockbench, kernel
services/postgresql: primitives services | standard, libpq, lockbench, kernel
services/zookeeper: primitives services | standard, ZooKeeper, lockbench, kernel
workloads/database: primitives/concepts.h primitives/platform workloads | standard, SQLite, kernel
harness/plan: workloads/settings.h workloads/random.h | std, Abseil, toml++, nlohmann json, RE2
# What the kernel and hwloc say of the machine, and what this process may use of it.
harness/kernel: | std, hwloc, kernel
harness/measure: primitives/concepts.h primitives/no_lock.h primitives/platform workloads
    primitives/service.h harness/kernel harness/plan/cell.h harness/plan/load.h | standard,
    Abseil, hwloc, kernel
harness/catalog: primitives workloads harness/kernel harness/measure harness/plan | standard,
    Abseil, TBB
# What a plug-in is made of, and how one is loaded. Its headers in public/ include each other as
# they are installed.
harness/plugin: primitives workloads harness/catalog harness/measure harness/stress
    harness/plan/cell.h | standard, Abseil, nlohmann json, lockbench, kernel
# As a user outside of the project sees it.
examples: primitives | standard, lockbench, locks from elsewhere, kernel
# A folder that is copied alone: its header is found like the headers of the system.
examples/zoo: | standard, Abseil, TBB, lockbench, locks from elsewhere, kernel
harness/record: harness/plan harness/measure/sample.h harness/measure/calibration.h harness/kernel
    workloads/settings.h | std, Abseil, nlohmann json, hwloc, kernel
# The lower folders of stress do not see the upper ones: litmus and trace, oracles, the files of
# the folder itself, conformance, then the four engines.
harness/stress/litmus: primitives/platform workloads/random.h | std, Abseil
# Words that threads and processes write.
harness/stress/trace: primitives/platform | standard, Abseil
harness/stress/oracles: harness/stress/litmus harness/stress/trace primitives/platform | standard,
    Abseil
harness/stress: harness/stress/litmus harness/stress/oracles harness/stress/trace primitives
    harness/terminal/exit_code.h | std, Abseil, nlohmann json
# Child processes, and whether their threads are stalled.
harness/stress/supervision: harness/kernel harness/stress/oracles/observations.h
    primitives/platform | standard, kernel
harness/stress/conformance: STRESS harness/stress/supervision harness/petri primitives/platform
    workloads/random.h | standard, Abseil, kernel
harness/stress/instrumentation: | standard, Abseil, elfutils, kernel
# The engine `sim`, from the lowest part to the highest.
harness/stress/explore: | standard
harness/stress/explore/memory: harness/stress/explore/strategy.h harness/stress/mix.h
    harness/stress/instrumentation | standard, Abseil, kernel
harness/stress/explore/world: harness/stress/explore/strategy.h harness/stress/explore/memory
    harness/stress/instrumentation harness/stress/mix.h harness/stress/trace primitives/platform |
    standard, Abseil, kernel
harness/stress/explore/calls: harness/stress/explore/memory harness/stress/explore/world
    harness/stress/instrumentation harness/stress/mix.h primitives/platform | standard, Abseil,
    kernel
harness/stress/explore/execution: STRESS harness/stress/explore/strategy.h
    harness/stress/explore/memory harness/stress/explore/world harness/stress/conformance
    harness/stress/instrumentation harness/stress/supervision/stall_detector.h primitives |
    standard, Abseil, kernel
# How the engine's own process ended. The rest is built for the native platform.
harness/stress/explore/search: STRESS harness/stress/explore harness/stress/conformance
    harness/stress/instrumentation primitives workloads/random.h
    harness/stress/supervision/watched_child.h harness/stress/supervision/forked_child.h |
    standard, Abseil, kernel
harness/stress/threads: STRESS harness/stress/conformance harness/stress/supervision primitives
    harness/stress/instrumentation harness/kernel workloads/random.h | standard, Abseil, kernel
harness/stress/processes: STRESS harness/stress/conformance harness/stress/supervision
    harness/stress/threads primitives workloads/random.h workloads/file_counter.h | standard,
    Abseil, kernel
# Clients of private servers, which this engine starts itself.
harness/stress/services: STRESS harness/stress/supervision harness/process/private_service.h
    harness/process/private_server.h harness/process/server_clock.h harness/process/ipv4.h
    primitives/platform primitives/service.h workloads/random.h workloads/service_counter.h |
    standard, Abseil, kernel
# The engines' programs, and the locks that each knows.
harness/engines: STRESS harness/stress/explore harness/stress/threads harness/stress/processes
    harness/stress/services harness/plugin harness/catalog primitives | standard, Abseil
# Models of machines, and threads on them; the latter are fibres of the simulator.
harness/machine: harness/plan/nearest.h harness/plan/toml.h harness/stress/explore/world/fibre.h |
    std, Abseil, toml++
# Trials on a machine's model. All of it is built for the simulated platform.
# Plug-ins, and what the engine `sim` does with their accesses and calls.
harness/predict: primitives workloads harness/machine harness/measure harness/plan
    harness/record/files.h harness/record/sample_json.h harness/terminal/exit_code.h
    harness/plugin/offer.h harness/plugin/load.h harness/plugin/describe.h
    harness/plugin/predictable_lock.h harness/stress/instrumentation
    harness/stress/explore/world/program_memory.h harness/stress/explore/calls/foreign_calls.h |
    standard, Abseil, kernel
# A plug-in.
harness/predict/peers: harness/catalog harness/plugin primitives | standard, TBB
# The model of this machine. Its loops are built for the simulated platform, too.
harness/calibrate: primitives/platform harness/machine harness/measure harness/plan/median.h
    harness/kernel harness/record | standard, Abseil, kernel
harness/petri: harness/plan/nearest.h harness/plan/quantity.h primitives/platform/huge_memory.h |
    std, Abseil, Expat
# Other programs and signals.
harness/process: harness/kernel harness/plan harness/preload harness/record harness/terminal
    primitives/platform/file.h primitives/platform/scratch_folder.h | standard, Abseil, kernel
# What each library has that a user's program loads.
harness/preload: harness/observe/original.h | standard, kernel
# A library that a user's program loads.
harness/observe: harness/measure/histogram.h primitives/internal/observer.h
    primitives/platform/layout.h | standard, kernel
# The same, with a base lock in it.
harness/substitute: harness/observe/loaded_code.h harness/observe/original.h
    primitives/baselines/absl_mutex.h primitives/platform |
    standard, kernel
harness/terminal: | standard, Abseil, kernel
# One folder for each command.
harness/command/doctor: harness/plan harness/process harness/record harness/terminal
    harness/kernel harness/measure/processor_use.h | standard, Abseil, nlohmann json, kernel
harness/command/run: harness/command/doctor harness/process harness/terminal harness/record
    harness/catalog harness/kernel harness/measure harness/plan harness/plugin
    workloads/settings.h primitives/service.h primitives/platform/scratch_folder.h | standard,
    Abseil, nlohmann json, kernel
harness/command/calibrate: harness/calibrate harness/plan harness/record harness/terminal |
    standard, Abseil, kernel
harness/command/observe: harness/kernel harness/measure harness/observe harness/plan
    harness/process harness/record harness/stress/instrumentation harness/terminal
    workloads/settings.h | standard, Abseil, nlohmann json, kernel
harness/command/substitute: harness/plan harness/process harness/record harness/terminal
    harness/command/observe/observed_place.h harness/substitute/chosen_places.h
    workloads/settings.h | standard, Abseil, kernel
harness/command/predict: harness/command/calibrate harness/command/run harness/process
    harness/terminal harness/record harness/catalog harness/machine harness/plan | standard,
    Abseil
harness/command/advise: harness/command/predict harness/command/run harness/process
    harness/terminal harness/record harness/catalog harness/plan workloads/settings.h
    harness/command/observe/observed_place.h | standard, Abseil, nlohmann json, kernel
harness/command/list: harness/catalog harness/plan harness/process harness/record harness/terminal
    workloads/settings.h harness/command/predict/machines.h | standard, Abseil, nlohmann json
harness/command/stress: harness/command/run/plugins.h harness/process harness/terminal
    harness/stress harness/catalog harness/plan harness/record | standard, Abseil, nlohmann json,
    kernel
harness/command/model: harness/command/stress harness/process harness/terminal harness/petri
    harness/plan harness/record/files.h harness/stress workloads/settings.h | standard, Abseil,
    nlohmann json, kernel
harness/command/merge: harness/plan harness/record harness/terminal | standard, Abseil, kernel
harness/command/preset: harness/plan harness/record harness/terminal | standard, Abseil
harness/command/submit: harness/command/run/progress.h harness/plan harness/process harness/record
    harness/terminal | standard, Abseil, kernel
harness/cli: harness/command harness/process harness/terminal harness/plan harness/record
    harness/catalog harness/petri harness/stress workloads/settings.h | standard, Abseil, CLI11,
    kernel
harness/micro: primitives workloads harness/catalog harness/kernel harness/measure harness/record
    harness/plan/cell.h harness/terminal/exit_code.h | everything, -CLI11, -GoogleTest, -toml++
tests: primitives workloads harness | everything
tests/services: primitives services | everything
"""
)

SOURCE_SUFFIXES = (".h", ".cc", ".h.in")
SKIPPED = ("build", "results")  # at the top; and whatever begins with a dot, anywhere
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


@dataclass(frozen=True)
class Include:
    """One #include: its place, and the name of the header."""

    file: str  # path from the root
    line: int
    quoted: bool
    path: str


def main(argv: list[str] | None = None) -> int:
    """Prints the violations below a root folder; 0 when there are none, else 1."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[1])
    root: Path = parser.parse_args(argv).root
    sources = find_sources(root)
    if not sources:
        parser.error(f"{root}: holds no {' or '.join('*' + s for s in SOURCE_SUFFIXES)}")
    violations = check(root, sources)
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


def check(root: Path, sources: list[str]) -> list[str]:
    """Every violation in these files, each as one line."""
    includes = [i for source in sources for i in includes_of(root, source)]
    # A template represents the header that the build makes from it.
    known = frozenset(source.removesuffix(".in") for source in sources)
    violations = [f"{source}:1: {NO_RULE}" for source in sources if folder_of(source) is None]
    violations += [
        f"{i.file}:{i.line}: {wrong}" for i in includes if (wrong := violation_of(i, known))
    ]
    ours = [i for i in includes if i.path in known]
    violations += circles((Edge(i, i.file, i.path) for i in ours), "file")
    violations += circles(folder_edges(ours, folder_of), "folder")
    # A folder and those below it may include each other's files in layers; seen from outside, they
    # are one.
    violations += circles(folder_edges(ours, component_of), "component")
    return violations


NO_RULE = "its folder has no rule: add one to RULES in scripts/check_includes.py"


def includes_of(root: Path, source: str) -> Iterator[Include]:
    """The #include lines of one file, in order."""
    lines = (root / source).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if match := INCLUDE.match(line):
            yield Include(source, number, match[1] == '"', match[2])


def folder_of(source: str) -> str | None:
    """The folder of RULES that a file belongs to."""
    folder = PurePosixPath(source).parent
    for parent in (folder, *folder.parents):
        if str(parent) in RULES:
            return str(parent) if parent == folder or str(parent) in WHOLE else None
    return None


def component_of(source: str) -> str:
    """The part of the project that a file belongs to: a folder with all that is below it."""
    parts = PurePosixPath(source).parts
    return "/".join(parts[:2] if parts[0] == "harness" else parts[:1])


def library_of(path: str) -> str | None:
    """The name in LIBRARIES of an outside header."""
    for name, pattern in LIBRARIES.items():
        if re.fullmatch(pattern, path):
            return name
    return None


def violation_of(include: Include, known: frozenset[str]) -> str | None:
    """The fault of one #include alone, or None."""
    folder = folder_of(include.file)
    if folder is None:
        return None  # reported once for the file
    rule = RULES[folder]
    if include.path in known:
        if not include.quoted:
            return f"<{include.path}> is ours: write it in quotes"
        return None if may_use(folder, rule, include.path) else forbidden(folder, include.path)
    library = library_of(include.path)
    if library is None or (include.quoted and library in {"std", "std threads", "kernel"}):
        return f"{include.path} is no file from the root: write the whole path from there"
    if library in rule.libraries:
        return None
    allowed = ", ".join(sorted(rule.libraries))
    return f"{folder} may not use {library} ({include.path}); it may use {allowed}"


def may_use(folder: str, rule: Rule, target: str) -> bool:
    """Whether a file of `folder` may include our file `target`."""
    if folder_of(target) == folder:
        return True
    if target in rule.own:
        return True
    return any(str(parent) in rule.own for parent in PurePosixPath(target).parents)


def forbidden(folder: str, target: str) -> str:
    """The message for a file of ours that a folder may not see."""
    allowed = ", ".join((folder, *RULES[folder].own))
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
