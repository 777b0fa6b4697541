// SPDX-License-Identifier: Apache-2.0

// Suite: the benchmarks of lockbench-micro by name, and the result of each call besides its time.
//
//   uncontended/<primitive>/<key type>               a handle made, locked and unlocked: one key
//   uncontended/<primitive>/<key type>/keys:10000    the same, each key in turn, in random order
//   base/<lock>                                      a base lock alone, locked and unlocked
//   scenario/<scenario>/<primitive>                  five acquisitions and releases (nested.h)
//   limit/<what>                                     the cost of the machine's own operations
//
// Guarantees   A figure without its proof is not printed: if the proof of a call does not hold, or
//              if the call is not possible here, Google Benchmark reports an error with the reason.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>
#include <benchmark/benchmark.h>

#include "harness/bench/plan/cell.h"
#include "workloads/proof.h"

namespace lockbench {

// The result of a call besides its time.
struct BenchmarkResult {
  std::optional<Proof> proof;               // absent: nothing is guarded
  std::optional<std::uint64_t> lock_bytes;  // of the primitive, after the loop
  std::string failure;                      // why there is no figure; empty if there is one

  // Why the call's figure must not be shown; empty if it may.
  std::string objection() const;
};

struct Call {
  std::string started_at;  // UTC, ISO 8601
  BenchmarkResult finding;
};

struct MicroBenchmark {
  using Body = std::function<BenchmarkResult(benchmark::State&)>;

  std::string name;
  Cell cell;
  Body body;
  // Google Benchmark calls the body repeatedly to find the number of iterations, and then once for
  // each repetition. The last calls are the repetitions.
  std::vector<Call> calls;
};

class Suite {
 public:
  void add(std::string name, Cell cell, MicroBenchmark::Body body);

  // In the order in which they were added.
  const std::vector<std::unique_ptr<MicroBenchmark>>& all() const { return all_; }

  // The benchmarks that --benchmark_filter selects: an extended regular expression that matches
  // anywhere in the name, or, after a `-`, all that do not match. Empty or `all` means all.
  // InvalidArgument lists the benchmarks if the expression is invalid or none match.
  absl::StatusOr<std::vector<MicroBenchmark*>> matching(const std::string& filter) const;

  // Registers all benchmarks with Google Benchmark. The suite must outlive the run.
  void register_all() const;

 private:
  std::vector<std::unique_ptr<MicroBenchmark>> all_;
};

// One thread and no window: Google Benchmark decides how long and how often it measures.
Cell micro_cell(PrimitiveSpec primitive, WorkloadSpec workload);

}  // namespace lockbench
