// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/conformance.h"

#include <chrono>
#include <random>
#include <string>
#include <thread>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/stress/conformance/conformance_run.h"
#include "harness/stress/conformance/key_map.h"
#include "harness/stress/conformance/program_source.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/threads/recorded_run.h"
#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {
namespace {

using Clock = std::chrono::steady_clock;
using Report = stress::Report;

// The limits of one run, for all threads together.
constexpr RunLength kLength{.acts = 1500, .most_passes = 200};

// The scheduler may keep a thread from running for as long as a run takes, which is a few
// milliseconds.
constexpr std::chrono::seconds kShortestLimit{1};

constexpr int kRunsPerProgram = 2;  // with yields and without

constexpr char kHow[] = "native threads";

class Conformer {
 public:
  Conformer(const RegisteredLock& entry, const WatchedNet& net, const KeyMap& keys,
            const Order& order, const ReportProgress& report_progress)
      : entry_(entry),
        order_(order),
        programs_(entry, net, keys),
        run_(net, keys),
        clock_(order.budget, report_progress) {}

  Report report() {
    std::mt19937_64 random(order_.seed);
    while (!clock_.over(run_)) {
      const LitmusProgram program = programs_.next(random);
      for (int run = 0; run < kRunsPerProgram && !clock_.over(run_); ++run) {
        execute({.program = program,
                 .passes = passes_for(program, kLength),
                 .yields = run % 2 == 0,
                 .seed = random()});
      }
    }
    return finished_report();
  }

 private:
  void execute(const RunPlan& plan) {
    const Clock::time_point begin = Clock::now();
    const RecordedRun run = run_recorded(entry_, plan);
    // A hold may have expired, which no observer sees.
    const auto limit = entry_.abilities.hold_limit;
    if (limit.count() != 0 && Clock::now() - begin >= limit / 2) {
      run_.skip();
    } else {
      run_.look_at({&run.trace, 1}, kHow, run.ended_badly);
    }
  }

  Report finished_report() const {
    Report report =
        run_.complete({.engine = "real", .lock = entry_.name, .seconds = clock_.seconds()});
    if (run_.skipped() != 0) {
      report.remarks.push_back(
          absl::StrFormat("not checked of %d executions, which took so long that a hold may have "
                          "ended by the clock",
                          run_.skipped()));
    }
    return report;
  }

  const RegisteredLock& entry_;
  const Order& order_;
  ProgramSource programs_;
  ConformanceRun run_;
  BudgetClock clock_;
};

absl::StatusOr<TriedKey> tried_natively(const RegisteredLock& entry, std::uint32_t first) {
  return tried_in_child([&](KeyTrial& trial) {
    TriedKey tried;
    try_keys(entry, first, [&](const auto& look) { std::thread([&] { look(tried); }).join(); });
    trial.store(tried);
  });
}

// The report for a lock that crashed or hung before it could be compared with the locks of the net.
Report failed_at_once(const RegisteredLock& entry, const absl::Status& how) {
  Report report{.engine = "real", .lock = entry.name, .verdict = Verdict::kFailed};
  report.failure = Failure{Oracle::kCrash, "before any event: " + std::string(how.message())};
  report.how = kHow;
  return report;
}

}  // namespace

absl::StatusOr<Report> check_conformance(const RegisteredLock& entry, const Order& order,
                                         const ReportProgress& report_progress) {
  const auto limit = entry.abilities.hold_limit;
  if (limit.count() != 0 && limit < kShortestLimit) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", entry.name,
        "' takes keys away by the clock, sooner than native threads can be sure to run; use the "
        "simulated engine, which has the clock in its hands"));
  }
  const absl::StatusOr<WatchedNet> net = WatchedNet::read(order.net);
  if (!net.ok()) return net.status();
  const absl::StatusOr<KeyMap> keys = map_keys(
      entry, *net, kMostThreads, [&](std::uint32_t first) { return tried_natively(entry, first); });
  if (absl::IsAborted(keys.status())) return failed_at_once(entry, keys.status());
  if (!keys.ok()) return keys.status();
  return Conformer(entry, *net, *keys, order, report_progress).report();
}

}  // namespace lockbench::stress::threads
