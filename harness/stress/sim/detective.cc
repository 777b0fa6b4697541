// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/sim/detective.h"

#include <algorithm>
#include <utility>

namespace lockbench::stress::sim {
namespace {

using namespace std::chrono_literals;

// A smaller client must convict within so many executions, else the larger one is kept.
constexpr int kTriesToShrink = 400;
constexpr auto kMostToShrink = 1s;
constexpr auto kLeastToShrink = 100ms;

constexpr auto kLookForWorse = 200ms;
constexpr auto kTellEvery = 200ms;

// Mostly two to four threads that do several things. One in four is a crowd that does little: some
// faults need four threads, each of which is at one certain point.
ClientSize draw_size(std::mt19937_64& draw) {
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::uint32_t>(draw() % bound);
  };
  if (below(4) != 0) return {.threads = 2 + below(3), .keys = 1 + below(3), .holds = 1 + below(4)};
  return {.threads = 4 + below(2),
          .keys = 1 + below(2),
          .holds = 1 + below(2),
          .awaits = below(2) == 0};
}

}  // namespace

Detective::Detective(World& world, const Lineup& lineup, const Hunt& hunt)
    : world_(world), lineup_(lineup), hunt_(hunt) {}

bool Detective::over(Clock::time_point until) {
  const auto now = Clock::now();
  if (hunt_.progress && now - told_ > kTellEvery) {
    told_ = now;
    hunt_.progress(outcome_);
  }
  return found() || now >= until;
}

void Detective::execute(const Client& client, Strategy& strategy, const char* name) {
  Investigation investigation(world_, lineup_, client);
  World::Execution execution = world_.run([&] { investigation.run(); }, strategy);
  std::optional<Finding> finding = investigation.verdict(execution.end);
  ++outcome_.executions;
  outcome_.steps += execution.steps;
  outcome_.too_long += execution.end == End::kTooLong;
  outcome_.acquisitions += investigation.acquisitions();
  outcome_.contended += investigation.contended();
  outcome_.evaluations.add(investigation.evaluations());
  longest_ = std::max(longest_, execution.steps);
  if (finding && !(ordering_known_ && finding->oracle == Oracle::kOrdering)) {
    outcome_.conviction = Conviction{.finding = *std::move(finding),
                                     .strategy = name,
                                     .client = client,
                                     .schedule = std::move(execution.schedule),
                                     .executions = outcome_.executions,
                                     .seconds = seconds()};
  }
}

void Detective::explore(const Client& client, std::uint32_t bound, Clock::time_point until) {
  DepthFirst search(bound);
  const double began = seconds();
  const std::uint64_t before = outcome_.executions;
  for (; !search.exhausted(); search.next()) {
    if (over(until)) return;
    execute(client, search, "every interleaving");
    if (search.diverged()) {
      outcome_.deterministic = false;
      return;
    }
  }
  outcome_.explored.push_back({.client = client,
                               .preemptions = bound,
                               .executions = outcome_.executions - before,
                               .states = search.states(),
                               .seconds = seconds() - began});
}

void Detective::walk(Clock::time_point until) {
  while (!over(until)) {
    std::mt19937_64 draw(hunt_.seed * 1'000'003 + walks_);
    const ClientSize size = draw_size(draw);
    const Client client =
        hunt_.client ? *hunt_.client : draw_client(lineup_.abilities, size, draw());
    ++outcome_.drawn;
    if (++walks_ % 2 == 0) {
      RandomWalk strategy(draw());
      execute(client, strategy, "random walk");
    } else {
      Pct strategy(draw(), 1 + static_cast<std::uint32_t>(draw() % 4), longest_);
      execute(client, strategy, "PCT");
    }
  }
}

Outcome Detective::investigate() {
  // What is found last has yet to be made smaller.
  const auto end = began_ + hunt_.budget / 50 * 49;
  const std::vector<Client> clients =
      hunt_.client ? std::vector<Client>{*hunt_.client} : clients_for(lineup_);
  for (std::uint32_t bound = 0; bound <= hunt_.most_preemptions && !over(end); ++bound) {
    const auto began = Clock::now();
    const auto share = (end - began) / 2;
    for (const Client& client : clients) {
      if (!over(end)) explore(client, bound, std::min(end, began + share));
    }
    const auto spent = std::max<Clock::duration>(Clock::now() - began, 20ms);
    walk(std::min(end, Clock::now() + spent));
  }
  walk(end);
  if (found() && outcome_.conviction->finding.oracle == Oracle::kOrdering) {
    look_for_worse(Clock::now() + kLookForWorse);
  }
  if (found()) make_smaller();
  outcome_.seconds = seconds();
  return std::move(outcome_);
}

// A missing order is found at the first sight of two holders, even where nothing at all is locked.
// What it leads to says more, if it can be had soon.
void Detective::look_for_worse(Clock::time_point until) {
  const Conviction ordering = *outcome_.conviction;
  outcome_.conviction.reset();
  ordering_known_ = true;
  explore(ordering.client, 2, until);
  walk(until);
  ordering_known_ = found();
  if (!found()) outcome_.conviction = ordering;
}

// ---- making it smaller

bool Detective::still_convicts(const Client& client) {
  if (Clock::now() > shrink_until_) return false;
  const Conviction kept = *outcome_.conviction;
  outcome_.conviction.reset();
  for (int i = 0; i < kTriesToShrink && !found(); ++i) {
    Pct strategy(static_cast<std::uint64_t>(i), 1 + static_cast<std::uint32_t>(i) % 4, longest_);
    execute(client, strategy, kept.strategy.c_str());
    // Another fault of the smaller client is not this one, which may be found yet.
    const bool other = found() && outcome_.conviction->finding.oracle != kept.finding.oracle;
    if (other) outcome_.conviction.reset();
  }
  if (!found()) {
    outcome_.conviction = kept;
    return false;
  }
  outcome_.conviction->strategy = kept.strategy;
  outcome_.conviction->executions = kept.executions;
  outcome_.conviction->seconds = kept.seconds;
  return true;
}

bool Detective::follows(const Client& client, const std::vector<Option>& schedule) {
  Replay strategy(schedule);
  Investigation investigation(world_, lineup_, client);
  const World::Execution execution = world_.run([&] { investigation.run(); }, strategy);
  const std::optional<Finding> finding = investigation.verdict(execution.end);
  return finding && finding->oracle == outcome_.conviction->finding.oracle;
}

// The client without one of its threads, or without one of its holds, if that still convicts.
bool Detective::without_a_part() {
  const Client client = outcome_.conviction->client;
  for (std::size_t t = 0; t < client.threads.size(); ++t) {
    if (client.threads.size() > 1) {
      if (still_convicts(without_thread(client, t))) return true;
    }
    for (std::size_t i = 0; i < client.threads[t].size(); ++i) {
      const Act::Kind kind = client.threads[t][i].kind;
      if (gives(kind)) continue;
      Client without = client;
      auto& acts = without.threads[t];
      if (takes(kind)) {
        acts.erase(acts.begin() + static_cast<std::ptrdiff_t>(end_of_hold(acts, i)));
      }
      acts.erase(acts.begin() + static_cast<std::ptrdiff_t>(i));
      if (without.threads.size() == 1 && acts.empty()) continue;
      if (still_convicts(without)) return true;
    }
  }
  return false;
}

// Leaves out each decision in turn, from the end, where the rest still convicts.
void Detective::shorten_schedule() {
  std::vector<Option>& schedule = outcome_.conviction->schedule;
  for (std::size_t i = schedule.size(); i-- > 0;) {
    std::vector<Option> without = schedule;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (follows(outcome_.conviction->client, without)) schedule = std::move(without);
  }
}

void Detective::make_smaller() {
  const auto now = Clock::now();
  shrink_until_ =
      std::max(now + kLeastToShrink, std::min(now + kMostToShrink, began_ + hunt_.budget));
  while (without_a_part()) {
  }
  shorten_schedule();
  Conviction& conviction = *outcome_.conviction;
  std::optional<Conviction> told = replay(world_, lineup_, conviction.client, conviction.schedule);
  if (!told) return;  // what Outcome::deterministic denies
  conviction.finding = std::move(told->finding);
  conviction.events = std::move(told->events);
}

std::optional<Conviction> Detective::replay(World& world, const Lineup& lineup,
                                            const Client& client,
                                            const std::vector<Option>& schedule) {
  Replay strategy(schedule);
  Investigation investigation(world, lineup, client);
  World::Execution execution = world.run([&] { investigation.run(); }, strategy, true);
  std::optional<Finding> finding = investigation.verdict(execution.end);
  if (!finding) return std::nullopt;
  return Conviction{.finding = *std::move(finding),
                    .strategy = "replay",
                    .client = client,
                    .schedule = std::move(execution.schedule),
                    .events = std::move(execution.events)};
}

}  // namespace lockbench::stress::sim
