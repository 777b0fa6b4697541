// SPDX-License-Identifier: Apache-2.0

// KeyedSharedMutex: for every key in use a mutex with shared holds (readers) and exclusive holds
// (writers), and no memory for the others.
//
//   auto reader = accounts.lock_shared(user);     // other readers of the user hold it, too
//   auto writer = accounts.lock(user);            // alone
//
// Guarantees   an exclusive hold of a key is the only hold of it; two different keys never share a
//              lock, whatever their hashes; no memory for an idle key; no allocation after
//              construction. Readers that come while others read and a writer waits queue behind
//              it; when a writer leaves, all readers that wait by then go before the next writer.
//              While the next waiters wake up, a running thread may take the key before them; a
//              thread that waited for 10 ms gets the key by handover. So from then on a reader
//              waits for at most the present readers and one writer, and a writer for at most the
//              writers that came before it, with one group of readers before each and one before
//              itself (internal/shared_buckets.h).
// Not offered  recursion: a thread that holds a key shared and asks for it again deadlocks if a
//              writer came in between. Upgrades of a shared hold, unlock by another thread.
// Requires     the rules for handles in concepts.h; the primitive outlives its handles.
// fork()       not while any key is held or waited for, if the child uses the primitive.
// Cost         lock and unlock, of both kinds: the bucket's mutex and a walk over what is held in
//              the bucket. Readers of one key share that mutex for some ten nanoseconds each: for
//              holds shorter than a microsecond a mutex is faster.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "primitives/concepts.h"
#include "primitives/internal/handle_pair.h"
#include "primitives/internal/handle_set.h"
#include "primitives/internal/key_order.h"
#include "primitives/internal/misuse.h"
#include "primitives/internal/shared_buckets.h"
#include "primitives/internal/timed.h"
#include "primitives/key.h"
#include "primitives/key_guard.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/stop.h"

namespace lockbench {

template <class K = std::uint64_t, HashOf<K> Hash = DefaultKeyHash<K>>
class KeyedSharedMutex : public internal::GuardMembers<KeyedSharedMutex<K, Hash>, K> {
 public:
  // Not `fair`: a thread that takes several keys one after the other is overtaken at the later
  // ones.
  static constexpr Promises kPromises{.lock_per_key = true, .timed = true};
  static constexpr std::size_t kDefaultBuckets = 1024;

  class Handle;

  // `buckets`, at least 1, is rounded up to a power of two; about twice the keys held at once keeps
  // the walks short. 64 bytes each.
  explicit KeyedSharedMutex(std::size_t buckets = kDefaultBuckets) : keys_(kAll, buckets) {}

  // A handle views a string key: the characters outlive the handle.
  Handle handle(K key) { return Handle(Claimed{keys_, std::move(key)}); }
  template <TemporaryString T>
  requires std::same_as<K, std::string_view>
  void handle(T&& key) = delete;
  template <Fractional F>
  requires std::integral<K>
  void handle(F key) = delete;

  // Both keys at once, exclusively, in the order of the keys; equal keys are taken once.
  internal::HandlePair<Handle> handle_both(K a, K b) {
    using Traits = KeyTraits<Hash>;
    if (Traits::equal(a, b)) return internal::HandlePair<Handle>(Claimed{keys_, std::move(a)});
    if (Traits::less(b, a)) std::swap(a, b);
    return internal::HandlePair<Handle>(Claimed{keys_, std::move(a)}, Claimed{keys_, std::move(b)});
  }
  template <class A, class B>
  requires std::integral<K> &&(Fractional<A> || Fractional<B>)void handle_both(A a, B b) = delete;

  // All keys of a range at once, exclusively, in the order of the keys.
  template <KeyRange Keys>
  internal::HandleSet<internal::HeapHandles<Handle>> handle_all(Keys&& keys) {
    std::vector<K> ordered = internal::keys_in_order<K, Hash>(keys);
    return {ordered.size(), [&](std::size_t i) { return Claimed{keys_, std::move(ordered[i])}; }};
  }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this + keys_.bytes(); }

  // Keys that are held now. O(buckets).
  std::size_t keys_kept() const {
    std::size_t count = 0;
    keys_.for_each_held([&count](const K&) { ++count; });
    return count;
  }

  // For the inspection of a program, not for decisions: out of date when they return.
  bool is_locked(K key) const { return keys_.has_holder_of(probe(std::move(key))); }
  std::size_t waiters(K key) const { return keys_.waiters_for(probe(std::move(key))); }
  // Calls visit(key) for each key that is held; visit() must not use this primitive. O(buckets).
  template <class Visit>
  void for_each_held(const Visit& visit) const {
    keys_.for_each_held(visit);
  }

 private:
  using Buckets = internal::SharedBuckets<K, Hash, internal::Turns::kRunningFirst>;
  static constexpr std::uint32_t kAll = std::numeric_limits<std::uint32_t>::max();

  struct Claimed {
    Buckets& keys;
    K key;
  };

  static typename Buckets::Node probe(K key) {
    const std::uint64_t hash = spread_hash<Hash>(key);
    return {hash, std::move(key)};
  }

  Buckets keys_;
};

template <class K, HashOf<K> Hash>
class KeyedSharedMutex<K, Hash>::Handle : public internal::TimedMembers<Handle> {
 public:
  explicit Handle(Claimed&& claimed) : Handle(claimed, spread_hash<Hash>(claimed.key)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  ~Handle() {
    internal::check_use([this] { return node_.units == 0; },
                        "KeyedSharedMutex: a handle is destroyed while it holds its key");
  }

  // A handle that holds its key already: throws std::system_error with the code
  // resource_deadlock_would_occur; attempts return false.
  void lock() { keys_.acquire(node_, kAll, platform::kForever); }
  bool try_lock() { return keys_.try_acquire(node_, kAll); }
  bool lock_before(platform::Time deadline) { return keys_.acquire(node_, kAll, deadline); }
  void unlock() {
    internal::check_use([this] { return node_.units == kAll; },
                        "KeyedSharedMutex: unlock() without an exclusive hold");
    keys_.release(node_);
  }

  void lock_shared() { keys_.acquire(node_, 1, platform::kForever); }
  bool try_lock_shared() { return keys_.try_acquire(node_, 1); }
  bool lock_shared_before(platform::Time deadline) { return keys_.acquire(node_, 1, deadline); }
  template <class Timeout>
  bool try_lock_shared_for(const Timeout& timeout) {
    return internal::SharedSide(*this).try_lock_for(timeout);
  }
  template <class Deadline>
  bool try_lock_shared_until(const Deadline& deadline) {
    return internal::SharedSide(*this).try_lock_until(deadline);
  }
  void unlock_shared() {
    internal::check_use([this] { return node_.units == 1; },
                        "KeyedSharedMutex: unlock_shared() without a shared hold");
    keys_.release(node_);
  }

#if LOCKBENCH_HAS_STOP_TOKEN
  // False if a stop was requested first.
  [[nodiscard]] bool lock(const platform::StopToken& stop) {
    return keys_.acquire(node_, kAll, stop);
  }
  [[nodiscard]] bool lock_shared(const platform::StopToken& stop) {
    return keys_.acquire(node_, 1, stop);
  }
#endif

 private:
  Handle(Claimed& claimed, std::uint64_t hash)
      : keys_(claimed.keys), node_(hash, std::move(claimed.key)) {}

  Buckets& keys_;
  typename Buckets::Node node_;
};

}  // namespace lockbench
