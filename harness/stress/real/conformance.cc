// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/conformance.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/stress/client.h"
#include "harness/stress/conformance/client_source.h"
#include "harness/stress/conformance/coverage_text.h"
#include "harness/stress/conformance/judge.h"
#include "harness/stress/conformance/key_map.h"
#include "harness/stress/conformance/pace.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/real/board.h"
#include "harness/stress/real/key_trial.h"
#include "harness/stress/real/logged_run.h"

namespace lockbench::stress::real {
namespace {

using Clock = std::chrono::steady_clock;
using Report = stress::Report;

// Of a run, all threads together. Longer ones are followed no better, and are told worse.
constexpr std::size_t kActsOfARun = 1500;
constexpr std::uint32_t kMostPasses = 200;

// A thread may be kept from running for as long as a run takes; runs take some milliseconds.
constexpr std::chrono::seconds kShortestLimit{1};

constexpr int kRunsPerClient = 2;  // with yields and without

std::uint32_t passes_for(const Client& client) {
  std::size_t acts = 1;
  for (const std::vector<Act>& thread : client.threads) acts += thread.size();
  return std::clamp(static_cast<std::uint32_t>(kActsOfARun / acts), 1U, kMostPasses);
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
      const Client client = clients_.next(random);
      for (int run = 0; run < kRunsPerClient && !over(); ++run) {
        execute({.client = client,
                 .passes = passes_for(client),
                 .yields = run % 2 == 0,
                 .seed = random()});
      }
    }
    return told();
  }

 private:
  bool over() { return finding_.has_value() || pace_.is(pace_.end(), executions_); }

  void execute(const RunPlan& plan) {
    const Clock::time_point begin = Clock::now();
    const LoggedRun run = run_logged(lineup_, plan);
    ++executions_;
    // A hold may have ended by the clock, which nobody sees.
    const auto limit = lineup_.abilities.hold_limit;
    if (limit.count() != 0 && Clock::now() - begin >= limit / 2) return;
    ++judged_;
    if (std::optional<Disagreement> disagreement = judge_.look_at(run.chronicle)) {
      finding_ = Finding{Oracle::kNet, std::move(disagreement->what)};
      story_ = std::move(disagreement->events);
    } else if (!run.ended_badly.empty()) {
      finding_ = Finding{Oracle::kCrash, run.ended_badly};
      story_ = judge_.events_of(run.chronicle);
    }
  }

  Report told() {
    Report report{.engine = "real", .suspect = lineup_.name};
    report.seconds = pace_.seconds();
    report.figures = {{"executions", static_cast<double>(executions_)},
                      {"events", static_cast<double>(judge_.events())}};
    for (std::uint64_t i = 0; i < judged_; ++i) report.evaluations.count(Oracle::kNet);
    if (finding_) {
      report.verdict = Verdict::kConvicted;
      report.finding = finding_;
      report.how = "native threads";
      report.found_after_s = report.seconds;
      report.story = story_;
    }
    report.remarks = coverage_text(net_.net(), judge_);
    if (judged_ != executions_) {
      report.remarks.push_back(absl::StrFormat(
          "not judged of %d executions, which took so long that a hold may have ended by the clock",
          executions_ - judged_));
    }
    return report;
  }

  const Lineup& lineup_;
  const WatchedNet& net_;
  const Order& order_;
  ClientSource clients_;
  Judge judge_;
  Pace pace_;
  std::uint64_t executions_ = 0;
  std::uint64_t judged_ = 0;
  std::optional<Finding> finding_;
  std::vector<std::string> story_;
};

absl::StatusOr<TriedKey> tried_natively(const Lineup& lineup, std::uint32_t first) {
  return tried_in_child([&](KeyTrial& trial) {
    TriedKey tried;
    try_keys<std::thread>(lineup, first, tried);
    trial.tell(tried);
  });
}

// Of a suspect that did not live to be told apart from the locks of another net.
Report convicted_at_once(const Lineup& lineup, const absl::Status& how) {
  Report report{.engine = "real", .suspect = lineup.name, .verdict = Verdict::kConvicted};
  report.finding = Finding{Oracle::kCrash, "before any event: " + std::string(how.message())};
  report.how = "native threads";
  return report;
}

}  // namespace

absl::StatusOr<Report> hold_against_net(const Lineup& lineup, const Order& order,
                                        const Tell& tell) {
  const auto limit = lineup.abilities.hold_limit;
  if (limit.count() != 0 && limit < kShortestLimit) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", lineup.name,
        "' takes keys away by the clock, sooner than native threads can be sure to run; use the "
        "simulated engine, which has the clock in its hands"));
  }
  const absl::StatusOr<WatchedNet> net = WatchedNet::read(order.net);
  if (!net.ok()) return net.status();
  const absl::StatusOr<KeyMap> keys =
      map_keys(lineup, *net, kMostThreads,
               [&](std::uint32_t first) { return tried_natively(lineup, first); });
  if (absl::IsAborted(keys.status())) return convicted_at_once(lineup, keys.status());
  if (!keys.ok()) return keys.status();
  return Conformer(lineup, *net, *keys, order, tell).report();
}

}  // namespace lockbench::stress::real
