// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/lengthened_runs.h"

#include <absl/strings/str_cat.h>

#include "harness/observe/observation/recording_file.h"

namespace lockbench {

std::string LengthenedRuns::columns() const {
  std::string columns = "wall_s,cpu_s,printed,paused_s";
  for (std::size_t i = 1; i <= treated_.size(); ++i) absl::StrAppend(&columns, ",holds_", i);
  return columns;
}

// The locks of a place are those that it acquired first: where several places acquire one lock,
// threads decide which is first, and the next run may have it.
absl::StatusOr<std::string> LengthenedRuns::run(std::size_t variant) const {
  constexpr int kMostTries = 6;
  for (int i = 0; i < kMostTries; ++i) {
    const absl::StatusOr<std::optional<std::string>> fields = try_run(variant);
    if (!fields.ok()) return fields.status();
    if (*fields) return **fields;
  }
  return absl::InternalError(absl::StrCat(
      order_.who, " used no lock of ", treated_[variant - 1].place->name(), " in ", kMostTries,
      " further runs: others acquire its locks first. Choose other places by --place"));
}

// Absent: no hold was changed.
absl::StatusOr<std::optional<std::string>> LengthenedRuns::try_run(std::size_t variant) const {
  const auto recording = RecordingFile::create(0);
  if (!recording.ok()) return recording.status();
  observe::Header& header = (*recording)->header();
  for (std::size_t i = 0; i < treated_.size(); ++i) {
    lengthen(header, i, *treated_[i].place, treated_[i].program,
             variant == i + 1 ? treated_[i].change : HoldChange{});
  }
  ProgramRunOrder order = order_;
  order.environment.push_back((*recording)->variable());
  const absl::StatusOr<ProgramRun> run = run_program(order);
  if (!run.ok()) return run.status();
  if (variant != 0 && lengthened_holds(header, variant - 1) == 0) return std::nullopt;
  const double paused_s =
      static_cast<double>(header.paused_ns.load(std::memory_order_relaxed)) / 1e9;
  std::string fields = absl::StrCat(run->fields(), ",", paused_s);
  for (std::size_t i = 0; i < treated_.size(); ++i) {
    absl::StrAppend(&fields, ",", lengthened_holds(header, i));
  }
  return fields;
}

}  // namespace lockbench
