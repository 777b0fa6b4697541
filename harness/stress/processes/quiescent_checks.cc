// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/quiescent_checks.h"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <sys/wait.h>
#include <vector>

#include "harness/stress/supervision/forked_child.h"
#include "harness/stress/supervision/stall_detector.h"
#include "harness/stress/supervision/watched_child.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::processes {
namespace {

constexpr std::chrono::milliseconds kPause{1};  // of the process that waits

constexpr std::uint64_t kLetGo = 2;  // in SharedState::holds

class QuiescentChecks {
 public:
  explicit QuiescentChecks(const EpochContext& context)
      : context_(context), state_(context.state) {}

  bool run() {
    if (!passes([this] { acquire_all(); }) || !keys_are_independent()) return false;
    if (context_.abilities.limits.no_kills) return true;
    return passes([this] { die_with_a_key(); }, SIGKILL) && passes([this] {
             inherit_the_key();
             acquire_all();
           });
  }

 private:
  // Makes the check in a new process, which may die of `signal`. Returns false if an oracle failed.
  bool passes(const std::function<void()>& check, int signal = 0) {
    begin();
    return ends(ForkedChild(check), signal);
  }

  void begin() {
    put(state_.insists, 0);
    put(state_.nests, 0);
  }

  // Returns false if an oracle failed, also in the process.
  bool ends(const ForkedChild& checker, int signal = 0) {
    const bool hangs = !runs_until(checker, [] { return false; });
    if (hangs) {
      note_hang();
      checker.kill();
    }
    const int status = checker.status();
    const bool as_told = hangs || (WIFSIGNALED(status) && WTERMSIG(status) == signal);
    if (const auto end = abnormal_end(status); end && !as_told) check_seen(*end);
    return !state_.failure.noted();
  }

  // Waits until `done()` or the end of the process. Returns false if the process hangs in a call.
  template <class Done>
  bool runs_until(const ForkedChild& checker, const Done& done) {
    StallDetector stall;
    while (!done() && !checker.ends_within(kPause)) {
      const pid_t process = checker.pid();
      if (stall.reached(get(state_.checking), process, tasks_of(process))) return false;
    }
    return true;
  }

  // True if, while one process holds a key, another one can acquire each of the others. The locks
  // of a kernel never refuse a process what it has itself, so one process alone shows nothing. Of
  // keys with nothing in common, only one is held.
  bool keys_are_independent() {
    const EpochPlan& plan = context_.plan;
    if (!context_.abilities.lock_per_key) return true;
    if (plan.key_set == 0) {
      return is_independent(static_cast<std::uint32_t>(plan.seed % (plan.keys + 1)));
    }
    bool all = true;
    for (std::uint32_t key = 0; all && key <= plan.keys; ++key) all = is_independent(key);
    return all;
  }

  bool is_independent(std::uint32_t held) {
    put(state_.holds, 0);
    begin();
    const ForkedChild holder([this, held] { hold_until_told(held); });
    const bool holds = runs_until(holder, [this] { return get(state_.holds) != 0; });
    if (!holds) note_hang();
    if (holds && !holder.ends_within({})) passes([this, held] { acquire_each_other_than(held); });
    put(state_.holds, kLetGo);
    begin();
    return ends(holder);
  }

  // The checker hangs in a call. In lock(), which it calls if try_lock() fails, the key is not
  // free.
  void note_hang() {
    const std::uint64_t insists = get(state_.insists);
    const std::uint64_t nests = get(state_.nests);
    if (insists == 0) {
      check_seen(Hang{Hang::kCallOfUnusedLock});
    } else if (const auto key = static_cast<std::uint32_t>(insists - 1); nests == 0) {
      check_seen(FreeKey{.key = key, .inherited = get(state_.inherits) != 0});
    } else {
      check_seen(OtherKey{.held = static_cast<std::uint32_t>(nests - 1), .asked = key});
    }
  }

  // The functions that follow run in the processes that check.

  void acquire_all() {
    for (std::uint32_t key = 0; key <= context_.plan.keys; ++key) {
      const std::unique_ptr<LockHandle> handle = context_.lock->handle(key);
      if (!acquires_unused(*handle, key)) return;
      check_seen(FreeKey{.key = key, .free = 1});
      handle->unlock();
    }
    if (!context_.abilities.lock_per_key) return;
    std::vector<std::unique_ptr<LockHandle>> held;
    for (std::uint32_t key = 0; key <= context_.plan.keys; ++key) {
      held.push_back(context_.lock->handle(key));
      if (!acquires_unused(*held.back(), key)) return;
      if (key != 0) check_seen(OtherKey{.held = key - 1, .asked = key, .acquired = true});
      put(state_.nests, 1 + key);
    }
    for (const auto& handle : held) handle->unlock();
  }

  void hold_until_told(std::uint32_t key) {
    const std::unique_ptr<LockHandle> handle = context_.lock->handle(key);
    if (!acquires_unused(*handle, key)) return;
    put(state_.holds, 1);
    while (get(state_.holds) != kLetGo) platform::sleep_until(platform::now() + kPause);
    handle->unlock();
  }

  void acquire_each_other_than(std::uint32_t held) {
    put(state_.nests, 1 + held);
    for (std::uint32_t key = 0; key <= context_.plan.keys; ++key) {
      if (key == held) continue;
      const std::unique_ptr<LockHandle> handle = context_.lock->handle(key);
      if (!acquires_unused(*handle, key)) return;
      check_seen(OtherKey{.held = held, .asked = key, .acquired = true});
      handle->unlock();
    }
  }

  void die_with_a_key() {
    const std::unique_ptr<LockHandle> handle = context_.lock->handle(0);
    if (acquires_unused(*handle, 0)) ::raise(SIGKILL);
  }

  // try_lock() may fail, also on a key whose holder has died. If it succeeds, the key must be free
  // again after the release.
  void inherit_the_key() {
    const std::unique_ptr<LockHandle> handle = context_.lock->handle(0);
    add(state_.checking);
    put(state_.inherits, 1);
    if (!handle->try_lock()) {
      put(state_.insists, 1);
      handle->lock();
      put(state_.insists, 0);
    }
    handle->unlock();
  }

  // Acquires a key that no process uses. The standard lets try_lock() fail spuriously, so lock()
  // decides. Returns false if an oracle failed.
  bool acquires_unused(LockHandle& handle, std::uint32_t key) {
    add(state_.checking);
    if (acquire_free(handle, tries_of_free_key(context_.abilities.strong_try))) return true;
    add(state_.checking);
    put(state_.insists, key + 1);
    if (context_.abilities.strong_try) {
      note_hang();
      return false;
    }
    handle.lock();
    put(state_.insists, 0);
    return true;
  }

  template <class Seen>
  void check_seen(const Seen& seen) {
    check(state_, kOwnSlot, seen);
  }

  const EpochContext& context_;
  SharedState& state_;
};

}  // namespace

bool check_quiescent_state(const EpochContext& context) {
  return QuiescentChecks(context).run();
}

}  // namespace lockbench::stress::processes
