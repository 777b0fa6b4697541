// SPDX-License-Identifier: Apache-2.0

// Measurement: the figures of a row that a run is summed up by, without their distributions.
//
// Small, so that a program can keep one of every row that it writes, and the same whether it comes
// from a row in memory or from trials.csv.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/measure/sample.h"
#include "harness/record/meta.h"
#include "harness/record/row.h"
#include "harness/record/row_check.h"

namespace lockbench {

// A figure that was not measured is absent. Those of a row that is not valid are kept, but are not
// to be shown.
struct Measurement {
  std::uint32_t trial = 0;  // place in the plan
  std::uint32_t attempt = 0;
  bool valid = false;
  Outcome outcome = Outcome::kOk;
  std::optional<double> operations_per_s;
  std::optional<double> makespan_s;
  std::optional<double> ideal_s;
  std::optional<double> window_s;
  std::optional<double> wait_mean_ns;
  std::optional<double> wait_p50_ns;
  std::optional<double> wait_p99_ns;
  std::optional<double> wait_max_ns;
  std::optional<double> held_p50_ns;
  std::optional<double> fairness_jain;
  std::optional<double> lock_bytes;
  std::optional<double> lost_updates;

  bool operator==(const Measurement&) const = default;
};

Measurement measurement_of(const Row& row);

// Of the text of trials.csv; `name` stands for it in errors, which are InvalidArgument and tell the
// line. A column that the file lacks, but for those that say which trial a row is of, is one that
// was not measured. A row that is cut off is left out. With `check`, each row must be of its run.
absl::StatusOr<std::vector<Measurement>> parse_measurements(std::string_view text,
                                                            std::string_view name,
                                                            const RowCheck* check = nullptr);

// What a run's folder holds.
struct MeasuredRun {
  Meta meta;
  std::vector<Measurement> measurements;  // each of a trial of meta.plan
};

absl::StatusOr<MeasuredRun> read_measured_run(const std::filesystem::path& folder);

}  // namespace lockbench
