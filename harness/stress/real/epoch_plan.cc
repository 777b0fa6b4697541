// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/epoch_plan.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/stress/real/board.h"
#include "workloads/random.h"

namespace lockbench::stress::real {
namespace {

constexpr std::uint32_t kHoldsOfAList = 32;
constexpr std::uint32_t kMostHoldsBeforeMeeting = 6;
constexpr std::int64_t kLongHoldNs = 30'000'000;
constexpr std::int64_t kDwellNs = 700;
constexpr std::uint32_t kDeepNest = 300;  // deeper than 8 bits can count

// Makes of drawn acts, which are meant for a clock that costs nothing, what native threads can do
// many times in an epoch.
class Shape {
 public:
  Shape(const Abilities& abilities, Disturbance disturbance, Random& random)
      : abilities_(abilities), disturbance_(disturbance), random_(random) {}

  std::vector<Act> of(const std::vector<Act>& acts) const {
    std::vector<Act> shaped;
    for (Act act : acts) {
      if (act.kind == Act::kRest) act.ns = shorter(act.ns);
      if (act.kind == Act::kTakeFor && random_.below(2) == 0) act.ns = shorter(act.ns);
      if (takes(act.kind) && abilities_.refuses_strangers && random_.below(8) == 0) {
        shaped.push_back({.kind = Act::kGiveForeign, .key = act.key});
      }
      shaped.push_back(act);
      if (takes(act.kind)) dwell(shaped);
    }
    return shaped;
  }

 private:
  // Now and then a rest is as long as it was drawn.
  std::int64_t shorter(std::int64_t ns) const { return random_.below(64) == 0 ? ns : ns / part_; }

  // A hold that lasts longer than the way to the next one is a hold that others meet.
  void dwell(std::vector<Act>& acts) const {
    if (disturbance_ == Disturbance::kLongHolds && random_.below(8) == 0) {
      acts.push_back({.kind = Act::kRest, .ns = kLongHoldNs});
    } else if (dwells_) {
      acts.push_back({.kind = Act::kRest, .ns = kDwellNs});
    }
  }

  const Abilities& abilities_;
  const Disturbance disturbance_;
  Random& random_;
  const std::int64_t part_ = random_.below(2) == 0 ? 1000 : 100;
  const bool dwells_ = random_.below(2) == 0;
};

std::vector<Act> deep_nest() {
  std::vector<Act> acts(kDeepNest, {.kind = Act::kTake});
  acts.insert(acts.end(), kDeepNest, {.kind = Act::kGive});
  return acts;
}

Client drawn(const Lineup& lineup, const EpochPlan& plan, std::uint32_t threads, Random& random) {
  const auto holds = static_cast<std::uint32_t>(
      plan.meets ? 1 + random.below(kMostHoldsBeforeMeeting) : kHoldsOfAList);
  Client client = draw_client(
      lineup.abilities, {.threads = threads, .keys = plan.keys, .holds = holds}, random.next());
  const Shape shape(lineup.abilities, plan.mode.disturbance, random);
  for (auto& acts : client.threads) acts = shape.of(acts);
  if (lineup.abilities.reentrant && random.below(4) == 0) {
    const std::vector<Act> nest = deep_nest();
    client.threads.front().insert(client.threads.front().end(), nest.begin(), nest.end());
  }
  return client;
}

// All want one key, hold it for a moment and want it again at once.
Client contest(std::uint32_t threads) {
  const std::vector<Act> acts = {
      {.kind = Act::kTake}, {.kind = Act::kRest, .ns = 1000}, {.kind = Act::kGive}};
  return {.threads = std::vector<std::vector<Act>>(threads, acts)};
}

bool has(const Client& client, Act::Kind kind) {
  return std::any_of(client.threads.begin(), client.threads.end(), [&](const auto& acts) {
    return std::any_of(acts.begin(), acts.end(), [&](const Act& act) { return act.kind == kind; });
  });
}

// Written clients that can be repeated; those of the line-up come first and as often as all others.
std::optional<Client> written(const Lineup& lineup, Random& random) {
  std::vector<Client> clients = clients_for(lineup);
  const std::size_t own = lineup.clients.size();
  const std::uint64_t share = random.below(4);
  if (own != 0 && share < 2) return clients[random.below(own)];
  std::erase_if(clients, [](const Client& client) { return has(client, Act::kAwait); });
  if (share == 2) return clients[random.below(clients.size())];
  return std::nullopt;
}

// The shortest written ones for two threads: the windows of a lock are met when its calls begin at
// once and not much else is done. `L0 U | L0 U` is as likely as all others.
Client duel(const Lineup& lineup, Random& random) {
  std::vector<Client> clients = clients_for(lineup);
  const Client simplest = clients[lineup.clients.size()];
  std::erase_if(clients, [](const Client& client) {
    return has(client, Act::kAwait) || has(client, Act::kRest) || client.threads.size() != 2;
  });
  return random.below(2) == 0 ? simplest : clients[random.below(clients.size())];
}

// The client with as many threads: its lists go round.
Client with_threads(Client client, std::uint32_t threads) {
  const std::size_t lists = client.threads.size();
  for (std::size_t i = lists; i < threads; ++i) client.threads.push_back(client.threads[i % lists]);
  return client;
}

std::uint32_t threads_for(const Mode& mode, const Wish& wish) {
  const std::uint32_t threads =
      mode.disturbance == Disturbance::kCrowd
          ? std::max(2 * wish.threads, std::min(4 * wish.processors, kMostThreads))
          : wish.threads;
  return std::clamp(threads, 1U, kMostThreads);
}

std::chrono::milliseconds length_for(const Mode& mode, Random& random) {
  switch (mode.disturbance) {
    case Disturbance::kFairness:
      return std::chrono::milliseconds(400);
    case Disturbance::kLongHolds:
      return std::chrono::milliseconds(100);
    default:
      return std::chrono::milliseconds(20 + random.below(81));
  }
}

}  // namespace

std::uint64_t epoch_seed(std::uint64_t seed, std::uint64_t epoch) {
  return epoch == 0 ? seed : derive_seed(seed, epoch);
}

EpochPlan plan_epoch(const Lineup& lineup, const Wish& wish, const Mode& mode, std::uint64_t seed) {
  constexpr std::uint32_t kKeys[] = {1, 2, 3, 6};
  Random random(seed);
  EpochPlan plan{.mode = mode, .seed = seed};
  plan.length = length_for(mode, random);
  plan.yields =
      mode.disturbance == Disturbance::kYields || (mode.may_yield && random.below(2) == 0);
  plan.meets = mode.disturbance == Disturbance::kDuels ||
               (mode.disturbance != Disturbance::kFairness && random.below(2) == 0);
  plan.keys = kKeys[random.below(std::size(kKeys))];
  const std::uint32_t threads = threads_for(mode, wish);
  if (wish.client) {
    plan.client = *wish.client;
  } else if (mode.disturbance == Disturbance::kFairness) {
    plan.client = contest(threads);
  } else if (mode.disturbance == Disturbance::kDuels) {
    plan.client = duel(lineup, random);
  } else if (std::optional<Client> client = written(lineup, random)) {
    plan.client = with_threads(*std::move(client), threads);
  } else {
    plan.client = drawn(lineup, plan, threads, random);
  }
  plan.keys = plan.client.keys();
  return plan;
}

}  // namespace lockbench::stress::real
