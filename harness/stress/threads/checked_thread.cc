// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/checked_thread.h"

#include <chrono>
#include <limits>
#include <optional>
#include <sched.h>
#include <thread>

namespace lockbench::stress::threads {
namespace {

// Limit for each thread and epoch. The check of this many records takes a few milliseconds.
constexpr std::size_t kMostRecords = 16384;

// A shorter sleep becomes a spin, because a sleep in the kernel takes at least this long.
constexpr std::int64_t kShortestSleepNs = 60'000;

constexpr std::uint64_t kLongestInjectedSleepUs = 65;

void sleep_for_ns(std::int64_t ns) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
}

}  // namespace

CheckedThread::CheckedThread(EpochContext& context, std::uint32_t number)
    : context_(context),
      number_(number),
      name_(pack(OwnerName{.number = number})),
      acts_(context.plan.program.threads[number]),
      keys_(context.plan.program),
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
  if (key_is_held_by_another(request.key)) add(slot_.contended);
  grants_before_ = grants_of(request.key);
  record(request, now_ns());
  inject_fault();
  requested_ns_ = now_ns();
}

void CheckedThread::refused(const Event& refusal, const Act& act, bool would_deadlock) {
  const std::int64_t answered = now_ns();
  if (would_deadlock && holds_ == 0) threw(refusal);
  record(refusal, answered);
  add(slot_.refusals);
  Refusal seen{.thread = number_, .key = refusal.key};
  seen.owner = !refusal.pair && nested_in(refusal.key);
  seen.waited_ns = answered - requested_ns_;
  if (refusal.pair) seen.second_key = refusal.other;
  if (act.kind == Act::kTryLockFor) seen.timeout_ns = act.ns;
  check(seen);
  for (std::size_t i = 0; i < refusal.key_count(); ++i) {
    keep({.thread = number_,
          .key = refusal.key_at(i),
          .checked = !would_deadlock && !refusal.pair,
          .requested = requested_ns_,
          .answered = answered});
  }
}

void CheckedThread::threw(const Event& request, bool beside) {
  check(EscapedException{.thread = number_, .key = request.key, .beside = beside});
}

void CheckedThread::acquired(const Event& event, HoldData& hold, LockHandle& handle) {
  for (std::size_t i = 0; i < event.key_count(); ++i) {
    enter(event, event.key_at(i), hold.parts[i], handle);
  }
  ask_owner(event, handle);
  const std::int64_t answered = now_ns();
  record(event, answered);
  ++holds_;
  add(slot_.acquisitions);
  waited(answered - requested_ns_, event.key);
  for (std::size_t i = 0; i < event.key_count(); ++i) {
    Part& part = hold.parts[i];
    if (part.nested) continue;
    part.record =
        keep({.thread = number_,
              .key = event.key_at(i),
              .lease = event.lease,
              .held = true,
              .checked = !may_be_taken_away() && context_.entry.abilities.numbers_holders(),
              .update = part.seen,
              .token = part.token,
              .requested = requested_ns_,
              .answered = answered});
  }
  inject_fault();
}

void CheckedThread::ask_owner(const Event& acquired, const LockHandle& handle) {
  if (context_.capacity != 1 || may_be_taken_away()) return;
  const std::optional<bool> own = handle.is_held_by_this_thread();
  const std::optional<bool> locked = handle.is_locked();
  answers_owner_queries_ |= own.has_value();
  check_answers_to_holder(number_, acquired.key, own, locked,
                          [this](const OwnerAnswer& seen) { check(seen); });
}

void CheckedThread::ask_former_owner(const Event& released) {
  if (!answers_owner_queries_ || holds_ != 0) return;
  const auto own = context_.lock.handle(released.key)->is_held_by_this_thread();
  check(OwnerAnswer{.thread = number_, .key = released.key, .answer = own.value_or(false)});
}

void CheckedThread::enter(const Event& acquired, std::uint32_t key, Part& part,
                          LockHandle& handle) {
  const Abilities& abilities = context_.entry.abilities;
  if (abilities.leases || acquired.lease >= context_.capacity) {
    check(LeaseNumber{
        .thread = number_, .key = key, .lease = acquired.lease, .capacity = context_.capacity});
  }
  if (may_be_taken_away()) {
    if (abilities.tokens) part.token = handle.token();
    return;
  }
  if (!abilities.numbers_holders()) {
    Holders seen{.thread = number_, .key = key};
    if (context_.enter(key) >= context_.capacity) seen.excess = OtherHolder{};
    check(seen);
    return;
  }
  CountingCanary& canary = context_.canary(key, acquired.lease);
  const std::uint64_t owner = get(canary.owner);
  part.nested = nested_in(key);
  if (abilities.reentrant) ++depth_[key];
  check_holders(owner, acquired, key, part.nested);
  if (part.nested) return;
  put(canary.owner, name_);
  add(canary.grants);
  part.seen = canary.count.read();
  Grant grant{.thread = number_, .key = key};
  if (abilities.tokens) grant.token = handle.token();
  check(grant, &canary.states);
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
  if (!context_.entry.abilities.numbers_holders()) return context_.leave(key);
  CountingCanary& canary = context_.canary(key, release.lease);
  check_holders(get(canary.owner), release, key, part.nested);
  if (context_.entry.abilities.reentrant && --depth_[key] != 0) {
    part_released_[key] = true;
    put(canary.owner, name_ | kPartReleased);
    return;
  }
  part_released_[key] = false;
  const std::uint64_t seen = canary.count.read();
  check(Updates{.when = Updates::kAtRelease,
                .thread = number_,
                .key = key,
                .lease = release.lease,
                .least = part.seen,
                .most = part.seen,
                .seen = seen});
  canary.count.write(seen + 1);
  ++updates_[std::size_t{key} * context_.capacity + release.lease];
  put(canary.owner, kNobody);
}

void CheckedThread::released(const Event& event, HoldData& hold) {
  const std::int64_t returned = now_ns();
  record(event, returned);
  for (std::size_t i = 0; i < event.key_count(); ++i) {
    const std::size_t kept = hold.parts[i].record;
    if (kept == kNotKept) continue;
    takes_[kept].unlock_began = releasing_ns_;
    takes_[kept].unlock_ended = returned;
  }
  ask_former_owner(event);
  inject_fault();
}

// ---- between acquiring and releasing

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

// Between 1 and 524 us, each power of two as likely as the next: about what calls take whose
// accesses are delayed.
std::int64_t CheckedThread::timeout_of(const Act& act) {
  if (!context_.plan.short_timeouts || random_.below(4) == 0) return act.ns;
  const std::uint64_t least = std::uint64_t{1} << (10 + random_.below(9));
  return static_cast<std::int64_t>(least + random_.below(least));
}

bool CheckedThread::nested_in(std::uint32_t key) const {
  return context_.entry.abilities.reentrant && depth_[key] != 0;
}

// At an acquisition, the canary must be free. If the thread held the key already, or releases it,
// the canary must contain its own name.
void CheckedThread::check_holders(std::uint64_t owner, const Event& event, std::uint32_t key,
                                  bool nested) {
  Holders seen{.thread = number_,
               .key = key,
               .lease = event.lease,
               .at_release = event.kind == Event::kRelease};
  const bool holds = nested || seen.at_release;
  const bool alone = holds ? (owner | kPartReleased) == (name_ | kPartReleased) : owner == kNobody;
  if (!alone) {
    OtherHolder other{.thread = number_in(owner)};
    if (context_.had_non_owner_unlock()) {
      other.circumstance = OtherHolder::kForeignUnlock;
    } else if ((owner & kPartReleased) != 0 || nested || part_released_[key]) {
      other.circumstance = OtherHolder::kPartReleased;
    }
    (context_.capacity > 1 ? seen.same_lease : seen.excess) = other;
  }
  check(seen);
}

}  // namespace lockbench::stress::threads
