// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/checked_run.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <absl/strings/str_cat.h>

#include "harness/stress/litmus/perform.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::explore {
namespace {

using UntrackedScope = World::UntrackedScope;

// Numbers for Memory::note(): the books of a key are ordered by its events.
constexpr std::uint64_t kKeyEvents = 2'000'000;

}  // namespace

CheckedRun::CheckedRun(World& world, const RegisteredLock& entry, const LitmusProgram& program)
    : world_(world),
      entry_(entry),
      program_(program),
      threads_(program.threads.size()),
      keys_(program.keys()),
      traffic_(program.keys()) {}

void CheckedRun::run() {
  const std::unique_ptr<LockUnderTest> lock = entry_.make(program_.keys());
  lock_ = lock.get();
  capacity_ = lock->capacity();
  const auto data = std::make_unique<platform::Atomic<std::uint64_t>[]>(keys_.size() * capacity_);
  const auto ended = std::make_unique<platform::FutexWord[]>(threads_.size());
  data_ = data.get();
  ended_ = ended.get();
  {
    const UntrackedScope untracked(world_);
    for (KeyBooks& key : keys_) key.leases.resize(capacity_);
  }
  std::vector<platform::Thread> threads;
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    threads.emplace_back([this, i] { live(i); });
  }
  for (platform::Thread& thread : threads) thread.join();
  look_at_the_end();
}

// ---- what the program does

void CheckedRun::live(std::uint32_t number) {
  const std::vector<Act>& acts = program_.threads[number];
  for (std::size_t i = 0; i < acts.size();) i = perform(number, i);
  threads_[number].ended = true;
  if (!awaited(number)) return;
  ended_[number].store(1, std::memory_order_relaxed);
  platform::futex_wake(ended_[number], 1);
}

bool CheckedRun::awaited(std::uint32_t number) const {
  const auto awaits = [&](const Act& act) {
    return act.kind == Act::kAwaitEnd && act.key == number;
  };
  return std::any_of(program_.threads.begin(), program_.threads.end(), [&](const auto& acts) {
    return std::any_of(acts.begin(), acts.end(), awaits);
  });
}

std::size_t CheckedRun::perform(std::uint32_t number, std::size_t position) {
  const Act& act = program_.threads[number][position];
  threads_[number].act = &act;
  switch (act.kind) {
    case Act::kSleep:
      platform::sleep_until(platform::now() + platform::Duration(act.ns));
      return position + 1;
    case Act::kAwaitEnd:
      while (ended_[act.key].load(std::memory_order_relaxed) == 0) {
        platform::futex_wait(ended_[act.key], 0);
      }
      return position + 1;
    case Act::kUnlock:
      give(number);
      return position + 1;
    case Act::kUnlockThrowing:
      unlock_while_throwing([&] { give(number); });
      return position + 1;
    case Act::kUnlockByNonOwner:
      give_foreign(number, act.key);
      return position + 1;
    default:
      break;
  }
  std::unique_ptr<LockHandle> handle = handle_for(*lock_, act);
  const Start start = begin_take(number, act);
  if (call(act, *handle)) {
    enter(number, act, handle.release());
    return position + 1;
  }
  handle.reset();
  refused(number, act, start);
  return end_of_hold(program_.threads[number], position) + 1;
}

CheckedRun::Start CheckedRun::begin_take(std::uint32_t number, const Act& act) {
  // Who may be refused is to be refused with no store under way, too.
  const bool may_be_refused = act.kind == Act::kTryLock || act.kind == Act::kTryLockFor;
  const bool settled =
      may_be_refused ? world_.settle() : !world_.memory().others_buffer(world_.thread());
  const UntrackedScope untracked(world_);
  world_.tell([&] { return absl::StrCat("thread ", number, " wants ", name_of_keys(act)); });
  threads_[number].taking = true;
  threads_[number].asked_ns = world_.time_ns();
  Start start{.ns = world_.time_ns(), .stores_under_way = !settled};
  if (traffic(act.key).under_way != 0) ++contended_;
  for (const std::uint32_t key : keys_of(act)) {
    Traffic& there = traffic(key);
    ++there.begun;
    start.traffic = there;
    ++there.under_way;
  }
  return start;
}

bool CheckedRun::call(const Act& act, LockHandle& handle) {
  switch (act.kind) {
    case Act::kTryLock:
      return handle.try_lock();
    case Act::kTryLockFor:
      return handle.try_lock_for(platform::Duration(act.ns));
    default:
      break;
  }
  try {
    handle.lock();
  } catch (const std::system_error& error) {
    // A lock may say that waiting would never end, to a thread that holds something of it.
    if (error.code() != std::errc::resource_deadlock_would_occur) throw;
    return false;
  }
  return true;
}

void CheckedRun::refused(std::uint32_t number, const Act& act, const Start& start) {
  const UntrackedScope untracked(world_);
  world_.tell([&] { return absl::StrCat("thread ", number, " is refused ", name_of_keys(act)); });
  threads_[number].taking = false;
  Traffic& there = traffic(act.key);
  --there.under_way;
  evaluations_.count(Oracle::kModel);
  const bool would_wait_for_ever = act.kind == Act::kLock && !threads_[number].holds.empty();
  if (would_wait_for_ever) return;
  const auto who = absl::StrCat("thread ", number, " was refused ", name_of_keys(act));
  if (entry_.abilities.reentrant && holds(number, act.key)) {
    fail(Oracle::kModel, absl::StrCat(who,
                                      ", which it holds, of a lock that its owner may take "
                                      "again"));
  }
  if (act.kind == Act::kTryLockFor && world_.time_ns() < start.ns + act.ns) {
    fail(Oracle::kModel, absl::StrCat(who, " before its ", act.ns, " ns were over"));
  }
  const std::uint64_t others = start.traffic.under_way + (there.begun - start.traffic.begun);
  // What was given back may be on its way out of a store buffer: then it is not free yet.
  if (others < capacity_ && !start.stores_under_way) {
    fail(Oracle::kModel, absl::StrCat(who, ", though nobody was near it during the call"));
  }
}

void CheckedRun::enter(std::uint32_t number, const Act& act, LockHandle* handle) {
  Hold hold{.act = &act, .handle = handle, .lease = handle->lease()};
  const std::vector<std::uint32_t> keys = keys_of(act);
  {
    const UntrackedScope untracked(world_);
    world_.tell([&] { return absl::StrCat("thread ", number, " has ", name_of_keys(act)); });
    threads_[number].taking = false;
    ++acquisitions_;
    tell_of_late_holders(keys);
    // Of a hold that may have been lost before it was seen, nobody knows when it was.
    hold.seen_in_time = !late(threads_[number].asked_ns);
    if (hold.seen_in_time) trace_event(Deed::kTakes, number, act, hold.lease);
    for (const std::uint32_t key : keys) enter_key(number, key, hold);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    hold.seen[i] = data(keys[i], hold.lease).load(std::memory_order_relaxed);
    const UntrackedScope untracked(world_);
    check_data(number, keys[i], hold, hold.seen[i]);
  }
  const UntrackedScope untracked(world_);
  threads_[number].holds.push_back(hold);
}

void CheckedRun::check_room(std::uint32_t number, std::uint32_t key, const Hold& hold) {
  const std::vector<Holder>& holders = keys_[key].holders;
  evaluations_.count(Oracle::kExclusion);
  if (holders.size() >= capacity_) {
    const Holder& other = holders.front();
    fail(other.disputed != nullptr ? Oracle::kModel : Oracle::kExclusion,
         absl::StrCat("thread ", number, " has key ", key, " while thread ", other.thread,
                      " holds it", other.disputed != nullptr ? other.disputed : ""));
  }
  if (!entry_.abilities.leases) return;
  evaluations_.count(Oracle::kLease);
  if (hold.lease >= capacity_) {
    fail(Oracle::kLease, absl::StrCat("thread ", number, " has lease ", hold.lease, " of ",
                                      capacity_, " of key ", key));
  }
  for (const Holder& other : holders) {
    if (other.lease != hold.lease) continue;
    fail(Oracle::kLease, absl::StrCat("threads ", number, " and ", other.thread,
                                      " both have lease ", hold.lease, " of key ", key));
  }
}

void CheckedRun::enter_key(std::uint32_t number, std::uint32_t key, const Hold& hold) {
  KeyBooks& books = keys_[key];
  world_.memory().note(world_.thread(), kKeyEvents + key, true);
  if (entry_.abilities.reentrant) {
    const auto own = std::find_if(books.holders.begin(), books.holders.end(),
                                  [&](const Holder& holder) { return holder.thread == number; });
    if (own != books.holders.end()) {
      ++own->depth;
      return;
    }
  }
  std::erase_if(books.holders, [&](const Holder& holder) { return late(holder.since_ns); });
  if (late(threads_[number].asked_ns)) return;  // it may have lost the key before it looked
  check_room(number, key, hold);
  if (entry_.abilities.tokens) {
    evaluations_.count(Oracle::kToken);
    const std::uint64_t token = hold.handle->token();
    if (token <= books.last_token) {
      fail(Oracle::kToken, absl::StrCat("thread ", number, " got token ", token, " of key ", key,
                                        " after token ", books.last_token));
    }
    books.last_token = token;
  }
  const LastHold& last = books.leases[hold.lease];
  evaluations_.count(Oracle::kOrdering);
  const bool ordered = world_.memory().happens_before(last.thread, last.moment, world_.thread());
  if (!ordered && !late(last.since_ns)) {
    fail(Oracle::kOrdering,
         absl::StrCat("nothing orders what thread ", number, " does with key ", key,
                      " after what the holder before it did: a release or an acquire is missing"));
  }
  books.holders.push_back(
      {.thread = number, .lease = hold.lease, .since_ns = threads_[number].asked_ns});
}

// Of a lock that takes a key away from who holds it too long: such a holder has lost it, and what
// it does from then on is none of the lock's business.
bool CheckedRun::late(std::int64_t since_ns) const {
  const std::int64_t limit_ns = entry_.abilities.hold_limit.count();
  return limit_ns != 0 && world_.time_ns() - since_ns >= limit_ns;
}

void CheckedRun::check_data(std::uint32_t number, std::uint32_t key, const Hold& hold,
                            std::uint64_t seen) {
  evaluations_.count(Oracle::kConservation);
  const std::uint64_t made = keys_[key].leases[hold.lease].updates;
  if (seen == made) return;
  fail(Oracle::kConservation, absl::StrCat("thread ", number, " sees ", seen, " of the ", made,
                                           " updates made under key ", key));
}

void CheckedRun::give(std::uint32_t number) {
  const Hold hold = threads_[number].holds.back();
  const std::vector<std::uint32_t> keys = keys_of(*hold.act);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool outermost = [&] {
      const UntrackedScope untracked(world_);
      return leave_key(number, keys[i], hold);
    }();
    if (outermost) {
      data(keys[i], hold.lease).store(hold.seen[i] + 1, std::memory_order_relaxed);
    }
  }
  {
    const UntrackedScope untracked(world_);
    world_.tell(
        [&] { return absl::StrCat("thread ", number, " gives back ", name_of_keys(*hold.act)); });
    if (hold.seen_in_time) trace_event(Deed::kLetsGo, number, *hold.act, hold.lease);
    threads_[number].holds.pop_back();
    for (const std::uint32_t key : keys) forget_hold(number, key, hold);
  }
  hold.handle->unlock();
  delete hold.handle;
  const UntrackedScope untracked(world_);
  for (const std::uint32_t key : keys) --traffic(key).under_way;
}

void CheckedRun::forget_hold(std::uint32_t number, std::uint32_t key, const Hold& hold) {
  world_.memory().note(world_.thread(), kKeyEvents + key, true);
  std::vector<Holder>& holders = keys_[key].holders;
  const auto own = std::find_if(holders.begin(), holders.end(), [&](const Holder& holder) {
    return holder.thread == number && holder.lease == hold.lease;
  });
  if (own == holders.end()) return;  // it had been taken away
  LastHold& last = keys_[key].leases[hold.lease];
  last.since_ns = own->since_ns;
  last.thread = world_.thread();
  last.moment = world_.memory().stamp(last.thread);
  if (own->depth == 0) holders.erase(own);
}

void CheckedRun::give_foreign(std::uint32_t number, std::uint32_t key) {
  const std::unique_ptr<LockHandle> handle = lock_->handle(key);
  {
    const UntrackedScope untracked(world_);
    world_.tell([&] {
      return absl::StrCat("thread ", number, " unlocks key ", key, ", which it does not hold");
    });
    for (Holder& holder : keys_[key].holders) {
      if (holder.thread != number) holder.disputed = ", which another thread unlocked in vain";
    }
  }
  handle->unlock();
}

// True when this was the outermost hold: then its update is due. The key still counts as held.
bool CheckedRun::leave_key(std::uint32_t number, std::uint32_t key, const Hold& hold) {
  KeyBooks& books = keys_[key];
  for (Holder& holder : books.holders) {
    if (holder.thread != number || holder.lease != hold.lease) continue;
    if (--holder.depth != 0) {
      holder.disputed = ", having given back a part of its nest";
      return false;
    }
    break;
  }
  // Where a hold may be taken away, only a fence makes writing safe; the program has none.
  if (entry_.abilities.hold_limit.count() != 0) return false;
  ++books.leases[hold.lease].updates;
  return true;
}

}  // namespace lockbench::stress::explore
