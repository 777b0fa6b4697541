// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/conformance.h"

#include <chrono>
#include <random>
#include <string>
#include <thread>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/stress/client.h"
#include "harness/stress/conformance/client_source.h"
#include "harness/stress/conformance/hearing.h"
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

// Of a run, all threads together.
constexpr RunLength kLength{.acts = 1500, .most_passes = 200};

// A thread may be kept from running for as long as a run takes; runs take some milliseconds.
constexpr std::chrono::seconds kShortestLimit{1};

constexpr int kRunsPerClient = 2;  // with yields and without

constexpr char kHow[] = "native threads";

class Conformer {
 public:
  Conformer(const Lineup& lineup, const WatchedNet& net, const KeyMap& keys, const Order& order,
            const Tell& tell)
      : lineup_(lineup),
        order_(order),
        clients_(lineup, net, keys),
        hearing_(net, keys),
        pace_(order.budget, tell) {}

  Report report() {
    std::mt19937_64 random(order_.seed);
    while (!pace_.over(hearing_)) {
      const Client client = clients_.next(random);
      for (int run = 0; run < kRunsPerClient && !pace_.over(hearing_); ++run) {
        execute({.client = client,
                 .passes = passes_for(client, kLength),
                 .yields = run % 2 == 0,
                 .seed = random()});
      }
    }
    return told();
  }

 private:
  void execute(const RunPlan& plan) {
    const Clock::time_point begin = Clock::now();
    const LoggedRun run = run_logged(lineup_, plan);
    // A hold may have ended by the clock, which nobody sees.
    const auto limit = lineup_.abilities.hold_limit;
    if (limit.count() != 0 && Clock::now() - begin >= limit / 2) {
      hearing_.pass_over();
    } else {
      hearing_.look_at({&run.chronicle, 1}, kHow, run.ended_badly);
    }
  }

  Report told() const {
    Report report =
        hearing_.complete({.engine = "real", .suspect = lineup_.name, .seconds = pace_.seconds()});
    if (hearing_.passed_over() != 0) {
      report.remarks.push_back(absl::StrFormat(
          "not judged of %d executions, which took so long that a hold may have ended by the clock",
          hearing_.passed_over()));
    }
    return report;
  }

  const Lineup& lineup_;
  const Order& order_;
  ClientSource clients_;
  Hearing hearing_;
  Pace pace_;
};

absl::StatusOr<TriedKey> tried_natively(const Lineup& lineup, std::uint32_t first) {
  return tried_in_child([&](KeyTrial& trial) {
    TriedKey tried;
    try_keys(lineup, first, [&](const auto& look) { std::thread([&] { look(tried); }).join(); });
    trial.tell(tried);
  });
}

// Of a suspect that did not live to be told apart from the locks of another net.
Report convicted_at_once(const Lineup& lineup, const absl::Status& how) {
  Report report{.engine = "real", .suspect = lineup.name, .verdict = Verdict::kConvicted};
  report.finding = Finding{Oracle::kCrash, "before any event: " + std::string(how.message())};
  report.how = kHow;
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
