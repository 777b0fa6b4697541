// SPDX-License-Identifier: Apache-2.0

// ConformanceRun: checks the executions of a lock against its net, one after the other, and
// collects the result. Pure: it does not run the lock.
//
// The run fails at the first execution that disagrees; no execution should be checked after that.
// The oracle is kNet if the net cannot do what was seen, and kCrash if the net can do it but
// the execution ended badly. If no execution was decided, or there was none, the report is
// inconclusive and never clean.
//
// BudgetClock: the time limit of a conformance run, and its progress messages.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/petri/conformance/trace_checker.h"
#include "harness/petri/conformance/watched_net.h"
#include "harness/stress/engine_program.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/report.h"
#include "harness/stress/trace/event.h"

namespace lockbench::stress {

class ConformanceRun {
 public:
  ConformanceRun(const WatchedNet& net, const KeyMap& keys) : net_(net), checker_(net, keys) {}

  // Checks one execution. `possible` are all traces that it may have had (TraceChecker::look_at),
  // `how` is the strategy or mode that ran it. `ended_badly` says how its process ended; empty: not
  // badly.
  void look_at(std::span<const Trace> possible, const std::string& how,
               const std::string& ended_badly = "");

  // Counts an execution that cannot be checked.
  void skip();

  bool failed() const { return failure_.has_value(); }
  std::uint64_t executions() const { return executions_; }
  std::uint64_t skipped() const { return skipped_; }

  // `begun` contains the engine, the lock and the duration. Returns it with the verdict, figures
  // and remarks added.
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

class BudgetClock {
 public:
  using Clock = std::chrono::steady_clock;

  BudgetClock(std::chrono::nanoseconds budget, const ReportProgress& report_progress)
      : report_(report_progress), end_(began_ + budget) {}

  Clock::time_point end() const { return end_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  // True if the run has failed or the time is past `until`. Reports the number of executions a few
  // times a second.
  bool over(const ConformanceRun& run, Clock::time_point until);

  // The same with the end of the whole budget as the limit.
  bool over(const ConformanceRun& run) { return over(run, end_); }

 private:
  const ReportProgress& report_;
  const Clock::time_point began_ = Clock::now();
  const Clock::time_point end_;
  Clock::time_point reported_at_ = began_;
};

}  // namespace lockbench::stress
