// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/sim/conformance.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "harness/stress/client.h"
#include "harness/stress/conformance/hearing.h"
#include "harness/stress/conformance/key_map.h"
#include "harness/stress/conformance/net_client.h"
#include "harness/stress/conformance/pace.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/sim/investigation.h"
#include "harness/stress/sim/schedule.h"
#include "harness/stress/sim/strategies.h"
#include "harness/stress/sim/world.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::sim {
namespace {

using Clock = std::chrono::steady_clock;
using Report = stress::Report;

// One in so many parts of the budget goes to clients that are explored whole.
constexpr std::size_t kShareOfWhole = 2;
constexpr std::uint32_t kMostPreemptions = 2;

// What is seen differs little between interleavings of one client: each is tried so often.
constexpr int kWalksPerClient = 4;

class Conformer {
 public:
  Conformer(World& world, const Lineup& lineup, const WatchedNet& net, const KeyMap& keys,
            const Order& order, const Tell& tell)
      : world_(world),
        lineup_(lineup),
        net_(net),
        keys_(keys),
        order_(order),
        hearing_(net, keys),
        pace_(order.budget, tell) {}

  Report report() {
    std::vector<Client> clients = clients_for(lineup_);
    std::erase_if(clients, [this](const Client& client) { return !fits(net_, keys_, client); });
    const auto share =
        order_.budget / (kShareOfWhole * (kMostPreemptions + 1) * clients.size() + 1);
    for (std::uint32_t bound = 0; bound <= kMostPreemptions; ++bound) {
      for (const Client& client : clients) explore(client, bound, Clock::now() + share);
    }
    walk(pace_.end());
    return told();
  }

 private:
  void explore(const Client& client, std::uint32_t bound, Clock::time_point until) {
    for (DepthFirst search(bound); !search.exhausted() && !pace_.over(hearing_, until);
         search.next()) {
      execute(client, search, "every interleaving");
    }
  }

  void walk(Clock::time_point until) {
    std::mt19937_64 random(order_.seed);
    while (!pace_.over(hearing_, until)) {
      const auto threads = static_cast<std::uint32_t>(1 + random() % net_.threads());
      const auto rounds = static_cast<std::uint32_t>(1 + random() % 4);
      const Client client = draw_client(net_, keys_, lineup_.abilities, threads, rounds, random);
      for (int i = 0; i < kWalksPerClient && !pace_.over(hearing_, until); ++i) {
        if (i % 2 == 0) {
          RandomWalk strategy(random());
          execute(client, strategy, "random walk");
        } else {
          Pct strategy(random(), 1 + static_cast<std::uint32_t>(random() % 4), longest_);
          execute(client, strategy, "PCT");
        }
      }
    }
  }

  void execute(const Client& client, Strategy& strategy, const char* name) {
    Chronicle chronicle;
    Investigation investigation(world_, lineup_, client);
    investigation.keep(&chronicle);
    const World::Execution execution = world_.run([&] { investigation.run(); }, strategy);
    investigation.verdict(execution.end);
    steps_ += execution.steps;
    longest_ = std::max(longest_, execution.steps);
    hearing_.look_at({&chronicle, 1}, name);
    if (!hearing_.convicts()) return;
    replay_ = {.options = {"--engine", "sim", "--client", to_text(client), "--schedule",
                           to_text(execution.schedule)},
               .exact = true};
  }

  Report told() const {
    Report report = hearing_.complete(
        {.engine = "sim", .suspect = lineup_.name, .replay = replay_, .seconds = pace_.seconds()});
    report.figures.emplace_back("steps", static_cast<double>(steps_));
    return report;
  }

  World& world_;
  const Lineup& lineup_;
  const WatchedNet& net_;
  const KeyMap& keys_;
  const Order& order_;
  Hearing hearing_;
  Pace pace_;
  std::uint64_t steps_ = 0;
  std::uint64_t longest_ = 100;  // steps of an execution so far
  stress::Replay replay_;        // of the execution that disagreed
};

// Whoever runs goes on for as long as it can.
class OneAfterTheOther final : public Strategy {
 public:
  std::size_t choose(const Point&) override { return 0; }
};

TriedKey tried_in(World& world, const Lineup& lineup, std::uint32_t first) {
  TriedKey tried = [&] {
    const World::Aside aside(world);
    return TriedKey();
  }();
  OneAfterTheOther strategy;
  const auto attempt = [&] {
    try_keys(lineup, first,
             [&](const auto& look) { platform::Thread([&] { look(tried); }).join(); });
  };
  world.run(attempt, strategy);
  return tried;
}

}  // namespace

absl::StatusOr<Report> hold_against_net(const Lineup& lineup, const Order& order,
                                        const Tell& tell) {
  const absl::StatusOr<WatchedNet> net = WatchedNet::read(order.net);
  if (!net.ok()) return net.status();
  World world(Model::kTso);
  // One of the simulated threads is the one that starts and awaits the others.
  const absl::StatusOr<KeyMap> keys =
      map_keys(lineup, *net, kMaxThreads - 1,
               [&](std::uint32_t first) { return tried_in(world, lineup, first); });
  if (!keys.ok()) return keys.status();
  return Conformer(world, lineup, *net, *keys, order, tell).report();
}

}  // namespace lockbench::stress::sim
