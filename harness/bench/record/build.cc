// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/build.h"

#include <gnu/libc-version.h>
#include <string_view>

#include "harness/bench/record/build_values.h"
#include "harness/bench/record/commit.h"

namespace lockbench {

Build this_build() {
  Build build{.version = internal::kBuildVersion,
              .compiler = internal::kBuildCompiler,
              .build_type = internal::kBuildType,
              .flags = internal::kBuildFlags,
              .libraries = {{"abseil", internal::kAbseilVersion},
                            {"google_benchmark", internal::kBenchmarkVersion},
                            {"hwloc", internal::kHwlocVersion},
                            {"nlohmann_json", internal::kJsonVersion},
                            {"tbb", internal::kTbbVersion},
                            {"glibc", gnu_get_libc_version()}},
              .commit = std::nullopt,
              .modified = std::nullopt};
  std::erase_if(build.libraries, [](const auto& library) { return library.second.empty(); });
  if (!std::string_view(internal::kCommit).empty()) {
    build.commit = internal::kCommit;
    build.modified = internal::kModified;
  }
  return build;
}

}  // namespace lockbench
