// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/recorded_run.h"

#include <atomic>
#include <memory>
#include <optional>
#include <sched.h>
#include <thread>
#include <vector>

#include "harness/stress/supervision/watched_child.h"
#include "harness/stress/threads/fault_injector.h"
#include "harness/stress/threads/log.h"
#include "harness/stress/threads/player.h"
#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {
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
  Run(const RegisteredLock& entry, const RunPlan& plan, Log& log, Findings& failures)
      : plan_(plan),
        findings_(failures),
        lock_(entry.make(plan.program.keys())),
        scene_{.lock = *lock_,
               .log = log,
               .program = plan.program,
               .yields = plan.yields,
               .seed = plan.seed} {}

  void run() {
    const auto count = static_cast<std::uint32_t>(plan_.program.threads.size());
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
    put(findings_.keys_kept, lock_->keys_kept().value_or(0));
    for (std::uint32_t key = 0; key < plan_.program.keys(); ++key) {
      if (!is_free(key)) return;
    }
  }

  bool is_free(std::uint32_t key) {
    std::vector<std::unique_ptr<LockHandle>> handles;
    for (std::uint32_t i = 0; i < lock_->capacity(); ++i) {
      handles.push_back(lock_->handle(key));
      if (handles.back()->try_lock()) continue;
      put(findings_.short_key, key);
      put(findings_.short_free, i);
      put(findings_.is_short, 1);
      return false;
    }
    for (const auto& handle : handles) handle->unlock();
    return true;
  }

  const RunPlan& plan_;
  Findings& findings_;
  const std::unique_ptr<LockUnderTest> lock_;
  const Player::Scene scene_;
  const std::vector<int> processors_ = own_processors();
  std::atomic<std::uint32_t> there_{0};
  std::atomic<bool> go_{false};
};

void tell_the_end(const RegisteredLock& entry, const Findings& failures, Trace& trace) {
  trace.end = Trace::kAllGone;
  if (entry.abilities.reclaims) trace.keys_kept = get(failures.keys_kept);
  if (get(failures.is_short) == 0) return;
  trace.shortage = {.key = static_cast<std::uint32_t>(get(failures.short_key)),
                    .free = static_cast<std::uint32_t>(get(failures.short_free))};
}

}  // namespace

RecordedRun run_recorded(const RegisteredLock& entry, const RunPlan& plan) {
  Log log(plan.program, plan.passes);
  const platform::SharedObject<Findings> failures;
  const ChildEnd end = watch_child([&] { Run(entry, plan, log, *failures).run(); },
                                   [&] { return log.noted() * 4 + get(failures->phase); });
  RecordedRun run;
  run.trace.deeds = log.deeds(plan.program);
  const bool running = get(failures->phase) == Findings::kRunning;
  if (end.stood_still && running && log.whole()) {
    run.trace.end = Trace::kStill;
    run.trace.waits = log.waits(plan.program);
  } else if (get(failures->phase) == Findings::kDone) {
    tell_the_end(entry, *failures, run.trace);
  } else {
    run.ended_badly =
        end.stood_still ? "a call on a lock that nobody uses did not return" : end.says;
  }
  return run;
}

}  // namespace lockbench::stress::threads
