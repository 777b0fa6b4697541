// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/merge/latency_table.h"

#include <absl/strings/str_format.h>

#include "harness/base/quantity.h"

namespace lockbench {
namespace {

enum Column : std::size_t { kRunId, kTrial, kKind, kCount, kAttempt };

}  // namespace

absl::StatusOr<LatencyTable> LatencyTable::read(const std::filesystem::path& path,
                                                std::string& header, const RunIdentity& run) {
  LatencyTable latency;
  absl::StatusOr<RunTable> table = RunTable::open(path, header);
  if (absl::IsNotFound(table.status())) return latency;
  if (!table.ok()) return table.status();
  std::vector<std::size_t> indices;
  absl::Status status = table->find({"run_id", "trial", "kind", "count", "attempt"}, indices);
  while (status.ok() && table->next()) {
    status = table->split();
    if (status.ok()) status = latency.take_row(*table, indices, run);
  }
  status.Update(table->lines().status());
  if (!status.ok()) return status;
  return latency;
}

FileSpan LatencyTable::span_of(std::uint32_t trial, std::uint32_t last_attempt,
                               Samples& samples) const {
  FileSpan span;
  const auto found = times_.find(trial);
  if (found == times_.end()) return span;
  for (const Times& times : found->second) {
    if (times.attempt > last_attempt) break;
    if (span.size == 0) span.offset = times.rows.offset;
    span.size += times.rows.size;
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] += times.samples[i];
  }
  return span;
}

absl::Status LatencyTable::take_row(const RunTable& table, const std::vector<std::size_t>& indices,
                                    const RunIdentity& run) {
  const auto cell = [&](Column column) { return table.cells()[indices[column]]; };
  if (cell(kRunId) != run.run_id) {
    return table.wrong(
        absl::StrFormat("run_id is \"%s\" where the run's is \"%s\"", cell(kRunId), run.run_id));
  }
  const auto trial = parse_number<std::uint32_t>(cell(kTrial));
  const auto attempt = parse_number<std::uint32_t>(cell(kAttempt));
  if (!trial || !attempt) return table.wrong("trial or attempt is no number");
  std::vector<Times>& times = times_[*trial];
  const std::uint64_t offset = table.lines().offset();
  const bool follows = times.empty() || times.back().rows.offset + times.back().rows.size == offset;
  if (!follows || (!times.empty() && *attempt < times.back().attempt)) {
    return table.wrong(absl::StrFormat("trial %d has rows further above, too", *trial));
  }
  if (times.empty() || times.back().attempt != *attempt) {
    times.push_back({.attempt = *attempt, .rows = {.offset = offset, .size = 0}});
  }
  times.back().rows.size += table.lines().line().size() + 1;
  times.back().samples[cell(kKind) == "hold" ? 1 : 0] += count_in(cell(kCount));
  return absl::OkStatus();
}

std::uint64_t count_in(std::string_view cell) {
  return parse_number<std::uint64_t>(cell).value_or(0);
}

}  // namespace lockbench
