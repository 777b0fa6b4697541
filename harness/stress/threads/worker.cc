// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/worker.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <sched.h>
#include <system_error>
#include <thread>
#include <utility>

#include "harness/stress/litmus/perform.h"

namespace lockbench::stress::threads {
namespace {

// Of an epoch. Its judgement takes a few milliseconds.
constexpr std::size_t kMostNotes = 16384;

// Below that a rest is spun away: a sleep takes no less than this.
constexpr std::int64_t kShortestSleepNs = 60'000;

constexpr std::uint64_t kLongestDisturbanceUs = 65;

bool has_two_keys(const Act& act) {
  return act.kind == Act::kLockBoth && act.key != act.other;
}

void sleep_for_ns(std::int64_t ns) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
}

}  // namespace

Worker::Worker(EpochContext& context, std::uint32_t number)
    : context_(context),
      number_(number),
      name_(name_of_thread(number)),
      acts_(context.plan.program.threads[number]),
      line_(context.state.lines[number]),
      random_(derive_seed(context.plan.seed, number)),
      most_notes_(kMostNotes / context.plan.program.threads.size()),
      depth_(context.plan.keys),
      gave_back_(context.plan.keys),
      updates_(std::size_t{context.plan.keys} * context.capacity),
      complete_until_(std::numeric_limits<std::int64_t>::max()) {
  takes_.reserve(most_notes_);
}

void Worker::go_through_acts() {
  for (std::size_t i = 0; i < acts_.size();) i = perform(i);
}

std::size_t Worker::perform(std::size_t position) {
  const Act& act = acts_[position];
  switch (act.kind) {
    case Act::kUnlock:
      give();
      break;
    case Act::kUnlockThrowing:
      unlock_while_throwing([this] { give(); });
      break;
    case Act::kUnlockByNonOwner:
      unlock_as_non_owner(act.key);
      break;
    case Act::kSleep:
      rest(act.ns);
      break;
    case Act::kAwaitEnd:
      break;  // refused in orders, and in no program that is drawn
    default:
      take(act, position);
      return position;
  }
  return position + 1;
}

// ---- taking

void Worker::take(const Act& act, std::size_t& position) {
  // What is held is still given back when the context stops; nothing more is taken.
  if (context_.stopping()) {
    position = end_of_hold(acts_, position) + 1;
    return;
  }
  if (somebody_is_in_the_way(act.key)) add(line_.contended);
  grants_before_ = get(context_.watch(act.key, 0).grants);
  tell(Deed::kWants, act, 0, now_ns());
  disturb();
  std::unique_ptr<LockHandle> handle = handle_for(context_.lock, act);
  const std::int64_t asked = now_ns();
  const Answer answer = call(act, *handle);
  if (answer == Answer::kHeld) {
    enter(act, std::move(handle), asked);
    disturb();
    ++position;
    return;
  }
  handle.reset();
  refused(act, asked, answer == Answer::kRefused);
  position = end_of_hold(acts_, position) + 1;
}

Worker::Answer Worker::call(const Act& act, LockHandle& handle) {
  const auto answer = [](bool held) { return held ? Answer::kHeld : Answer::kRefused; };
  try {
    if (act.kind == Act::kTryLock) return answer(handle.try_lock());
    if (act.kind == Act::kTryLockFor)
      return answer(handle.try_lock_for(std::chrono::nanoseconds(act.ns)));
    handle.lock();
    return Answer::kHeld;
  } catch (const std::system_error& error) {
    // A lock may say that waiting would never end, to a thread that holds something of it.
    if (error.code() == std::errc::resource_deadlock_would_occur && !holds_.empty()) {
      return Answer::kImpossible;
    }
  } catch (...) {
  }
  fail(context_.state, {.oracle = Oracle::kCrash,
                        .fault = FailureRecord::kThrew,
                        .thread = number_,
                        .key = act.key});
}

void Worker::refused(const Act& act, std::int64_t asked, bool judged) {
  const std::int64_t answered = now_ns();
  tell(Deed::kIsRefused, act, 0, answered);
  add(line_.refusals);
  count(Oracle::kModel);
  FailureRecord charge{.oracle = Oracle::kModel,
                       .fault = FailureRecord::kRefusedOwner,
                       .thread = number_,
                       .key = act.key};
  if (nested_in(act.key)) fail(context_.state, charge);
  if (act.kind == Act::kTryLockFor && answered < asked + act.ns) {
    charge.fault = FailureRecord::kTooEarly;
    charge.x = static_cast<std::uint64_t>(answered - asked);
    charge.y = static_cast<std::uint64_t>(act.ns);
    fail(context_.state, charge);
  }
  for (std::uint32_t i = 0; i < (has_two_keys(act) ? 2U : 1U); ++i) {
    note({.thread = number_,
          .key = i == 0 ? act.key : act.other,
          .judged = judged,
          .asked = asked,
          .answered = answered});
  }
}

void Worker::enter(const Act& act, std::unique_ptr<LockHandle> handle, std::int64_t asked) {
  Hold hold{.lease = handle->lease(), .parts = has_two_keys(act) ? 2U : 1U};
  for (std::uint32_t i = 0; i < hold.parts; ++i) {
    hold.part[i].key = i == 0 ? act.key : act.other;
    enter_part(hold.part[i], hold.lease, *handle);
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
  hold.handle = std::move(handle);
  holds_.push_back(std::move(hold));
}

void Worker::enter_part(Part& part, std::uint32_t lease, LockHandle& handle) {
  const bool leases = context_.entry.abilities.leases;
  if (leases) count(Oracle::kLease);
  if (lease >= context_.capacity) {
    fail(context_.state, {.oracle = Oracle::kLease,
                          .fault = FailureRecord::kNoSuchLease,
                          .thread = number_,
                          .key = part.key,
                          .lease = lease,
                          .x = context_.capacity});
  }
  OwnerCanary& watch = context_.watch(part.key, lease);
  const std::uint64_t owner = get(watch.owner);
  count(Oracle::kExclusion);
  part.nested = nested_in(part.key);
  if (context_.entry.abilities.reentrant) ++depth_[part.key];
  if (part.nested) {
    if ((owner | kGaveBack) != (name_ | kGaveBack)) accuse(owner, part, lease);
    return;
  }
  if (owner != kNobody) accuse(owner, part, lease);
  put(watch.owner, name_);
  put(watch.grants, get(watch.grants) + 1);
  part.seen = watch.count.read();
  if (!context_.entry.abilities.tokens) return;
  count(Oracle::kToken);
  const std::uint64_t token = handle.token();
  const std::uint64_t last = get(watch.token);
  if (token <= last) {
    fail(context_.state, {.oracle = Oracle::kToken,
                          .fault = FailureRecord::kToken,
                          .thread = number_,
                          .key = part.key,
                          .x = token,
                          .y = last});
  }
  put(watch.token, token);
}

// ---- giving back

void Worker::leave_part(const Part& part, std::uint32_t lease) {
  OwnerCanary& watch = context_.watch(part.key, lease);
  const std::uint64_t owner = get(watch.owner);
  count(Oracle::kExclusion);
  if ((owner | kGaveBack) != (name_ | kGaveBack)) accuse(owner, part, lease);
  if (context_.entry.abilities.reentrant && --depth_[part.key] != 0) {
    gave_back_[part.key] = true;
    put(watch.owner, name_ | kGaveBack);
    return;
  }
  gave_back_[part.key] = false;
  count(Oracle::kConservation);
  const std::uint64_t seen = watch.count.read();
  if (seen != part.seen) {
    fail(context_.state, {.oracle = Oracle::kConservation,
                          .fault = FailureRecord::kOverwritten,
                          .thread = number_,
                          .key = part.key,
                          .x = part.seen,
                          .y = seen});
  }
  watch.count.write(seen + 1);
  ++updates_[std::size_t{part.key} * context_.capacity + lease];
  put(watch.owner, kNobody);
}

void Worker::give() {
  disturb();
  Hold& hold = holds_.back();
  const Act act{.kind = hold.parts == 2 ? Act::kLockBoth : Act::kLock,
                .key = hold.part[0].key,
                .other = hold.part[1].key};
  for (std::uint32_t i = 0; i < hold.parts; ++i) leave_part(hold.part[i], hold.lease);
  const std::int64_t giving = now_ns();
  put(line_.standing.holds, holds_.size() - 1);
  tell(Deed::kGives, act, hold.lease, giving);
  hold.handle->unlock();
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

void Worker::unlock_as_non_owner(std::uint32_t key) {
  if (!holds_.empty()) return;
  context_.note_non_owner_unlock();
  tell(Deed::kForeign, {.key = key}, 0, now_ns());
  context_.lock.handle(key)->unlock();
  tell(Deed::kNothing, {.key = key}, 0, now_ns());
}

// ---- between

void Worker::rest(std::int64_t ns) {
  if (context_.stopping()) return;
  if (ns >= kShortestSleepNs) {
    sleep_for_ns(ns);
    return;
  }
  const std::int64_t until = now_ns() + ns;
  while (now_ns() < until) {
  }
}

void Worker::disturb() {
  if (!context_.plan.yields) return;
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
  return context_.entry.abilities.reentrant && depth_[key] != 0;
}

void Worker::accuse(std::uint64_t other, const Part& part, std::uint32_t lease) const {
  FailureRecord charge{
      .oracle = context_.capacity > 1 ? Oracle::kLease : Oracle::kExclusion,
      .fault = context_.capacity > 1 ? FailureRecord::kLeaseTwice : FailureRecord::kTwoInside,
      .thread = number_,
      .other = thread_of_name(other),
      .key = part.key,
      .lease = lease};
  if (context_.had_non_owner_unlock()) {
    charge.oracle = Oracle::kModel;
    charge.fault = FailureRecord::kNonOwnerUnlocked;
  } else if ((other & kGaveBack) != 0 || part.nested || gave_back_[part.key]) {
    charge.oracle = Oracle::kModel;
    charge.fault = FailureRecord::kNestBroken;
  }
  fail(context_.state, charge);
}

}  // namespace lockbench::stress::threads
