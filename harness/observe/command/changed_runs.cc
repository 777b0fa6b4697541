// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/changed_runs.h"

#include <algorithm>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/observe/observation/recording_file.h"

namespace lockbench {

std::string ChangedRuns::columns() const {
  std::string columns = "wall_s,cpu_s,printed,pauses_s";
  for (std::size_t i = 1; i <= treated_.size(); ++i) absl::StrAppend(&columns, ",holds_", i);
  return columns;
}

// The locks of a place are those that it acquired first: where several places acquire one lock,
// threads decide which is first, and the next run may have it.
absl::StatusOr<std::string> ChangedRuns::run(std::size_t variant) const {
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

absl::StatusOr<ChangedRuns::Done> ChangedRuns::run_with(
    const std::vector<HoldChange>& changes) const {
  const auto recording = RecordingFile::create(0);
  if (!recording.ok()) return recording.status();
  observe::Header& header = (*recording)->header();
  // relaxed: the program that reads is started later, and has ended before it is read.
  header.some_pause.store(some_look_shorter(treated_) ? 1 : 0, std::memory_order_relaxed);
  for (std::size_t i = 0; i < treated_.size(); ++i) {
    change_holds(header, i, *treated_[i].place, treated_[i].program, changes[i]);
  }
  ProgramRunOrder order = order_;
  order.environment.push_back((*recording)->variable());
  absl::StatusOr<ProgramRun> run = run_program(order);
  if (!run.ok()) return run.status();
  Done done{
      .run = *std::move(run),
      .pauses_s = static_cast<double>(header.accounted_ns.load(std::memory_order_relaxed)) / 1e9,
      .holds = {}};
  for (std::size_t i = 0; i < treated_.size(); ++i) {
    done.holds.push_back(counted_holds(header, i));
  }
  return done;
}

absl::StatusOr<std::optional<std::string>> ChangedRuns::try_run(std::size_t variant) const {
  std::vector<HoldChange> changes(treated_.size());
  if (variant != 0) changes[variant - 1] = treated_[variant - 1].change;
  const absl::StatusOr<Done> done = run_with(changes);
  if (!done.ok()) return done.status();
  if (variant != 0 && done->holds[variant - 1] == 0) return std::nullopt;
  if (variant != 0 && looks_shorter(treated_[variant - 1]) && done->pauses_s == 0) {
    return absl::InternalError(
        order_.who +
        " did not end by the C library's exit(), so its pauses are not known; with --longer 101, "
        "holds are longer instead");
  }
  return absl::StrCat(done->run.fields(), ",", done->pauses_s, ",",
                      absl::StrJoin(done->holds, ","));
}

absl::StatusOr<double> ChangedRuns::holds_kept_when_longer() const {
  constexpr double kAsLong = 1.1;  // of the time: other programs may delay its start
  std::vector<HoldChange> changes(treated_.size());
  const absl::StatusOr<Done> usual = run_with(changes);
  if (!usual.ok()) return usual.status();
  for (std::size_t i = 0; i < changes.size(); ++i) changes[i].steps = treated_[i].twice_steps;
  const absl::StatusOr<Done> longer = run_with(changes);
  if (!longer.ok()) return longer.status();
  if (longer->run.wall_s > kAsLong * usual->run.wall_s) return 1;
  double least = 1;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (usual->holds[i] == 0 || longer->holds[i] == 0) continue;  // others acquired its locks first
    least = std::min(least,
                     static_cast<double>(longer->holds[i]) / static_cast<double>(usual->holds[i]));
  }
  return least;
}

}  // namespace lockbench
