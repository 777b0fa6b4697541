// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/proc/conformance.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <sys/prctl.h>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "harness/stress/client.h"
#include "harness/stress/conformance/client_source.h"
#include "harness/stress/conformance/coverage_text.h"
#include "harness/stress/conformance/judge.h"
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
constexpr std::size_t kActsOfARun = 600;
constexpr std::uint32_t kMostPasses = 40;

// In turn. A net whose threads cannot die has the last one alone.
constexpr Fate kFates[] = {Fate::kKill, Fate::kStop, Fate::kKill, Fate::kRecycle, Fate::kNone};

std::uint32_t passes_for(const Client& client) {
  std::size_t acts = 1;
  for (const std::vector<Act>& process : client.threads) acts += process.size();
  return std::clamp(static_cast<std::uint32_t>(kActsOfARun / acts), 1U, kMostPasses);
}

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
        judge_(net, keys),
        pace_(order.budget, tell) {}

  Report report() {
    std::mt19937_64 random(order_.seed);
    while (!over()) {
      const Client drawn = clients_.next(random);
      const Client client = random() % 2 == 0 ? lingering(drawn) : drawn;
      for (std::size_t i = 0; i < std::size(kFates) && !over(); ++i) {
        execute({.client = client,
                 .passes = passes_for(client),
                 .fate = possible(kFates[i]),
                 .yields = random() % 2 == 0,
                 .seed = random()});
      }
    }
    return told();
  }

 private:
  bool over() { return finding_.has_value() || pace_.is(pace_.end(), executions_); }

  Fate possible(Fate fate) const {
    const bool kills = fate == Fate::kKill || fate == Fate::kRecycle;
    return kills && !net_.is_mortal() ? Fate::kNone : fate;
  }

  void execute(const RunPlan& plan) {
    const JournaledRun run = run_journaled(lineup_, plan);
    ++executions_;
    strikes_.killed += run.strikes.killed;
    strikes_.killed_inside += run.strikes.killed_inside;
    strikes_.stopped_inside += run.strikes.stopped_inside;
    strikes_.recycled += run.strikes.recycled;
    if (std::optional<Disagreement> disagreement = judge_.look_at(run.readings)) {
      finding_ = Finding{Oracle::kNet, std::move(disagreement->what)};
      story_ = std::move(disagreement->events);
    } else if (!run.ended_badly.empty()) {
      finding_ = Finding{Oracle::kCrash, run.ended_badly};
      story_ = judge_.events_of(run.readings[0]);
    }
  }

  Report told() {
    Report report{.engine = "proc", .suspect = lineup_.name};
    report.seconds = pace_.seconds();
    report.figures = {{"executions", static_cast<double>(executions_)},
                      {"events", static_cast<double>(judge_.events())},
                      {"processes killed", static_cast<double>(strikes_.killed)},
                      {"killed inside", static_cast<double>(strikes_.killed_inside)},
                      {"stopped inside", static_cast<double>(strikes_.stopped_inside)},
                      {"numbers recycled", static_cast<double>(strikes_.recycled)}};
    for (std::uint64_t i = 0; i < executions_; ++i) report.evaluations.count(Oracle::kNet);
    if (finding_) {
      report.verdict = Verdict::kConvicted;
      report.finding = finding_;
      report.how = "processes";
      report.found_after_s = report.seconds;
      report.story = story_;
    }
    report.remarks = coverage_text(net_.net(), judge_);
    return report;
  }

  const Lineup& lineup_;
  const WatchedNet& net_;
  const Order& order_;
  ClientSource clients_;
  Judge judge_;
  Pace pace_;
  std::uint64_t executions_ = 0;
  Strikes strikes_;
  std::optional<Finding> finding_;
  std::vector<std::string> story_;
};

// With the key held by one process, the keys are tried by another.
absl::StatusOr<TriedKey> tried_by_processes(const Lineup& lineup, std::uint32_t first) {
  return real::tried_in_child([&](real::KeyTrial& trial) {
    const std::unique_ptr<Suspect> suspect = lineup.make(kKeysTried);
    std::vector<std::unique_ptr<Claim>> held;
    for (std::uint32_t i = 0; i < suspect->capacity(); ++i) {
      held.push_back(suspect->claim(first));
      if (!held.back()->try_lock()) held.pop_back();
    }
    collect_child(start_child([&] {
      TriedKey tried{.capacity = suspect->capacity()};
      for (std::uint32_t key = 0; key < kKeysTried; ++key) {
        const std::unique_ptr<Claim> claim = suspect->claim(key);
        tried.kept_out[key] = !claim->try_lock();
        if (!tried.kept_out[key]) claim->unlock();
      }
      trial.tell(tried);
    }));
    for (const auto& claim : held) claim->unlock();
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
