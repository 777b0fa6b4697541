// SPDX-License-Identifier: Apache-2.0

// KeyedLimited: a mutex for every key in use, whose holders have a limited time.
//
// A thread that holds a key for longer than the limit while others wait for it loses it: the key
// goes to the first waiter. The late holder is not stopped, which no lock could do; its next
// expired() and its unlock() report the loss, and its writes through a Fence, after the next holder
// has used that, are refused. A hold continues after the limit if no thread waits.
//
//   FencedStore<Balance> balance;
//   auto account = accounts.handle(user);
//   account.lock();
//   auto seen = balance.read(account.token());
//   …                                                // may take too long
//   const bool written = seen && balance.write(account.token(), changed(*seen));
//   account.unlock();                                // false: it had been taken away
//
// Guarantees   at most one holder of a key whose time is not up; no two keys share a lock, whatever
//              their hashes; a token that grows with every grant of the key; no thread waits for
//              one holder longer than the limit, nor much longer than the limits of all threads
//              that came before it; nothing is kept for an idle key; no allocation after
//              construction.
// Not offered  recursion, strict FIFO order, unlock by another thread.
// fork()       the child cannot use the primitive: it has no thread that watches the deadlines.
// Requires     the rules for handles in concepts.h: a late holder's handle, too, lives until its
//              unlock(). The primitive outlives its handles.
// Cost         KeyedMutex's, and a reading of the clock for each grant. One thread for the whole
//              primitive, which sleeps while no thread waits.
//
// Invariants, all under the bucket's mutex
//   I1  a node is in `holders` of its key's bucket from its grant until it is unlocked or ended,
//       by the earlier of the two; no two nodes in `holders` have equal keys.
//   I2  `ended` is set at most once for each grant, by a thread that takes the node out of
//       `holders` and is not in the node's own unlock().
//   I3  `tokens` grows with every grant in the bucket, and so with every grant of a key.
//   I4  while a thread waits for a held key of the bucket, the timer is set for the holder's
//       deadline or an earlier one, which is `alarm_at`.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "primitives/concepts.h"
#include "primitives/fence.h"
#include "primitives/futex_mutex.h"
#include "primitives/internal/deadline_timer.h"
#include "primitives/internal/handle_set.h"
#include "primitives/internal/key_order.h"
#include "primitives/internal/key_queues.h"
#include "primitives/internal/misuse.h"
#include "primitives/internal/table_size.h"
#include "primitives/internal/timed.h"
#include "primitives/internal/wait_queue.h"
#include "primitives/key.h"
#include "primitives/key_guard.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/failure.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/stop.h"

namespace lockbench {

template <class K = std::uint64_t, HashOf<K> Hash = DefaultKeyHash<K>>
class KeyedLimited : public internal::GuardMembers<KeyedLimited<K, Hash>, K> {
 public:
  static constexpr Promises kPromises{.lock_per_key = true, .timed = true};
  static constexpr std::size_t kDefaultBuckets = 1024;
  static constexpr std::chrono::milliseconds kDefaultLimit{5000};

  // The guard of the data that a key names.
  using Fence = lockbench::Fence;

  class Handle;

  KeyedLimited() : KeyedLimited(kDefaultLimit) {}

  // `limit` is above 0; else throws std::invalid_argument. One that is too long for the clock never
  // passes. `buckets`, at least 1, is rounded up to a power of two; about twice the keys held at
  // once keeps the walks short. Throws std::system_error when no thread can be started.
  template <class Rep, class Period>
  explicit KeyedLimited(const std::chrono::duration<Rep, Period>& limit,
                        std::size_t buckets = kDefaultBuckets)
      : limit_(internal::in_range(limit)),
        mask_(internal::table_mask(buckets)),
        buckets_(new Bucket[mask_ + 1]),
        timer_(mask_ + 1, EndLateHolds{this}) {
    internal::require_argument(limit_ > platform::Duration::zero(),
                               "KeyedLimited: the limit must be above 0");
  }

  // A handle views a string key: the characters outlive the handle.
  Handle handle(K key) { return Handle(Claimed{*this, std::move(key)}); }
  template <TemporaryString T>
  requires std::same_as<K, std::string_view>
  void handle(T&& key) = delete;
  template <Fractional F>
  requires std::integral<K>
  void handle(F key) = delete;

  // All keys of a span or another range at once, in the order of the keys; equal ones are taken
  // once. Each key has a limit and a token of its own: the limit of the first key passes while the
  // thread waits for the others.
  template <KeyRange Keys>
  internal::HandleSet<internal::HeapHandles<Handle>> handle_all(Keys&& keys) {
    std::vector<K> ordered = internal::keys_in_order<K, Hash>(keys);
    return {ordered.size(), [&](std::size_t i) { return Claimed{*this, std::move(ordered[i])}; }};
  }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const {
    return sizeof *this + (mask_ + 1) * sizeof(Bucket) + timer_.bytes_outside();
  }

  // Keys that are held now, before or after the limit. O(buckets).
  std::size_t keys_kept() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i <= mask_; ++i) {
      std::scoped_lock guard(buckets_[i].mutex);
      count += buckets_[i].keys_held();
    }
    return count;
  }

  // For the inspection of a program, not for decisions: out of date when they return.
  bool is_locked(K key) const {
    const Node probe = probe_of(std::move(key));
    Bucket& bucket = bucket_of(probe);
    std::scoped_lock guard(bucket.mutex);
    return bucket.holder_of(probe) != nullptr;
  }

  std::size_t waiters(K key) const {
    const Node probe = probe_of(std::move(key));
    Bucket& bucket = bucket_of(probe);
    std::scoped_lock guard(bucket.mutex);
    return bucket.waiters_for(probe);
  }

  // Calls visit(key) for each key that is held, while its bucket is locked: visit() must not use
  // this primitive. O(buckets).
  template <class Visit>
  void for_each_held(const Visit& visit) const {
    for (std::size_t i = 0; i <= mask_; ++i) {
      Bucket& bucket = buckets_[i];
      std::scoped_lock guard(bucket.mutex);
      for (Node* n = bucket.holders; n != nullptr; n = bucket.next_of(*n)) visit(n->key);
    }
  }

 private:
  struct Claimed {
    KeyedLimited& owner;
    K key;
  };

  struct Node : internal::KeyNode<K, Hash> {
    using internal::KeyNode<K, Hash>::KeyNode;

    std::uint64_t token = 0;
    platform::Time deadline{};
    platform::Atomic<bool> ended{false};  // I2
    bool held = false;                    // locked and not yet unlocked; kept in debug builds only
  };

  struct alignas(platform::kCacheLine) Bucket : internal::KeyQueues<Node> {
    FutexMutex mutex;
    std::uint64_t tokens = 0;                      // I3
    platform::Time alarm_at = platform::kForever;  // I4
  };
  static_assert(sizeof(Bucket) == platform::kCacheLine);

  struct EndLateHolds {
    KeyedLimited* owner;
    void operator()(std::size_t bucket) const { owner->end_late_holds(owner->buckets_[bucket]); }
  };

  Bucket& bucket_of(const Node& node) const { return buckets_[node.hash & mask_]; }

  static Node probe_of(K key) {
    const std::uint64_t hash = spread_hash<Hash>(key);
    return Node(hash, std::move(key));
  }

  // From here to release(): under the bucket's mutex.
  void grant(Bucket& bucket, Node& node) {
    node.token = ++bucket.tokens;
    node.deadline = platform::deadline_after(limit_);
    // relaxed: no other thread reads it before the mutex is released.
    node.ended.store(false, std::memory_order_relaxed);
    bucket.add_holder(node);
    if (!bucket.waiters.empty()) set_alarm(bucket, node.deadline);
  }

  void set_alarm(Bucket& bucket, platform::Time deadline) {
    if (deadline >= bucket.alarm_at) return;
    bucket.alarm_at = deadline;
    timer_.set(static_cast<std::size_t>(&bucket - buckets_.get()), deadline);
  }

  // Takes the key from a holder. `node` may be gone as soon as the mutex is released.
  static void end(Bucket& bucket, Node& node) {
    bucket.remove_holder(node);
    // relaxed: it publishes no data; the next holder's writes are read under a later grant.
    node.ended.store(true, std::memory_order_relaxed);
  }

  void hand_over(Bucket& bucket, Node& waiter, internal::PendingWake& wake) {
    bucket.waiters.remove(waiter);
    grant(bucket, waiter);
    wake.signal(waiter, internal::Waiter::kGranted);
  }

  // Takes the key if it is free, or if its holder's time is up and no thread waits for it.
  bool take_at_once(Bucket& bucket, Node& node) {
    Node* const holder = bucket.holder_of(node);
    if (holder == &node) [[unlikely]]
      throw_held_already();
    if (holder != nullptr) {
      if (bucket.first_waiter_for(node) != nullptr || platform::now() < holder->deadline) {
        return false;
      }
      end(bucket, *holder);
    }
    grant(bucket, node);
    return true;
  }

  [[noreturn, gnu::noinline, gnu::cold]] static void throw_held_already() {
    platform::throw_error(
        std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                          "KeyedLimited: the handle holds its key already"));
  }

  bool try_acquire(Node& node) {
    Bucket& bucket = bucket_of(node);
    std::scoped_lock guard(bucket.mutex);
    return bucket.holder_of(node) != &node && take_at_once(bucket, node);
  }

  bool acquire(Node& node, platform::Time deadline) {
    Bucket& bucket = bucket_of(node);
    return take_or_queue(bucket, node) ||
           wait_for_key(bucket, node, deadline, [deadline] { return platform::now() >= deadline; });
  }

#if LOCKBENCH_HAS_STOP_TOKEN
  // False if a stop was requested and the key is held.
  bool acquire(Node& node, const platform::StopToken& stop) {
    Bucket& bucket = bucket_of(node);
    if (take_or_queue(bucket, node)) return true;
    // Made and destroyed without the mutex, which wake_stopped() takes.
    const auto wake = platform::on_stop(stop, [&bucket, &node] { wake_stopped(bucket, node); });
    return wait_for_key(bucket, node, platform::kForever,
                        [&stop] { return stop.stop_requested(); });
  }
#endif

  bool take_or_queue(Bucket& bucket, Node& node) {
    std::scoped_lock guard(bucket.mutex);
    if (take_at_once(bucket, node)) return true;
    bucket.waiters.push_back(node);
    set_alarm(bucket, bucket.holder_of(node)->deadline);
    return false;
  }

  // In the thread that requested the stop: the waiter looks again. It may hold the key already;
  // then the signal has no effect.
  [[gnu::noinline, gnu::cold]] static void wake_stopped(Bucket& bucket, Node& node) {
    internal::PendingWake wake;
    {
      std::scoped_lock guard(bucket.mutex);
      // relaxed: signals are sent under the mutex, which this thread holds.
      if (node.signal.load(std::memory_order_relaxed) != internal::Waiter::kGranted) {
        wake.signal(node, internal::Waiter::kWoken);
      }
    }
    wake.deliver();
  }

  // `gives_up()`: whether the thread waits no longer. What makes it true wakes the thread, too.
  template <class GivesUp>
  [[gnu::noinline, gnu::cold]] bool wait_for_key(Bucket& bucket, Node& node,
                                                 platform::Time deadline, const GivesUp& gives_up) {
    for (;;) {
      if (internal::await_signal(node, deadline)) return true;
      std::scoped_lock guard(bucket.mutex);
      // relaxed: signals are sent under the mutex, which this thread holds.
      if (node.signal.load(std::memory_order_relaxed) == internal::Waiter::kGranted) return true;
      if (bucket.holder_of(node) == nullptr) {
        bucket.waiters.remove(node);
        grant(bucket, node);
        return true;
      }
      // The key is held, so its holder's release or end will look for waiters.
      if (gives_up()) {
        bucket.waiters.remove(node);
        return false;
      }
      // relaxed: signals are sent under the mutex, which this thread holds.
      node.signal.store(internal::Waiter::kSpinning, std::memory_order_relaxed);
    }
  }

  // False when the key had been taken away.
  bool release(Node& node) {
    Bucket& bucket = bucket_of(node);
    internal::PendingWake wake;
    {
      std::scoped_lock guard(bucket.mutex);
      // relaxed: set under the mutex.
      if (node.ended.load(std::memory_order_relaxed)) return false;
      bucket.remove_holder(node);
      if (!bucket.waiters.empty()) [[unlikely]]
        pass_on(bucket, node, wake);
    }
    wake.deliver();
    return true;
  }

  // Signals the first waiter for the key of `node` to retry, or hands the key over to it.
  [[gnu::noinline, gnu::cold]] void pass_on(Bucket& bucket, const Node& node,
                                            internal::PendingWake& wake) {
    Node* const waiter = bucket.first_waiter_for(node);
    if (waiter == nullptr) return;
    if (internal::WaitQueue::starving(*waiter)) {
      hand_over(bucket, *waiter, wake);
    } else {
      wake.signal(*waiter, internal::Waiter::kWoken);
    }
  }

  // On the timer's thread: one wake-up at a time is delivered outside the mutex.
  void end_late_holds(Bucket& bucket) {
    {
      std::scoped_lock guard(bucket.mutex);
      bucket.alarm_at = platform::kForever;
    }
    for (;;) {
      internal::PendingWake wake;
      {
        std::scoped_lock guard(bucket.mutex);
        if (!end_one_late_hold(bucket, wake)) return;
      }
      wake.deliver();
    }
  }

  // False if no holder is late; then the alarm is set for the next deadline.
  bool end_one_late_hold(Bucket& bucket, internal::PendingWake& wake) {
    const platform::Time now = platform::now();
    platform::Time next = platform::kForever;
    for (Node* holder = bucket.holders; holder != nullptr; holder = bucket.next_of(*holder)) {
      Node* const waiter = bucket.first_waiter_for(*holder);
      if (waiter == nullptr) continue;
      if (now >= holder->deadline) {
        end(bucket, *holder);
        hand_over(bucket, *waiter, wake);
        return true;
      }
      next = std::min(next, holder->deadline);
    }
    if (next != platform::kForever) set_alarm(bucket, next);
    return false;
  }

  const platform::Duration limit_;
  const std::size_t mask_;
  const std::unique_ptr<Bucket[]> buckets_;
  internal::DeadlineTimer<EndLateHolds> timer_;  // last: its thread finds the rest made
};

template <class K, HashOf<K> Hash>
class KeyedLimited<K, Hash>::Handle : public internal::TimedMembers<Handle> {
 public:
  explicit Handle(Claimed&& claimed) : Handle(claimed, spread_hash<Hash>(claimed.key)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  ~Handle() {
    internal::check_use([this] { return !node_.held; },
                        "KeyedLimited: a handle is destroyed before its unlock()");
  }

  void lock() { lock_before(platform::kForever); }
  bool try_lock() {
    check_not_held();
    return note_held(owner_.try_acquire(node_));
  }
  bool lock_before(platform::Time deadline) {
    check_not_held();
    return note_held(owner_.acquire(node_, deadline));
  }

#if LOCKBENCH_HAS_STOP_TOKEN
  // False if a stop was requested before the key was released to this thread. A key that is free is
  // taken in any case.
  [[nodiscard]] bool lock(const platform::StopToken& stop) {
    check_not_held();
    return note_held(owner_.acquire(node_, stop));
  }
#endif

  // False when the key had been taken away: what was done since then was done without it.
  bool unlock() {
    internal::check_use([this] { return node_.held; },
                        "KeyedLimited: unlock() of a handle that is not locked");
    note_held(false);
    return owner_.release(node_);
  }

  // True if the key has been taken away, or was before unlock(). A false answer may be out of date
  // at once: only a fence decides.
  bool expired() const {
    return node_.ended.load(std::memory_order_relaxed);  // relaxed: see end()
  }

  // The grant's number, for a Fence; meaningful from lock() on.
  std::uint64_t token() const {
    return node_.token;
  }

  const K& key() const {
    return node_.key;
  }

  // Until when the key is not taken away.
  platform::Time deadline() const {
    return node_.deadline;
  }

 private:
  Handle(Claimed& claimed, std::uint64_t hash)
      : owner_(claimed.owner), node_(hash, std::move(claimed.key)) {}

  void check_not_held() const {
    internal::check_use([this] { return !node_.held; },
                        "KeyedLimited: lock() of a handle that is locked");
  }

  bool note_held(bool held) {
    if constexpr (internal::kChecksUse) node_.held = held;
    return held;
  }

  KeyedLimited& owner_;
  Node node_;
};

}  // namespace lockbench
