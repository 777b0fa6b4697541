// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/logged_run.h"

#include <atomic>
#include <memory>
#include <optional>
#include <sched.h>
#include <thread>
#include <vector>

#include "harness/stress/real/board.h"
#include "harness/stress/real/disturber.h"
#include "harness/stress/real/log.h"
#include "harness/stress/real/player.h"
#include "harness/stress/real/watched_child.h"

namespace lockbench::stress::real {
namespace {

// What the process finds out for the one that watches over it.
struct Findings {
  enum Phase : std::uint64_t { kRunning, kLooking, kDone };

  Word phase{kRunning};
  Word keys_kept{0};
  Word short_key{0};
  Word short_free{0};
  Word is_short{0};
};

class Run {
 public:
  Run(const Lineup& lineup, const RunPlan& plan, Log& log, Findings& findings)
      : plan_(plan),
        findings_(findings),
        suspect_(lineup.make(plan.client.keys())),
        scene_{.suspect = *suspect_,
               .log = log,
               .client = plan.client,
               .yields = plan.yields,
               .seed = plan.seed} {}

  void run() {
    const auto count = static_cast<std::uint32_t>(plan_.client.threads.size());
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < count; ++i) threads.emplace_back([this, i] { live(i); });
    // relaxed: the number of those who are there is all that is read.
    while (there_.load(std::memory_order_relaxed) != count) sched_yield();
    go_.store(true, std::memory_order_release);  // (1) publishes the scene to (2)
    for (std::thread& thread : threads) thread.join();
    put(findings_.phase, Findings::kLooking);
    look_at_the_end();
    put(findings_.phase, Findings::kDone);
  }

 private:
  // Threads begin on processors in turn, or they share one for most of a run.
  void live(std::uint32_t number) {
    if (!processors_.empty()) bind_to(0, {processors_[number % processors_.size()]});
    there_.fetch_add(1, std::memory_order_relaxed);
    while (!go_.load(std::memory_order_acquire)) sched_yield();  // (2) synchronizes with (1)
    bind_to(0, processors_);
    Player player(scene_, number);
    for (std::uint32_t i = 0; i < plan_.passes; ++i) player.go_through_acts();
  }

  void look_at_the_end() {
    put(findings_.keys_kept, suspect_->keys_kept().value_or(0));
    for (std::uint32_t key = 0; key < plan_.client.keys(); ++key) {
      if (!is_free(key)) return;
    }
  }

  bool is_free(std::uint32_t key) {
    std::vector<std::unique_ptr<Claim>> claims;
    for (std::uint32_t i = 0; i < suspect_->capacity(); ++i) {
      claims.push_back(suspect_->claim(key));
      if (claims.back()->try_lock()) continue;
      put(findings_.short_key, key);
      put(findings_.short_free, i);
      put(findings_.is_short, 1);
      return false;
    }
    for (const auto& claim : claims) claim->unlock();
    return true;
  }

  const RunPlan& plan_;
  Findings& findings_;
  const std::unique_ptr<Suspect> suspect_;
  const Player::Scene scene_;
  const std::vector<int> processors_ = own_processors();
  std::atomic<std::uint32_t> there_{0};
  std::atomic<bool> go_{false};
};

void tell_the_end(const Lineup& lineup, const Findings& findings, Chronicle& chronicle) {
  chronicle.end = Chronicle::kAllGone;
  if (lineup.abilities.reclaims) chronicle.keys_kept = get(findings.keys_kept);
  if (get(findings.is_short) == 0) return;
  chronicle.shortage = {.key = static_cast<std::uint32_t>(get(findings.short_key)),
                        .free = static_cast<std::uint32_t>(get(findings.short_free))};
}

}  // namespace

LoggedRun run_logged(const Lineup& lineup, const RunPlan& plan) {
  Log log(plan.client, plan.passes);
  const platform::SharedObject<Findings> findings;
  const ChildEnd end = watch_child([&] { Run(lineup, plan, log, *findings).run(); },
                                   [&] { return log.noted() * 4 + get(findings->phase); });
  LoggedRun run;
  run.chronicle.deeds = log.deeds(plan.client);
  const bool running = get(findings->phase) == Findings::kRunning;
  if (end.stood_still && running && log.whole()) {
    run.chronicle.end = Chronicle::kStill;
    run.chronicle.waits = log.waits(plan.client);
  } else if (get(findings->phase) == Findings::kDone) {
    tell_the_end(lineup, *findings, run.chronicle);
  } else {
    run.ended_badly =
        end.stood_still ? "a call on a lock that nobody uses did not return" : end.says;
  }
  return run;
}

}  // namespace lockbench::stress::real
