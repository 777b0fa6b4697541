// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/worker.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <sched.h>
#include <system_error>
#include <thread>
#include <utility>

#include "harness/stress/acting.h"

namespace lockbench::stress::real {
namespace {

// Of an epoch. Its judgement takes a few milliseconds.
constexpr std::size_t kMostNotes = 16384;

// Below that a rest is spun away: a sleep takes no less than this.
constexpr std::int64_t kShortestSleepNs = 60'000;

constexpr std::uint64_t kLongestDisturbanceUs = 65;

bool has_two_keys(const Act& act) {
  return act.kind == Act::kTakeBoth && act.key != act.other;
}

void sleep_for_ns(std::int64_t ns) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
}

}  // namespace

Worker::Worker(Stage& stage, std::uint32_t number)
    : stage_(stage),
      number_(number),
      name_(name_of_thread(number)),
      acts_(stage.plan.client.threads[number]),
      line_(stage.board.lines[number]),
      random_(derive_seed(stage.plan.seed, number)),
      most_notes_(kMostNotes / stage.plan.client.threads.size()),
      depth_(stage.plan.keys),
      gave_back_(stage.plan.keys),
      updates_(std::size_t{stage.plan.keys} * stage.capacity),
      complete_until_(std::numeric_limits<std::int64_t>::max()) {
  takes_.reserve(most_notes_);
}

void Worker::go_through_acts() {
  for (std::size_t i = 0; i < acts_.size();) i = perform(i);
}

std::size_t Worker::perform(std::size_t position) {
  const Act& act = acts_[position];
  switch (act.kind) {
    case Act::kGive:
      give();
      break;
    case Act::kGiveThrowing:
      give_while_throwing([this] { give(); });
      break;
    case Act::kGiveForeign:
      unlock_as_stranger(act.key);
      break;
    case Act::kRest:
      rest(act.ns);
      break;
    case Act::kAwait:
      break;  // refused in orders, and in no client that is drawn
    default:
      take(act, position);
      return position;
  }
  return position + 1;
}

// ---- taking

void Worker::take(const Act& act, std::size_t& position) {
  // What is held is still given back when the stage stops; nothing more is taken.
  if (stage_.stopping()) {
    position = end_of_hold(acts_, position) + 1;
    return;
  }
  if (somebody_is_in_the_way(act.key)) add(line_.contended);
  grants_before_ = get(stage_.watch(act.key, 0).grants);
  tell(Deed::kWants, act, 0, now_ns());
  disturb();
  std::unique_ptr<Claim> claim = claim_for(stage_.suspect, act);
  const std::int64_t asked = now_ns();
  const Answer answer = call(act, *claim);
  if (answer == Answer::kHeld) {
    enter(act, std::move(claim), asked);
    disturb();
    ++position;
    return;
  }
  claim.reset();
  refused(act, asked, answer == Answer::kRefused);
  position = end_of_hold(acts_, position) + 1;
}

Worker::Answer Worker::call(const Act& act, Claim& claim) {
  const auto answer = [](bool held) { return held ? Answer::kHeld : Answer::kRefused; };
  try {
    if (act.kind == Act::kTry) return answer(claim.try_lock());
    if (act.kind == Act::kTakeFor)
      return answer(claim.try_lock_for(std::chrono::nanoseconds(act.ns)));
    claim.lock();
    return Answer::kHeld;
  } catch (const std::system_error& error) {
    // A lock may say that waiting would never end, to a thread that holds something of it.
    if (error.code() == std::errc::resource_deadlock_would_occur && !holds_.empty()) {
      return Answer::kImpossible;
    }
  } catch (...) {
  }
  convict(stage_.board,
          {.oracle = Oracle::kCrash, .fault = Charge::kThrew, .thread = number_, .key = act.key});
}

void Worker::refused(const Act& act, std::int64_t asked, bool judged) {
  const std::int64_t answered = now_ns();
  tell(Deed::kIsRefused, act, 0, answered);
  add(line_.refusals);
  count(Oracle::kModel);
  Charge charge{
      .oracle = Oracle::kModel, .fault = Charge::kRefusedOwner, .thread = number_, .key = act.key};
  if (nested_in(act.key)) convict(stage_.board, charge);
  if (act.kind == Act::kTakeFor && answered < asked + act.ns) {
    charge.fault = Charge::kTooEarly;
    charge.x = static_cast<std::uint64_t>(answered - asked);
    charge.y = static_cast<std::uint64_t>(act.ns);
    convict(stage_.board, charge);
  }
  for (std::uint32_t i = 0; i < (has_two_keys(act) ? 2U : 1U); ++i) {
    note({.thread = number_,
          .key = i == 0 ? act.key : act.other,
          .judged = judged,
          .asked = asked,
          .answered = answered});
  }
}

void Worker::enter(const Act& act, std::unique_ptr<Claim> claim, std::int64_t asked) {
  Hold hold{.lease = claim->lease(), .parts = has_two_keys(act) ? 2U : 1U};
  for (std::uint32_t i = 0; i < hold.parts; ++i) {
    hold.part[i].key = i == 0 ? act.key : act.other;
    enter_part(hold.part[i], hold.lease, *claim);
  }
  const std::int64_t answered = now_ns();
  tell(Deed::kHas, act, hold.lease, answered);
  add(line_.acquisitions);
  waited(answered - asked, act.key);
  for (std::uint32_t i = 0; i < hold.parts; ++i) {
    Part& part = hold.part[i];
    if (part.nested) continue;
    part.note = note({.thread = number_,
                      .key = part.key,
                      .lease = hold.lease,
                      .held = true,
                      .update = part.seen,
                      .asked = asked,
                      .answered = answered});
  }
  hold.claim = std::move(claim);
  holds_.push_back(std::move(hold));
}

void Worker::enter_part(Part& part, std::uint32_t lease, Claim& claim) {
  const bool leases = stage_.lineup.abilities.leases;
  if (leases) count(Oracle::kLease);
  if (lease >= stage_.capacity) {
    convict(stage_.board, {.oracle = Oracle::kLease,
                           .fault = Charge::kNoSuchLease,
                           .thread = number_,
                           .key = part.key,
                           .lease = lease,
                           .x = stage_.capacity});
  }
  Watch& watch = stage_.watch(part.key, lease);
  const std::uint64_t owner = get(watch.owner);
  count(Oracle::kExclusion);
  part.nested = nested_in(part.key);
  if (stage_.lineup.abilities.reentrant) ++depth_[part.key];
  if (part.nested) {
    if ((owner | kGaveBack) != (name_ | kGaveBack)) accuse(owner, part, lease);
    return;
  }
  if (owner != kNobody) accuse(owner, part, lease);
  put(watch.owner, name_);
  put(watch.grants, get(watch.grants) + 1);
  part.seen = watch.count.read();
  if (!stage_.lineup.abilities.tokens) return;
  count(Oracle::kToken);
  const std::uint64_t token = claim.token();
  const std::uint64_t last = get(watch.token);
  if (token <= last) {
    convict(stage_.board, {.oracle = Oracle::kToken,
                           .fault = Charge::kToken,
                           .thread = number_,
                           .key = part.key,
                           .x = token,
                           .y = last});
  }
  put(watch.token, token);
}

// ---- giving back

void Worker::leave_part(const Part& part, std::uint32_t lease) {
  Watch& watch = stage_.watch(part.key, lease);
  const std::uint64_t owner = get(watch.owner);
  count(Oracle::kExclusion);
  if ((owner | kGaveBack) != (name_ | kGaveBack)) accuse(owner, part, lease);
  if (stage_.lineup.abilities.reentrant && --depth_[part.key] != 0) {
    gave_back_[part.key] = true;
    put(watch.owner, name_ | kGaveBack);
    return;
  }
  gave_back_[part.key] = false;
  count(Oracle::kConservation);
  const std::uint64_t seen = watch.count.read();
  if (seen != part.seen) {
    convict(stage_.board, {.oracle = Oracle::kConservation,
                           .fault = Charge::kOverwritten,
                           .thread = number_,
                           .key = part.key,
                           .x = part.seen,
                           .y = seen});
  }
  watch.count.write(seen + 1);
  ++updates_[std::size_t{part.key} * stage_.capacity + lease];
  put(watch.owner, kNobody);
}

void Worker::give() {
  disturb();
  Hold& hold = holds_.back();
  const Act act{.kind = hold.parts == 2 ? Act::kTakeBoth : Act::kTake,
                .key = hold.part[0].key,
                .other = hold.part[1].key};
  for (std::uint32_t i = 0; i < hold.parts; ++i) leave_part(hold.part[i], hold.lease);
  const std::int64_t giving = now_ns();
  put(line_.standing.holds, holds_.size() - 1);
  tell(Deed::kGives, act, hold.lease, giving);
  hold.claim->unlock();
  const std::int64_t gone = now_ns();
  tell(Deed::kGave, act, hold.lease, gone);
  for (const Part& part : hold.part) {
    if (part.note == kNotNoted) continue;
    takes_[part.note].giving = giving;
    takes_[part.note].gone = gone;
  }
  holds_.pop_back();
  disturb();
}

void Worker::unlock_as_stranger(std::uint32_t key) {
  if (!holds_.empty()) return;
  stage_.let_a_stranger_unlock();
  tell(Deed::kForeign, {.key = key}, 0, now_ns());
  stage_.suspect.claim(key)->unlock();
  tell(Deed::kNothing, {.key = key}, 0, now_ns());
}

// ---- between

void Worker::rest(std::int64_t ns) {
  if (stage_.stopping()) return;
  if (ns >= kShortestSleepNs) {
    sleep_for_ns(ns);
    return;
  }
  const std::int64_t until = now_ns() + ns;
  while (now_ns() < until) {
  }
}

void Worker::disturb() {
  if (!stage_.plan.yields) return;
  const std::uint64_t what = random_.below(64);
  if (what > 16) return;
  add(line_.injections);
  if (what == 0) {
    sleep_for_ns(static_cast<std::int64_t>(random_.below(kLongestDisturbanceUs) + 1) * 1000);
  } else {
    sched_yield();
  }
}

bool Worker::nested_in(std::uint32_t key) const {
  return stage_.lineup.abilities.reentrant && depth_[key] != 0;
}

void Worker::accuse(std::uint64_t other, const Part& part, std::uint32_t lease) const {
  Charge charge{.oracle = stage_.capacity > 1 ? Oracle::kLease : Oracle::kExclusion,
                .fault = stage_.capacity > 1 ? Charge::kLeaseTwice : Charge::kTwoInside,
                .thread = number_,
                .other = thread_of_name(other),
                .key = part.key,
                .lease = lease};
  if (stage_.had_strangers()) {
    charge.oracle = Oracle::kModel;
    charge.fault = Charge::kStrangerHeeded;
  } else if ((other & kGaveBack) != 0 || part.nested || gave_back_[part.key]) {
    charge.oracle = Oracle::kModel;
    charge.fault = Charge::kNestBroken;
  }
  convict(stage_.board, charge);
}

}  // namespace lockbench::stress::real
