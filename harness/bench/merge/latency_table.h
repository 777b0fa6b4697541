// SPDX-License-Identifier: Apache-2.0

// LatencyTable: where the rows of each trial are in a run's latency.csv, and how many samples they
// have. The memory is proportional to the number of trials in the file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "harness/bench/merge/run_table.h"
#include "harness/bench/record/row.h"

namespace lockbench {

class LatencyTable {
 public:
  // The number of waits and the number of holds.
  using Samples = std::array<std::uint64_t, 2>;

  // `header`: as for RunTable::open(). The result is empty if the file is missing.
  static absl::StatusOr<LatencyTable> read(const std::filesystem::path& path, std::string& header,
                                           const RunIdentity& run);

  // The rows of a trial up to this attempt; later attempts were interrupted. Adds their samples to
  // `samples`.
  FileSpan span_of(std::uint32_t trial, std::uint32_t last_attempt, Samples& samples) const;

 private:
  // The rows of one attempt.
  struct Times {
    std::uint32_t attempt = 0;
    FileSpan rows;
    Samples samples{};
  };

  absl::Status take_row(const RunTable& table, const std::vector<std::size_t>& indices,
                        const RunIdentity& run);

  std::unordered_map<std::uint32_t, std::vector<Times>> times_;
};

// The number in a cell; 0 if it has none.
std::uint64_t count_in(std::string_view cell);

}  // namespace lockbench
