// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/conformance.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <sys/prctl.h>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "harness/stress/conformance/conformance_run.h"
#include "harness/stress/conformance/key_map.h"
#include "harness/stress/conformance/program_source.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/processes/recorded_run.h"
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

class Conformer {
 public:
  Conformer(const RegisteredLock& entry, const WatchedNet& net, const KeyMap& keys,
            const Order& order, const ReportProgress& report_progress)
      : entry_(entry),
        net_(net),
        order_(order),
        programs_(entry, net, keys),
        run_(net, keys),
        clock_(order.budget, report_progress) {}

  Report report() {
    std::mt19937_64 random(order_.seed);
    while (!clock_.over(run_)) {
      const LitmusProgram drawn = programs_.next(random);
      const LitmusProgram program = random() % 2 == 0 ? lingering(drawn) : drawn;
      for (std::size_t i = 0; i < std::size(kFaults) && !clock_.over(run_); ++i) {
        const RunPlan plan{.program = program,
                           .passes = passes_for(program, kLength),
                           .yields = random() % 2 == 0,
                           .seed = random()};
        execute(plan, possible(kFaults[i]));
      }
    }
    return told();
  }

 private:
  FaultKind possible(FaultKind fault) const {
    const bool survives = net_.is_mortal() && !entry_.abilities.limits.no_kills;
    return kills(fault) && !survives ? FaultKind::kNone : fault;
  }

  void execute(const RunPlan& plan, FaultKind fault) {
    const RecordedRun run = run_recorded(entry_, plan, fault);
    run_.look_at(run.possible, "processes", run.ended_badly);
    faults_.killed += run.faults.killed;
    faults_.killed_inside += run.faults.killed_inside;
    faults_.stopped_inside += run.faults.stopped_inside;
    faults_.recycled += run.faults.recycled;
  }

  Report told() const {
    Report report =
        run_.complete({.engine = "proc", .lock = entry_.name, .seconds = clock_.seconds()});
    const std::pair<const char*, std::uint64_t> struck[] = {
        {"processes killed", faults_.killed},
        {"killed inside", faults_.killed_inside},
        {"stopped inside", faults_.stopped_inside},
        {"numbers recycled", faults_.recycled}};
    for (const auto& [name, times] : struck) {
      report.figures.emplace_back(name, static_cast<double>(times));
    }
    return report;
  }

  const RegisteredLock& entry_;
  const WatchedNet& net_;
  const Order& order_;
  ProgramSource programs_;
  ConformanceRun run_;
  BudgetClock clock_;
  RunFaults faults_;
};

// One process holds the key, and another process tries all keys.
absl::StatusOr<TriedKey> tried_by_processes(const RegisteredLock& entry, std::uint32_t first) {
  return tried_in_child([&](KeyTrial& trial) {
    try_keys(entry, first, [&](const auto& look) {
      collect_child(start_child([&] {
        TriedKey tried;
        look(tried);
        trial.store(tried);
      }));
    });
  });
}

}  // namespace

absl::StatusOr<Report> check_conformance(const RegisteredLock& entry, const Order& order,
                                         const ReportProgress& report_progress) {
  prctl(PR_SET_TIMERSLACK, 1UL);  // the run is polled every 200 us
  const absl::StatusOr<WatchedNet> net = WatchedNet::read(order.net);
  if (!net.ok()) return net.status();
  const absl::StatusOr<KeyMap> keys =
      map_keys(entry, *net, kMostProcesses,
               [&](std::uint32_t first) { return tried_by_processes(entry, first); });
  if (!keys.ok()) return keys.status();
  return Conformer(entry, *net, *keys, order, report_progress).report();
}

}  // namespace lockbench::stress::processes
