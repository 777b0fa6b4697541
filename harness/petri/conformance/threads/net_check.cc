// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/threads/net_check.h"

#include <chrono>
#include <random>
#include <thread>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/petri/conformance/conformer.h"
#include "harness/petri/conformance/program_source.h"
#include "harness/petri/conformance/threads/recorded_run.h"
#include "harness/stress/litmus/program.h"
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

class RecordedThreads final : public RecordingEngine {
 public:
  RecordedThreads(const RegisteredLock& entry, const Order& order) : entry_(entry), order_(order) {}

  const char* name() const override { return "real"; }
  const char* how() const override { return "native threads"; }
  std::uint32_t most_threads() const override { return kMostThreads; }

  absl::StatusOr<TriedKey> try_key(std::uint32_t first) override {
    return tried_in_child([&](KeyTrial& trial) {
      TriedKey tried;
      try_keys(entry_, first, [&](const auto& look) { std::thread([&] { look(tried); }).join(); });
      trial.store(tried);
    });
  }

  void execute(Conformer& conformer) override {
    ProgramSource programs(entry_, conformer.net(), conformer.keys());
    std::mt19937_64 random(order_.seed);
    while (!conformer.over()) {
      const LitmusProgram program = programs.next(random);
      for (int run = 0; run < kRunsPerProgram && !conformer.over(); ++run) {
        execute(conformer, {.program = program,
                            .passes = passes_for(program, kLength),
                            .yields = run % 2 == 0,
                            .seed = random()});
      }
    }
  }

  void complete(const Conformer& conformer, Report& report) const override {
    if (conformer.skipped() == 0) return;
    report.remarks.push_back(
        absl::StrFormat("not checked of %d executions, which took so long that a hold may have "
                        "ended by the clock",
                        conformer.skipped()));
  }

 private:
  void execute(Conformer& conformer, const RunPlan& plan) const {
    const Clock::time_point begin = Clock::now();
    const RecordedRun run = run_recorded(entry_, plan);
    // A hold may have expired, which no observer sees.
    const auto limit = entry_.abilities.hold_limit;
    if (limit.count() != 0 && Clock::now() - begin >= limit / 2) {
      conformer.skip();
    } else {
      conformer.look_at({&run.trace, 1}, how(), run.ended_badly);
    }
  }

  const RegisteredLock& entry_;
  const Order& order_;
};

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
  RecordedThreads engine(entry, order);
  return Conformer::check(engine, entry, order, report_progress);
}

}  // namespace lockbench::stress::threads
