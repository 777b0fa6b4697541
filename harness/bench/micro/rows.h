// SPDX-License-Identifier: Apache-2.0

// Rows: lockbench-micro's figures as rows of trials.csv.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <benchmark/benchmark.h>

#include "harness/bench/micro/suite.h"
#include "harness/bench/record/run_writer.h"

namespace lockbench {

// Name of the preset in the rows and in meta.json.
inline constexpr const char* kMicroPreset = "lockbench-micro";

// A plan with every benchmark once in each block, in the order of the list. Google Benchmark
// decides in which order it runs them: with random interleaving, it mixes the blocks.
Plan micro_plan(const std::vector<MicroBenchmark*>& chosen, std::uint32_t repetitions);

// The sample that one repetition measured.
Sample micro_sample(const benchmark::BenchmarkReporter::Run& run, const BenchmarkResult& finding);

// Shows everything that `shown` shows, and writes a row for each repetition.
//
// Google Benchmark cannot be stopped from here. If a row cannot be written, the reporter prints the
// error at once, writes no further row, and status() returns the error at the end.
class RowReporter final : public benchmark::BenchmarkReporter {
 public:
  // `chosen`: the benchmarks that the plan of the writer's run was made from.
  RowReporter(benchmark::BenchmarkReporter& shown, const std::vector<MicroBenchmark*>& chosen,
              RunWriter& writer);

  bool ReportContext(const Context& context) override { return shown_.ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override { shown_.Finalize(); }

  const absl::Status& status() const { return status_; }

 private:
  absl::Status write(const std::vector<const Run*>& repetitions);

  benchmark::BenchmarkReporter& shown_;
  std::map<std::string, std::uint32_t> positions_;  // by name
  const std::vector<MicroBenchmark*>& chosen_;
  RunWriter& writer_;
  absl::Status status_;
};

}  // namespace lockbench
