// SPDX-License-Identifier: Apache-2.0

// Conformer: checks the executions of one lock against its Petri net, until the budget is over or
// an execution disagrees. It reads the net, finds which keys are which locks of the net, and makes
// the report. What a thread is, and how programs run on it and are recorded, is a
// RecordingEngine's.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <absl/status/statusor.h>

#include "harness/petri/conformance/conformance_run.h"
#include "harness/petri/conformance/key_map.h"
#include "harness/petri/conformance/watched_net.h"
#include "harness/stress/engine_program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"
#include "harness/stress/trace/event.h"

namespace lockbench::stress {

class Conformer;

// The interface of an engine for one lock.
class RecordingEngine {
 public:
  virtual ~RecordingEngine() = default;

  virtual const char* name() const = 0;            // `sim`
  virtual const char* how() const = 0;             // "native threads"
  virtual std::uint32_t most_threads() const = 0;  // that a net may have

  // Holds the key `first` and tries all keys. Fails with Aborted if that ended the process.
  virtual absl::StatusOr<TriedKey> try_key(std::uint32_t first) = 0;

  // Executes programs and passes each execution to the conformer, until that is over.
  virtual void execute(Conformer& conformer) = 0;

  // Adds to the finished report what this engine alone has counted.
  virtual void complete(const Conformer& conformer, Report& report) const = 0;
};

class Conformer {
 public:
  using Clock = BudgetClock::Clock;

  // Requires: order.net is not empty. Fails with InvalidArgument if the net cannot be read or does
  // not describe this lock, for example because it has other locks or other capacities. The oracle
  // of a counterexample is kNet, or kCrash if an execution ended badly. The report's trace contains
  // the events up to the failure. Remarks name the transitions of the net that are visible to an
  // observer and that no trace took.
  static absl::StatusOr<Report> check(RecordingEngine& engine, const RegisteredLock& entry,
                                      const Order& order, const ReportProgress& report_progress);

  const WatchedNet& net() const { return net_; }
  const KeyMap& keys() const { return keys_; }

  // True if an execution disagreed or the budget, or the time `until`, is over.
  bool over() { return clock_.over(run_); }
  bool over(Clock::time_point until) { return clock_.over(run_, until); }
  Clock::time_point end() const { return clock_.end(); }

  // As those of ConformanceRun. look_at() returns whether the execution agreed.
  bool look_at(std::span<const Trace> possible, const std::string& how,
               const std::string& ended_badly = "");
  void skip() { run_.skip(); }
  std::uint64_t skipped() const { return run_.skipped(); }

 private:
  Conformer(const WatchedNet& net, const KeyMap& keys, const Order& order,
            const ReportProgress& report_progress)
      : net_(net), keys_(keys), run_(net, keys), clock_(order.budget, report_progress) {}

  const WatchedNet& net_;
  const KeyMap& keys_;
  ConformanceRun run_;
  BudgetClock clock_;
};

}  // namespace lockbench::stress
