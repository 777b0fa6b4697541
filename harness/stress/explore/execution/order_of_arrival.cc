// SPDX-License-Identifier: Apache-2.0

// The order of arrival at a lock that promises to be fair: who waited before whom.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/stress/explore/execution/checked_run.h"

namespace lockbench::stress::explore {

// Records which threads already wait and must be served first: those that have had their place
// before, and, if the lock has no operation in progress now, all. A request with a timeout waits in
// the queue like any other. A request of two keys may wait for either, so it is left out.
void CheckedRun::queue_up(const Event& request, const Act& act) {
  std::vector<std::uint64_t>& behind = threads_[request.thread].behind;
  behind.clear();
  const bool all_wait = note_places(request.thread);
  if (entry_.abilities.reentrant && holds(request.thread, request.key)) return;
  if (act.kind != Act::kLock && (act.kind != Act::kTryLockFor || act.ns <= 0)) return;
  for (const ThreadRecord& other : threads_) {
    if (other.position.thread == request.thread || !is_in_queue(other)) continue;
    const bool has_place = all_wait || other.place == other.request;
    if (has_place && other.position.doing.key == request.key) behind.push_back(other.request);
  }
}

// Notes who has a place in the queue, and keeps it until its call returns. Does so, and returns
// true, if all other threads than `number` do nothing but wait or hold, because then the lock has
// no operation in progress and has registered each of them. A thread that sleeps for a time may do
// so before it enters the queue, and is only known to wait until it wakes up.
bool CheckedRun::note_places(std::uint32_t number) {
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
    if (!world_.naps(other.world_thread)) other.place = other.request;
  }
  return true;
}

// Whether it waits in a call that may be in a queue. A thread whose unlock() waits, for example for
// a thread of the lock's own, is in none.
bool CheckedRun::is_in_queue(const ThreadRecord& thread) const {
  const ThreadPosition& position = thread.position;
  return thread.request != 0 && position.waits() && !position.doing.pair &&
         (!position.may_be_refused || position.timed);
}

// Whether the thread is in a call of the lock, makes a handle, or ends, which may destroy
// thread-local variables of the lock.
bool CheckedRun::may_be_in_the_lock(const ThreadRecord& thread) const {
  const Event::Kind doing = thread.position.doing.kind;
  const bool ends = doing == Event::kEnd && !world_.ended(thread.world_thread);
  return thread.position.waits() || doing == Event::kRelease || doing == Event::kForeignUnlock ||
         thread.makes_handle || ends;
}

// Whether the threads that the lock has started do nothing but wait, for others or for a time. If
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

// If several threads may hold the key, the thread that waited may already have its place without
// having returned from its call. This is impossible only if threads that returned have all other
// places. A thread whose timeout is over does not wait any more.
void CheckedRun::check_turn(const Event& acquired) {
  if (threads_[acquired.thread].behind.empty()) return;
  if (held_by_returned(acquired.key) + 1 < capacity_) return;
  Turn turn{.thread = acquired.thread, .key = acquired.key};
  for (const std::uint64_t request : threads_[acquired.thread].behind) {
    for (const ThreadRecord& other : threads_) {
      const bool waits = other.request == request && world_.time_ns() < other.due_ns;
      if (waits) turn.passed_over = other.position.thread;
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
