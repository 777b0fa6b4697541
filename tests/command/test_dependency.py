# SPDX-License-Identifier: Apache-2.0
"""The locks as a part of other projects: docs/use.md. Nothing here needs a network."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest
from installation import BUILD, ROOT, Installed, empty, wants_build
from tiers import rest_long

pytestmark = wants_build

USE = ROOT / "examples" / "use"
PLACE = BUILD / "dependency"
SAYS = "ada has 3000"
NOTHING_ELSE = " ".join(
    f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON"
    for name in ("absl", "TBB", "PkgConfig", "GTest", "benchmark", "nlohmann_json", "EXPAT")
)
STRICT = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Werror"


def version() -> str:
    text = (ROOT / "primitives" / "version.h").read_text(encoding="utf-8")
    return ".".join(re.findall(r"^#define \w+ (\d+)$", text, re.MULTILINE))


class Headers:
    """The headers alone: as installed, and their archive."""

    def __init__(self) -> None:
        empty(PLACE)
        self.prefix = PLACE / "prefix"
        self.tools = Installed(self.prefix)
        self.tools.sh(
            PLACE,
            f"cmake -S {ROOT} -B made -DLOCKBENCH_HEADERS_ONLY=ON {NOTHING_ELSE} >/dev/null\n"
            f"cmake --install made --prefix {self.prefix} >/dev/null\n"
            "cd made && cpack >/dev/null",
        )
        self.archive = PLACE / "made" / f"lockbench-primitives-{version()}.tar.gz"
        self.tools.sh(PLACE, f"tar xzf {self.archive}")
        self.unpacked = PLACE / f"lockbench-primitives-{version()}"

    def build(self, way: str, *options: str, runner: str = "", suffix: str = "") -> str:
        """The output of the example, built with CMake."""
        folder = PLACE / re.sub(r"\W+", "-", "-".join((way, *options)))
        return self.tools.sh(
            PLACE,
            f"cmake -S {USE / way} -B {folder} {' '.join(options)} {NOTHING_ELSE} >/dev/null\n"
            f"cmake --build {folder} >/dev/null && {runner} {folder}/accounts{suffix}",
        )


@pytest.fixture(scope="module")
def headers() -> Headers:
    return Headers()


def test_by_find_package(headers: Headers) -> None:
    assert SAYS in headers.build("find_package")


@pytest.mark.parametrize("fetch", rest_long(["ON", "OFF"], 1))
def test_by_a_checkout_in_a_folder(headers: Headers, fetch: str) -> None:
    # The way from the example to the checkout is the default.
    assert SAYS in headers.build("add_subdirectory", f"-DBY_FETCH_CONTENT={fetch}")


@pytest.mark.long
@pytest.mark.parametrize("fetch", ["ON", "OFF"])
def test_by_the_archive_in_a_folder(headers: Headers, fetch: str) -> None:
    options = (f"-DBY_FETCH_CONTENT={fetch}", f"-DLOCKBENCH_SOURCE={headers.unpacked}")
    assert SAYS in headers.build("add_subdirectory", *options)


@pytest.mark.long
def test_by_the_archive_s_address(headers: Headers) -> None:
    folder = empty(PLACE / "url")
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\n"
        "project(accounts LANGUAGES CXX)\n"
        "include(FetchContent)\n"
        f"FetchContent_Declare(lockbench URL {headers.archive})\n"
        "FetchContent_MakeAvailable(lockbench)\n"
        f"add_executable(accounts {USE / 'accounts.cc'})\n"
        "target_link_libraries(accounts PRIVATE lockbench::primitives)\n",
        encoding="utf-8",
    )
    said = headers.tools.sh(
        folder, "cmake -S . -B b >/dev/null && cmake --build b >/dev/null && b/accounts"
    )
    assert SAYS in said


MINGW = shutil.which("x86_64-w64-mingw32-g++-posix")
WINE = shutil.which("wine64", path=f"{os.environ['PATH']}:/usr/lib/wine")  # Debian's is there


@pytest.mark.skipif(None in (MINGW, WINE), reason="install mingw-w64 and wine")
@pytest.mark.parametrize(
    "way", rest_long(["find_package", "checkout", "fetched checkout", "fetched archive"], 1)
)
def test_for_windows(headers: Headers, way: str) -> None:
    options = [f"--toolchain {ROOT / 'cmake' / 'mingw.cmake'}"]
    if way != "find_package":
        options.append(f"-DBY_FETCH_CONTENT={'ON' if 'fetched' in way else 'OFF'}")
    if "archive" in way:
        options.append(f"-DLOCKBENCH_SOURCE={headers.unpacked}")
    folder = "find_package" if way == "find_package" else "add_subdirectory"
    wine = f"WINEPREFIX={PLACE / 'wine'} WINEDEBUG=-all {WINE}"
    assert SAYS in headers.build(folder, *options, runner=wine, suffix=".exe")


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="install the package pkg-config")
def test_by_pkg_config(headers: Headers) -> None:
    copy = PLACE / "use"
    shutil.copytree(USE, copy)
    path = headers.prefix / "share" / "pkgconfig"
    said = headers.tools.sh(
        copy / "pkg_config", f"export PKG_CONFIG_PATH={path}\nmake >/dev/null && ./accounts"
    )
    assert SAYS in said
    asked = f"PKG_CONFIG_PATH={path} pkg-config --modversion lockbench-primitives"
    assert headers.tools.sh(copy, asked).strip() == version()


def test_by_a_compiler_alone(headers: Headers) -> None:
    folder = empty(PLACE / "compiler")
    script = USE / "compiler" / "build.sh"
    assert SAYS in headers.tools.sh(folder, f"sh {script} {headers.prefix}/include && ./accounts")


def test_another_version_is_refused(headers: Headers) -> None:
    folder = empty(PLACE / "refused")
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\n"
        "find_package(lockbench 0.99 QUIET)\nmessage(STATUS found=${lockbench_FOUND})\n"
        "find_package(lockbench QUIET COMPONENTS plugin)\nmessage(STATUS "
        '"found=${lockbench_FOUND}, ${lockbench_NOT_FOUND_MESSAGE}")\n',
        encoding="utf-8",
    )
    said = headers.tools.sh(folder, "cmake -S . -B b")
    assert "found=0" in said
    assert "found=0, there is no component 'plugin'; there are primitives" in said


PARENT = """
cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
include(CTest)
add_subdirectory({root} lockbench)
add_executable(own own.cc)
target_include_directories(own PRIVATE .)
target_link_libraries(own PRIVATE lockbench::primitives)
add_test(NAME own COMMAND own)
install(TARGETS own)
get_property(targets DIRECTORY {root} PROPERTY BUILDSYSTEM_TARGETS)
message(STATUS "targets: ${{targets}}; type: <${{CMAKE_BUILD_TYPE}}>")
"""

# A program that would not compile under -Wall -Werror, with a folder named primitives of its own.
OWN = """
#include "primitives/key.h"
#include <lockbench/keyed_mutex.h>
int main() { int unused; lockbench::KeyedMutex<> locks; return locks.keys_kept() + own_key(); }
"""


def test_a_project_that_has_it_in_a_folder_stays_as_it_is(headers: Headers) -> None:
    folder = empty(PLACE / "parent")
    (folder / "primitives").mkdir()
    (folder / "primitives" / "key.h").write_text(
        "#pragma once\nstatic int own_key() { return 0; }\n", encoding="utf-8"
    )
    (folder / "own.cc").write_text(OWN, encoding="utf-8")
    (folder / "CMakeLists.txt").write_text(PARENT.format(root=ROOT), encoding="utf-8")
    said = headers.tools.sh(folder, f"cmake -S . -B b {NOTHING_ELSE}")
    assert "targets: lockbench_locks; type: <>" in said
    headers.tools.sh(folder, "cmake --build b && cmake --install b --prefix p >/dev/null")
    assert "Total Tests: 1" in headers.tools.sh(folder, "cd b && ctest -N")
    installed = [str(f.relative_to(folder / "p")) for f in (folder / "p").rglob("*") if f.is_file()]
    assert installed == ["bin/own"]
    commands = (folder / "b" / "compile_commands.json").read_text(encoding="utf-8")
    assert "-W" not in commands
    assert f"-isystem {folder}/b/lockbench/" in commands


def said_of(include: Path, headers: list[str]) -> str:
    """The compiler's messages about a program that includes these headers, one after the other."""
    done = subprocess.run(
        ["g++", "-std=c++20", *STRICT.split(), "-fsyntax-only", f"-I{include}", "-xc++", "-"],
        input="".join(f"#include <lockbench/{header}>\n" for header in headers),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr


def public_headers() -> list[str]:
    folders = [ROOT / "primitives", *(ROOT / "harness").glob("*/primitives")]
    return sorted(header.name for folder in folders for header in folder.glob("*.h"))


def test_headers_compile_without_a_warning_and_in_any_order(headers: Headers) -> None:
    # A header that leaves out an include that it needs is first in one of the orders, or comes
    # before all that would include it.
    for order in (public_headers(), public_headers()[::-1]):
        assert said_of(headers.prefix / "include", order) == ""


def clang() -> str | None:
    names = ["clang++", *(f"clang++-{version}" for version in range(14, 30))]
    return next((found for name in names if (found := shutil.which(name))), None)


def test_clang_sees_that_data_is_used_under_its_mutex(headers: Headers) -> None:
    compiler = clang()
    if compiler is None:
        pytest.skip("there is no clang++")
    source = (USE / "guarded.cc").read_text(encoding="utf-8")
    words = [compiler, "-std=c++20", *STRICT.split(), "-Wthread-safety", "-fsyntax-only"]
    words += [f"-I{headers.prefix / 'include'}", "-xc++", "-"]
    for text, faults in (
        (source, 0),
        (source.replace("lockbench::MutexGuard guard(mutex_);", ""), 2),
    ):
        done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
        assert done.stderr.count("requires holding mutex 'mutex_'") == faults, done.stderr
        assert (done.returncode == 0) == (faults == 0), done.stderr


def test_the_installed_headers_are_all_there_and_know_no_other_name(headers: Headers) -> None:
    include = headers.prefix / "include"
    assert {path.name for path in include.iterdir()} == {"lockbench"}
    assert sorted(p.name for p in (include / "lockbench").glob("*.h")) == public_headers()
    for file in include.rglob("*.h"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"primitives/[\w/]+\.h", text), file
        assert not re.search(r'#include ["<](absl|oneapi|tbb)', text), file


def test_the_reference_lists_each_header() -> None:
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    listed = re.findall(
        r"^\| \[`<lockbench/(\w+\.h)>`\]\(\.\./(?:harness/\w+/)?primitives/(\w+\.h)\)", page, re.M
    )
    # A header of a capability that was deleted is still listed: check_links finds a stale line.
    headers = public_headers()
    assert [first for first, _ in listed if first in headers] == headers
    assert all(first == second for first, second in listed)
    assert "docs/reference.md" in (ROOT / "README.md").read_text(encoding="utf-8")


VCPKG = """
set(CURRENT_PORT_DIR {port})
set(CURRENT_PACKAGES_DIR {packages})
set(PORT lockbench)
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 A "" "SOURCE_PATH" "OPTIONS")
  execute_process(COMMAND cmake -S ${{A_SOURCE_PATH}} -B {build} ${{A_OPTIONS}}
                          -DCMAKE_INSTALL_PREFIX={packages} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_install)
  execute_process(COMMAND cmake --install {build} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 A "" "CONFIG_PATH" "")
  file(RENAME {packages}/${{A_CONFIG_PATH}} {packages}/share/lockbench.moved)
  file(REMOVE_RECURSE {packages}/share/cmake)
  file(RENAME {packages}/share/lockbench.moved {packages}/share/lockbench)
  set(file {packages}/share/lockbench/lockbenchConfig.cmake)
  file(READ ${{file}} text)
  string(REGEX REPLACE "(PACKAGE_PREFIX_DIR .*LIST_DIR}})/[./]+" "\\\\1/../../" text "${{text}}")
  file(WRITE ${{file}} "${{text}}")
endfunction()
function(vcpkg_fixup_pkgconfig)
  if(NOT EXISTS {packages}/share/pkgconfig/lockbench-primitives.pc)
    message(FATAL_ERROR "no file for pkg-config")
  endif()
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 A "" "" "FILE_LIST")
  file(INSTALL ${{A_FILE_LIST}} DESTINATION {packages}/share/lockbench)
endfunction()
include({port}/portfile.cmake)
"""


def test_vcpkg_s_port_with_stand_ins_for_its_functions(headers: Headers) -> None:
    folder = empty(PLACE / "vcpkg")
    port = ROOT / "packaging" / "vcpkg" / "lockbench"
    packages = folder / "packages"
    (folder / "port.cmake").write_text(
        VCPKG.format(port=port, packages=packages, build=folder / "b"), encoding="utf-8"
    )
    headers.tools.sh(folder, "cmake -P port.cmake >/dev/null")
    manifest = json.loads((port / "vcpkg.json").read_text(encoding="utf-8"))
    assert manifest["version-semver"] == version()
    assert {path.name for path in packages.iterdir()} == {"include", "share"}
    assert (packages / "share" / "lockbench" / "LICENSE").exists()
    # find_package() finds what was moved, which holds no path of where it was built.
    moved = f"-DCMAKE_PREFIX_PATH={packages}"
    assert SAYS in headers.build("find_package", moved)


class Recorded:
    """Stands for what a recipe gets of Conan: keeps what is set, and runs CMake for it."""

    def __init__(self, recipe: types.SimpleNamespace) -> None:
        self.recipe = recipe
        self.variables: dict[str, object] = {}

    def generate(self) -> None:
        self.recipe.variables = self.variables

    def configure(self) -> None:
        options = [f"-D{name}={value}" for name, value in self.recipe.variables.items()]
        command = ["cmake", "-S", self.recipe.source_folder, "-B", self.recipe.build_folder]
        subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)

    def install(self) -> None:
        command = ["cmake", "--install", self.recipe.build_folder]
        subprocess.run(
            [*command, "--prefix", self.recipe.package_folder],
            check=True,
            stdout=subprocess.DEVNULL,
        )


def copy_of_pattern(_recipe: object, pattern: str, src: str, dst: str) -> None:
    """As conan.tools.files.copy: a star stands for folders, too."""
    folder, _, name = pattern.rpartition("/")
    found = (Path(src) / folder).rglob(name) if folder else iter([Path(src) / name])
    for file in [file for file in found if file.is_file()]:
        to = Path(dst) / file.relative_to(src)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, to)


def stand_in_for_conan(monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, dict[str, object]] = {
        "conan": {"ConanFile": object},
        "conan.tools": {},
        "conan.tools.build": {"check_min_cppstd": lambda recipe, standard: None},
        "conan.tools.cmake": {
            "CMake": Recorded,
            "CMakeToolchain": Recorded,
            "cmake_layout": lambda recipe, src_folder: None,
        },
        "conan.tools.files": {
            "copy": copy_of_pattern,
            "rmdir": lambda recipe, path: shutil.rmtree(path),
        },
    }
    for name, members in names.items():
        module = types.ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)


def test_conan_s_recipe_with_stand_ins_for_its_tools(
    headers: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = empty(PLACE / "conan")
    stand_in_for_conan(monkeypatch)
    file = ROOT / "packaging" / "conan" / "conanfile.py"
    space: dict[str, type] = {}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), space)  # noqa: S102
    recipe = space["LockbenchConan"]()
    recipe.recipe_folder = str(file.parent)
    recipe.export_sources_folder = recipe.source_folder = str(folder / "source")
    recipe.build_folder = str(folder / "build")
    recipe.package_folder = str(folder / "package")
    recipe.cpp_info = types.SimpleNamespace(set_property=lambda name, value: None)
    recipe.set_version()
    assert recipe.version == version()
    for step in ("export_sources", "layout", "validate", "generate", "build", "package"):
        getattr(recipe, step)()
    recipe.package_info()
    held = {path.name for path in (folder / "package").iterdir()}
    assert held == {"include", "licenses"}
    said = headers.tools.sh(
        folder, f"sh {USE}/compiler/build.sh {folder}/package/include && ./accounts"
    )
    assert SAYS in said


@pytest.mark.skipif(shutil.which("conan") is None, reason="Conan is not installed")
def test_conan_itself(headers: Headers) -> None:
    headers.tools.sh(PLACE, f"conan create {ROOT}/packaging/conan --build=missing")
