// SPDX-License-Identifier: Apache-2.0

// Measurement: the figures of a row that summarize a run, without their distributions.
//
// It is small, so that a program can keep one for every row that it writes. It is the same whether
// it comes from a row in memory or from trials.csv.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/measure/sample.h"
#include "harness/bench/record/meta.h"
#include "harness/bench/record/row.h"
#include "harness/bench/record/row_check.h"

namespace lockbench {

// A figure that was not measured is absent. An invalid row has its figures, too, but they must not
// be shown.
struct Measurement {
  std::uint32_t trial = 0;  // index in the plan
  std::uint32_t attempt = 0;
  bool valid = false;
  Outcome outcome = Outcome::kOk;
  std::string reason = {};  // why it is not, if it is not
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

// Reads the text of trials.csv. Errors are InvalidArgument, call the text `name` and give the line.
// The columns that identify the trial of a row are required; any other missing column counts as not
// measured. A row that was cut off is left out. With `check`, each row must belong to its run.
absl::StatusOr<std::vector<Measurement>> parse_measurements(std::string_view text,
                                                            std::string_view name,
                                                            const RowCheck* check = nullptr);

// The contents of a run's folder.
struct MeasuredRun {
  Meta meta;
  std::vector<Measurement> measurements;  // each is of a trial of meta.plan
};

absl::StatusOr<MeasuredRun> read_measured_run(const std::filesystem::path& folder);

}  // namespace lockbench
