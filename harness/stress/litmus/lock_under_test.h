// SPDX-License-Identifier: Apache-2.0

// LockUnderTest: a lock behind virtual calls, so that engines, litmus programs and oracles are
// compiled once and not once for each lock. These calls are not part of a measurement, so they may
// cost time.
//
// A LockHandle is used like the handle that it wraps (primitives/concepts.h): only by the thread
// that made it, and for one acquisition at a time, or for nested ones if the lock is reentrant.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "harness/stress/litmus/lock_limits.h"
#include "harness/stress/litmus/readers_order.h"
#include "primitives/promises.h"

namespace lockbench::stress {

// The exception that a handle throws if its request was granted while a reader and a writer are
// inside.
struct ReaderBesideWriter {};

class LockHandle {
 public:
  virtual ~LockHandle() = default;
  virtual void lock() = 0;
  virtual bool try_lock() = 0;
  virtual bool try_lock_for(std::chrono::nanoseconds timeout) = 0;  // requires Abilities::timed
  virtual void unlock() = 0;
  virtual std::uint32_t lease() const = 0;  // 0 if the lock has no leases
  virtual std::uint64_t token() const = 0;  // of this hold; 0 if the lock has no tokens
  // Return whether any thread holds the key, and whether the calling thread does. Absent if the
  // lock does not offer this.
  virtual std::optional<bool> is_locked() const = 0;
  virtual std::optional<bool> is_held_by_this_thread() const = 0;
};

class LockUnderTest {
 public:
  virtual ~LockUnderTest() = default;
  virtual std::unique_ptr<LockHandle> handle(std::uint64_t key) = 0;
  // A handle for two keys that are acquired together. Requires Abilities::pairs.
  virtual std::unique_ptr<LockHandle> handle_both(std::uint64_t a, std::uint64_t b) = 0;
  virtual std::uint32_t capacity() const = 0;
  virtual std::optional<std::size_t> keys_kept() const = 0;  // absent if not counted
  virtual const void* object() const = 0;  // the lock itself, for its address; null: unknown
};

// The key of a lock for readers and writers that is held alone; see Abilities::keys_read.
inline constexpr std::uint32_t kWritersKey = 0;

// What a lock offers beyond its promises.
struct Features {
  bool pairs = false;             // two keys can be acquired together
  bool leases = false;            // each holder has its own number, below capacity
  bool tokens = false;            // each hold has a number that grows with each grant of its key
  bool reclaims = false;          // keeps nothing for a key that no thread uses
  bool nests_keys = false;        // a thread may hold two keys by two handles, in ascending order
  bool nests_leases = false;      // a thread that holds a lease may request another of its shard
  bool any_key = false;           // a key may be any number; otherwise less than make()'s `keys`
  bool names = false;             // its keys are strings: the name of each number (keys.h)
  bool last_may_destroy = false;  // the last thread that acquires it may destroy it at once
  bool of_form = false;           // of a form of the lock, which may lack what the lock has
  // kWritersKey is held alone, and the other keys by readers, together, and never beside it: a lock
  // for readers and writers (shared_holds.h). Its handles throw ReaderBesideWriter.
  bool keys_read = false;
};

// What a lock promises and offers. Programs are generated to suit it, and oracles check the
// promises. Here `timed` is true if its handles have timeouts, promised or not, and `capacity` is
// that of a key, of locks by key, too.
struct Abilities : Promises, Features {
  // True if each holder of a key can be identified. If not, only their count can be checked.
  bool numbers_holders() const { return capacity == 1 || leases; }
  // True if it promises something about who is served before whom.
  bool serves_in_order() const {
    return fair || bypass_limit != 0 || readers_order != ReadersOrder::kNone;
  }
};

// If try_lock() may fail spuriously, it still has to succeed at least once in this many calls while
// no thread uses the key.
inline constexpr int kTriesOfFreeKey = 100;
constexpr int tries_of_free_key(bool strong_try) {
  return strong_try ? 1 : kTriesOfFreeKey;
}

// Calls `refused` after each try that failed.
template <class Refused = void (*)()>
bool acquire_free(
    LockHandle& handle, int tries, const Refused& refused = [] {}) {
  for (; tries > 0; --tries) {
    if (handle.try_lock()) return true;
    refused();
  }
  return false;
}

// How many times try_lock() can acquire a key that no thread uses, up to its capacity, without a
// release between. Then releases the key again.
template <class Refused = void (*)()>
std::uint32_t free_holds(
    LockUnderTest& lock, std::uint64_t key, int tries, const Refused& refused = [] {}) {
  std::vector<std::unique_ptr<LockHandle>> held;
  for (std::uint32_t i = 0; i < lock.capacity(); ++i) {
    std::unique_ptr<LockHandle> handle = lock.handle(key);
    if (!acquire_free(*handle, tries, refused)) break;
    held.push_back(std::move(handle));
  }
  for (const auto& handle : held) handle->unlock();
  return static_cast<std::uint32_t>(held.size());
}

}  // namespace lockbench::stress
