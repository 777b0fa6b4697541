// SPDX-License-Identifier: Apache-2.0

// The order of arrival at a lock that promises to be fair: who waited before whom.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/stress/explore/execution/checked_run.h"

namespace lockbench::stress::explore {

// Records which threads already wait and must be served first: those that have had their position
// before, and, if the lock has no operation in progress now, all. A request with a timeout waits in
// the queue like any other. A request of two keys may wait for either, so it is left out.
void CheckedRun::queue_up(const Event& request, const Act& act) {
  std::vector<Ahead>& behind = threads_[request.thread].behind;
  behind.clear();
  threads_[request.thread].writers_before = writers_served_;
  threads_[request.thread].passes = 0;
  const bool all_wait = note_queued(request.thread);
  if (entry_.abilities.reentrant && holds(request.thread, request.key)) return;
  // A try takes its turn only if it succeeds. Where the number of passes is bounded, it is one
  // then.
  const bool waits = act.kind == Act::kLock || (act.kind == Act::kTryLockFor && act.ns > 0);
  if (!waits && entry_.abilities.bypass_limit == 0) return;
  for (const ThreadRecord& other : threads_) {
    if (other.position.thread == request.thread || !is_in_queue(other)) continue;
    const bool is_queued = all_wait || other.queued == other.request;
    if (!is_queued) continue;
    const auto ahead = position_before(other, request.key);
    // A writer may have its position, and not know yet that the one before it has left: until it
    // does, readers are served.
    if (ahead && (all_wait || !ahead->until_a_writer)) behind.push_back(*ahead);
  }
}

bool CheckedRun::has_order() const {
  return entry_.abilities.serves_in_order();
}

// True if the thread may be inside to write: it has a hold that is not known to read only, or has
// not yet returned from the release of one.
bool CheckedRun::writes(const ThreadRecord& thread) const {
  const std::vector<Event>& holds = thread.position.holds;
  const bool releases = thread.position.doing.kind == Event::kRelease;
  return (releases && !reads(thread.position.doing.key)) ||
         std::any_of(holds.begin(), holds.end(),
                     [this](const Event& hold) { return !reads(hold.key); });
}

// Says whether the thread that waits must be served before one that requests `key` now. Whether a
// key of several readers is requested to read or to write is not known, so it is left out.
std::optional<CheckedRun::Ahead> CheckedRun::position_before(const ThreadRecord& waiting,
                                                             std::uint32_t key) const {
  const std::uint32_t its_key = waiting.position.doing.key;
  if (!entry_.abilities.keys_read) {
    return its_key == key ? std::optional(Ahead{waiting.request}) : std::nullopt;
  }
  const auto is_known = [this](std::uint32_t one) { return one == kWritersKey || reads(one); };
  if (!is_known(key) || !is_known(its_key)) return std::nullopt;
  const bool writer_inside = std::any_of(threads_.begin(), threads_.end(),
                                         [this](const ThreadRecord& one) { return writes(one); });
  const MayPass may = may_pass(entry_.abilities.readers_order, key == kWritersKey,
                               its_key == kWritersKey, writer_inside);
  if (may == MayPass::kYes) return std::nullopt;
  return Ahead{waiting.request, may == MayPass::kAfterAWriter};
}

// A reader that waits while a writer is inside is served before the next writer, if the lock is
// phase-fair.
void CheckedRun::note_writer(const Event& acquired) {
  ++writers_served_;  // It may be a reader, of a key that several threads read.
  if (entry_.abilities.readers_order != ReadersOrder::kPhaseFair) return;
  if (acquired.key != kWritersKey) return;
  for (ThreadRecord& other : threads_) {
    const bool waits = is_in_queue(other) && other.queued == other.request &&
                       reads(other.position.doing.key) && world_.time_ns() < other.due_ns;
    if (!waits) continue;
    Turn turn{.thread = acquired.thread,
              .key = acquired.key,
              .order = entry_.abilities.readers_order,
              .passed_over_reads = true};
    if (other.beside_a_writer == other.request) turn.passed_over = other.position.thread;
    other.beside_a_writer = other.request;
    check(turn);
  }
}

// Notes who has a position in the queue, and keeps it until its call returns. Does so, and returns
// true, if all other threads than `number` do nothing but wait or hold, because then the lock has
// no operation in progress and has registered each of them. A thread that sleeps for a time may do
// so before it enters the queue, and is only known to wait until it wakes up.
bool CheckedRun::note_queued(std::uint32_t number) {
  // A store in the thread's own buffer may be the end of an operation that others wait for.
  Memory& memory = world_.memory();
  const bool stores_pend =
      memory.others_buffer(world_.thread()) || memory.buffered(world_.thread());
  if (stores_pend || !own_threads_wait()) return false;
  for (const ThreadRecord& other : threads_) {
    if (other.position.thread == number || !may_be_in_the_lock(other)) continue;
    if (other.makes_handle || !world_.settled(other.world_thread)) return false;
  }
  for (ThreadRecord& other : threads_) {
    if (other.position.thread == number || !is_in_queue(other)) continue;
    if (!world_.naps(other.world_thread)) other.queued = other.request;
  }
  if (!entry_.abilities.keys_read) return true;
  const auto is_inside = [](const ThreadRecord& one) {
    const std::vector<Event>& holds = one.position.holds;
    return std::any_of(holds.begin(), holds.end(),
                       [](const Event& hold) { return hold.key == kWritersKey; });
  };
  if (std::none_of(threads_.begin(), threads_.end(), is_inside)) return true;
  for (ThreadRecord& other : threads_) {
    if (other.queued == other.request) other.beside_a_writer = other.request;
  }
  return true;
}

// True if it waits in a call that may be in a queue. A thread whose unlock() waits, for example for
// a thread of the lock's own, is in none.
bool CheckedRun::is_in_queue(const ThreadRecord& thread) const {
  const ThreadPosition& position = thread.position;
  return thread.request != 0 && position.waits() && !position.doing.pair &&
         (!position.may_be_refused || position.timed);
}

// True if the thread is in a call of the lock, makes a handle, or ends, which may destroy
// thread-local variables of the lock.
bool CheckedRun::may_be_in_the_lock(const ThreadRecord& thread) const {
  const Event::Kind doing = thread.position.doing.kind;
  const bool ends = doing == Event::kEnd && !world_.ended(thread.world_thread);
  return thread.position.waits() || doing == Event::kRelease || doing == Event::kForeignUnlock ||
         thread.makes_handle || ends;
}

// True if the threads that the lock has started do nothing but wait, for others or for a time. If
// one does something, it may be in the way of a request that the lock has not registered.
bool CheckedRun::own_threads_wait() const {
  for (std::uint32_t thread = 1; thread < world_.threads(); ++thread) {
    const bool of_program =
        std::any_of(threads_.begin(), threads_.end(),
                    [=](const ThreadRecord& one) { return one.world_thread == thread; });
    const bool waits = world_.waits(thread) || world_.settled(thread);
    if (!of_program && !world_.ended(thread) && !waits) return false;
  }
  return true;
}

// If several threads may hold the key, the thread that waited may already have its position without
// having returned from its call. This is impossible only if threads that returned have all other
// positions. A thread whose timeout is over does not wait any more.
void CheckedRun::check_turn(const Event& acquired) {
  const ThreadRecord& own = threads_[acquired.thread];
  if (entry_.abilities.keys_read && !reads(acquired.key)) note_writer(acquired);
  if (own.behind.empty()) return;
  if (held_by_returned(acquired.key) + 1 < capacity_) return;
  Turn turn{.thread = acquired.thread,
            .key = acquired.key,
            .order = entry_.abilities.readers_order,
            .writes = !reads(acquired.key),
            .bypass_limit = entry_.abilities.bypass_limit};
  for (const Ahead& ahead : own.behind) {
    if (ahead.until_a_writer && writers_served_ != own.writers_before) continue;
    for (ThreadRecord& other : threads_) {
      const bool waits = other.request == ahead.request && world_.time_ns() < other.due_ns;
      if (!waits || ++other.passes < turn.passes) continue;
      turn.passes = other.passes;
      turn.passed_over = other.position.thread;
      turn.passed_over_reads = reads(other.position.doing.key);
    }
  }
  check(turn);
}

std::size_t CheckedRun::held_by_returned(std::uint16_t key) const {
  std::size_t held = 0;
  for (const ThreadRecord& one : threads_) {
    if (one.position.doing.kind == Event::kRelease) continue;
    const std::vector<Event>& holds = one.position.holds;
    held += static_cast<std::size_t>(std::count_if(
        holds.begin(), holds.end(), [key](const Event& hold) { return hold.names(key); }));
  }
  return held;
}

}  // namespace lockbench::stress::explore
