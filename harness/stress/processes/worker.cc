// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/worker.h"

#include <chrono>
#include <exception>
#include <optional>
#include <sched.h>
#include <unistd.h>

#include "primitives/platform/clock.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::processes {
namespace {

constexpr std::chrono::microseconds kAWhile[] = {
    std::chrono::microseconds(0), std::chrono::microseconds(300), std::chrono::microseconds(3000)};

}  // namespace

Worker::Worker(const EpochContext& context, std::uint32_t number, std::uint64_t life)
    : context_(context),
      state_(context.state),
      slot_(state_.slots[number]),
      number_(number),
      name_(pack(Name{.slot = number, .life = life})),
      random_(derive_seed(context.plan.seed, number * 1'000'003 + life)),
      counts_(context.plan.keys) {
  for (std::uint32_t key = 0; key < context.plan.keys; ++key) {
    handles_.push_back(context.lock->handle(key));
  }
}

void Worker::live(std::uint64_t most_holds) {
  for (std::uint64_t i = 0; i < most_holds && get(state_.stop) == 0; ++i) {
    hold(static_cast<std::uint32_t>(random_.below(context_.plan.keys)));
    perhaps_yield();
  }
  tell(Deed::kEnded, 0);
}

// And now and then, within it, one of the next key.
void Worker::hold(std::uint32_t key) {
  if (!take(key)) return;
  const bool nests = context_.abilities.nests_keys && key + 1 < context_.plan.keys;
  if (nests && random_.below(4) == 0) hold(key + 1);
  dwell();
  give(key);
}

bool Worker::take(std::uint32_t key) {
  if (get(state_.sections[key].inside) != kNobody) add(slot_.contended);
  tell(Deed::kWants, key);
  perhaps_yield();
  const std::int64_t began = now_ns();
  bool taken = false;
  try {
    taken = call(key);
  } catch (const std::exception&) {
    fail({.fault = FailureRecord::kThrew, .key = static_cast<std::uint8_t>(key)});
  }
  raise(slot_.longest_wait_ns, static_cast<std::uint64_t>(now_ns() - began));
  tell(taken ? Deed::kHas : Deed::kIsRefused, key);
  add(taken ? slot_.acquisitions : slot_.refusals);
  if (taken) enter(key);
  return taken;
}

bool Worker::call(std::uint32_t key) {
  const std::uint64_t kind = random_.below(8);
  if (kind == 0) return handles_[key]->try_lock();
  if (kind == 1 && context_.abilities.timed) return ask_for_a_while(key);
  handles_[key]->lock();
  return true;
}

bool Worker::ask_for_a_while(std::uint32_t key) {
  const auto limit = kAWhile[random_.below(std::size(kAWhile))];
  const platform::Time began = platform::now();
  const bool taken = handles_[key]->try_lock_for(limit);
  const auto waited = platform::now() - began;
  asked(Oracle::kModel);
  if (!taken && waited < limit) {
    fail({.fault = FailureRecord::kTooEarly,
          .key = static_cast<std::uint8_t>(key),
          .x = static_cast<std::uint32_t>(
              std::chrono::duration_cast<std::chrono::microseconds>(waited).count())});
  }
  return taken;
}

void Worker::enter(std::uint32_t key) {
  CriticalSection& place = state_.sections[key];
  const std::uint64_t found = get(place.inside);
  asked(Oracle::kExclusion);
  if (found != kNobody && !state_.was_killed(found)) {
    const std::uint32_t other = name_from(found).slot;
    const bool stopped = get(state_.slots[other].stopped) != 0;
    fail({.fault = stopped ? FailureRecord::kFromStopped : FailureRecord::kTwoInside,
          .other = static_cast<std::uint8_t>(other),
          .key = static_cast<std::uint8_t>(key)});
  }
  put(place.inside, name_);
  put(place.entered_ns, static_cast<std::uint64_t>(now_ns()));
  add(place.entries);
  add(slot_.begun[key]);
  const std::optional<std::uint64_t> number = context_.numbers[key]->read();
  asked(Oracle::kConservation);
  if (!number) fail({.fault = FailureRecord::kTorn, .key = static_cast<std::uint8_t>(key)});
  counts_[key] = *number;
}

void Worker::leave(std::uint32_t key) {
  CriticalSection& place = state_.sections[key];
  context_.numbers[key]->write(counts_[key] + 1);
  add(slot_.done[key]);
  const std::uint64_t found = get(place.inside);
  asked(Oracle::kExclusion);
  if (found != name_) {
    fail({.fault = FailureRecord::kWipedOff,
          .other = found == kNobody ? kNoSlot : static_cast<std::uint8_t>(name_from(found).slot),
          .key = static_cast<std::uint8_t>(key)});
  }
  put(place.inside, kNobody);
}

void Worker::give(std::uint32_t key) {
  leave(key);
  tell(Deed::kGives, key);
  perhaps_yield();
  try {
    handles_[key]->unlock();
  } catch (const std::exception&) {
    fail({.fault = FailureRecord::kThrew, .key = static_cast<std::uint8_t>(key)});
  }
  tell(Deed::kGave, key);
}

void Worker::dwell() {
  const auto longest = static_cast<std::uint64_t>(context_.plan.longest_hold.count());
  if (longest == 0) return;
  const platform::Time until =
      platform::now() + std::chrono::microseconds(random_.below(longest + 1));
  if (random_.below(2) == 0) {
    platform::sleep_until(until);
  } else {
    while (platform::now() < until) sched_yield();
  }
}

void Worker::perhaps_yield() {
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

void Worker::tell(Deed::What what, std::uint32_t key) {
  const std::uint64_t deed = pack(Deed{what, key});
  EventWords& event = slot_.last[get(slot_.events) % kEventsTold];
  put(event.ns, static_cast<std::uint64_t>(now_ns()));
  put(event.deed, deed);
  put(slot_.doing, deed);
  add(slot_.events);
}

void Worker::asked(Oracle oracle) {
  add(slot_.evaluations[static_cast<std::size_t>(oracle)]);
}

void Worker::fail(FailureRecord charge) const {
  charge.slot = static_cast<std::uint8_t>(number_);
  state_.note(charge);
  _exit(0);
}

}  // namespace lockbench::stress::processes
