// SPDX-License-Identifier: Apache-2.0

#include "harness/record/latency.h"

#include <optional>

#include "harness/record/csv.h"

namespace lockbench {
namespace {

constexpr Field kColumns[] = {
    {"run_id", "name", "the run; the same in all its files", {}},
    {"trial", "number", "position in the plan, as in `trials.csv`", {}},
    {"kind",
     "name",
     "`wait`: from the request to the acquisition; `hold`: from the acquisition to the release",
     {}},
    {"low_ns", "ns", "least time of this bucket", {}},
    {"high_ns", "ns", "greatest time of this bucket", {}},
    {"count", "count", "number of times in this bucket; at least 1", {}},
    {"attempt", "number", "attempt of this trial, as in `trials.csv`", {}},
};

void append(std::string& records, const Row& row, const char* kind,
            const std::optional<LatencySummary>& latency) {
  if (!latency) return;
  for (const LatencyBucket& bucket : latency->buckets) {
    records += csv_record({row.run.run_id, std::to_string(row.trial.number), kind,
                           std::to_string(bucket.low_ns), std::to_string(bucket.high_ns),
                           std::to_string(bucket.count), std::to_string(row.attempt)});
  }
}

}  // namespace

std::span<const Field> latency_columns() {
  return kColumns;
}

std::vector<std::string> latency_header() {
  std::vector<std::string> names;
  for (const Field& column : kColumns) names.emplace_back(column.name);
  return names;
}

std::string latency_records(const Row& row) {
  std::string records;
  append(records, row, "wait", row.sample.wait);
  append(records, row, "hold", row.sample.hold);
  return records;
}

}  // namespace lockbench
