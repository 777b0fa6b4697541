// SPDX-License-Identifier: Apache-2.0

// KeyedMutex: a mutex for every key that is in use, and no memory for the others.
//
// The key's hash chooses a bucket, which has room for one holder, and is split when many of its
// keys are held at once: internal/key_bucket.h. Nodes lie in the handles.
//
// Guarantees   mutual exclusion between threads per key; two different keys never share a lock,
//              whatever their hashes, so nested locks of different keys never deadlock by a
//              collision; a key uses memory from its lock() to its unlock() only; at most 56 bytes
//              in the handle. A bucket with n > 2 keys held at once has a table of 11 to 21
//              bytes for each, until the last of them is released; a bucket with more than 32
//              held keys gets 4 KiB more, which it keeps. Where a larger table cannot be allocated,
//              lock() throws std::bad_alloc.
//              Other threads may overtake a waiter for about ten milliseconds; then the key is
//              handed over to it, as soon as internal/handovers.h allows.
// Not offered  recursion (lock() of a handle that holds its key throws; of another handle of the
//              same key by the same thread it deadlocks), strict FIFO order, unlock by another
//              thread, priority inheritance: do not use it between threads of different real-time
//              priorities. It must not be destroyed before unlock() has returned in every thread: a
//              release reads the bucket afterwards.
// Requires     the rules for handles in concepts.h; the primitive outlives its handles; addresses
//              of handles with at most 48 bits, else handle() throws
//              std::system_error(not_supported): tagged pointers (HWAddressSanitizer, memory
//              tagging), or memory that was mapped above 48 bits.
// fork()       not while any key is held or waited for, if the child uses the primitive.
// Cost         lock: a hash, a compare-and-swap and a load; unlock: a store and two loads. More if
//              several keys of a bucket are held at once, or waited for: internal/key_bucket.h.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "primitives/concepts.h"
#include "primitives/internal/asymmetry.h"
#include "primitives/internal/handle_pair.h"
#include "primitives/internal/handle_set.h"
#include "primitives/internal/key_bucket.h"
#include "primitives/internal/key_order.h"
#include "primitives/internal/misuse.h"
#include "primitives/internal/table_size.h"
#include "primitives/internal/timed.h"
#include "primitives/key.h"
#include "primitives/key_guard.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/stop.h"
#include "primitives/platform/thread.h"

namespace lockbench {

// `K`: numbers, strings as views, or a type of your own that has operator== and a hash; a handle
// has a copy of its key. A KeyedMutex<std::string> copies the characters, too, which then need not
// outlive the handle.
// `kSplitThreshold`: a bucket is split when so many of its keys are held in addition to the first.
// (Few in a simulation.)
template <class K = std::uint64_t, HashOf<K> Hash = DefaultKeyHash<K>,
          class Barriers = internal::KernelBarriers,
          std::size_t kSplitThreshold = platform::table_size(32)>
class KeyedMutex
    : public internal::GuardMembers<KeyedMutex<K, Hash, Barriers, kSplitThreshold>, K> {
 public:
  static constexpr Promises kPromises{.lock_per_key = true, .timed = true};
  static constexpr std::size_t kDefaultBuckets = 1024;

  class Handle;

  // `buckets`, at least 1, is rounded up to a power of two; about twice the keys usually held at
  // once leaves most of them the short way. 64 bytes each.
  explicit KeyedMutex(std::size_t buckets = kDefaultBuckets)
      : mask_(internal::table_mask(buckets)), buckets_(new Bucket[mask_ + 1]) {
    for (std::size_t i = 0; i <= mask_; ++i) buckets_[i].set_split_flag(any_split_);
  }
#if LOCKBENCH_CHECKS_USE
  ~KeyedMutex() {
    internal::check_use([this] { return keys_kept() == 0; },
                        "KeyedMutex: destroyed while a key is held");
  }
#endif

  // A handle views a string key: the characters outlive the handle.
  Handle handle(K key) {
    return Handle(Claimed{*this, std::move(key)});
  }
  template <TemporaryString T>
  requires std::same_as<K, std::string_view>
  void handle(T&& key) = delete;
  template <Fractional F>
  requires std::integral<K>
  void handle(F key) = delete;

  // Both keys at once, in the order of the keys; equal keys are taken once.
  internal::HandlePair<Handle> handle_both(K a, K b) {
    using Traits = KeyTraits<Hash>;
    if (Traits::equal(a, b)) return internal::HandlePair<Handle>(Claimed{*this, std::move(a)});
    if (Traits::less(b, a)) std::swap(a, b);
    return internal::HandlePair<Handle>(Claimed{*this, std::move(a)}, Claimed{*this, std::move(b)});
  }
  template <class A, class B>
  requires std::same_as<K, std::string_view> && kAnyTemporaryString<A, B>
  void handle_both(A&& a, B&& b) = delete;
  template <class A, class B>
  requires std::integral<K> &&(Fractional<A> || Fractional<B>)void handle_both(A a, B b) = delete;

  // All keys of a span or another range at once, in the order of the keys; equal ones are taken
  // once. Two allocations; O(n log n) for n keys.
  template <KeyRange Keys>
  internal::HandleSet<internal::HeapHandles<Handle>> handle_all(Keys&& keys) {
    std::vector<K> ordered = internal::keys_in_order<K, Hash>(keys);
    return {ordered.size(), [&](std::size_t i) { return Claimed{*this, std::move(ordered[i])}; }};
  }

  static constexpr std::uint32_t capacity() {
    return 1;
  }

  // O(buckets), as keys_kept().
  std::size_t lock_bytes() const {
    std::size_t bytes = sizeof *this + (mask_ + 1) * sizeof(Bucket);
    for (std::size_t i = 0; i <= mask_; ++i) bytes += buckets_[i].bytes_beside();
    return bytes;
  }

  // Keys that are held now. For tests and census, not for decisions.
  std::size_t keys_kept() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i <= mask_; ++i) count += buckets_[i].keys();
    return count;
  }

  // For the inspection of a program, not for decisions: out of date when they return. They take
  // mutexes that waiting threads use, and slow the next releases down: not for fast paths.
  //
  // True if a thread holds the key. True for a moment, too, while a thread finds out that it must
  // wait.
  bool is_locked(K key) const {
    const std::uint64_t hash = spread_hash<Hash>(key);
    return bucket_of(hash).has_holder_of(typename Bucket::Node(std::move(key), hash));
  }

  // Threads that wait for the key. O(waiters of its bucket).
  std::size_t waiters(K key) const {
    const std::uint64_t hash = spread_hash<Hash>(key);
    return bucket_of(hash).waiters_for(typename Bucket::Node(std::move(key), hash));
  }

  // Calls visit(key) for each key that is held, while its bucket is locked: visit() must not use
  // this primitive. O(buckets); up to one heavy barrier (internal/asymmetry.h) for each key held.
  template <class Visit>
  void for_each_held(const Visit& visit) const {
    for (std::size_t i = 0; i <= mask_; ++i) buckets_[i].for_each_held(visit);
  }

 private:
  using Bucket = internal::KeyBucket<K, Hash, Barriers, kSplitThreshold>;
  static_assert(sizeof(Bucket) == platform::kCacheLine);

  struct Claimed {
    KeyedMutex& owner;
    K key;
  };

  Bucket& bucket_of(std::uint64_t hash) const {
    return buckets_[hash & mask_];
  }

  const std::size_t mask_;
  const std::unique_ptr<Bucket[]> buckets_;
  platform::Atomic<bool> any_split_{false};
};

template <class K, HashOf<K> Hash, class Barriers, std::size_t kSplitThreshold>
class KeyedMutex<K, Hash, Barriers, kSplitThreshold>::Handle
    : public internal::TimedMembers<Handle> {
 public:
  // relaxed: a hint.
  explicit Handle(Claimed&& claimed)
      : Handle(claimed, spread_hash<Hash>(claimed.key),
               claimed.owner.any_split_.load(std::memory_order_relaxed)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  ~Handle() {
    internal::check_use([this] { return !bucket_.is_held_by(node_); },
                        "KeyedMutex: a handle is destroyed while it holds its key");
  }

  // A handle that holds its key already: throws std::system_error with the code
  // resource_deadlock_would_occur, and try_lock() returns false.
  void lock() { bucket_.acquire(node_, platform::kForever); }
  bool try_lock() { return bucket_.try_acquire(node_); }
  bool lock_before(platform::Time deadline) { return bucket_.acquire(node_, deadline); }
  void unlock() { bucket_.release(node_); }

#if LOCKBENCH_HAS_STOP_TOKEN
  // False if a stop was requested before the key was released to this thread. A key that is free is
  // taken in any case.
  [[nodiscard]] bool lock(const platform::StopToken& stop) {
    return bucket_.acquire(node_, stop);
  }
#endif

 private:
  Handle(Claimed& claimed, std::uint64_t hash, bool any_split)
      : bucket_(claimed.owner.buckets_[hash & claimed.owner.mask_]),
        node_(std::move(claimed.key), hash) {
    if (any_split) [[unlikely]]
      node_.storage = Bucket::Storage::kOverflowTable;
  }

  Bucket& bucket_;
  typename Bucket::Node node_;
};

static_assert(sizeof(KeyedMutex<std::string_view>::Handle) <= 56);

}  // namespace lockbench
