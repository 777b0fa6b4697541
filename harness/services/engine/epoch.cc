// SPDX-License-Identifier: Apache-2.0

#include "harness/services/engine/epoch.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <memory>
#include <optional>
#include <sys/wait.h>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>

#include "harness/services/engine/client_group.h"
#include "harness/services/engine/holds.h"
#include "harness/services/engine/trace.h"
#include "harness/stress/supervision/children.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::services {
namespace {

using platform::Duration;
using platform::Time;
using std::chrono::milliseconds;

constexpr milliseconds kTick{1};
// A tick that took longer was not the lock's: the machine was busy or stopped.
constexpr milliseconds kMostOfATick{20};

void sleep_a_tick() {
  platform::sleep_until(platform::now() + kTick);
}

// The time in which this process ran, so that a machine that was stopped fails nobody.
class WatchedTime {
 public:
  milliseconds passed() {
    const Time now = platform::now();
    watched_ += std::min<Duration>(now - last_, kMostOfATick);
    last_ = now;
    return std::chrono::duration_cast<milliseconds>(watched_);
  }

 private:
  Time last_ = platform::now();
  Duration watched_{};
};

class Epoch {
 public:
  Epoch(const EpochContext& context, Servers& servers, EpochResult& result)
      : context_(context),
        state_(context.state),
        bound_(liveness_bound(context.entry.lease)),
        clients_(context),
        injector_(context, clients_, servers, result.faults, result.notes),
        result_(result) {}

  absl::Status run() {
    for (std::uint32_t slot = 0; slot < context_.plan.clients; ++slot) clients_.start(slot);
    const Time end = platform::now() + context_.plan.length;
    while (!failed() && (platform::now() < end || !injector_.is_over())) {
      if (absl::Status status = injector_.act(); !status.ok()) return status;
      clients_.collect();
      sleep_a_tick();
    }
    const absl::Status status = injector_.end_all();
    if (!status.ok() || failed()) return status;
    put(state_.stop, 1);
    if (await_all() && updates_are_kept() && history_is_possible()) all_is_free();
    return absl::OkStatus();
  }

 private:
  bool failed() const { return state_.failure.noted().has_value(); }

  // Each client takes a key once more, and ends.
  bool await_all() {
    WatchedTime time;
    while (clients_.collect() != 0) {
      if (failed()) return false;
      const milliseconds waited = time.passed();
      result_.longest_wait_ms =
          std::max(result_.longest_wait_ms, static_cast<std::uint64_t>(waited.count()));
      if (waited > bound_) {
        report_late_client(waited);
        return false;
      }
      sleep_a_tick();
    }
    return !failed() && check(Ended{});
  }

  void report_late_client(milliseconds waited) {
    std::uint32_t late = 0;
    while (late + 1 < context_.plan.clients && !clients_.alive(late)) ++late;
    std::vector<Act> acts;
    state_.slots[late].trace.append_to(acts, 0);
    const auto last = std::max_element(
        acts.begin(), acts.end(), [](const Act& a, const Act& b) { return a.at_ns < b.at_ns; });
    check(LateAfterFaults{.thread = late,
                          .key = last == acts.end() ? 0 : last->key,
                          .waited_ms = static_cast<std::uint64_t>(waited.count())});
  }

  // The last write of a killed client may or may not have been made.
  bool updates_are_kept() {
    if (context_.lock.capacity() != 1) return true;  // nobody has counted
    for (std::uint32_t key = 0; key < context_.plan.keys; ++key) {
      std::uint64_t begun = 0;
      std::uint64_t done = 0;
      for (const ClientSlot& slot : state_.slots) {
        begun += get(slot.begun[key]);
        done += get(slot.done[key]);
      }
      const Updates updates{.when = Updates::kAtEnd,
                            .key = key,
                            .least = done,
                            .most = begun,
                            .seen = context_.resource.number(key)};
      if (!check(updates)) return false;
    }
    return true;
  }

  // For each key, some order of its holds must be possible.
  bool history_is_possible() {
    std::vector<Take> holds;
    for (std::uint32_t slot = 0; slot < kMostClients; ++slot) {
      state_.slots[slot].holds.append_to(holds, slot);
    }
    holds = certain_holds(std::move(holds), injector_.forgettings());
    const std::int64_t certain = certain_ns(context_.entry.lease);
    const std::uint32_t capacity = context_.lock.capacity();
    for (const MostHolders& most : most_holders(holds, capacity, certain)) {
      if (check(most.seen)) continue;
      note_evidence(most.last, holds);
      return false;
    }
    if (capacity != 1 || !context_.entry.abilities.tokens) return true;
    // Its tokens, too, must have grown in this order.
    return check(History(std::move(holds),
                         {.lock_per_key = true, .tokens = true, .hold_limit_ns = certain}));
  }

  // The trace ends with the hold that was one too many.
  void note_evidence(const Take& last, const std::vector<Take>& holds) {
    for (const Take& hold : holds) {
      if (hold.key != last.key || hold.requested > last.answered) continue;
      if (hold.unlock_began < last.requested) continue;
      for (const Act& act : acts_of(hold)) result_.evidence.push_back(act);
    }
    put(state_.failed_ns, static_cast<std::uint64_t>(last.answered));
  }

  // Each key that a killed client held is free when its lease has ended.
  void all_is_free() {
    for (std::uint32_t key = 0; key < context_.plan.keys; ++key) {
      const pid_t checker = start_child([&] { take_once(key); });
      WatchedTime time;
      int status = 0;
      bool ended = false;
      while (!ended && time.passed() <= bound_) {
        ended = waitpid(checker, &status, WNOHANG) == checker;
        if (!ended) sleep_a_tick();
      }
      if (!ended) {
        kill_child(checker);
        collect_child(checker);
      }
      const bool free = ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
      const std::uint32_t capacity = context_.lock.capacity();
      if (!check(FreeKey{.key = key, .free = free ? capacity : 0, .capacity = capacity})) return;
    }
  }

  // As often at once as its capacity is.
  void take_once(std::uint32_t key) {
    std::vector<std::unique_ptr<LockHandle>> handles;
    for (std::uint32_t left = context_.lock.capacity(); left > 0; --left) {
      handles.push_back(context_.lock.handle(key));
      while (!handles.back()->try_lock()) sleep_a_tick();
    }
    for (const auto& handle : handles) handle->unlock();
  }

  // Returns false if an oracle failed.
  template <class Seen>
  bool check(const Seen& seen) {
    return services::check(state_, kOwnSlot, seen);
  }

  const EpochContext& context_;
  SharedState& state_;
  const milliseconds bound_;
  ClientGroup clients_;
  FaultInjector injector_;
  EpochResult& result_;
};

// Resets the parts of the state that belong to a single epoch.
void wipe(SharedState& state) {
  put(state.stop, 0);
  put(state.began_ns, now_ns());
  for (auto& granted : state.granted) granted = 0;
  for (ClientSlot& slot : state.slots) {
    for (Word& begun : slot.begun) put(begun, 0);
    for (Word& done : slot.done) put(done, 0);
    slot.holds.clear();
  }
}

}  // namespace

absl::Status run_epoch(SharedState& state, const RegisteredLock& entry, const EpochPlan& plan,
                       bool checks_tokens, Servers& servers, EpochResult& result) {
  wipe(state);
  result.notes.clear();
  result.evidence.clear();
  std::unique_ptr<LockUnderTest> lock;
  try {
    lock = entry.make(plan.keys);
  } catch (const std::exception& error) {
    return absl::InternalError(error.what());
  }
  Resource resource(plan.keys, plan.clients, checks_tokens && entry.abilities.tokens);
  const EpochContext context{state, entry, plan, resource, *lock};
  return Epoch(context, servers, result).run();
}

}  // namespace lockbench::stress::services
