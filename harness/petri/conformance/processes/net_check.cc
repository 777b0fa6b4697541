// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/processes/net_check.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <sys/prctl.h>
#include <utility>
#include <vector>

#include "harness/petri/conformance/conformer.h"
#include "harness/petri/conformance/processes/recorded_run.h"
#include "harness/petri/conformance/program_source.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/processes/shared_state.h"
#include "harness/stress/supervision/children.h"

namespace lockbench::stress::processes {
namespace {

using Report = stress::Report;

// The limits of one run, for all processes together.
constexpr RunLength kLength{.acts = 600, .most_passes = 40};

// Used in turn. If the net's threads cannot die, only the last one is used.
constexpr FaultKind kFaults[] = {FaultKind::kKill, FaultKind::kStop, FaultKind::kKill,
                                 FaultKind::kRecycle, FaultKind::kNone};

// Adds a sleep to every hold, so that other processes arrive meanwhile. The runner sleeps for a
// part of that time.
LitmusProgram lingering(LitmusProgram program) {
  constexpr Act kLinger{.kind = Act::kSleep, .ns = 4'000'000};
  for (std::vector<Act>& acts : program.threads) {
    for (std::size_t i = 0; i < acts.size(); ++i) {
      if (acquires(acts[i].kind))
        acts.insert(acts.begin() + static_cast<std::ptrdiff_t>(++i), kLinger);
    }
  }
  return program;
}

class RecordedProcesses final : public RecordingEngine {
 public:
  RecordedProcesses(const RegisteredLock& entry, const Order& order)
      : entry_(entry), order_(order) {}

  const char* name() const override { return "proc"; }
  const char* how() const override { return "processes"; }
  std::uint32_t most_threads() const override { return kMostProcesses; }

  // One process holds the key, and another process tries all keys.
  absl::StatusOr<TriedKey> try_key(std::uint32_t first) override {
    return tried_in_child([&](KeyTrial& trial) {
      try_keys(entry_, first, [&](const auto& look) {
        collect_child(start_child([&] {
          TriedKey tried;
          look(tried);
          trial.store(tried);
        }));
      });
    });
  }

  void execute(Conformer& conformer) override {
    ProgramSource programs(entry_, conformer.net(), conformer.keys());
    const bool survives_kills = conformer.net().is_mortal() && !entry_.abilities.limits.no_kills;
    std::mt19937_64 random(order_.seed);
    while (!conformer.over()) {
      const LitmusProgram drawn = programs.next(random);
      const LitmusProgram program = random() % 2 == 0 ? lingering(drawn) : drawn;
      for (std::size_t i = 0; i < std::size(kFaults) && !conformer.over(); ++i) {
        const RunPlan plan{.program = program,
                           .passes = passes_for(program, kLength),
                           .yields = random() % 2 == 0,
                           .seed = random()};
        const bool possible = survives_kills || !kills(kFaults[i]);
        execute(conformer, plan, possible ? kFaults[i] : FaultKind::kNone);
      }
    }
  }

  void complete(const Conformer&, Report& report) const override {
    const std::pair<const char*, std::uint64_t> struck[] = {
        {"processes killed", faults_.killed},
        {"killed inside", faults_.killed_inside},
        {"stopped inside", faults_.stopped_inside},
        {"numbers recycled", faults_.recycled}};
    for (const auto& [name, times] : struck) {
      report.figures.emplace_back(name, static_cast<double>(times));
    }
  }

 private:
  void execute(Conformer& conformer, const RunPlan& plan, FaultKind fault) {
    const RecordedRun run = run_recorded(entry_, plan, fault);
    conformer.look_at(run.possible, how(), run.ended_badly);
    faults_.killed += run.faults.killed;
    faults_.killed_inside += run.faults.killed_inside;
    faults_.stopped_inside += run.faults.stopped_inside;
    faults_.recycled += run.faults.recycled;
  }

  const RegisteredLock& entry_;
  const Order& order_;
  RunFaults faults_;
};

}  // namespace

absl::StatusOr<Report> check_conformance(const RegisteredLock& entry, const Order& order,
                                         const ReportProgress& report_progress) {
  prctl(PR_SET_TIMERSLACK, 1UL);  // the run is polled every 200 us
  RecordedProcesses engine(entry, order);
  return Conformer::check(engine, entry, order, report_progress);
}

}  // namespace lockbench::stress::processes
