// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/proc/worker.h"

#include <chrono>
#include <exception>
#include <optional>
#include <sched.h>
#include <unistd.h>

#include "primitives/platform/clock.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::proc {
namespace {

constexpr std::chrono::microseconds kAWhile[] = {
    std::chrono::microseconds(0), std::chrono::microseconds(300), std::chrono::microseconds(3000)};

}  // namespace

Worker::Worker(const Stage& stage, std::uint32_t number, std::uint64_t life)
    : stage_(stage),
      board_(stage.board),
      seat_(board_.seats[number]),
      number_(number),
      name_(pack(Name{.seat = number, .life = life})),
      random_(derive_seed(stage.plan.seed, number * 1'000'003 + life)),
      counts_(stage.plan.keys) {
  for (std::uint32_t key = 0; key < stage.plan.keys; ++key) {
    claims_.push_back(stage.suspect->claim(key));
  }
}

void Worker::live(std::uint64_t most_holds) {
  for (std::uint64_t i = 0; i < most_holds && get(board_.stop) == 0; ++i) {
    hold(static_cast<std::uint32_t>(random_.below(stage_.plan.keys)));
    perhaps_yield();
  }
  tell(Deed::kEnded, 0);
}

// And now and then, within it, one of the next key.
void Worker::hold(std::uint32_t key) {
  if (!take(key)) return;
  const bool nests = stage_.abilities.nests_keys && key + 1 < stage_.plan.keys;
  if (nests && random_.below(4) == 0) hold(key + 1);
  dwell();
  give(key);
}

bool Worker::take(std::uint32_t key) {
  if (get(board_.places[key].inside) != kNobody) add(seat_.contended);
  tell(Deed::kWants, key);
  perhaps_yield();
  const std::int64_t began = now_ns();
  bool taken = false;
  try {
    taken = call(key);
  } catch (const std::exception&) {
    convict({.fault = Charge::kThrew, .key = static_cast<std::uint8_t>(key)});
  }
  raise(seat_.longest_wait_ns, static_cast<std::uint64_t>(now_ns() - began));
  tell(taken ? Deed::kHas : Deed::kIsRefused, key);
  add(taken ? seat_.acquisitions : seat_.refusals);
  if (taken) enter(key);
  return taken;
}

bool Worker::call(std::uint32_t key) {
  const std::uint64_t kind = random_.below(8);
  if (kind == 0) return claims_[key]->try_lock();
  if (kind == 1 && stage_.abilities.timed) return ask_for_a_while(key);
  claims_[key]->lock();
  return true;
}

bool Worker::ask_for_a_while(std::uint32_t key) {
  const auto limit = kAWhile[random_.below(std::size(kAWhile))];
  const platform::Time began = platform::now();
  const bool taken = claims_[key]->try_lock_for(limit);
  const auto waited = platform::now() - began;
  asked(Oracle::kModel);
  if (!taken && waited < limit) {
    convict({.fault = Charge::kTooEarly,
             .key = static_cast<std::uint8_t>(key),
             .x = static_cast<std::uint32_t>(
                 std::chrono::duration_cast<std::chrono::microseconds>(waited).count())});
  }
  return taken;
}

void Worker::enter(std::uint32_t key) {
  Place& place = board_.places[key];
  const std::uint64_t found = get(place.inside);
  asked(Oracle::kExclusion);
  if (found != kNobody && !board_.was_killed(found)) {
    const std::uint32_t other = name_from(found).seat;
    const bool stopped = get(board_.seats[other].stopped) != 0;
    convict({.fault = stopped ? Charge::kFromStopped : Charge::kTwoInside,
             .other = static_cast<std::uint8_t>(other),
             .key = static_cast<std::uint8_t>(key)});
  }
  put(place.inside, name_);
  put(place.entered_ns, static_cast<std::uint64_t>(now_ns()));
  add(place.entries);
  add(seat_.begun[key]);
  const std::optional<std::uint64_t> number = stage_.numbers[key]->read();
  asked(Oracle::kConservation);
  if (!number) convict({.fault = Charge::kTorn, .key = static_cast<std::uint8_t>(key)});
  counts_[key] = *number;
}

void Worker::leave(std::uint32_t key) {
  Place& place = board_.places[key];
  stage_.numbers[key]->write(counts_[key] + 1);
  add(seat_.done[key]);
  const std::uint64_t found = get(place.inside);
  asked(Oracle::kExclusion);
  if (found != name_) {
    convict({.fault = Charge::kWipedOff,
             .other = found == kNobody ? kNoSeat : static_cast<std::uint8_t>(name_from(found).seat),
             .key = static_cast<std::uint8_t>(key)});
  }
  put(place.inside, kNobody);
}

void Worker::give(std::uint32_t key) {
  leave(key);
  tell(Deed::kGives, key);
  perhaps_yield();
  try {
    claims_[key]->unlock();
  } catch (const std::exception&) {
    convict({.fault = Charge::kThrew, .key = static_cast<std::uint8_t>(key)});
  }
  tell(Deed::kGave, key);
}

void Worker::dwell() {
  const auto longest = static_cast<std::uint64_t>(stage_.plan.longest_hold.count());
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
  if (!stage_.plan.yields) return;
  const std::uint64_t draw = random_.below(64);
  if (draw >= 17) return;
  add(seat_.injections);
  if (draw == 0) {
    platform::sleep_until(platform::now() + std::chrono::microseconds(random_.below(65)));
  } else {
    sched_yield();
  }
}

void Worker::tell(Deed::What what, std::uint32_t key) {
  const std::uint64_t deed = pack(Deed{what, key});
  EventWords& event = seat_.last[get(seat_.events) % kEventsTold];
  put(event.ns, static_cast<std::uint64_t>(now_ns()));
  put(event.deed, deed);
  put(seat_.doing, deed);
  add(seat_.events);
}

void Worker::asked(Oracle oracle) {
  add(seat_.evaluations[static_cast<std::size_t>(oracle)]);
}

void Worker::convict(Charge charge) const {
  charge.seat = static_cast<std::uint8_t>(number_);
  board_.note(charge);
  _exit(0);
}

}  // namespace lockbench::stress::proc
