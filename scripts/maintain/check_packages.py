#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the package lists of prepare.sh with what the tree includes, links, imports and calls.

A package that is used and not listed is found here, without a bare machine; so is a package that is
listed and not used, and a library or program whose package is not known here.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from check_includes import SOURCE_SUFFIXES, find_sources, includes_of, library_of

# The packages of what is used. With an empty tuple, every machine has it, or it is optional: what
# needs it says so and is left out.
HEADERS = {
    "Abseil": ("libabsl-dev",),
    "TBB": ("libtbb-dev",),
    "moodycamel": ("libconcurrentqueue-dev",),
    "Google Benchmark": ("libbenchmark-dev",),
    "GoogleTest": ("libgtest-dev", "libgmock-dev"),
    "CLI11": ("libcli11-dev",),
    "toml++": ("libtomlplusplus-dev",),
    "nlohmann json": ("nlohmann-json3-dev",),
    "hwloc": ("libhwloc-dev",),
    "Expat": ("libexpat1-dev",),
    "RE2": ("libre2-dev",),
    "elfutils": ("libdw-dev",),
    "SQLite": ("libsqlite3-dev",),
    "Asio": (),  # optional
    "hiredis": (),  # optional: service_packages of prepare.sh
    "libpq": (),  # optional, too
    "curl": (),  # the same
    "ZooKeeper": (),  # the same
    "lockbench": (),
    "std threads": ("build-essential",),
    "std": ("build-essential",),
    "kernel": ("build-essential",),
}
FOUND_BY_CMAKE = {
    "Threads": ("build-essential",),
    "OpenMP": ("build-essential",),
    "absl": ("libabsl-dev",),
    "TBB": ("libtbb-dev",),
    "PkgConfig": ("pkg-config",),
    "nlohmann_json": ("nlohmann-json3-dev",),
    "EXPAT": ("libexpat1-dev",),
    "benchmark": ("libbenchmark-dev",),
    "SQLite3": ("libsqlite3-dev",),
    "GTest": ("libgtest-dev", "libgmock-dev"),
    "lockbench": (),
}
MODULES = {
    "PIL": ("python3-matplotlib",),  # which depends on it, as pandas on numpy
    "jinja2": ("python3-jinja2",),
    "markupsafe": ("python3-jinja2",),
    "matplotlib": ("python3-matplotlib",),
    "mpl_toolkits": ("python3-matplotlib",),
    "numpy": ("python3-pandas",),
    "pandas": ("python3-pandas",),
    "pyte": ("python3-pyte",),
    "pytest": ("python3-pytest",),
    "scipy": ("python3-scipy",),
}
# Part of every system that builds.
PRESENT = ("bash", "dpkg", "dpkg-deb", "git", "gzip", "sh", "umount")
# A test that needs one of them is left out where it is missing.
OPTIONAL = (
    "buildah",
    "cargo",
    "ccache",
    "clang++-19",
    "conan",
    "etcd",
    "java",
    "javac",
    "lintian",
    "node",
    "npm",
    "openssl",
    "perf",
    "pgbouncer",
    "podman",
    "redis-server",
    "Rscript",
    "rustc",
    "sshd",
    "wine64",
)
PROGRAMS = {
    "cmake": ("cmake",),
    "cpack": ("cmake", "file"),  # it asks `file` which of the files are programs
    "bpftrace": ("bpftrace",),
    "dot": ("graphviz",),
    "gcc": ("build-essential",),
    "objdump": ("build-essential",),
    "doxygen": ("doxygen",),
    "initdb": ("postgresql",),
    "pkg-config": ("pkg-config",),
    "python3": ("python3",),
    "spin": ("spin",),
    "zsh": ("zsh",),
    "shellcheck": ("shellcheck",),
    **dict.fromkeys(PRESENT + OPTIONAL, ()),
}
# Text that alone shows that a package is used.
SIGNS = {
    r"^#include <ck_": ("libck-dev",),
    r"^#include <nsync": ("libnsync-dev",),
    r'installed\("memcached"\)': ("memcached",),
    r'installed\("pigz"\)': ("pigz",),
    r"^cmake_minimum_required": ("cmake",),
    r'"generator": "Ninja"': ("ninja-build",),
    r"SHLIBDEPS ON": ("file",),  # by cpack
    r"/usr/share/benchmark/compare\.py": ("libbenchmark-tools",),
    r"^ *check black": ("black",),
    r"^ *check flake8": ("flake8",),
    r"\bcheck mypy": ("mypy",),
}

CALLS = re.compile(
    r"find_program\(\w+ (?:NAMES )?([\w+-]+)|shutil\.which\(\"([\w-]+)\""
    r"|subprocess\.\w+\(\s*\[\"([\w-]+)\""
)
FINDS = re.compile(r"^\s*find_package\((\w+)", re.MULTILINE)
# Only tests, examples and what developers call need what is here: either list will do.
FOR_TESTS = re.compile(
    r"(tests|examples|docs|scripts/maintain|harness/\w+/tests)/|scripts/check\.sh"
)


@dataclass(frozen=True)
class Use:
    """Something that the tree uses."""

    file: str
    what: str
    packages: tuple[str, ...] | None  # None: not known


def main(argv: list[str] | None = None) -> int:
    """Prints what is wrong with the lists of a checkout; 0 if nothing is, else 1."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[2])
    root: Path = parser.parse_args(argv).root
    script = (root / "scripts/prepare.sh").read_text(encoding="utf-8")
    lists = {name: listed(script, name) for name in ("run_packages", "test_packages")}
    wrong = check(lists["run_packages"], lists["test_packages"], list(uses_of(root)))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


def listed(script: str, name: str) -> set[str]:
    """The words of a list in prepare.sh."""
    match = re.search(rf"^{name}=\((.*?)\)", script, re.MULTILINE | re.DOTALL)
    return set(match[1].split()) if match else set()


def check(run: set[str], test: set[str], uses: list[Use]) -> list[str]:
    """Each line one thing that is wrong."""
    wrong = []
    for use in uses:
        if use.packages is None:
            wrong.append(
                f"{use.file}: {use.what}: name its package in scripts/maintain/check_packages.py"
            )
            continue
        for_tests = FOR_TESTS.match(use.file)
        enough = run | test if for_tests else run
        name = "test_packages" if for_tests else "run_packages"
        for package in set(use.packages) - enough:
            wrong.append(f"{use.file}: {use.what}: {package} is missing in {name} of prepare.sh")
    used = {package for use in uses for package in use.packages or ()}
    wrong += [f"scripts/prepare.sh: nothing uses {package}" for package in (run | test) - used]
    return sorted(set(wrong))


def uses_of(root: Path) -> Iterator[Use]:
    """All that the files below root use from outside."""
    for source in find_sources(root):
        for include in includes_of(root, source):
            library = None if include.quoted else library_of(include.path)
            if library is not None and library != "locks from elsewhere":  # by SIGNS
                yield Use(source, f"<{include.path}>", HEADERS.get(library))
    ours = {path.stem for path in files(root, ".py")} | {
        path.parent.name for path in files(root, ".py")
    }
    for path in files(
        root, ".py", ".cmake", "CMakeLists.txt", "CMakePresets.json", ".sh", *SOURCE_SUFFIXES
    ):
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        if path.name.endswith(".py"):
            for module in set(imports_of(text)) - sys.stdlib_module_names - ours:
                yield Use(name, f"import {module}", MODULES.get(module))
        for found in FINDS.findall(text):
            yield Use(name, f"find_package({found})", FOUND_BY_CMAKE.get(found))
        for groups in CALLS.findall(text):
            program = "".join(groups)
            yield Use(name, f"calls {program}", PROGRAMS.get(program))
        for sign, packages in SIGNS.items():
            if match := re.search(sign, text, re.MULTILINE):
                yield Use(name, match[0], packages)


def files(root: Path, *endings: str) -> list[Path]:
    """The files below root with this suffix, without files of builds and runs and hidden files."""
    found = []
    for path in root.rglob("*"):
        parts = path.relative_to(root).parts
        hidden = any(part.startswith(".") for part in parts)
        if path.name.endswith(endings) and parts[0] not in ("build", "results") and not hidden:
            found.append(path)
    return sorted(found)


def imports_of(text: str) -> Iterator[str]:
    """The top names of the modules that a Python file imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]


if __name__ == "__main__":
    sys.exit(main())
