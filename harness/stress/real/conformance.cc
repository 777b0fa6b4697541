// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/conformance.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/petri/pnml.h"
#include "harness/stress/client.h"
#include "harness/stress/conformance/coverage_text.h"
#include "harness/stress/conformance/judge.h"
#include "harness/stress/conformance/key_map.h"
#include "harness/stress/conformance/net_client.h"
#include "harness/stress/conformance/pace.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/real/board.h"
#include "harness/stress/real/logged_run.h"
#include "harness/stress/real/watched_child.h"
#include "primitives/platform/shared_array.h"

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

bool awaits(const Client& client) {
  return std::any_of(client.threads.begin(), client.threads.end(), [](const auto& acts) {
    return std::any_of(acts.begin(), acts.end(),
                       [](const Act& act) { return act.kind == Act::kAwait; });
  });
}

class Conformer {
 public:
  Conformer(const Lineup& lineup, const WatchedNet& net, const KeyMap& keys, const Order& order,
            const Tell& tell)
      : lineup_(lineup),
        net_(net),
        keys_(keys),
        order_(order),
        judge_(net, keys),
        pace_(order.budget, tell) {}

  Report report() {
    std::vector<Client> known = clients_for(lineup_);
    std::erase_if(known, [this](const Client& client) {
      return awaits(client) || !fits(net_, keys_, client);
    });
    std::mt19937_64 random(order_.seed);
    // The small clients that are known to bring out faults take turns with what is drawn.
    for (std::size_t i = 0; !over(); ++i) {
      const bool draws = i % 2 == 1 || known.empty();
      const Client client = draws ? drawn(random) : known[i / 2 % known.size()];
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
  Client drawn(std::mt19937_64& random) const {
    const std::uint32_t threads =
        net_.threads() == 1 ? 1 : static_cast<std::uint32_t>(2 + random() % (net_.threads() - 1));
    const auto rounds = static_cast<std::uint32_t>(1 + random() % 4);
    return draw_client(net_, keys_, lineup_.abilities, threads, rounds, random);
  }

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
  const KeyMap& keys_;
  const Order& order_;
  Judge judge_;
  Pace pace_;
  std::uint64_t executions_ = 0;
  std::uint64_t judged_ = 0;
  std::optional<Finding> finding_;
  std::vector<std::string> story_;
};

// In a process of its own: even that may be too much for a broken lock. Fails with Aborted then.
absl::StatusOr<TriedKey> tried_natively(const Lineup& lineup, std::uint32_t first) {
  struct Answer {
    Word capacity{0};
    Word kept_out{0};  // a bit for each key
  };
  const platform::SharedObject<Answer> answer;
  const ChildEnd end = watch_child(
      [&] {
        TriedKey tried;
        try_keys<std::thread>(lineup, first, tried);
        put(answer->capacity, tried.capacity);
        for (std::uint32_t key = 0; key < kKeysTried; ++key) {
          put(answer->kept_out, get(answer->kept_out) | std::uint64_t{tried.kept_out[key]} << key);
        }
      },
      [] { return std::uint64_t{0}; });
  if (end.stood_still || !end.says.empty()) {
    return absl::AbortedError(end.stood_still ? "a call of try_lock() did not return" : end.says);
  }
  TriedKey tried{.capacity = static_cast<std::uint32_t>(get(answer->capacity))};
  for (std::uint32_t key = 0; key < kKeysTried; ++key) {
    tried.kept_out[key] = (get(answer->kept_out) >> key & 1) != 0;
  }
  return tried;
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
  std::istringstream text(order.net);
  absl::StatusOr<Net> read = read_pnml(text, "net");
  if (!read.ok()) return read.status();
  absl::StatusOr<WatchedNet> net = WatchedNet::watch(*std::move(read));
  if (!net.ok()) return net.status();
  const absl::StatusOr<KeyMap> keys =
      map_keys(lineup, *net, kMostThreads,
               [&](std::uint32_t first) { return tried_natively(lineup, first); });
  if (absl::IsAborted(keys.status())) return convicted_at_once(lineup, keys.status());
  if (!keys.ok()) return keys.status();
  return Conformer(lineup, *net, *keys, order, tell).report();
}

}  // namespace lockbench::stress::real
