// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/checked_process.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <sched.h>
#include <unistd.h>

#include "primitives/platform/clock.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::processes {
namespace {

constexpr std::int64_t kTimeoutsNs[] = {0, 300'000, 3'000'000};

constexpr std::uint64_t kHoldsOfAList = 64;

// The acts of one life. A hold of a key may have one of the next key inside.
class Generator {
 public:
  Generator(const EpochContext& context, Random& random) : context_(context), random_(random) {}

  std::vector<Act> acts(std::uint64_t holds) {
    for (std::uint64_t i = 0; i < holds; ++i) {
      hold(static_cast<std::uint32_t>(random_.below(context_.plan.keys)));
    }
    return std::move(acts_);
  }

 private:
  void hold(std::uint32_t key) {
    acts_.push_back(acquisition(key));
    const bool nests = context_.abilities.nests_keys && key + 1 < context_.plan.keys;
    if (nests && random_.below(4) == 0) hold(key + 1);
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
      name_(pack(Name{.slot = number, .life = life})),
      random_(derive_seed(context.plan.seed, number * 1'000'003 + life)),
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
  if (get(state_.sections[request.key].inside) != kNobody) add(slot_.contended);
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
  if (act.kind != Act::kTryLockFor) return;
  count(Oracle::kModel);
  if (waited_ns >= act.ns) return;
  fail({.fault = FailureRecord::kTooEarly,
        .key = byte(refusal.key),
        .x = static_cast<std::uint32_t>(waited_ns / 1000)});
}

void CheckedProcess::threw(const Event& request) const {
  fail({.fault = FailureRecord::kThrew, .key = byte(request.key)});
}

void CheckedProcess::acquired(const Event& event, HoldData&, LockHandle&) {
  answered(event);
  add(slot_.acquisitions);
  enter(event.key);
}

void CheckedProcess::enter(std::uint32_t key) {
  CriticalSection& section = state_.sections[key];
  const std::uint64_t found = get(section.inside);
  count(Oracle::kExclusion);
  if (found != kNobody && !state_.was_killed(found)) {
    const std::uint32_t other = name_from(found).slot;
    const bool stopped = get(state_.slots[other].stopped) != 0;
    fail({.fault = stopped ? FailureRecord::kFromStopped : FailureRecord::kTwoInside,
          .other = byte(other),
          .key = byte(key)});
  }
  put(section.inside, name_);
  add(section.entries);
  add(slot_.begun[key]);
  const std::optional<std::uint64_t> number = context_.numbers[key]->read();
  count(Oracle::kConservation);
  if (!number) fail({.fault = FailureRecord::kTorn, .key = byte(key)});
  counts_[key] = *number;
}

void CheckedProcess::leave(std::uint32_t key) {
  CriticalSection& section = state_.sections[key];
  context_.numbers[key]->write(counts_[key] + 1);
  add(slot_.done[key]);
  const std::uint64_t found = get(section.inside);
  count(Oracle::kExclusion);
  if (found != name_) {
    fail({.fault = FailureRecord::kWipedOff,
          .other = found == kNobody ? kNoSlot : byte(name_from(found).slot),
          .key = byte(key)});
  }
  put(section.inside, kNobody);
}

void CheckedProcess::releases(const Event& event, HoldData&) {
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

void CheckedProcess::count(Oracle oracle) {
  add(slot_.evaluations[static_cast<std::size_t>(oracle)]);
}

void CheckedProcess::fail(FailureRecord failure) const {
  failure.slot = byte(number_);
  state_.note(failure);
  _exit(0);
}

}  // namespace lockbench::stress::processes
