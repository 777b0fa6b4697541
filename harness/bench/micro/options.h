// SPDX-License-Identifier: Apache-2.0

// Options: our own flags, and the flags of Google Benchmark that this program must know.
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

// Removes our flags from `arguments`, whose first word is the program, and checks the others.
// InvalidArgument if a flag lacks its value, or if rows are requested and Google Benchmark is asked
// to withhold repetitions.
absl::StatusOr<MicroOptions> take_options(std::vector<std::string>& arguments);

}  // namespace lockbench
