// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/execution/checked_run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <absl/strings/str_cat.h>

#include "harness/stress/explore/execution/logged_lock.h"
#include "harness/stress/explore/world/idle_polls.h"
#include "harness/stress/litmus/demand.h"
#include "harness/stress/litmus/key_set_lock.h"
#include "harness/stress/trace/trace_text.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::explore {
namespace {

using UntrackedScope = World::UntrackedScope;

// Limit of steps for each hold of a warm-up, or act of a repetition. A slower lock exceeds it.
constexpr std::uint64_t kStepsOfAHold = 100;

constexpr std::uint32_t kRefusalsInLog = 1000;

// Limit of steps for a poll of each thread, if a program lets threads poll.
constexpr std::uint64_t kStepsOfAPoll = 8;

// A lock that promises to be fair may spin for some time before it queues a thread.
constexpr std::uint32_t kFairPolls = 120;

// The end of a request that has no timeout.
constexpr std::int64_t kNoTimeout = INT64_MAX;

// Numbers for Memory::note(): the events of a key order the accesses to its bookkeeping.
constexpr std::uint64_t kKeyEvents = 2'000'000;

// For each key of a lock for readers and writers, whether it is only read: it is not the writers',
// and one thread alone names it. Of several threads, some would write (ReadersApart).
std::vector<bool> sole_readers_in(const LitmusProgram& program) {
  std::vector<std::uint32_t> named_by(program.keys());
  for (const std::vector<Act>& acts : program.threads) {
    std::vector<bool> named(program.keys());
    for (const Act& act : acts) {
      if (acquires(act.kind)) named[act.key] = true;
    }
    for (std::size_t key = 0; key < named.size(); ++key) named_by[key] += named[key] ? 1 : 0;
  }
  std::vector<bool> sole(program.keys());
  for (std::size_t key = 1; key < sole.size(); ++key) sole[key] = named_by[key] == 1;
  return sole;
}

bool awaits(const LitmusProgram& program, std::uint32_t number) {
  const auto names = [&](const Act& act) {
    return act.kind == Act::kAwaitEnd && act.key == number;
  };
  return std::any_of(program.threads.begin(), program.threads.end(), [&](const auto& acts) {
    return std::any_of(acts.begin(), acts.end(), names);
  });
}

}  // namespace

CheckedRun::CheckedRun(World& world, const RegisteredLock& entry, const LitmusProgram& program)
    : world_(world),
      entry_(entry),
      program_(program),
      threads_(program.threads.size()),
      keys_(program.keys()),
      traffic_(program.keys()) {
  for (std::uint32_t i = 0; i < threads_.size(); ++i) threads_[i].position.thread = i;
  if (entry.abilities.keys_read) sole_readers_ = sole_readers_in(program);
  world_.allow_steps(most_steps());
  const std::uint32_t few = has_order() ? kFairPolls : IdlePolls::kFree;
  world_.set_polls_before_time_passes(std::max(program.polls, few));
  if (world.ahead() != nullptr)
    world.ahead()->begin(to_text(program), world.memory_model(), world.conditions());
}

std::unique_ptr<LockUnderTest> CheckedRun::new_lock() const {
  return with_key_set(entry_.make(keys_to_make(program_, entry_.abilities)), program_.key_set);
}

std::unique_ptr<LockUnderTest> CheckedRun::make_lock() {
  if (!program_.has(Act::kMakeAgain)) return new_lock();
  auto renewed = std::make_unique<RenewedLock>([this] { return new_lock(); });
  renewed_ = renewed.get();
  return renewed;
}

void CheckedRun::run() {
  std::unique_ptr<LockUnderTest> lock = make_lock();
  object_ = lock->object();
  const LockUnderTest* const made = lock.get();
  const std::uint64_t live_before = world_.live_allocations();
  if (world_.log().on()) {
    const UntrackedScope untracked(world_);
    lock = std::make_unique<LoggedLock>(std::move(lock), world_.log());
  }
  lock_ = lock.release();
  capacity_ = lock_->capacity();
  const auto data = std::make_unique<platform::Atomic<std::uint64_t>[]>(keys_.size() * capacity_);
  const auto ended = std::make_unique<platform::FutexWord[]>(threads_.size());
  std::unique_ptr<platform::FutexWord> meetings;
  if (renewed_ != nullptr) meetings = std::make_unique<platform::FutexWord>(0);
  meetings_ = meetings.get();
  data_ = data.get();
  ended_ = ended.get();
  {
    const UntrackedScope untracked(world_);
    for (KeyRecord& key : keys_) {
      key.leases.resize(capacity_);
      key.states = std::vector<KeyStates>(capacity_);
    }
    world_.log().leave_out(data_, keys_.size() * capacity_ * sizeof data_[0]);
    world_.log().leave_out(ended_, threads_.size() * sizeof ended_[0]);
    if (meetings_ != nullptr) world_.log().leave_out(meetings_, sizeof *meetings_);
  }
  world_.let_first_thread_inspect_when_stuck();
  warm_up();
  // Thousands of refusals would hide what matters.
  const bool few_refusals = program_.refusals < kRefusalsInLog;
  if (few_refusals) world_.log().start();
  warm_up_by_refusals();
  if (!few_refusals) world_.log().start();
  warm_up_by_other_keys();
  warm_up_by_nest();
  std::vector<platform::Thread> threads;
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    threads.emplace_back([this, i] { run_thread(i); });
  }
  for (platform::Thread& thread : threads) thread.join();
  if (lock_ == nullptr) return;
  if (world_.stuck()) return probe_keys();
  check_quiescent_state();
  check_lost_memory(made, live_before);
  delete lock_;
}

// A thread, a key or a hold may leave something behind for the next one. Only memory that no
// pointer leads to any more is lost, and threads that have ended may have had a little.
void CheckedRun::check_lost_memory(const void* lock, std::uint64_t live_before) {
  const UntrackedScope untracked(world_);
  const std::uint64_t spared = 2 * world_.threads();
  if (world_.live_allocations() <= live_before + spared) return;
  const Arena::Lost lost = world_.lost_allocations(lock);
  check(LostMemory{.blocks = lost.blocks, .bytes = lost.bytes, .spared = spared});
}

std::uint64_t CheckedRun::most_steps() const {
  // A refusal may be followed by a timeout. Each of the other keys is acquired and may then be
  // tried.
  const std::uint64_t holds = program_.warm_up + 2 * std::uint64_t{program_.refusals} +
                              2 * program_.other_keys + program_.nest;
  std::uint64_t repeated = 0;
  for (const std::vector<Act>& acts : program_.threads) repeated += acts.size();
  return World::kMostSteps + (holds + repeated * program_.repeats) * kStepsOfAHold +
         program_.threads.size() * program_.polls * kStepsOfAPoll;
}

class CheckedRun::Runner {
 public:
  using HoldData = CheckedRun::HoldData;

  Runner(CheckedRun& run, std::uint32_t number) : run_(run), number_(number) {}

  static bool stopping() { return false; }
  void makes_handle() { run_.threads_[number_].makes_handle = true; }
  void requests(const Event& request, const Act& act) { run_.begin_request(request, act); }
  void acquired(const Event& event, HoldData& hold, LockHandle& handle) {
    run_.enter(event, hold, handle);
    run_.ask_owner(event, handle);
  }
  void refused(const Event& refusal, const Act& act, bool) { run_.check_refusal(refusal, act); }
  void releases(const Event& event, HoldData& hold) {
    run_.leave(event, hold);
    run_.threads_[number_].accesses_before = run_.world_.accesses();
  }
  void released(const Event& event, HoldData&) {
    {
      const UntrackedScope untracked(run_.world_);
      run_.lock_accesses_ += run_.world_.accesses() - run_.threads_[number_].accesses_before;
      position().doing = event;
      for (std::size_t i = 0; i < event.key_count(); ++i) {
        run_.traffic(event.key_at(i)).end_use(run_.reads(event.key_at(i)));
        --run_.traffic(event.key_at(i)).calls;
      }
    }
    run_.ask_former_owner(event);
  }
  void threw(const Event& request, bool beside = false) {
    const UntrackedScope untracked(run_.world_);
    run_.check(EscapedException{.thread = request.thread, .key = request.key, .beside = beside});
  }

  template <class Unlock>
  void foreign_unlock(const Event& event, const Unlock& unlock) {
    {
      const UntrackedScope untracked(run_.world_);
      run_.record(event);
      for (Holder& holder : run_.keys_[event.key].holders) {
        if (holder.thread == number_) continue;
        holder.circumstance = OtherHolder::kForeignUnlock;
      }
    }
    unlock();
  }

  void sleep(std::int64_t ns) {
    position().doing = {.kind = Event::kNone};
    platform::sleep_until(platform::now() + platform::Duration(ns));
  }

  void await_end(std::uint32_t thread) {
    position().doing = {.kind = Event::kNone};
    position().awaits_end = thread;
    while (run_.ended_[thread].load(std::memory_order_relaxed) == 0) {
      platform::futex_wait(run_.ended_[thread], 0);
    }
    position().awaits_end.reset();
  }

  // Counts in the bookkeeping, so that only the lock orders the threads.
  bool leaves_last() { return ++run_.left_ == run_.threads_.size(); }
  void destroy_lock() { delete std::exchange(run_.lock_, nullptr); }
  void make_again() {
    position().doing = {.kind = Event::kNone};
    run_.make_again();
  }

 private:
  ThreadPosition& position() { return run_.threads_[number_].position; }

  CheckedRun& run_;
  const std::uint32_t number_;
};

void CheckedRun::run_thread(std::uint32_t number) {
  threads_[number].world_thread = world_.thread();
  Runner runner(*this, number);
  Interpreter interpreter(runner, *lock_, program_.threads[number], number, KeysOfPass(program_));
  for (std::uint32_t pass = 0; pass < program_.passes(); ++pass) interpreter.run(pass);
  threads_[number].position.doing = {.kind = Event::kEnd};
  if (!awaits(program_, number)) return;
  ended_[number].store(1, std::memory_order_relaxed);
  platform::futex_wake(ended_[number], static_cast<int>(threads_.size()));
}

// The thread that arrives last makes the new lock. What all threads have done with the old one
// happens before that, as the user of a lock must ensure before destroying it.
void CheckedRun::make_again() {
  const auto all = static_cast<std::uint32_t>(threads_.size());
  const std::uint32_t counts_of_a_meeting = all + 1;
  // (1) acq_rel: publishes the uses of the old lock to the thread that makes the new one, at (1).
  const std::uint32_t before = meetings_->fetch_add(1, std::memory_order_acq_rel);
  const std::uint32_t meetings_before = before / counts_of_a_meeting;
  const std::uint32_t arrived_before = before % counts_of_a_meeting;
  if (arrived_before + 1 == all) {
    world_.at_the_same_addresses([this] { renewed_->renew(); });
    meetings_->fetch_add(1, std::memory_order_release);  // (2) publishes the new lock to (3)
    platform::futex_wake(*meetings_, static_cast<int>(all));
    return;
  }
  const std::uint32_t when_renewed = (meetings_before + 1) * counts_of_a_meeting;
  // (3) acquire: synchronizes with (2).
  std::uint32_t seen = meetings_->load(std::memory_order_acquire);
  while (seen < when_renewed) {
    platform::futex_wait(*meetings_, seen);
    seen = meetings_->load(std::memory_order_acquire);
  }
}

void CheckedRun::record(const Event& event) {
  world_.makes_progress();
  world_.record(event);
  threads_[event.thread].position.doing = event;
}

void CheckedRun::trace(const Event& event) {
  if (trace_ != nullptr) trace_->events.push_back(event);
}

void CheckedRun::begin_request(const Event& request, const Act& act) {
  const bool may_be_refused = tries(act.kind);
  // If a thread may be refused, some of its refusals must happen while no store is pending. With
  // old values there is nearly always a pending store, and a thread may hold or sleep for long with
  // one in its buffer, so the turn of a thread could hardly ever be checked.
  const bool settles = may_be_refused || has_order();
  const bool settled = settles ? world_.settle() : !world_.memory().others_buffer(world_.thread());
  const UntrackedScope untracked(world_);
  record(request);
  ThreadRecord& record = threads_[request.thread];
  record.asked_ns = world_.time_ns();
  record.due_ns = act.kind == Act::kTryLockFor ? record.asked_ns + act.ns : kNoTimeout;
  record.stores_under_way = !settled;
  record.makes_handle = false;
  if (traffic(request.key).uses != 0) ++contended_;
  for (std::size_t i = 0; i < request.key_count(); ++i) {
    Traffic& there = traffic(request.key_at(i));
    there.begin_use(reads(request.key_at(i)));
    there.begin_call();
    record.traffic = there;
  }
  record.position.may_be_refused = may_be_refused;
  record.position.timed = act.kind == Act::kTryLockFor;
  record.request = ++requests_;
  if (has_order()) queue_up(request, act);
  if (act.kind == Act::kTryLockFor) world_.expect_answer(record.asked_ns + act.ns);
  record.accesses_before = world_.accesses();
}

// Called when the call of the lock has returned.
void CheckedRun::end_call(std::uint32_t number) {
  lock_accesses_ += world_.accesses() - threads_[number].accesses_before;
  check_answered_in_time(number);
  threads_[number].request = 0;
}

void CheckedRun::check_answered_in_time(std::uint32_t number) {
  if (!threads_[number].position.timed) return;
  world_.answered();
  check(Overdue{.thread = number, .overdue_ns = world_.overdue_ns(world_.thread())});
}

void CheckedRun::check_refusal(const Event& refusal, const Act& act) {
  const UntrackedScope untracked(world_);
  record(refusal);
  end_call(refusal.thread);
  for (std::size_t i = 0; i < refusal.key_count(); ++i) {
    traffic(refusal.key_at(i)).end_use(reads(refusal.key_at(i)));
    --traffic(refusal.key_at(i)).calls;
  }
  note_refusal(refusal);
  const ThreadRecord& record = threads_[refusal.thread];
  const bool would_deadlock = act.kind == Act::kLock && !record.position.holds.empty();
  if (would_deadlock) return;
  Refusal seen{.thread = refusal.thread, .key = refusal.key, .capacity = capacity_};
  if (refusal.pair) seen.second_key = refusal.other;
  seen.owner = entry_.abilities.reentrant && !refusal.pair && holds(refusal.thread, refusal.key);
  seen.waited_ns = world_.time_ns() - record.asked_ns;
  if (act.kind == Act::kTryLockFor) seen.timeout_ns = act.ns;
  // A release may still be in a store buffer. Then the key is not free yet. Which of two keys was
  // in the way is not known.
  if (entry_.abilities.strong_try && !record.stores_under_way && !refusal.pair) {
    seen.in_the_way = traffic(refusal.key).since(record.traffic);
    --seen.in_the_way->uses;  // its own
    --seen.in_the_way->calls;
    seen.reads = reads(refusal.key);
    if (seen.reads) {
      seen.in_the_way->uses -= traffic(refusal.key).reads_since(record.traffic) - 1;
    }
  }
  check(seen);
}

// Notes who was refused a key that no other thread used at any time during the call.
void CheckedRun::note_refusal(const Event& refusal) {
  if (refusal.pair) return;
  const InTheWay seen = traffic(refusal.key).since(threads_[refusal.thread].traffic);
  const std::uint64_t own = 1;
  if (seen.uses == own) keys_[refusal.key].refused = refusal.thread;
}

void CheckedRun::enter(const Event& acquired, HoldData& hold, const LockHandle& handle) {
  {
    const UntrackedScope untracked(world_);
    record(acquired);
    end_call(acquired.thread);
    ++acquisitions_;
    if (has_order()) check_turn(acquired);
    trace_expired_holds(acquired);
    // If the hold may have expired before it was seen, its time is unknown, so it is left out
    // of the trace.
    hold.in_trace = !is_late(threads_[acquired.thread].asked_ns);
    if (hold.in_trace) trace(acquired);
    for (std::size_t i = 0; i < acquired.key_count(); ++i) {
      --traffic(acquired.key_at(i)).calls;
      enter_key(acquired, acquired.key_at(i), handle);
    }
    threads_[acquired.thread].position.holds.push_back(acquired);
  }
  // Without numbers, holders do not have their own data.
  if (!entry_.abilities.numbers_holders()) return;
  for (std::size_t i = 0; i < acquired.key_count(); ++i) {
    hold.seen[i] = data(acquired.key_at(i), acquired.lease).load(std::memory_order_relaxed);
    const UntrackedScope untracked(world_);
    check_data(Updates::kAtGrant, acquired.thread, acquired.key_at(i), acquired.lease,
               hold.seen[i]);
  }
}

// Checks what the lock itself reports about its owner, if it offers that.
void CheckedRun::ask_owner(const Event& acquired, const LockHandle& handle) {
  if (capacity_ != 1 || entry_.abilities.hold_limit.count() != 0) return;
  const std::optional<bool> own = handle.is_held_by_this_thread();
  const std::optional<bool> locked = handle.is_locked();
  const UntrackedScope untracked(world_);
  answers_owner_queries_ |= own.has_value();
  check_answers_to_holder(acquired.thread, acquired.key, own, locked,
                          [this](const OwnerAnswer& seen) { check(seen); });
}

void CheckedRun::ask_former_owner(const Event& released) {
  if (!answers_owner_queries_ || program_.has(Act::kLeaveForGood)) return;
  for (std::size_t i = 0; i < released.key_count(); ++i) {
    const std::uint16_t key = released.key_at(i);
    if (holds(released.thread, key)) continue;
    const std::optional<bool> own = lock_->handle(key)->is_held_by_this_thread();
    const UntrackedScope untracked(world_);
    check(OwnerAnswer{.thread = released.thread, .key = key, .answer = own.value_or(false)});
  }
}

void CheckedRun::enter_key(const Event& acquired, std::uint32_t key, const LockHandle& handle) {
  KeyRecord& record = keys_[key];
  record.refused = kNoThread;
  if (key < 64) granted_keys_ |= std::uint64_t{1} << key;
  world_.memory().note(world_.thread(), kKeyEvents + key, true);
  if (entry_.abilities.reentrant) {
    const auto own =
        std::find_if(record.holders.begin(), record.holders.end(),
                     [&](const Holder& holder) { return holder.thread == acquired.thread; });
    if (own != record.holders.end()) {
      ++own->depth;
      return;
    }
  }
  std::erase_if(record.holders, [&](const Holder& holder) { return is_late(holder.since_ns); });
  const std::int64_t asked_ns = threads_[acquired.thread].asked_ns;
  if (is_late(asked_ns)) return;  // the hold may have expired before it was seen
  check_holders(acquired, key);
  Grant grant{.thread = acquired.thread, .key = key};
  if (entry_.abilities.numbers_holders()) grant.ordered = is_ordered(acquired, key);
  if (entry_.abilities.tokens) grant.token = handle.token();
  check(grant, &record.states[acquired.lease]);
  record.holders.push_back(
      {.thread = acquired.thread, .lease = acquired.lease, .since_ns = asked_ns});
}

void CheckedRun::check_holders(const Event& acquired, std::uint32_t key) {
  const auto as_seen = [](const Holder& holder) {
    return OtherHolder{holder.thread, holder.circumstance};
  };
  const std::vector<Holder>& holders = keys_[key].holders;
  Holders seen{.thread = acquired.thread, .key = key, .lease = acquired.lease};
  if (holders.size() >= capacity_) seen.excess = as_seen(holders.front());
  if (entry_.abilities.leases) {
    check(LeaseNumber{acquired.thread, key, acquired.lease, capacity_});
    for (const Holder& other : holders) {
      if (other.lease == acquired.lease) seen.same_lease = as_seen(other);
    }
  }
  check(seen);
}

bool CheckedRun::is_ordered(const Event& acquired, std::uint32_t key) {
  const LastHold& last = keys_[key].leases[acquired.lease];
  if (is_late(last.since_ns) ||
      world_.memory().happens_before(last.thread, last.moment, world_.thread())) {
    return true;
  }
  unordered_ = last.thread - 1;
  return false;
}

// True if the hold has expired. The thread has then lost the key, and what it does from then on is
// not checked.
bool CheckedRun::is_late(std::int64_t since_ns) const {
  const std::int64_t limit_ns = entry_.abilities.hold_limit.count();
  return limit_ns != 0 && world_.time_ns() - since_ns >= limit_ns;
}

void CheckedRun::trace_expired_holds(const Event& acquired) {
  for (std::size_t i = 0; i < acquired.key_count(); ++i) {
    for (const Holder& holder : keys_[acquired.key_at(i)].holders) {
      if (!is_late(holder.since_ns)) continue;
      trace({.kind = Event::kExpire,
             .thread = static_cast<std::uint8_t>(holder.thread),
             .key = acquired.key_at(i),
             .lease = static_cast<std::uint16_t>(holder.lease)});
    }
  }
}

bool CheckedRun::holds(std::uint32_t number, std::uint16_t key) const {
  const std::vector<Event>& holds = threads_[number].position.holds;
  return std::any_of(holds.begin(), holds.end(),
                     [key](const Event& hold) { return hold.names(key); });
}

void CheckedRun::check_data(Updates::When when, std::uint32_t number, std::uint32_t key,
                            std::uint32_t lease, std::uint64_t seen) {
  const std::uint64_t made = keys_[key].leases[lease].updates;
  check(Updates{.when = when,
                .thread = number,
                .key = key,
                .lease = lease,
                .least = made,
                .most = made,
                .seen = seen});
}

void CheckedRun::leave(const Event& release, HoldData& hold) {
  if (has_order()) {
    const UntrackedScope untracked(world_);
    note_queued(release.thread);
  }
  for (std::size_t i = 0; i < release.key_count(); ++i) {
    const bool outermost = [&] {
      const UntrackedScope untracked(world_);
      return leave_key(release, release.key_at(i));
    }();
    if (!outermost) continue;
    data(release.key_at(i), release.lease).store(hold.seen[i] + 1, std::memory_order_relaxed);
  }
  const UntrackedScope untracked(world_);
  record(release);
  if (hold.in_trace) trace(release);
  threads_[release.thread].position.holds.pop_back();
  for (std::size_t i = 0; i < release.key_count(); ++i) {
    traffic(release.key_at(i)).begin_call();
    forget_hold(release, release.key_at(i));
  }
}

// Returns true if this was the outermost hold, so that its update has to be made now. The key still
// counts as held.
bool CheckedRun::leave_key(const Event& release, std::uint32_t key) {
  KeyRecord& record = keys_[key];
  for (Holder& holder : record.holders) {
    if (holder.thread != release.thread || holder.lease != release.lease) continue;
    if (--holder.depth != 0) {
      holder.circumstance = OtherHolder::kPartReleased;
      return false;
    }
    break;
  }
  // If holds can expire, writes would need a fencing token to be safe, and the program has none.
  if (entry_.abilities.hold_limit.count() != 0) return false;
  if (!entry_.abilities.numbers_holders()) return false;
  ++record.leases[release.lease].updates;
  return true;
}

void CheckedRun::forget_hold(const Event& release, std::uint32_t key) {
  world_.memory().note(world_.thread(), kKeyEvents + key, true);
  std::vector<Holder>& holders = keys_[key].holders;
  const auto own = std::find_if(holders.begin(), holders.end(), [&](const Holder& holder) {
    return holder.thread == release.thread && holder.lease == release.lease;
  });
  if (own == holders.end()) return;  // the hold had expired
  LastHold& last = keys_[key].leases[release.lease];
  last.since_ns = own->since_ns;
  last.thread = world_.thread();
  last.moment = world_.memory().stamp(last.thread);
  if (own->depth == 0) holders.erase(own);
}

}  // namespace lockbench::stress::explore
