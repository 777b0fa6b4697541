// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/sim/conformance.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/stress/client.h"
#include "harness/stress/conformance/coverage_text.h"
#include "harness/stress/conformance/judge.h"
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
        judge_(net, keys),
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
  bool over(Clock::time_point until) {
    return disagreement_.has_value() || pace_.is(until, executions_);
  }

  void explore(const Client& client, std::uint32_t bound, Clock::time_point until) {
    for (DepthFirst search(bound); !search.exhausted() && !over(until); search.next()) {
      execute(client, search, "every interleaving");
    }
  }

  void walk(Clock::time_point until) {
    std::mt19937_64 random(order_.seed);
    while (!over(until)) {
      const auto threads = static_cast<std::uint32_t>(1 + random() % net_.threads());
      const auto rounds = static_cast<std::uint32_t>(1 + random() % 4);
      const Client client = draw_client(net_, keys_, lineup_.abilities, threads, rounds, random);
      for (int i = 0; i < kWalksPerClient && !over(until); ++i) {
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
    World::Execution execution = world_.run([&] { investigation.run(); }, strategy);
    investigation.verdict(execution.end);
    ++executions_;
    steps_ += execution.steps;
    longest_ = std::max(longest_, execution.steps);
    disagreement_ = judge_.look_at(chronicle);
    if (!disagreement_) return;
    client_ = client;
    schedule_ = std::move(execution.schedule);
    strategy_ = name;
  }

  Report told() {
    Report report{.engine = "sim", .suspect = lineup_.name};
    report.seconds = pace_.seconds();
    report.figures = {{"executions", static_cast<double>(executions_)},
                      {"steps", static_cast<double>(steps_)},
                      {"events", static_cast<double>(judge_.events())}};
    for (std::uint64_t i = 0; i < executions_; ++i) report.evaluations.count(Oracle::kNet);
    if (disagreement_) {
      report.verdict = Verdict::kConvicted;
      report.finding = Finding{Oracle::kNet, disagreement_->what};
      report.how = strategy_;
      report.found_after_s = report.seconds;
      report.story = disagreement_->events;
      report.replay = {.options = {"--engine", "sim", "--client", to_text(client_), "--schedule",
                                   to_text(schedule_)},
                       .exact = true};
    }
    report.remarks = coverage_text(net_.net(), judge_);
    return report;
  }

  World& world_;
  const Lineup& lineup_;
  const WatchedNet& net_;
  const KeyMap& keys_;
  const Order& order_;
  Judge judge_;
  Pace pace_;
  std::uint64_t executions_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t longest_ = 100;  // steps of an execution so far
  std::optional<Disagreement> disagreement_;
  Client client_;
  std::vector<Option> schedule_;
  const char* strategy_ = "";
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
  world.run([&] { try_keys<platform::Thread>(lineup, first, tried); }, strategy);
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
