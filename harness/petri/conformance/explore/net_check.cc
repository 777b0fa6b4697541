// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/explore/net_check.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

#include "harness/petri/conformance/conformer.h"
#include "harness/petri/conformance/net_program.h"
#include "harness/stress/explore/execution/checked_run.h"
#include "harness/stress/explore/search/own_process.h"
#include "harness/stress/explore/search/schedule.h"
#include "harness/stress/explore/search/strategies.h"
#include "harness/stress/explore/world/world.h"
#include "harness/stress/litmus/generate.h"
#include "harness/stress/litmus/program.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::explore {
namespace {

using Clock = std::chrono::steady_clock;
using Report = stress::Report;

// The programs that are explored exhaustively get one of this many parts of the budget.
constexpr std::size_t kShareOfWhole = 2;
constexpr std::uint32_t kMostPreemptions = 2;

// The traces of one program differ little between interleavings, so each program is executed so
// often by each strategy.
constexpr int kWalksPerProgram = 2;

// The running thread continues as long as it can.
class OneAfterTheOther final : public Strategy {
 public:
  std::size_t choose(const Point&) override { return 0; }
};

class RecordedSimulation final : public RecordingEngine {
 public:
  RecordedSimulation(const RegisteredLock& entry, const Order& order)
      : entry_(entry), order_(order) {}

  const char* name() const override { return "sim"; }
  const char* how() const override { return "simulated threads"; }
  // One of the simulated threads starts and joins the others.
  std::uint32_t most_threads() const override { return kMaxThreads - 1; }

  absl::StatusOr<TriedKey> try_key(std::uint32_t first) override {
    TriedKey tried = [&] {
      const World::UntrackedScope untracked(world_);
      return TriedKey();
    }();
    OneAfterTheOther strategy;
    const auto attempt = [&] {
      try_keys(entry_, first,
               [&](const auto& note_poll) { platform::Thread([&] { note_poll(tried); }).join(); });
    };
    world_.run(attempt, strategy);
    return tried;
  }

  void execute(Conformer& conformer) override {
    std::vector<LitmusProgram> programs = programs_for(entry_.abilities, entry_.programs);
    // Where threads poll for long, the events are the same, and an execution takes long.
    std::erase_if(programs, [&](const LitmusProgram& program) {
      return program.polls != 0 || !fits(conformer.net(), conformer.keys(), program);
    });
    const auto share =
        order_.budget / (kShareOfWhole * (kMostPreemptions + 1) * programs.size() + 1);
    for (std::uint32_t bound = 0; bound <= kMostPreemptions; ++bound) {
      for (const LitmusProgram& program : programs) {
        explore(conformer, program, bound, Clock::now() + share);
      }
    }
    walk(conformer);
  }

  void complete(const Conformer&, Report& report) const override {
    report.replay = replay_;
    report.figures.emplace_back("steps", static_cast<double>(steps_));
  }

 private:
  void explore(Conformer& conformer, const LitmusProgram& program, std::uint32_t bound,
               Clock::time_point until) {
    for (DepthFirst search(bound); !search.exhausted() && !conformer.over(until); search.next()) {
      execute(conformer, program, search, "few preemptions");
    }
  }

  void walk(Conformer& conformer) {
    std::mt19937_64 random(order_.seed);
    while (!conformer.over()) {
      const auto threads = static_cast<std::uint32_t>(1 + random() % conformer.net().threads());
      const auto rounds = static_cast<std::uint32_t>(1 + random() % 4);
      const LitmusProgram program = generate_program(conformer.net(), conformer.keys(),
                                                     entry_.abilities, threads, rounds, random);
      const auto execute_by = [&](Strategy& strategy, const char* name) {
        if (!conformer.over()) execute(conformer, program, strategy, name);
      };
      for (int i = 0; i < kWalksPerProgram; ++i) {
        RandomWalk walk(random());
        execute_by(walk, "random walk");
        Pct pct(random(), 1 + static_cast<std::uint32_t>(random() % 4), longest_);
        execute_by(pct, "PCT");
        PartialOrderSampling sampling(random());
        execute_by(sampling, "partial-order sampling");
      }
    }
  }

  void execute(Conformer& conformer, const LitmusProgram& program, Strategy& strategy,
               const char* strategy_name) {
    Trace trace;
    CheckedRun run(world_, entry_, program);
    run.keep(&trace);
    const World::Execution execution = world_.run([&] { run.run(); }, strategy);
    run.verdict(execution.end);
    steps_ += execution.steps;
    longest_ = std::max(longest_, execution.steps);
    if (conformer.look_at({&trace, 1}, strategy_name)) return;
    replay_ = {.options = {"--engine", "sim", "--program", to_text(program), "--schedule",
                           to_text(Schedule{world_.conditions(), execution.schedule})},
               .exact = true};
  }

  const RegisteredLock& entry_;
  const Order& order_;
  World world_{MemoryModel::kTso};
  std::uint64_t steps_ = 0;
  std::uint64_t longest_ = 100;  // steps of the longest execution so far
  stress::Reproduction replay_;  // for the execution that disagreed
};

}  // namespace

absl::StatusOr<Report> check_conformance(const RegisteredLock& entry, const Order& order,
                                         const ReportProgress& report_progress) {
  RecordedSimulation engine(entry, order);
  return Conformer::check(engine, entry, order, report_progress);
}

absl::StatusOr<Report> check_conformance_in_own_process(const RegisteredLock& entry,
                                                        const Order& order,
                                                        const ReportProgress& report_progress) {
  return test_in_own_process(entry, order,
                             [&](const Order& wanted, ExecutionAhead&, const ReportLast&) {
                               return check_conformance(entry, wanted, report_progress);
                             });
}

}  // namespace lockbench::stress::explore
