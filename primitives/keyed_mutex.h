// KeyedMutex: a mutex for every key that is in use, and nothing for the others.
//
// Guarantees   mutual exclusion between threads per key; two different keys never share a lock,
//              whatever their hashes; a key exists from its first lock() to its last unlock() and
//              leaves nothing behind; no allocation after construction, at any number of keys.
//              A waiter is passed over for at most a millisecond before the key is handed to it.
// Not offered  recursion, strict FIFO order, unlock by another thread, priority inheritance, use
//              across fork() while any key is held.
// Requires     the rules for handles in concepts.h; the primitive outlives its handles.
// Cost         lock and unlock each lock a bucket's mutex and walk the keys held in that bucket:
//              O(1 + keys held at once / buckets).
//
// Invariants, all under the bucket's mutex
//   I1  a node is in `holders` of its key's bucket exactly while its thread holds the key; no two
//       nodes in `holders` have equal keys.
//   I2  a node is in `waiters` only while a node with an equal key is in `holders`, or while a
//       wake-up for that key is in flight.
//   I3  holders and waiters are nodes inside handles: the table itself never grows.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "primitives/concepts.h"
#include "primitives/futex_mutex.h"
#include "primitives/internal/handle_pair.h"
#include "primitives/internal/key_queues.h"
#include "primitives/internal/timed.h"
#include "primitives/internal/wait_queue.h"
#include "primitives/key.h"
#include "primitives/platform/layout.h"

namespace lockbench {

template <Key K = std::uint64_t, class Hash = KeyHash>
class KeyedMutex {
 public:
  static constexpr Promises kPromises{.lock_per_key = true, .timed = true};
  static constexpr std::size_t kDefaultBuckets = 1024;

  class Handle;

  // `buckets`, at least 1, is rounded up to a power of two; about twice the keys held at once keeps
  // the walks short. 64 bytes each.
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
  std::size_t lock_bytes() const { return sizeof *this + (mask_ + 1) * sizeof(Bucket); }

  // Keys that somebody holds now. O(buckets); for tests and census, not for decisions.
  std::size_t keys_kept() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i <= mask_; ++i) {
      std::scoped_lock guard(buckets_[i].mutex);
      count += buckets_[i].keys_held();
    }
    return count;
  }

 private:
  struct Claimed {
    KeyedMutex& owner;
    K key;
  };

  using Node = internal::KeyNode<K>;

  struct alignas(platform::kCacheLine) Bucket : internal::KeyQueues<Node> {
    FutexMutex mutex;
  };
  static_assert(sizeof(Bucket) == platform::kCacheLine);

  Bucket& bucket_of(const Node& node) { return buckets_[node.hash & mask_]; }

  bool acquire(Node& node, platform::Time deadline) {
    Bucket& bucket = bucket_of(node);
    {
      std::scoped_lock guard(bucket.mutex);
      if (bucket.holder_of(node) == nullptr) {
        bucket.add_holder(node);
        return true;
      }
      bucket.waiters.push_back(node);
    }
    return wait_for_key(bucket, node, deadline);
  }

  [[gnu::noinline, gnu::cold]] bool wait_for_key(Bucket& bucket, Node& node,
                                                 platform::Time deadline) {
    for (;;) {
      if (internal::await_signal(node, deadline)) return true;
      std::scoped_lock guard(bucket.mutex);
      // relaxed: signals are sent under the mutex, which this thread holds.
      if (node.signal.load(std::memory_order_relaxed) == internal::Waiter::kGranted) return true;
      if (bucket.holder_of(node) == nullptr) {
        bucket.waiters.remove(node);
        bucket.add_holder(node);
        return true;
      }
      // The key is held, so its holder's release will look at whoever still waits: leaving swallows
      // no wake-up.
      if (platform::now() >= deadline) {
        bucket.waiters.remove(node);
        return false;
      }
      // relaxed: as above.
      node.signal.store(internal::Waiter::kSpinning, std::memory_order_relaxed);
    }
  }

  bool try_acquire(Node& node) {
    Bucket& bucket = bucket_of(node);
    std::scoped_lock guard(bucket.mutex);
    if (bucket.holder_of(node) != nullptr) return false;
    bucket.add_holder(node);
    return true;
  }

  void release(Node& node) {
    Bucket& bucket = bucket_of(node);
    internal::PendingWake wake;
    {
      std::scoped_lock guard(bucket.mutex);
      bucket.remove_holder(node);
      if (!bucket.waiters.empty()) [[unlikely]]
        pass_on(bucket, node, wake);
    }
    wake.deliver();
  }

  // Tells the first waiter for the key of `node` to look again, or hands the key to it.
  [[gnu::noinline, gnu::cold]] static void pass_on(Bucket& bucket, const Node& node,
                                                   internal::PendingWake& wake) {
    Node* const waiter = bucket.first_waiter_for(node);
    if (waiter == nullptr) return;
    if (!internal::WaitQueue::impatient(*waiter)) {
      wake.signal(*waiter, internal::Waiter::kWoken);
      return;
    }
    bucket.waiters.remove(*waiter);
    bucket.add_holder(*waiter);
    wake.signal(*waiter, internal::Waiter::kGranted);
  }

  const std::size_t mask_;
  const std::unique_ptr<Bucket[]> buckets_;
};

template <Key K, class Hash>
class KeyedMutex<K, Hash>::Handle : public internal::TimedMembers<Handle> {
 public:
  explicit Handle(const Claimed& claimed)
      : owner_(claimed.owner), node_(Hash{}(claimed.key), claimed.key) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void lock() { owner_.acquire(node_, platform::kForever); }
  bool try_lock() { return owner_.try_acquire(node_); }
  bool lock_before(platform::Time deadline) { return owner_.acquire(node_, deadline); }
  void unlock() { owner_.release(node_); }

 private:
  KeyedMutex& owner_;
  Node node_;
};

}  // namespace lockbench
