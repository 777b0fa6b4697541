// SPDX-License-Identifier: Apache-2.0

// Options: the flags that are ours, and what we must know of Google Benchmark's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

inline constexpr const char* kMicroHelp =
    "          [--lockbench_out=<folder>]\n"
    "            writes each repetition as a row of <folder>/trials.csv, for lockbench compare "
    "and\n"
    "            lockbench plot; results/README.md describes the columns\n"
    "\n"
    "Benchmarks: uncontended/<primitive>/<key type>[/keys:10000], base/<lock>,\n"
    "            scenario/<scenario>/<primitive>, limit/<what>\n";

struct MicroOptions {
  std::optional<std::filesystem::path> out;
  bool lists_only = false;        // Google Benchmark will print names and measure nothing
  std::uint32_t repetitions = 1;  // of each benchmark
};

// Takes our flags out of `arguments`, whose first is the program, and looks at the others.
// InvalidArgument when a flag lacks its value, or when rows are wanted and Google Benchmark is told
// to withhold repetitions.
absl::StatusOr<MicroOptions> take_options(std::vector<std::string>& arguments);

}  // namespace lockbench
