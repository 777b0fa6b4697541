// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/search/conformance.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "harness/stress/conformance/conformance_run.h"
#include "harness/stress/conformance/key_map.h"
#include "harness/stress/conformance/net_program.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/explore/execution/checked_run.h"
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

// The traces of one program differ little between interleavings, so each program gets this many
// walks.
constexpr int kWalksPerProgram = 4;

class Conformer {
 public:
  Conformer(World& world, const RegisteredLock& entry, const WatchedNet& net, const KeyMap& keys,
            const Order& order, const ReportProgress& report_progress)
      : world_(world),
        entry_(entry),
        net_(net),
        keys_(keys),
        order_(order),
        run_(net, keys),
        clock_(order.budget, report_progress) {}

  Report report() {
    std::vector<LitmusProgram> programs = programs_for(entry_.abilities, entry_.programs);
    // Where threads poll for long, the events are the same, and an execution takes long.
    std::erase_if(programs, [this](const LitmusProgram& program) {
      return program.polls != 0 || !fits(net_, keys_, program);
    });
    const auto share =
        order_.budget / (kShareOfWhole * (kMostPreemptions + 1) * programs.size() + 1);
    for (std::uint32_t bound = 0; bound <= kMostPreemptions; ++bound) {
      for (const LitmusProgram& program : programs) explore(program, bound, Clock::now() + share);
    }
    walk(clock_.end());
    return told();
  }

 private:
  void explore(const LitmusProgram& program, std::uint32_t bound, Clock::time_point until) {
    for (DepthFirst search(bound); !search.exhausted() && !clock_.over(run_, until);
         search.next()) {
      execute(program, search, "every interleaving");
    }
  }

  void walk(Clock::time_point until) {
    std::mt19937_64 random(order_.seed);
    while (!clock_.over(run_, until)) {
      const auto threads = static_cast<std::uint32_t>(1 + random() % net_.threads());
      const auto rounds = static_cast<std::uint32_t>(1 + random() % 4);
      const LitmusProgram program =
          generate_program(net_, keys_, entry_.abilities, threads, rounds, random);
      for (int i = 0; i < kWalksPerProgram && !clock_.over(run_, until); ++i) {
        if (i % 2 == 0) {
          RandomWalk strategy(random());
          execute(program, strategy, "random walk");
        } else {
          Pct strategy(random(), 1 + static_cast<std::uint32_t>(random() % 4), longest_);
          execute(program, strategy, "PCT");
        }
      }
    }
  }

  void execute(const LitmusProgram& program, Strategy& strategy, const char* name) {
    Trace trace;
    CheckedRun run(world_, entry_, program);
    run.keep(&trace);
    const World::Execution execution = world_.run([&] { run.run(); }, strategy);
    run.verdict(execution.end);
    steps_ += execution.steps;
    longest_ = std::max(longest_, execution.steps);
    run_.look_at({&trace, 1}, name);
    if (!run_.failed()) return;
    replay_ = {.options = {"--engine", "sim", "--program", to_text(program), "--schedule",
                           to_text(Schedule{world_.conditions(), execution.schedule})},
               .exact = true};
  }

  Report told() const {
    Report report = run_.complete(
        {.engine = "sim", .lock = entry_.name, .replay = replay_, .seconds = clock_.seconds()});
    report.figures.emplace_back("steps", static_cast<double>(steps_));
    return report;
  }

  World& world_;
  const RegisteredLock& entry_;
  const WatchedNet& net_;
  const KeyMap& keys_;
  const Order& order_;
  ConformanceRun run_;
  BudgetClock clock_;
  std::uint64_t steps_ = 0;
  std::uint64_t longest_ = 100;  // steps of the longest execution so far
  stress::Reproduction replay_;  // for the execution that disagreed
};

// The running thread continues as long as it can.
class OneAfterTheOther final : public Strategy {
 public:
  std::size_t choose(const Point&) override { return 0; }
};

TriedKey tried_in(World& world, const RegisteredLock& entry, std::uint32_t first) {
  TriedKey tried = [&] {
    const World::UntrackedScope untracked(world);
    return TriedKey();
  }();
  OneAfterTheOther strategy;
  const auto attempt = [&] {
    try_keys(entry, first,
             [&](const auto& note_poll) { platform::Thread([&] { note_poll(tried); }).join(); });
  };
  world.run(attempt, strategy);
  return tried;
}

}  // namespace

absl::StatusOr<Report> check_conformance(const RegisteredLock& entry, const Order& order,
                                         const ReportProgress& report_progress) {
  const absl::StatusOr<WatchedNet> net = WatchedNet::read(order.net);
  if (!net.ok()) return net.status();
  World world(Model::kTso);
  // One of the simulated threads starts and joins the others.
  const absl::StatusOr<KeyMap> keys =
      map_keys(entry, *net, kMaxThreads - 1,
               [&](std::uint32_t first) { return tried_in(world, entry, first); });
  if (!keys.ok()) return keys.status();
  return Conformer(world, entry, *net, *keys, order, report_progress).report();
}

}  // namespace lockbench::stress::explore
