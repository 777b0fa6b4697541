// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/proc/conformance.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <sys/prctl.h>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "harness/stress/client.h"
#include "harness/stress/conformance/client_source.h"
#include "harness/stress/conformance/hearing.h"
#include "harness/stress/conformance/key_map.h"
#include "harness/stress/conformance/pace.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/proc/board.h"
#include "harness/stress/proc/children.h"
#include "harness/stress/proc/journaled_run.h"
#include "harness/stress/real/key_trial.h"

namespace lockbench::stress::proc {
namespace {

using Report = stress::Report;

// Of a run, all processes together.
constexpr RunLength kLength{.acts = 600, .most_passes = 40};

// In turn. A net whose threads cannot die has the last one alone.
constexpr Fate kFates[] = {Fate::kKill, Fate::kStop, Fate::kKill, Fate::kRecycle, Fate::kNone};

// With a rest in every hold, so that others come meanwhile. A player rests for a part of it.
Client lingering(Client client) {
  constexpr Act kLinger{.kind = Act::kRest, .ns = 4'000'000};
  for (std::vector<Act>& acts : client.threads) {
    for (std::size_t i = 0; i < acts.size(); ++i) {
      if (takes(acts[i].kind))
        acts.insert(acts.begin() + static_cast<std::ptrdiff_t>(++i), kLinger);
    }
  }
  return client;
}

class Conformer {
 public:
  Conformer(const Lineup& lineup, const WatchedNet& net, const KeyMap& keys, const Order& order,
            const Tell& tell)
      : lineup_(lineup),
        net_(net),
        order_(order),
        clients_(lineup, net, keys),
        hearing_(net, keys),
        pace_(order.budget, tell) {}

  Report report() {
    std::mt19937_64 random(order_.seed);
    while (!pace_.over(hearing_)) {
      const Client drawn = clients_.next(random);
      const Client client = random() % 2 == 0 ? lingering(drawn) : drawn;
      for (std::size_t i = 0; i < std::size(kFates) && !pace_.over(hearing_); ++i) {
        execute({.client = client,
                 .passes = passes_for(client, kLength),
                 .fate = possible(kFates[i]),
                 .yields = random() % 2 == 0,
                 .seed = random()});
      }
    }
    return told();
  }

 private:
  Fate possible(Fate fate) const {
    const bool kills = fate == Fate::kKill || fate == Fate::kRecycle;
    return kills && !net_.is_mortal() ? Fate::kNone : fate;
  }

  void execute(const RunPlan& plan) {
    const JournaledRun run = run_journaled(lineup_, plan);
    hearing_.look_at(run.readings, "processes", run.ended_badly);
    strikes_.killed += run.strikes.killed;
    strikes_.killed_inside += run.strikes.killed_inside;
    strikes_.stopped_inside += run.strikes.stopped_inside;
    strikes_.recycled += run.strikes.recycled;
  }

  Report told() const {
    Report report =
        hearing_.complete({.engine = "proc", .suspect = lineup_.name, .seconds = pace_.seconds()});
    const std::pair<const char*, std::uint64_t> struck[] = {
        {"processes killed", strikes_.killed},
        {"killed inside", strikes_.killed_inside},
        {"stopped inside", strikes_.stopped_inside},
        {"numbers recycled", strikes_.recycled}};
    for (const auto& [name, times] : struck) {
      report.figures.emplace_back(name, static_cast<double>(times));
    }
    return report;
  }

  const Lineup& lineup_;
  const WatchedNet& net_;
  const Order& order_;
  ClientSource clients_;
  Hearing hearing_;
  Pace pace_;
  Strikes strikes_;
};

// With the key held by one process, the keys are tried by another.
absl::StatusOr<TriedKey> tried_by_processes(const Lineup& lineup, std::uint32_t first) {
  return real::tried_in_child([&](real::KeyTrial& trial) {
    try_keys(lineup, first, [&](const auto& look) {
      collect_child(start_child([&] {
        TriedKey tried;
        look(tried);
        trial.tell(tried);
      }));
    });
  });
}

}  // namespace

absl::StatusOr<Report> hold_against_net(const Lineup& lineup, const Order& order,
                                        const Tell& tell) {
  prctl(PR_SET_TIMERSLACK, 1UL);  // a run is looked at every 200 us
  const absl::StatusOr<WatchedNet> net = WatchedNet::read(order.net);
  if (!net.ok()) return net.status();
  const absl::StatusOr<KeyMap> keys = map_keys(lineup, *net, kMostSeats, [&](std::uint32_t first) {
    return tried_by_processes(lineup, first);
  });
  if (!keys.ok()) return keys.status();
  return Conformer(lineup, *net, *keys, order, tell).report();
}

}  // namespace lockbench::stress::proc
