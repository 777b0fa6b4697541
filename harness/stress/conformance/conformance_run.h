// SPDX-License-Identifier: Apache-2.0

// ConformanceRun: what comes of holding a lock against its net, one execution after the other.
// Pure: of clocks, and of how a lock is run, it knows nothing.
//
// The first execution that disagrees failed, and none should be looked at after it. It is
// convicted by the oracle kNet when the net cannot do what was seen; by kCrash when it can, and the
// execution came to a bad end. Where nothing was decided of any execution, or there was none, the
// report is inconclusive and never clean.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/stress/conformance/trace_checker.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/report.h"
#include "harness/stress/trace/trace.h"

namespace lockbench::stress {

class ConformanceRun {
 public:
  ConformanceRun(const WatchedNet& net, const KeyMap& keys) : net_(net), checker_(net, keys) {}

  // All that may have happened in an execution (TraceChecker::look_at), and the strategy or mode
  // that had it. `ended_badly` says what became of who did it; empty: nothing bad.
  void look_at(std::span<const Trace> possible, const std::string& how,
               const std::string& ended_badly = "");

  // Counts an execution of which nothing can be said.
  void skip();

  bool failed() const { return failure_.has_value(); }
  std::uint64_t executions() const { return executions_; }
  std::uint64_t skipped() const { return skipped_; }

  // `begun` says whose report it is and how long it took; the rest is put in, and figures and
  // remarks are added.
  Report complete(Report begun) const;

 private:
  const WatchedNet& net_;
  TraceChecker checker_;
  std::uint64_t executions_ = 0;
  std::uint64_t skipped_ = 0;
  std::optional<Failure> failure_;
  std::string how_;
  std::vector<NetEvent> trace_;
};

}  // namespace lockbench::stress
