// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/checked_thread.h"

#include <chrono>
#include <limits>
#include <sched.h>
#include <thread>

namespace lockbench::stress::threads {
namespace {

// Of an epoch. To check them takes a few milliseconds.
constexpr std::size_t kMostRecords = 16384;

// A shorter sleep is spun away: the kernel's take no less than this.
constexpr std::int64_t kShortestSleepNs = 60'000;

constexpr std::uint64_t kLongestInjectedSleepUs = 65;

void sleep_for_ns(std::int64_t ns) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
}

}  // namespace

CheckedThread::CheckedThread(EpochContext& context, std::uint32_t number)
    : context_(context),
      number_(number),
      name_(name_of_thread(number)),
      acts_(context.plan.program.threads[number]),
      slot_(context.state.slots[number]),
      random_(derive_seed(context.plan.seed, number)),
      most_records_(kMostRecords / context.plan.program.threads.size()),
      depth_(context.plan.keys),
      part_released_(context.plan.keys),
      updates_(std::size_t{context.plan.keys} * context.capacity),
      complete_until_(std::numeric_limits<std::int64_t>::max()) {
  takes_.reserve(most_records_);
}

// ---- acquiring

void CheckedThread::requests(const Event& request, const Act&) {
  if (somebody_is_in_the_way(request.key)) add(slot_.contended);
  grants_before_ = get(context_.canary(request.key, 0).grants);
  record(request, now_ns());
  inject_fault();
  asked_ns_ = now_ns();
}

void CheckedThread::refused(const Event& refusal, const Act& act, bool would_deadlock) {
  const std::int64_t answered = now_ns();
  if (would_deadlock && holds_ == 0) threw(refusal);
  record(refusal, answered);
  add(slot_.refusals);
  count(Oracle::kModel);
  FailureRecord failure{.oracle = Oracle::kModel,
                        .fault = FailureRecord::kRefusedOwner,
                        .thread = number_,
                        .key = refusal.key};
  if (nested_in(refusal.key)) fail(context_.state, failure);
  if (act.kind == Act::kTryLockFor && answered < asked_ns_ + act.ns) {
    failure.fault = FailureRecord::kTooEarly;
    failure.x = static_cast<std::uint64_t>(answered - asked_ns_);
    failure.y = static_cast<std::uint64_t>(act.ns);
    fail(context_.state, failure);
  }
  for (std::size_t i = 0; i < refusal.key_count(); ++i) {
    keep({.thread = number_,
          .key = refusal.key_at(i),
          .checked = !would_deadlock,
          .asked = asked_ns_,
          .answered = answered});
  }
}

void CheckedThread::threw(const Event& request) {
  fail(context_.state, {.oracle = Oracle::kCrash,
                        .fault = FailureRecord::kThrew,
                        .thread = number_,
                        .key = request.key});
}

void CheckedThread::acquired(const Event& event, HoldData& hold, LockHandle& handle) {
  for (std::size_t i = 0; i < event.key_count(); ++i) {
    enter(event, event.key_at(i), hold.parts[i], handle);
  }
  const std::int64_t answered = now_ns();
  record(event, answered);
  ++holds_;
  add(slot_.acquisitions);
  waited(answered - asked_ns_, event.key);
  for (std::size_t i = 0; i < event.key_count(); ++i) {
    Part& part = hold.parts[i];
    if (part.nested) continue;
    part.record = keep({.thread = number_,
                        .key = event.key_at(i),
                        .lease = event.lease,
                        .held = true,
                        .checked = !may_be_taken_away(),
                        .update = part.seen,
                        .token = part.token,
                        .asked = asked_ns_,
                        .answered = answered});
  }
  inject_fault();
}

void CheckedThread::enter(const Event& acquired, std::uint32_t key, Part& part,
                          LockHandle& handle) {
  const Abilities& abilities = context_.entry.abilities;
  if (abilities.leases) count(Oracle::kLease);
  if (acquired.lease >= context_.capacity) {
    fail(context_.state, {.oracle = Oracle::kLease,
                          .fault = FailureRecord::kNoSuchLease,
                          .thread = number_,
                          .key = key,
                          .lease = acquired.lease,
                          .x = context_.capacity});
  }
  if (may_be_taken_away()) {
    if (abilities.tokens) part.token = handle.token();
    return;
  }
  OwnerCanary& canary = context_.canary(key, acquired.lease);
  const std::uint64_t owner = get(canary.owner);
  count(Oracle::kExclusion);
  part.nested = nested_in(key);
  if (abilities.reentrant) ++depth_[key];
  if (part.nested) {
    if ((owner | kGaveBack) != (name_ | kGaveBack)) fail_not_alone(owner, acquired, key, true);
    return;
  }
  if (owner != kNobody) fail_not_alone(owner, acquired, key, false);
  put(canary.owner, name_);
  put(canary.grants, get(canary.grants) + 1);
  part.seen = canary.count.read();
  if (!abilities.tokens) return;
  count(Oracle::kToken);
  const std::uint64_t token = handle.token();
  const std::uint64_t last = get(canary.token);
  if (token <= last) {
    fail(context_.state, {.oracle = Oracle::kToken,
                          .fault = FailureRecord::kToken,
                          .thread = number_,
                          .key = key,
                          .x = token,
                          .y = last});
  }
  put(canary.token, token);
}

// ---- releasing

void CheckedThread::releases(const Event& event, HoldData& hold) {
  inject_fault();
  for (std::size_t i = 0; i < event.key_count(); ++i) {
    leave(event, event.key_at(i), hold.parts[i]);
  }
  releasing_ns_ = now_ns();
  put(slot_.position.holds, --holds_);
  record(event, releasing_ns_);
}

void CheckedThread::leave(const Event& release, std::uint32_t key, const Part& part) {
  if (may_be_taken_away()) return;
  OwnerCanary& canary = context_.canary(key, release.lease);
  const std::uint64_t owner = get(canary.owner);
  count(Oracle::kExclusion);
  if ((owner | kGaveBack) != (name_ | kGaveBack)) fail_not_alone(owner, release, key, part.nested);
  if (context_.entry.abilities.reentrant && --depth_[key] != 0) {
    part_released_[key] = true;
    put(canary.owner, name_ | kGaveBack);
    return;
  }
  part_released_[key] = false;
  count(Oracle::kConservation);
  const std::uint64_t seen = canary.count.read();
  if (seen != part.seen) {
    fail(context_.state, {.oracle = Oracle::kConservation,
                          .fault = FailureRecord::kOverwritten,
                          .thread = number_,
                          .key = key,
                          .x = part.seen,
                          .y = seen});
  }
  canary.count.write(seen + 1);
  ++updates_[std::size_t{key} * context_.capacity + release.lease];
  put(canary.owner, kNobody);
}

void CheckedThread::released(const Event& event, HoldData& hold) {
  const std::int64_t gone = now_ns();
  record(event, gone);
  for (std::size_t i = 0; i < event.key_count(); ++i) {
    const std::size_t kept = hold.parts[i].record;
    if (kept == kNotKept) continue;
    takes_[kept].giving = releasing_ns_;
    takes_[kept].gone = gone;
  }
  inject_fault();
}

// ---- between

void CheckedThread::sleep(std::int64_t ns) {
  if (context_.stopping()) return;
  if (ns >= kShortestSleepNs) {
    sleep_for_ns(ns);
    return;
  }
  const std::int64_t until = now_ns() + ns;
  while (now_ns() < until) {
  }
}

void CheckedThread::inject_fault() {
  if (!context_.plan.yields) return;
  const std::uint64_t what = random_.below(64);
  if (what > 16) return;
  add(slot_.injections);
  if (what == 0) {
    sleep_for_ns(static_cast<std::int64_t>(random_.below(kLongestInjectedSleepUs) + 1) * 1000);
  } else {
    sched_yield();
  }
}

bool CheckedThread::nested_in(std::uint32_t key) const {
  return context_.entry.abilities.reentrant && depth_[key] != 0;
}

void CheckedThread::fail_not_alone(std::uint64_t other, const Event& event, std::uint32_t key,
                                   bool nested) const {
  FailureRecord failure{
      .oracle = context_.capacity > 1 ? Oracle::kLease : Oracle::kExclusion,
      .fault = context_.capacity > 1 ? FailureRecord::kLeaseTwice : FailureRecord::kTwoInside,
      .thread = number_,
      .other = thread_of_name(other),
      .key = key,
      .lease = event.lease};
  if (context_.had_non_owner_unlock()) {
    failure.oracle = Oracle::kModel;
    failure.fault = FailureRecord::kNonOwnerUnlocked;
  } else if ((other & kGaveBack) != 0 || nested || part_released_[key]) {
    failure.oracle = Oracle::kModel;
    failure.fault = FailureRecord::kNestBroken;
  }
  fail(context_.state, failure);
}

}  // namespace lockbench::stress::threads
