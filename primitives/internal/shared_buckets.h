// SPDX-License-Identifier: Apache-2.0

// SharedBuckets: a table of keys, each with one or more holders, and the threads that wait.
//
// Each key has the same number of units. A hold takes one of them (a shared hold) or all (an
// exclusive one). The bucket of a key's hash has one mutex, a list of the nodes that hold units of
// its keys, and one queue of waiters. Nodes lie in the handles, so an idle key leaves nothing.
//
// In which order threads are served, for each key:
//   R1  a thread that comes gets its units at once if they are free and no thread waits for the
//       key.
//   R2  when an exclusive hold ends, the threads that wait for one unit go to the front of the
//       queue, in the order in which they came.
//   R3  the first waiter is next, and so on while the units suffice.
//   With Turns::kInOrder the next waiters get their units by handover: no thread overtakes. If s
//   is the longest shared hold and x the longest exclusive one, a thread that wants a shared hold
//   waits at most s + x, if units do not run out (R2 serves it after one exclusive hold at the
//   latest); one that wants an exclusive hold waits at most (e + 1) · (s + x), where e threads
//   waited for an exclusive hold before it.
//   With Turns::kRunningFirst they are only woken, and
//   R4  until they run, a thread that comes gets its units if no unit of the key is held. After a
//       thread has waited for WaitQueue::kPatience, this ends, and units of that key are granted.
//       So the bounds above are longer by kPatience. Granted units lie idle until their thread
//       runs; meanwhile others come, find them taken and fall asleep, too, and have to be granted
//       theirs in turn: with holds of a microsecond, nearly all time is then spent on wake-ups.
//
// A node's units: 0 holds nothing and does not wait | 1 shared | all units: exclusive.
//
// Guarantees   units held of a key never exceed its units; the order above; no allocation after
//              construction.
// Cost         each operation locks the bucket's mutex, and walks over its holders and waiters.
//
// Invariants, all under the bucket's mutex
//   I1  a node is in `holders` from its grant until its release. For each key the units of its
//   nodes
//       there are at most kUnits of the table.
//   I2  a node is in `waiters` from the moment when it did not get its units until it is granted or
//       gives up. A node is in one of the two lists at most.
//   I3  when the mutex is free, the first waiter for a key does not fit into the units that are
//       free, or it is kWoken: it will look for itself. All changes that could make it fit (a
//       release, a waiter that gives up, one that took its units) serve the queue before the mutex
//       is released. So no thread waits without a reason.
// Source       R1 and R2: "phase-fair" locks, B. Brandenburg and J. Anderson, "Spin-Based
//              Reader-Writer Synchronization for Multiprocessor Real-Time Systems", 2010. The
//              table is ours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <system_error>

#include "primitives/futex_mutex.h"
#include "primitives/internal/key_queues.h"
#include "primitives/internal/misuse.h"
#include "primitives/internal/table_size.h"
#include "primitives/internal/wait_queue.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/failure.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/stop.h"

namespace lockbench::internal {

// Wake-ups that are decided under the guard and delivered after it; if too many, under it.
class PendingWakes {
 public:
  void add(Waiter& waiter, Waiter::Signal signal) {
    if (count_ == wakes_.size()) deliver();
    wakes_[count_] = {};
    wakes_[count_++].signal(waiter, signal);
  }

  void deliver() {
    for (std::size_t i = 0; i < count_; ++i) wakes_[i].deliver();
    count_ = 0;
  }

 private:
  std::array<PendingWake, 16> wakes_;
  std::size_t count_ = 0;
};

enum class Turns { kInOrder, kRunningFirst };

template <class K, HashOf<K> Hash, Turns kTurns>
class SharedBuckets {
 public:
  struct Node : KeyNode<K, Hash> {
    using KeyNode<K, Hash>::KeyNode;

    std::uint32_t units = 0;
  };

  // `buckets` is rounded up to a power of two. `units` of each key, at least 1.
  SharedBuckets(std::uint32_t units, std::size_t buckets)
      : units_(units), mask_(table_mask(buckets)), buckets_(new Bucket[mask_ + 1]) {}
#if LOCKBENCH_CHECKS_USE
  ~SharedBuckets() {
    for_each_held([](const K&) {
      check_use([] { return false; }, "a lock by key is destroyed while a key is held");
    });
  }
#endif

  std::uint32_t units() const {
    return units_;
  }
  std::size_t bytes() const {
    return (mask_ + 1) * sizeof(Bucket);
  }

  bool try_acquire(Node& node, std::uint32_t units) {
    check_not_held(node);
    if (node.units != 0) return false;
    Bucket& bucket = bucket_of(node);
    std::scoped_lock guard(bucket.mutex);
    return take_at_once(bucket, node, units);
  }

  bool acquire(Node& node, std::uint32_t units, platform::Time deadline) {
    Bucket& bucket = bucket_of(node);
    return take_or_queue(bucket, node, units, deadline) ||
           wait(
               bucket, node, deadline, [deadline] { return platform::now() >= deadline; }, true);
  }

#if LOCKBENCH_HAS_STOP_TOKEN
  // False if a stop was requested before the units were granted.
  bool acquire(Node& node, std::uint32_t units, const platform::StopToken& stop) {
    Bucket& bucket = bucket_of(node);
    if (take_or_queue(bucket, node, units, platform::kForever)) return true;
    // Made and destroyed without the mutex, which wake_stopped() takes.
    const auto wake = platform::on_stop(stop, [&bucket, &node] { wake_stopped(bucket, node); });
    return wait(
        bucket, node, platform::kForever, [&stop] { return stop.stop_requested(); }, false);
  }
#endif

  void release(Node& node) {
    Bucket& bucket = bucket_of(node);
    PendingWakes wakes;
    {
      std::scoped_lock guard(bucket.mutex);
      bucket.remove_holder(node);
      const bool was_exclusive = node.units == units_;
      node.units = 0;
      if (!bucket.waiters.empty()) [[unlikely]]
        serve(bucket, node, was_exclusive, wakes);
    }
    wakes.deliver();
  }

  // For the inspection of a program: the answers may be out of date when they return.
  bool has_holder_of(const Node& probe) const {
    Bucket& bucket = bucket_of(probe);
    std::scoped_lock guard(bucket.mutex);
    return bucket.holder_of(probe) != nullptr;
  }

  std::size_t waiters_for(const Node& probe) const {
    Bucket& bucket = bucket_of(probe);
    std::scoped_lock guard(bucket.mutex);
    return bucket.waiters_for(probe);
  }

  // Calls visit(key) once for each key that is held, under its bucket's mutex. O(buckets).
  template <class Visit>
  void for_each_held(const Visit& visit) const {
    for (std::size_t i = 0; i <= mask_; ++i) {
      Bucket& bucket = buckets_[i];
      std::scoped_lock guard(bucket.mutex);
      for (Node* n = bucket.holders; n != nullptr; n = Bucket::next_of(*n)) {
        if (bucket.holder_of(*n) == n) visit(n->key);
      }
    }
  }

 private:
  static constexpr Spun kSpun = kTurns == Turns::kRunningFirst ? Spun::kYes : Spun::kNo;

  struct alignas(platform::kCacheLine) Bucket : KeyQueues<Node> {
    FutexMutex mutex;
  };
  static_assert(sizeof(Bucket) == platform::kCacheLine);

  Bucket& bucket_of(const Node& node) const {
    return buckets_[node.hash & mask_];
  }

  // From here to serve(): under the bucket's mutex.
  std::uint32_t free_units(const Bucket& bucket, const Node& node) const {
    std::uint32_t used = 0;
    for (Node* n = bucket.holders; n != nullptr; n = Bucket::next_of(*n)) {
      if (n->same_key(node)) used += n->units;
    }
    return units_ - used;
  }

  // R1 and R4.
  bool take_at_once(Bucket& bucket, Node& node, std::uint32_t units) {
    const std::uint32_t free = free_units(bucket, node);
    if (free < units) return false;
    if (bucket.first_waiter_for(node) != nullptr && !may_pass(bucket, node, free)) return false;
    node.units = units;
    bucket.add_holder(node);
    return true;
  }

  [[gnu::noinline, gnu::cold]] bool may_pass(const Bucket& bucket, const Node& node,
                                             std::uint32_t free) const {
    return kTurns == Turns::kRunningFirst && free == units_ && !is_starved(bucket, node);
  }

  // True if a thread has waited for the key of `node` for too long.
  static bool is_starved(const Bucket& bucket, const Node& node) {
    const platform::Time latest = platform::now() - WaitQueue::kPatience;
    for (Waiter* w = bucket.waiters.first(); w != nullptr; w = w->next) {
      if (static_cast<Node*>(w)->same_key(node) && w->since < latest) return true;
    }
    return false;
  }

  // R2. The last one moves first, so that they keep their order.
  void bring_shared_forward(Bucket& bucket, const Node& node) {
    Waiter* const first = bucket.waiters.first();
    Waiter* w = first->previous;
    for (bool more = true; more;) {
      Waiter* const before = w->previous;
      more = w != first;
      auto& waiter = *static_cast<Node*>(w);
      if (waiter.units != units_ && waiter.same_key(node)) bucket.waiters.move_to_front(waiter);
      w = before;
    }
  }

  // After units of the key of `node` became free, a thread stopped waiting for them, or one of
  // several that are next took its own (I3).
  [[gnu::noinline, gnu::cold]] void serve(Bucket& bucket, const Node& node, bool was_exclusive,
                                          PendingWakes& wakes) {
    if (was_exclusive) bring_shared_forward(bucket, node);
    const bool grants = kTurns == Turns::kInOrder || is_starved(bucket, node);
    std::uint32_t free = free_units(bucket, node);
    Waiter* next = nullptr;
    for (Waiter* w = bucket.waiters.first(); w != nullptr; w = next) {  // R3
      next = w->next;
      auto& waiter = *static_cast<Node*>(w);
      if (!waiter.same_key(node)) continue;
      if (waiter.units > free) return;
      free -= waiter.units;
      if (grants) {
        bucket.waiters.remove(waiter);
        bucket.add_holder(waiter);
      }
      wakes.add(waiter, grants ? Waiter::kGranted : Waiter::kWoken);
    }
  }

  // For a waiter that looks for itself: its units, if it is next (R3).
  bool take_if_next(Bucket& bucket, Node& node) {
    std::uint32_t free = free_units(bucket, node);
    for (Waiter* w = bucket.waiters.first();; w = w->next) {
      auto& waiter = *static_cast<Node*>(w);
      if (!waiter.same_key(node)) continue;
      if (waiter.units > free) return false;
      if (w == &node) break;
      free -= waiter.units;
    }
    bucket.waiters.remove(node);
    bucket.add_holder(node);
    return true;
  }

  static void check_not_held(const Node& node) {
    check_use([&node] { return node.units == 0; }, "lock() of a handle that holds its key");
  }

  bool take_or_queue(Bucket& bucket, Node& node, std::uint32_t units, platform::Time deadline) {
    check_not_held(node);
    if (node.units != 0) [[unlikely]]
      throw_held_already();
    std::unique_lock guard(bucket.mutex);
    if (take_at_once(bucket, node, units)) return true;
    platform::Time since{};
    if (kTurns == Turns::kRunningFirst && AdaptiveSpin::of_thread().should_spin()) {
      guard.unlock();
      if (spin(bucket, node, units, deadline, since)) return true;
      guard.lock();
      if (take_at_once(bucket, node, units)) return true;
    }
    node.units = units;
    bucket.waiters.push_back(node, since);
    return false;
  }

  // Returns whether the units were free soon.
  [[gnu::noinline, gnu::cold]] bool spin(Bucket& bucket, Node& node, std::uint32_t units,
                                         platform::Time deadline, platform::Time& since) {
    const auto look = [&] {
      std::scoped_lock guard(bucket.mutex);
      return take_at_once(bucket, node, units);
    };
    AdaptiveSpin& spin_state = AdaptiveSpin::of_thread();
    return spin_state.note(spin_state.spin_until(look, deadline, since));
  }

  // `last_chance`: a thread that gives up takes its units all the same if it is next.
  template <class GivesUp>
  [[gnu::noinline, gnu::cold]] bool wait(Bucket& bucket, Node& node, platform::Time deadline,
                                         const GivesUp& gives_up, bool last_chance) {
    for (;;) {
      if (await_signal(node, deadline, kSpun)) return true;
      PendingWakes wakes;
      bool taken = false;
      {
        std::scoped_lock guard(bucket.mutex);
        // relaxed: signals are sent under the mutex, which this thread holds.
        if (node.signal.load(std::memory_order_relaxed) == Waiter::kGranted) return true;
        if (kTurns == Turns::kRunningFirst && (last_chance || !gives_up())) {
          taken = take_if_next(bucket, node);
        }
        if (!taken && !gives_up()) {
          // relaxed: signals are sent under the mutex, which this thread holds.
          node.signal.store(Waiter::kSpinning, std::memory_order_relaxed);
          continue;
        }
        if (!taken) {
          bucket.waiters.remove(node);
          node.units = 0;
        }
        if (!bucket.waiters.empty()) serve(bucket, node, false, wakes);
      }
      wakes.deliver();
      return taken;
    }
  }

  // In the thread that requested the stop: the waiter looks again. It may hold its units already;
  // then the signal has no effect.
  static void wake_stopped(Bucket& bucket, Node& node) {
    PendingWake wake;
    {
      std::scoped_lock guard(bucket.mutex);
      // relaxed: as in wait().
      if (node.signal.load(std::memory_order_relaxed) != Waiter::kGranted) {
        wake.signal(node, Waiter::kWoken);
      }
    }
    wake.deliver();
  }

  [[noreturn, gnu::noinline, gnu::cold]] static void throw_held_already() {
    platform::throw_error(
        std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                          "the handle holds its key already"));
  }

  const std::uint32_t units_;
  const std::size_t mask_;
  const std::unique_ptr<Bucket[]> buckets_;
};

}  // namespace lockbench::internal
