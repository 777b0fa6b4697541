# SPDX-License-Identifier: Apache-2.0
"""Recipe for Conan 2: the locks, as headers, from the checkout that this file lies in.

`conan create packaging/conan` makes the package and tests it."""

from __future__ import annotations

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir


class LockbenchConan(ConanFile):
    name = "lockbench"
    license = "Apache-2.0"
    description = "Locks by key, as headers in C++20"
    topics = ("concurrency", "lock", "mutex", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    @property
    def _checkout(self) -> Path:
        return Path(self.recipe_folder).parents[1]

    def set_version(self) -> None:
        text = (self._checkout / "primitives" / "version.h").read_text(encoding="utf-8")
        self.version = ".".join(re.findall(r"^#define \w+ (\d+)$", text, re.MULTILINE))

    def export_sources(self) -> None:
        folders = ("cmake/*", "docs/*.md", "examples/use/*", "primitives/*.h")
        for pattern in ("CMakeLists.txt", "LICENSE", *folders):
            copy(self, pattern, src=str(self._checkout), dst=self.export_sources_folder)

    def layout(self) -> None:
        cmake_layout(self, src_folder=".")

    def validate(self) -> None:
        check_min_cppstd(self, 20)

    def package_id(self) -> None:
        self.info.clear()

    def generate(self) -> None:
        toolchain = CMakeToolchain(self)
        toolchain.variables["LOCKBENCH_HEADERS_ONLY"] = True
        toolchain.generate()

    def build(self) -> None:
        cmake = CMake(self)
        cmake.configure()

    def package(self) -> None:
        licenses = Path(self.package_folder) / "licenses"
        copy(self, "LICENSE", src=self.source_folder, dst=str(licenses))
        CMake(self).install()
        rmdir(self, str(Path(self.package_folder) / "share"))

    def package_info(self) -> None:
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_target_name", "lockbench::primitives")
        self.cpp_info.set_property("pkg_config_name", "lockbench-primitives")
        self.cpp_info.system_libs = ["pthread"]
