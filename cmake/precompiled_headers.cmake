# SPDX-License-Identifier: Apache-2.0
# Precompiled headers: what most sources include of the standard library, Abseil and GoogleTest.
#
# Only headers from outside, which do not change: a change here never compiles everything again. A
# source still includes what it uses. To see that it does, build with
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON, as `scripts/check.sh` does for clang-tidy.
#
# A compiler accepts a precompiled header only with the options that it was made with. There are
# four, and each serves all targets whose options are the same:
#
#   lockbench_headers                 everything but what is linked into plug-ins
#                                     (position-independent code)
#   lockbench_cold_headers            what is optimised little, because it measures nothing
#   lockbench_test_headers            test programs: with GoogleTest, and not optimised
#   lockbench_optimised_test_headers  test programs of the locks: with GoogleTest

# Compilers that differ in the rest of the options say so only where warnings are errors.
set(CMAKE_PCH_WARN_INVALID ${LOCKBENCH_WERROR})

set(lockbench_common_headers
    <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <cstdint> <filesystem> <fstream>
    <functional> <iostream> <map> <memory> <mutex> <numeric> <optional> <random> <set> <span>
    <sstream> <string> <string_view> <thread> <utility> <vector>
    <absl/status/status.h> <absl/status/statusor.h> <absl/strings/str_cat.h>
    <absl/strings/str_format.h> <absl/strings/str_join.h>)

# lockbench_add_precompiled(name header…): a target that others reuse the headers of.
function(lockbench_add_precompiled name)
  set(no_code ${PROJECT_BINARY_DIR}/generated/no_code.cc)
  file(CONFIGURE OUTPUT ${no_code} CONTENT "// A target must have a source.\n")
  add_library(${name} OBJECT ${no_code})
  target_link_libraries(${name} PRIVATE lockbench_options)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

lockbench_add_precompiled(lockbench_headers ${lockbench_common_headers})
# Object libraries link nothing: these are for the folders that the headers lie in.
target_link_libraries(lockbench_headers PRIVATE absl::statusor absl::strings absl::str_format)

# lockbench_cold(target…): what runs before and after measurements alone. It is optimised little, and
# compiles in half of the time.
function(lockbench_cold)
  set_property(GLOBAL APPEND PROPERTY LOCKBENCH_COLD ${ARGN})
endfunction()

# After all targets are there.
function(lockbench_optimise_little)
  get_property(targets GLOBAL PROPERTY LOCKBENCH_COLD)
  list(REMOVE_DUPLICATES targets)
  foreach(target ${targets})
    target_compile_options(${target} PRIVATE -O1)
    target_precompile_headers(${target} REUSE_FROM lockbench_cold_headers)
  endforeach()
endfunction()

# lockbench_reuse_headers(folder): every program and library below the folder reuses
# lockbench_headers, unless it has its own or is position-independent.
function(lockbench_reuse_headers folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    get_target_property(position_independent ${target} POSITION_INDEPENDENT_CODE)
    get_target_property(own ${target} PRECOMPILE_HEADERS)
    get_target_property(reused ${target} PRECOMPILE_HEADERS_REUSE_FROM)
    if(type MATCHES "^(EXECUTABLE|STATIC_LIBRARY|OBJECT_LIBRARY)$"
       AND NOT position_independent AND NOT own AND NOT reused)
      target_precompile_headers(${target} REUSE_FROM lockbench_headers)
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below ${folders})
    lockbench_reuse_headers(${below})
  endforeach()
endfunction()
