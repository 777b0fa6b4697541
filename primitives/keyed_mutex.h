// SPDX-License-Identifier: Apache-2.0

// KeyedMutex: a mutex for every key that is in use, and nothing for the others.
//
// A key's hash chooses a bucket, which has room for one holder: a word that says which node holds
// it, and 16 bits of its key's hash. Who finds the word taken by another key holds its own apart,
// in the bucket's table; who finds it taken by its own, waits. Nodes lie in the handles.
//
// Guarantees   mutual exclusion between threads per key; two different keys never share a lock,
//              whatever their hashes; a key exists from its first lock() to its last unlock() and
//              leaves nothing behind; no allocation while the keys held at once in a bucket are no
//              more than its table has room for, 11 to 21 bytes each beside the handle; at most 56
//              bytes in the handle. Where a larger table cannot be had, lock() throws
//              std::bad_alloc.
//              A waiter is passed over for about ten milliseconds before the key is handed to it,
//              as soon as internal/handovers.h allows.
// Not offered  recursion, strict FIFO order, unlock by another thread, priority inheritance: do not
//              use it between threads of different real-time priorities. Use across fork() while
//              any key is held. Not to be destroyed before unlock() has returned in every thread:
//              it looks at the bucket after the release.
// Requires     the rules for handles in concepts.h; the primitive outlives its handles; addresses
//              of 48 bits.
// Cost         a compare-and-swap and a load; a store and two loads. A second read-modify-write in
//              the place of the store while the key's bucket has been waited at lately, and on
//              kernels without membarrier. Where keys of one bucket are held at once, or waited
//              for, the bucket's mutex: O(1) but for walks over the bucket's waiters.
//
// Invariants
//   I1  holder is 0, or the word of a node whose thread holds its key, or has just come and looks
//       into `apart` whether the key is held there.
//   I2  under the mutex: `apart` has exactly the other nodes that hold keys of the bucket; pressure
//       counts them, or more.
//   I3  under the mutex: pressure counts all nodes in `waiters`, or more. A node is there only
//       while its key is held, or a wake-up for it is in flight.
//   I4  while somebody waits for the key of `holder`, kShared is set, and was set before a heavy
//       barrier after which that holder was seen.
//   I5  whoever holds the mutex, has counted itself as a waiter, and has then seen a node's word in
//       `holder` under kShared may read that node: its release will want the mutex.
//   docs/design/keyed.md has the argument.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "primitives/concepts.h"
#include "primitives/futex_mutex.h"
#include "primitives/internal/asymmetry.h"
#include "primitives/internal/handle_pair.h"
#include "primitives/internal/handovers.h"
#include "primitives/internal/holder_table.h"
#include "primitives/internal/timed.h"
#include "primitives/internal/wait_queue.h"
#include "primitives/key.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/spin.h"
#include "primitives/platform/thread.h"

namespace lockbench {

template <Key K = std::uint64_t, class Hash = KeyHash, class Barriers = internal::KernelBarriers>
class KeyedMutex {
 public:
  static constexpr Promises kPromises{.lock_per_key = true, .timed = true};
  static constexpr std::size_t kDefaultBuckets = 1024;

  class Handle;

  // `buckets`, at least 1, is rounded up to a power of two; about twice the keys held at once
  // leaves most of them the short way. 64 bytes each.
  explicit KeyedMutex(std::size_t buckets = kDefaultBuckets)
      : mask_(std::bit_ceil(buckets) - 1), buckets_(new Bucket[mask_ + 1]) {}

  Handle handle(K key) { return Handle(Claimed{*this, key}); }

  // Both keys at once, in the order of the keys; equal keys are taken once.
  internal::HandlePair<Handle> handle_both(K a, K b) {
    if (a == b) return internal::HandlePair<Handle>(Claimed{*this, a});
    if (b < a) std::swap(a, b);
    return internal::HandlePair<Handle>(Claimed{*this, a}, Claimed{*this, b});
  }

  static constexpr std::uint32_t capacity() { return 1; }

  // O(buckets), as keys_kept().
  std::size_t lock_bytes() const {
    std::size_t bytes = sizeof *this + (mask_ + 1) * sizeof(Bucket);
    for (std::size_t i = 0; i <= mask_; ++i) {
      std::scoped_lock guard(buckets_[i].mutex);
      bytes += buckets_[i].apart.table_bytes();
    }
    return bytes;
  }

  // Keys that somebody holds now. For tests and census, not for decisions.
  std::size_t keys_kept() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i <= mask_; ++i) {
      std::scoped_lock guard(buckets_[i].mutex);
      // relaxed: a count of what changes meanwhile.
      if (buckets_[i].holder.load(std::memory_order_relaxed) != 0) ++count;
      count += buckets_[i].apart.size();
    }
    return count;
  }

 private:
  struct Claimed {
    KeyedMutex& owner;
    K key;
  };

  // A claim on a key.
  struct Node : internal::Waiter {
    Node(K k, std::uint64_t hash) : tag(static_cast<std::uint16_t>(hash >> kTagAt)), key(k) {}

    // What `holder` says of this node: 16 bits of the hash above its address.
    std::uint64_t word() const {
      const std::uint64_t address = reinterpret_cast<std::uintptr_t>(this);
      assert(address >> kTagAt == 0);
      return (std::uint64_t{tag} << kTagAt) | address;
    }
    static const Node& at(std::uint64_t word) {
      return *reinterpret_cast<const Node*>(static_cast<std::uintptr_t>(word & kAddress));
    }
    bool may_be(std::uint64_t word) const { return word != 0 && word >> kTagAt == tag; }
    bool same_key(const Node& other) const { return tag == other.tag && key == other.key; }

    bool apart = false;  // holds its key in the bucket's table
    const std::uint16_t tag;
    const K key;
  };

  static constexpr int kTagAt = 48;
  static constexpr std::uint64_t kAddress = (std::uint64_t{1} << kTagAt) - 1;

  // The parts of pressure. kShared: releases are read-modify-writes. kWaiters: how many wait.
  // kApart: how many hold apart.
  static constexpr std::uint64_t kShared = 1;
  static constexpr std::uint64_t kWaiter = 2;
  static constexpr std::uint64_t kApartUnit = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kWaiters = (kApartUnit - 1) & ~kShared;
  static constexpr std::uint64_t kApart = ~(kApartUnit - 1);

  static constexpr int kSpins = platform::spins(40);

  struct alignas(platform::kCacheLine) Bucket {
    // The waiter for the same key that came first, or null. O(waiters in the bucket).
    Node* first_waiter_for(const Node& node) const {
      for (internal::Waiter* w = waiters.first(); w != nullptr; w = w->next) {
        if (static_cast<Node*>(w)->same_key(node)) return static_cast<Node*>(w);
      }
      return nullptr;
    }

    platform::Atomic<std::uint64_t> holder{0};
    platform::Atomic<std::uint64_t> pressure{Barriers::available() ? 0 : kShared};
    FutexMutex mutex;
    internal::WaitQueue waiters;
    internal::HolderTable<Node> apart;
  };
  static_assert(sizeof(Bucket) == platform::kCacheLine);

  // The short way in.
  static bool take(Bucket& bucket, Node& node) {
    std::uint64_t expected = 0;
    // (1) seq_cst: acquires from (2), (3) and (4); publishes the node; and is in one order with the
    // load: whoever holds apart counted itself before it saw that the key is not here (5).
    // relaxed on failure: nothing is read on the strength of it.
    if (!bucket.holder.compare_exchange_strong(expected, node.word(), std::memory_order_seq_cst,
                                               std::memory_order_relaxed)) {
      return false;
    }
    if ((bucket.pressure.load(std::memory_order_seq_cst) & kApart) == 0) [[likely]]
      return true;
    return confirm(bucket, node);
  }

  // Has the bucket's word; gives it back if another thread holds the key apart.
  [[gnu::noinline, gnu::cold]] static bool confirm(Bucket& bucket, Node& node) {
    std::scoped_lock guard(bucket.mutex);
    if (!bucket.apart.has_key_of(node)) return true;
    // Who waits for the key waits for the one that holds it apart: nobody is to be woken.
    bucket.holder.store(0, std::memory_order_release);  // (2) release: hands on what (1) acquired
    return false;
  }

  // Under the mutex: takes the key for `node`, or counts it as a waiter and returns false.
  static bool take_or_count(Bucket& bucket, Node& node) {
    // (5) seq_cst: see (1); and a release under kShared either sees the count or is seen.
    std::uint64_t pressure =
        bucket.pressure.fetch_add(kWaiter + kApartUnit, std::memory_order_seq_cst);
    bool held = bucket.apart.has_key_of(node);
    while (!held) {
      // One load decides. acquire, of what was done under the key: from whoever held it last.
      std::uint64_t seen = bucket.holder.load(std::memory_order_seq_cst);
      if (seen == 0) {
        if (!bucket.holder.compare_exchange_strong(seen, node.word())) continue;
        bucket.pressure.fetch_sub(kWaiter + kApartUnit, std::memory_order_relaxed);
        return true;
      }
      if (!node.may_be(seen)) {
        hold_apart(bucket, node);
        return true;
      }
      if ((pressure & kShared) == 0) {
        pressure = bucket.pressure.fetch_or(kShared, std::memory_order_seq_cst) | kShared;
        Barriers::heavy();
        continue;
      }
      held = Node::at(seen).same_key(node);  // I5
      if (!held) {
        hold_apart(bucket, node);
        return true;
      }
    }
    // relaxed, here and above: a count that is too high only leads others to the mutex.
    bucket.pressure.fetch_sub(kApartUnit, std::memory_order_relaxed);
    return false;
  }

  // Under the mutex, counted as both. May throw std::bad_alloc.
  static void hold_apart(Bucket& bucket, Node& node) {
    try {
      bucket.apart.reserve();
    } catch (...) {
      bucket.pressure.fetch_sub(kWaiter + kApartUnit, std::memory_order_release);  // (6)
      // A wake-up that this thread came by goes on to the next.
      internal::PendingWake wake;
      tell_waiter(bucket, node, wake);
      wake.deliver();
      throw;
    }
    bucket.apart.add(node);
    node.apart = true;
    stop_counting(bucket);
  }

  static bool acquire(Bucket& bucket, Node& node, platform::Time deadline) {
    return take(bucket, node) || acquire_slow(bucket, node, deadline);
  }

  [[gnu::noinline]] static bool acquire_slow(Bucket& bucket, Node& node, platform::Time deadline) {
    if (spin(bucket, node)) return true;
    {
      std::scoped_lock guard(bucket.mutex);
      if (take_or_count(bucket, node)) return true;
      bucket.waiters.push_back(node);
    }
    return wait_for_key(bucket, node, deadline);
  }

  // Whether the key came free soon. A word that is surely another key's is not waited for.
  static bool spin(Bucket& bucket, Node& node) {
    internal::SpinLuck& luck = internal::SpinLuck::of_thread();
    if (!luck.worth_a_try()) return false;
    for (int i = 0; i < kSpins; ++i) {
      // relaxed: a hint when to try.
      const std::uint64_t seen = bucket.holder.load(std::memory_order_relaxed);
      if (seen == 0) {
        luck.note(true);
        return take(bucket, node);
      }
      if (!node.may_be(seen)) return false;
      platform::pause();
    }
    return false;
  }

  [[gnu::noinline, gnu::cold]] static bool wait_for_key(Bucket& bucket, Node& node,
                                                        platform::Time deadline) {
    for (;;) {
      if (internal::await_signal(node, deadline)) {
        internal::Handovers::of_process().taken(&bucket, node.since, platform::now());
        return true;
      }
      std::scoped_lock guard(bucket.mutex);
      // relaxed: signals are sent under the mutex, which this thread holds.
      if (node.signal.load(std::memory_order_relaxed) == internal::Waiter::kGranted) return true;
      stop_waiting(bucket, node);
      if (take_or_count(bucket, node)) return true;
      // The key is held, and its holder's release will look at whoever still waits: leaving
      // swallows no wake-up.
      if (platform::now() >= deadline) {
        stop_counting(bucket);
        return false;
      }
      bucket.waiters.push_front(node);
    }
  }

  static void stop_waiting(Bucket& bucket, Node& waiter) {
    bucket.waiters.remove(waiter);
    stop_counting(bucket);
  }

  // Under the mutex, counted as a waiter: from here on no node may be read that is not of the
  // bucket's mutex.
  static void stop_counting(Bucket& bucket) {
    // (6) release: a release of the key that sees nobody counted leaves the mutex alone, and its
    // node may be gone after it. What was read of that node (I5) was read before.
    bucket.pressure.fetch_sub(kWaiter, std::memory_order_release);
  }

  static bool try_acquire(Bucket& bucket, Node& node) {
    if (take(bucket, node)) return true;
    std::scoped_lock guard(bucket.mutex);
    if (take_or_count(bucket, node)) return true;
    stop_counting(bucket);
    return false;
  }

  static void release(Bucket& bucket, Node& node) {
    // A hint: whoever came to wait since is seen below, or sees the store.
    if (node.apart || somebody_to_see(bucket)) [[unlikely]] {
      release_slow(bucket, node);
      return;
    }
    // (3) release: publishes the critical section to (1) and (5).
    bucket.holder.store(0, std::memory_order_release);
    Barriers::light();
    if (somebody_to_see(bucket)) [[unlikely]]
      wake_waiter(bucket, node);
  }

  static bool somebody_to_see(const Bucket& bucket) {
    // acquire: from (6). The barriers order it with the store.
    return (bucket.pressure.load(std::memory_order_acquire) & (kWaiters | kShared)) != 0;
  }

  [[gnu::noinline]] static void release_slow(Bucket& bucket, Node& node) {
    // relaxed: a hint; both ways out look again, (4) with an acquire of (6).
    if (node.apart || (bucket.pressure.load(std::memory_order_relaxed) & kWaiters) != 0) {
      pass_on(bucket, node);
      return;
    }
    // (4) seq_cst: as (3), and in one order with the load: see (5).
    bucket.holder.exchange(0, std::memory_order_seq_cst);
    const bool quiet = (bucket.pressure.load(std::memory_order_seq_cst) & kWaiters) == 0;
    if (!quiet) wake_waiter(bucket, node);
    if (platform::of_this_thread<internal::QuietReleases>().enough_with(quiet)) calm_down(bucket);
  }

  // After a release of the bucket's word: tells the first waiter for the key to look.
  [[gnu::noinline, gnu::cold]] static void wake_waiter(Bucket& bucket, const Node& node) {
    internal::PendingWake wake;
    {
      std::scoped_lock guard(bucket.mutex);
      tell_waiter(bucket, node, wake);
    }
    wake.deliver();
  }

  static void tell_waiter(Bucket& bucket, const Node& node, internal::PendingWake& wake) {
    Node* const waiter = bucket.first_waiter_for(node);
    if (waiter != nullptr) wake.signal(*waiter, internal::Waiter::kWoken);
  }

  // Releases the key and tells its first waiter to look, or hands the key to it.
  [[gnu::noinline, gnu::cold]] static void pass_on(Bucket& bucket, Node& node) {
    internal::PendingWake wake;
    {
      std::scoped_lock guard(bucket.mutex);
      Node* const waiter = bucket.first_waiter_for(node);
      const bool hand_over = waiter != nullptr && internal::Handovers::of_process().due(
                                                      &bucket, *waiter, platform::now());
      if (hand_over) stop_waiting(bucket, *waiter);
      give_up(bucket, node, hand_over ? waiter : nullptr);
      if (waiter != nullptr) {
        wake.signal(*waiter, hand_over ? internal::Waiter::kGranted : internal::Waiter::kWoken);
      }
    }
    wake.deliver();
  }

  // Under the mutex: puts `heir`, or nobody, into the place of `node`.
  static void give_up(Bucket& bucket, Node& node, Node* heir) {
    if (!node.apart) {
      // release: as (3); publishes the heir to (5).
      bucket.holder.store(heir != nullptr ? heir->word() : 0, std::memory_order_release);
      return;
    }
    node.apart = false;
    if (heir != nullptr) {
      heir->apart = true;
      bucket.apart.replace(node, *heir);
    } else {
      bucket.apart.remove(node);
      // release: who finds nobody apart in (1) acquires it.
      bucket.pressure.fetch_sub(kApartUnit, std::memory_order_release);
    }
  }

  // Releases of the bucket's word become stores again.
  [[gnu::noinline, gnu::cold]] static void calm_down(Bucket& bucket) {
    std::scoped_lock guard(bucket.mutex);
    // relaxed: counts change under the mutex.
    const bool waited_for = (bucket.pressure.load(std::memory_order_relaxed) & kWaiters) != 0;
    if (waited_for || !Barriers::available()) return;
    bucket.pressure.fetch_and(~kShared, std::memory_order_relaxed);
  }

  const std::size_t mask_;
  const std::unique_ptr<Bucket[]> buckets_;
};

template <Key K, class Hash, class Barriers>
class KeyedMutex<K, Hash, Barriers>::Handle : public internal::TimedMembers<Handle> {
 public:
  explicit Handle(const Claimed& claimed) : Handle(claimed, Hash{}(claimed.key)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void lock() { acquire(bucket_, node_, platform::kForever); }
  bool try_lock() { return try_acquire(bucket_, node_); }
  bool lock_before(platform::Time deadline) { return acquire(bucket_, node_, deadline); }
  void unlock() { release(bucket_, node_); }

 private:
  Handle(const Claimed& claimed, std::uint64_t hash)
      : bucket_(claimed.owner.buckets_[hash & claimed.owner.mask_]), node_(claimed.key, hash) {}

  Bucket& bucket_;
  Node node_;
};

static_assert(sizeof(KeyedMutex<std::string_view>::Handle) <= 56);

}  // namespace lockbench
