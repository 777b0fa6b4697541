// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/micro/rows.h"

#include <algorithm>
#include <iostream>

namespace lockbench {
namespace {

Trial trial_of(const MicroBenchmark& benchmark, std::uint32_t block, std::uint32_t position,
               std::size_t benchmarks) {
  return {.number = static_cast<std::uint32_t>(block * benchmarks + position),
          .block = block,
          .position = position,
          .cell = benchmark.cell};
}

}  // namespace

Plan micro_plan(const std::vector<MicroBenchmark*>& chosen, std::uint32_t repetitions) {
  Plan plan{.preset = kMicroPreset, .blocks = repetitions};
  for (std::uint32_t block = 0; block < repetitions; ++block) {
    for (std::uint32_t position = 0; position < chosen.size(); ++position) {
      plan.trials.push_back(trial_of(*chosen[position], block, position, chosen.size()));
    }
  }
  return plan;
}

Sample micro_sample(const benchmark::BenchmarkReporter::Run& run, const BenchmarkResult& finding) {
  Sample sample{.reason = finding.objection(), .lock_bytes = finding.lock_bytes};
  if (finding.proof) {
    sample.lost_updates = finding.proof->lost_updates;
    sample.violations = finding.proof->violations;
  }
  if (!finding.failure.empty()) sample.outcome = Outcome::kFailed;
  // If a call has an error, Google Benchmark drops its time and iterations.
  if (!sample.reason.empty()) return sample;
  sample.operations = static_cast<std::uint64_t>(run.iterations);
  sample.window_s = run.real_accumulated_time;
  return sample;
}

RowReporter::RowReporter(benchmark::BenchmarkReporter& shown,
                         const std::vector<MicroBenchmark*>& chosen, RunWriter& writer)
    : shown_(shown), chosen_(chosen), writer_(writer) {
  for (std::uint32_t position = 0; position < chosen.size(); ++position) {
    positions_[chosen[position]->name] = position;
  }
}

void RowReporter::ReportRuns(const std::vector<Run>& runs) {
  shown_.ReportRuns(runs);
  if (!status_.ok()) return;
  std::vector<const Run*> repetitions;
  for (const Run& run : runs) {
    if (run.run_type == Run::RT_Iteration) repetitions.push_back(&run);
  }
  status_ = write(repetitions);
  if (!status_.ok()) std::cerr << "lockbench-micro: " << status_.message() << '\n';
}

// All repetitions of one benchmark, in their order.
absl::Status RowReporter::write(const std::vector<const Run*>& repetitions) {
  if (repetitions.empty()) return absl::OkStatus();
  const std::uint32_t position = positions_.at(repetitions.front()->run_name.function_name);
  MicroBenchmark& benchmark = *chosen_[position];
  auto call = benchmark.calls.end() - static_cast<std::ptrdiff_t>(repetitions.size());
  for (const Run* const run : repetitions) {
    const auto block = static_cast<std::uint32_t>(std::max<std::int64_t>(run->repetition_index, 0));
    const absl::Status status =
        writer_.append({.run = writer_.meta().run,
                        .trial = trial_of(benchmark, block, position, chosen_.size()),
                        .sample = micro_sample(*run, call->finding),
                        .started_at = call->started_at});
    if (!status.ok()) return status;
    ++call;
  }
  return absl::OkStatus();
}

}  // namespace lockbench
