// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/epoch.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <sys/wait.h>
#include <vector>

#include "harness/stress/processes/process_group.h"
#include "harness/stress/processes/quiescent_checks.h"
#include "harness/stress/supervision/children.h"
#include "harness/stress/supervision/stall_detector.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::processes {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr microseconds kTick{500};

void sleep_a_tick() {
  platform::sleep_until(platform::now() + kTick);
}

class Epoch {
 public:
  Epoch(const EpochContext& context, InjectedFaults& injected)
      : context_(context),
        state_(context.state),
        injected_(injected),
        group_(context),
        injector_(context, group_, injected) {}

  bool run() {
    for (std::uint32_t slot = 0; slot < context_.plan.processes; ++slot) group_.start(slot);
    put(state_.go, 1);
    const platform::Time end = platform::now() + context_.plan.length;
    while (platform::now() < end) {
      if (group_.collect()) return false;
      injector_.act();
      injector_.pass_time(platform::now() + kTick);
    }
    injector_.let_all_go_on();
    put(state_.stop, 1);
    return await_all() && updates_are_kept() && check_quiescent_state(context_);
  }

 private:
  using Stalls = std::vector<StallDetector>;

  static constexpr std::uint32_t kUsers = 2;  // of goes_on_after_another_use()
  static constexpr milliseconds kMostForOther{200};
  static constexpr milliseconds kFallAsleep{50};

  bool await_all() {
    Stalls stalls(kMostProcesses);
    while (!group_.collect()) {
      injector_.count_recoveries();
      const std::vector<std::uint32_t> left = group_.living();
      if (left.empty()) return check_seen(Ended{});
      // Calls every detector, because each of them needs regular calls.
      const auto still = std::count_if(left.begin(), left.end(), [&](std::uint32_t slot) {
        const pid_t process = group_.process(slot);
        return stalls[slot].reached(events(), process, tasks_of(process));
      });
      if (static_cast<std::size_t>(still) == left.size()) {
        if (!goes_on_after_another_use()) {
          report_stall(left);
          return false;
        }
        stalls = Stalls(kMostProcesses);
      }
      injector_.pass_time(platform::now() + kTick);
    }
    return false;
  }

  // A wake-up goes to one process. If that one is killed before it acquires the free key, the other
  // processes sleep until others compete for the key again; the robust mutexes of glibc behave in
  // this way, and POSIX asks for no more. So if a process was killed while it waited, two more
  // processes compete for each key. Returns false if they cannot, or if that changed nothing the
  // last time.
  bool goes_on_after_another_use() {
    const std::uint32_t room = context_.abilities.limits.threads;
    const bool has_room = room == 0 || context_.plan.processes + kUsers <= room;
    if (!injector_.has_killed_a_waiter() || !has_room || used_at_ == events()) return false;
    used_at_ = events();
    put(state_.requests, 0);
    std::vector<pid_t> users;
    for (std::uint32_t i = 0; i < kUsers; ++i) {
      users.push_back(start_child([this] { use_each_key(); }));
    }
    StallDetector stall;
    while (!users.empty() && !stall.reached(get(state_.checking), users[0], tasks_of(users[0]))) {
      std::erase_if(users, [](pid_t user) { return waitpid(user, nullptr, WNOHANG) == user; });
      injector_.pass_time(platform::now() + kTick);
    }
    injected_.wake_ups_lost_with_waiter += users.empty();
    for (const pid_t user : users) {
      kill(user, SIGKILL);
      waitpid(user, nullptr, 0);
    }
    return users.empty();
  }

  // Holds each key until the other user has requested it and had time to fall asleep. The other one
  // may still wait for the key before, if all keys share a lock; then it competes for that one.
  void use_each_key() {
    for (std::uint32_t key = 0; key < context_.plan.keys; ++key) {
      const std::unique_ptr<LockHandle> handle = context_.lock->handle(key);
      add(state_.requests);
      handle->lock();
      const platform::Time patience = platform::now() + kMostForOther;
      const std::uint64_t both = std::uint64_t{kUsers} * (key + 1);
      while (get(state_.requests) < both && platform::now() < patience) sleep_a_tick();
      platform::sleep_until(platform::now() + kFallAsleep);
      handle->unlock();
      add(state_.checking);
    }
  }

  std::uint64_t events() const {
    std::uint64_t events = group_.living().size();
    for (const ProcessSlot& slot : state_.slots) events += slot.events.count();
    return events;
  }

  void report_stall(const std::vector<std::uint32_t>& left) {
    const std::uint32_t slot = left.front();
    const std::uint32_t key = state_.slots[slot].events.now().key;
    const std::uint64_t owner = get(state_.canaries[key].owner);
    check_seen(
        ProcessStall{.process = slot,
                     .key = key,
                     .last_holder = number_in(owner),
                     .last_holder_was_killed = owner != kNobody && state_.was_killed(owner)});
  }

  // The last update of a killed process may or may not have been made, so the count has a lower and
  // an upper bound.
  bool updates_are_kept() {
    for (std::uint32_t key = 0; key < context_.plan.keys; ++key) {
      std::uint64_t begun = 0;
      std::uint64_t done = 0;
      for (const ProcessSlot& slot : state_.slots) {
        begun += get(slot.begun[key]);
        done += get(slot.done[key]);
      }
      const std::uint64_t number = context_.numbers[key]->read().value_or(0);
      const Updates updates{
          .when = Updates::kAtEnd, .key = key, .least = done, .most = begun, .seen = number};
      if (!check_seen(updates)) return false;
    }
    return true;
  }

  // Returns false if an oracle failed.
  template <class Seen>
  bool check_seen(const Seen& seen) {
    return check(state_, kOwnSlot, seen);
  }

  const EpochContext& context_;
  SharedState& state_;
  InjectedFaults& injected_;
  ProcessGroup group_;
  FaultInjector injector_;
  std::optional<std::uint64_t> used_at_;  // events() when another process used the keys
};

// Resets the parts of the state that belong to a single epoch.
void wipe(SharedState& state) {
  put(state.go, 0);
  put(state.stop, 0);
  put(state.checking, 0);
  put(state.insists, 0);
  put(state.nests, 0);
  put(state.inherits, 0);
  put(state.holds, 0);
  put(state.began_ns, static_cast<std::uint64_t>(now_ns()));
  for (OwnerCanary& canary : state.canaries) std::construct_at(&canary);
  for (ProcessSlot& slot : state.slots) {
    for (Word& begun : slot.begun) put(begun, 0);
    for (Word& done : slot.done) put(done, 0);
    put(slot.stopped, 0);
    slot.events.set_now({});
  }
}

}  // namespace

bool run_epoch(SharedState& state, const RegisteredLock& entry, const EpochPlan& plan,
               InjectedFaults& injected) {
  wipe(state);
  const EpochContext context(state, entry, plan);
  return Epoch(context, injected).run();
}

}  // namespace lockbench::stress::processes
