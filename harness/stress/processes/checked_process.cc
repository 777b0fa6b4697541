// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/checked_process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <optional>
#include <sched.h>
#include <sys/wait.h>

#include "harness/stress/supervision/children.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::processes {
namespace {

constexpr std::int64_t kTimeoutsNs[] = {0, 300'000, 3'000'000};

constexpr std::uint64_t kHoldsOfAList = 64;

constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();

// Generates the acts of one process. A hold of a key may contain a nested hold of the next key.
class Generator {
 public:
  Generator(const EpochContext& context, Random& random) : context_(context), random_(random) {}

  std::vector<Act> acts(std::uint64_t holds) {
    for (std::uint64_t i = 0; i < holds; ++i) {
      hold(static_cast<std::uint32_t>(random_.below(context_.plan.keys)), 1);
    }
    return std::move(acts_);
  }

 private:
  // `depth`: the number of keys that the process then holds.
  void hold(std::uint32_t key, std::uint32_t depth) {
    acts_.push_back(acquisition(key));
    const bool has_room = within(depth + 1, context_.abilities.limits.keys_of_thread) > depth;
    const bool nests = context_.abilities.nests_keys && key + 1 < context_.plan.keys && has_room;
    if (nests && random_.below(4) == 0) hold(key + 1, depth + 1);
    const auto longest = static_cast<std::uint64_t>(context_.plan.longest_hold.count());
    if (longest != 0) {
      const auto us = static_cast<std::int64_t>(random_.below(longest + 1));
      acts_.push_back({.kind = Act::kSleep, .ns = us * 1000});
    }
    acts_.push_back({.kind = Act::kUnlock});
  }

  Act acquisition(std::uint32_t key) {
    const std::uint64_t kind = random_.below(8);
    if (kind == 0) return {.kind = Act::kTryLock, .key = key};
    if (kind != 1 || !context_.abilities.timed) return {.kind = Act::kLock, .key = key};
    const std::int64_t ns = kTimeoutsNs[random_.below(std::size(kTimeoutsNs))];
    return {.kind = Act::kTryLockFor, .key = key, .ns = ns};
  }

  const EpochContext& context_;
  Random& random_;
  std::vector<Act> acts_;
};

std::uint8_t byte(std::uint32_t number) {
  return static_cast<std::uint8_t>(number);
}

}  // namespace

CheckedProcess::CheckedProcess(const EpochContext& context, std::uint32_t number,
                               std::uint64_t life, std::uint64_t most_holds)
    : context_(context),
      state_(context.state),
      slot_(state_.slots[number]),
      number_(number),
      name_(pack(OwnerName{.number = number, .life = life})),
      random_(derive_seed(context.plan.seed, std::uint64_t{number} * 1'000'003 + life)),
      once_(most_holds <= kHoldsOfAList),
      acts_(Generator(context, random_).acts(std::min(most_holds, kHoldsOfAList))),
      counts_(context.plan.keys) {}

void CheckedProcess::run() {
  Interpreter interpreter(*this, *context_.lock, acts_, number_);
  do {
    interpreter.run();
  } while (!once_ && !stopping());
  record({.kind = Event::kEnd, .thread = byte(number_)});
}

void CheckedProcess::requests(const Event& request, const Act&) {
  inject_fault();
  if (get(state_.canaries[request.key].owner) != kNobody) add(slot_.contended);
  record(request);
  inject_fault();
  asked_ns_ = now_ns();
}

void CheckedProcess::answered(const Event& event) {
  raise(slot_.longest_wait_ns, static_cast<std::uint64_t>(now_ns() - asked_ns_));
  record(event);
}

void CheckedProcess::refused(const Event& refusal, const Act& act, bool would_deadlock) {
  if (would_deadlock) threw(refusal);
  const std::int64_t waited_ns = now_ns() - asked_ns_;
  answered(refusal);
  add(slot_.refusals);
  Refusal seen{.thread = number_, .key = refusal.key, .waited_ns = waited_ns};
  if (act.kind == Act::kTryLockFor) seen.timeout_ns = act.ns;
  check(seen);
}

void CheckedProcess::threw(const Event& request, bool beside) {
  check(EscapedException{.thread = number_, .key = request.key, .beside = beside});
}

void CheckedProcess::acquired(const Event& event, HoldData&, LockHandle& handle) {
  answered(event);
  add(slot_.acquisitions);
  enter(event.key, handle);
}

void CheckedProcess::enter(std::uint32_t key, const LockHandle& handle) {
  OwnerCanary& canary = state_.canaries[key];
  const std::uint64_t found = get(canary.owner);
  Holders holders{.thread = number_, .key = key};
  if (found != kNobody && !state_.was_killed(found)) {
    const std::uint32_t other = number_in(found);
    const bool stopped = get(state_.slots[other].stopped) != 0;
    holders.excess = {other, stopped ? OtherHolder::kStopped : OtherHolder::kHolds};
  }
  check(holders);
  put(canary.owner, name_);
  add(canary.grants);
  Grant grant{.thread = number_, .key = key};
  if (context_.abilities.tokens) grant.token = handle.token();
  check(grant, &canary.states);
  add(slot_.begun[key]);
  const std::optional<std::uint64_t> number = context_.numbers[key]->read();
  check(Updates{.thread = number_, .key = key, .most = kAnyNumber, .seen = number});
  counts_[key] = number.value_or(0);
}

void CheckedProcess::leave(std::uint32_t key) {
  OwnerCanary& canary = state_.canaries[key];
  context_.numbers[key]->write(counts_[key] + 1);
  add(slot_.done[key]);
  const std::uint64_t found = get(canary.owner);
  Holders holders{.thread = number_, .key = key, .at_release = true};
  if (found != name_) holders.excess = {number_in(found), OtherHolder::kHolds};
  check(holders);
  put(canary.owner, kNobody);
}

// The child is another process, so it must be refused the key, and its end must not release it: the
// next holder would find the canary of this one.
void CheckedProcess::fork_as_holder(std::uint32_t key) {
  constexpr int kAcquired = 99;
  if (context_.plan.fault() != FaultKind::kForks || random_.below(4) != 0) return;
  const std::optional<pid_t> child = start_child_if_possible([&] {
    if (context_.lock->handle(key)->try_lock()) _exit(kAcquired);
  });
  if (!child) return add(state_.forks_refused);
  add(slot_.injections);
  int status = 0;
  while (waitpid(*child, &status, 0) == -1 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) check(ProcessEnd{.thread = number_, .signal = WTERMSIG(status)});
  check(
      TryOfHeldKey{.key = key, .acquired = WIFEXITED(status) && WEXITSTATUS(status) == kAcquired});
}

void CheckedProcess::releases(const Event& event, HoldData&) {
  fork_as_holder(event.key);
  leave(event.key);
  record(event);
  inject_fault();
}

void CheckedProcess::released(const Event& event, HoldData&) {
  record(event);
}

void CheckedProcess::sleep(std::int64_t ns) {
  const platform::Time until = platform::now() + std::chrono::nanoseconds(ns);
  if (random_.below(2) == 0) {
    platform::sleep_until(until);
  } else {
    while (platform::now() < until) sched_yield();
  }
}

void CheckedProcess::inject_fault() {
  if (!context_.plan.yields) return;
  const std::uint64_t draw = random_.below(64);
  if (draw >= 17) return;
  add(slot_.injections);
  if (draw == 0) {
    platform::sleep_until(platform::now() + std::chrono::microseconds(random_.below(65)));
  } else {
    sched_yield();
  }
}

void CheckedProcess::record(const Event& event) {
  slot_.events.record(event, static_cast<std::uint64_t>(now_ns()));
}

}  // namespace lockbench::stress::processes
