// SPDX-License-Identifier: Apache-2.0

// Suite: the benchmarks of lockbench-micro by name, and what each call of one found besides time.
//
//   uncontended/<primitive>/<key type>               a handle made, locked and unlocked: one key
//   uncontended/<primitive>/<key type>/keys:10000    the same, each key in turn, in no order
//   base/<lock>                                      a base lock alone, locked and unlocked
//   scenario/<scenario>/<primitive>                  five acquisitions and releases (nested.h)
//   limit/<what>                                     what the machine itself takes
//
// Guarantees   a figure without its proof is not printed: a call whose proof does not hold, or that
//              could not be made here, is an error in Google Benchmark's report, with the reason.
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

#include "harness/plan/cell.h"
#include "workloads/proof.h"

namespace lockbench {

// What a call found besides its time.
struct BenchmarkResult {
  std::optional<Proof> proof;               // absent: nothing is guarded, so nothing can be lost
  std::optional<std::uint64_t> lock_bytes;  // of the primitive, after the loop
  std::string failure;                      // why there is no figure; empty: there is one

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
  // Google Benchmark calls the body again and again until it has found how many iterations to do,
  // and then once a repetition: the last ones are the repetitions.
  std::vector<Call> calls;
};

class Suite {
 public:
  void add(std::string name, Cell cell, MicroBenchmark::Body body);

  // In the order in which they were added.
  const std::vector<std::unique_ptr<MicroBenchmark>>& all() const { return all_; }

  // Those that --benchmark_filter means: an extended regular expression anywhere in the name, or
  // after a `-` all others; empty or `all` means all. InvalidArgument says what exists when it is
  // no such expression or none match.
  absl::StatusOr<std::vector<MicroBenchmark*>> matching(const std::string& filter) const;

  // Makes all known to Google Benchmark. The suite must outlive the run.
  void register_all() const;

 private:
  std::vector<std::unique_ptr<MicroBenchmark>> all_;
};

// One thread, no window: how long and how often is Google Benchmark's decision.
Cell micro_cell(PrimitiveSpec primitive, WorkloadSpec workload);

}  // namespace lockbench
