// SPDX-License-Identifier: Apache-2.0

// KeyedAsPublished: a table of locks by key and a worker with a watchdog, as they were published.
//
// A key is the worker's prefix and a name. The first thread that requests a key adds a lock to the
// table. Every acquisition starts a watchdog thread, which releases the lock if it is held for
// longer than the timeout. With a timeout of 0 there is no watchdog, only the table.
//
// Claimed      mutual exclusion by key, any number of keys, no wait that exceeds the timeout.
// Faults, all of them kept
//   F1  Entries are never removed: the code compares the table of counts with 0, not the count.
//   F2  The lookup of a key and its insertion are two steps. Two threads with a new key each add a
//       lock, the later lock replaces the earlier one, and both threads are inside. Then the first
//       thread's unlock releases the second thread's lock, and a thread that waits for the replaced
//       lock waits forever. The original's interpreter runs one thread at a time, for milliseconds,
//       so this is rare there. With real threads it happens within a few trials.
//   F3  Counts are read, then written: one of two concurrent updates is lost. Also, a count is
//       lowered before the lock is released. So if F1 were repaired, a lock could be deleted while
//       it is held.
//   F4  The watchdog releases the lock without notice to a late holder, and the holder writes
//       anyway.
//   F5  The holder and the watchdog may both find the key locked before either has recorded its
//       release. Then the second release frees the hold of another thread.
//   F6  Keys are concatenated without a separator: the prefix "job_" with the name "1_2" and the
//       prefix "job_1_" with the name "2" are one key.
//   F7  A worker whose name is the empty string never unlocks: an empty name counts as none.
//   F8  One thread for every acquisition. If it cannot be started, lock() throws and the key stays
//       locked.
// Ours         try_lock(), which the original does not have; the handle's destructor joins the
//              watchdog; the release of a free lock, an error in the original, does nothing. The
//              interpreter makes each access to a table one step; here a mutex does, which is
//              released between two accesses.
// Source       a tutorial on a key-based mutex and its workers in Python 3.10, with figures for 21
//              threads on 6 counters and 1,000 threads on 12.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "primitives/as_published/plain_lock.h"
#include "primitives/as_published/watchdog.h"
#include "primitives/concepts.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/mutex.h"

namespace lockbench {

template <Key K = std::uint64_t>
class KeyedAsPublished {
 public:
  static constexpr Promises kPromises{.lock_per_key = true};
  static constexpr bool kKeepsIdleKeys = true;  // F1
  static constexpr std::chrono::milliseconds kDefaultTimeout{5000};
  static constexpr std::string_view kDefaultPrefix = "COUNTER_WORKER_KEY_";

  class Handle;

  explicit KeyedAsPublished(std::chrono::milliseconds timeout = kDefaultTimeout)
      : timeout_(timeout) {}

  // `prefix` is the worker's; its characters outlive the handle, as the key's do.
  Handle handle(K key, std::string_view prefix = kDefaultPrefix) {
    return Handle(*this, prefix, key);
  }

  // Adds the key's lock to the table, as a first use does. No thread may use the key meanwhile.
  // Afterwards F2 cannot happen for this key.
  void know(K key, std::string_view prefix = kDefaultPrefix) {
    const std::string text = key_text(prefix, key);
    locker_for(text);
    set_count(text, 0);
  }

  static constexpr std::uint32_t capacity() { return 1; }

  // Keys that were ever locked (F1).
  std::size_t keys_kept() const {
    std::scoped_lock one_step(interpreter_);
    return lockers_.size();
  }

  // The key's count; 0 for a key that was never locked.
  std::int64_t count_of(K key, std::string_view prefix = kDefaultPrefix) const {
    return count(key_text(prefix, key));
  }

  // An estimate, as for the peers: it does not include what the allocator adds to each block.
  std::size_t lock_bytes() const {
    constexpr std::size_t kNode = 2 * sizeof(void*) + sizeof(std::string);
    constexpr std::size_t kEntry =
        2 * kNode + sizeof(std::shared_ptr<Lock>) + sizeof(Lock) + sizeof(std::int64_t);
    std::scoped_lock one_step(interpreter_);
    std::size_t bytes = sizeof *this + lockers_.size() * kEntry;
    bytes += (lockers_.bucket_count() + counts_.bucket_count()) * sizeof(void*);
    for (const auto& [key, lock] : lockers_) bytes += 2 * (key.capacity() + 1);
    return bytes;
  }

 private:
  using Lock = internal::PlainLock;

  static std::string key_text(std::string_view prefix, K key) {
    std::string text(prefix);
    if constexpr (std::same_as<K, std::string_view>) {
      text += key;
    } else {
      text += std::to_string(key);
    }
    return text;
  }

  // The lock of `key`; null when it has none.
  std::shared_ptr<Lock> locker(const std::string& key) const {
    std::scoped_lock one_step(interpreter_);
    const auto found = lockers_.find(key);
    return found == lockers_.end() ? nullptr : found->second;
  }

  void set_locker(const std::string& key, std::shared_ptr<Lock> lock) {
    std::scoped_lock one_step(interpreter_);
    lockers_[key] = std::move(lock);
  }

  std::int64_t count(const std::string& key) const {
    std::scoped_lock one_step(interpreter_);
    const auto found = counts_.find(key);
    return found == counts_.end() ? 0 : found->second;
  }

  void set_count(const std::string& key, std::int64_t count) {
    std::scoped_lock one_step(interpreter_);
    counts_[key] = count;
  }

  std::shared_ptr<Lock> locker_for(const std::string& key) {
    if (std::shared_ptr<Lock> known = locker(key)) {
      set_count(key, count(key) + 1);  // F3
      return known;
    }
    set_count(key, 1);  // F2
    auto lock = std::make_shared<Lock>();
    set_locker(key, lock);
    return lock;
  }

  void lock_with_key(const std::string& key) { locker_for(key)->acquire(); }

  bool try_lock_with_key(const std::string& key) {
    if (locker_for(key)->try_acquire()) return true;
    set_count(key, count(key) - 1);
    return false;
  }

  void unlock_with_key(const std::string& key) {
    const std::shared_ptr<Lock> lock = locker(key);
    if (lock == nullptr) return;
    set_count(key, count(key) - 1);  // F3; F1: the entry is never removed
    lock->release();
  }

  const std::chrono::milliseconds timeout_;
  mutable platform::Mutex interpreter_;
  std::unordered_map<std::string, std::shared_ptr<Lock>> lockers_;
  std::unordered_map<std::string, std::int64_t> counts_;
};

// The worker.
template <Key K>
class KeyedAsPublished<K>::Handle {
 public:
  Handle(KeyedAsPublished& owner, std::string_view prefix, K name)
      : owner_(owner), prefix_(prefix), name_(name) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void lock() {
    owner_.lock_with_key(key_text(prefix_, name_));
    entered();
  }

  bool try_lock() {
    if (!owner_.try_lock_with_key(key_text(prefix_, name_))) return false;
    entered();
    return true;
  }

  void unlock() {
    watchdog_.call_off();
    // relaxed, here and below: as published, nothing orders holder and watchdog (F5).
    if (!locked_.load(std::memory_order_relaxed)) return;
    owner_.unlock_with_key(key_text(prefix_, name_));
    locked_.store(false, std::memory_order_relaxed);
  }

 private:
  void entered() {
    if (owner_.timeout_.count() != 0) {
      watchdog_.start(owner_.timeout_, [this] { unlock(); });  // F4, F8
    }
    locked_.store(!unnamed(), std::memory_order_relaxed);
  }

  // F7
  bool unnamed() const {
    if constexpr (std::same_as<K, std::string_view>) {
      return name_.empty();
    } else {
      return false;
    }
  }

  KeyedAsPublished& owner_;
  const std::string_view prefix_;
  const K name_;
  platform::Atomic<bool> locked_{false};
  internal::Watchdog watchdog_;
};

}  // namespace lockbench
