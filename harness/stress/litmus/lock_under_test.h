// SPDX-License-Identifier: Apache-2.0

// LockUnderTest: a lock behind virtual calls, so that engines, litmus programs and oracles are
// compiled once and not once per lock. Nothing here is measured, so the calls may cost time.
//
// A LockHandle is used like the handle that it wraps (primitives/concepts.h): by the thread that
// made it, for one acquisition at a time, or nested where the lock is reentrant.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lockbench::stress {

class LockHandle {
 public:
  virtual ~LockHandle() = default;
  virtual void lock() = 0;
  virtual bool try_lock() = 0;
  virtual bool try_lock_for(std::chrono::nanoseconds timeout) = 0;  // requires Abilities::timed
  virtual void unlock() = 0;
  virtual std::uint32_t lease() const = 0;  // 0 where there are no leases
  virtual std::uint64_t token() const = 0;  // of the hold; 0 where there are no tokens
  // Whether a thread holds the key, and whether the calling one does. Absent where the lock does
  // not say.
  virtual std::optional<bool> is_locked() const = 0;
  virtual std::optional<bool> is_held_by_this_thread() const = 0;
};

class LockUnderTest {
 public:
  virtual ~LockUnderTest() = default;
  virtual std::unique_ptr<LockHandle> handle(std::uint64_t key) = 0;
  // Of two keys that are acquired together. Requires Abilities::pairs.
  virtual std::unique_ptr<LockHandle> handle_both(std::uint64_t a, std::uint64_t b) = 0;
  virtual std::uint32_t capacity() const = 0;
  virtual std::optional<std::size_t> keys_kept() const = 0;  // absent where keys are not counted
  virtual const void* object() const { return nullptr; }     // the lock itself, for its address
};

// What a lock offers and promises. Programs are generated to fit, and oracles check what is
// promised.
struct Abilities {
  bool excludes = true;
  bool timed = false;
  bool reentrant = false;
  bool fair = false;          // first come, first served
  bool lock_per_key = false;  // different keys never wait for each other
  bool pairs = false;
  bool leases = false;         // each holder has a number of its own, below capacity
  bool tokens = false;         // each hold has a number that grows with every grant of its key
  bool reclaims = false;       // keeps nothing for a key that nobody uses
  bool nests_keys = false;     // a thread may hold two keys by two handles, in ascending order
  bool nests_leases = false;   // a thread that holds a lease may ask for another of its shard
  std::uint32_t capacity = 1;  // holders of a key at once that programs may count on
  std::uint32_t depth = 0;     // of a nest of holds of one key, where reentrant; 0: no limit
  std::chrono::nanoseconds hold_limit{};  // a longer hold may lose the key; 0: it may not
  bool refuses_non_owners = false;        // unlock() by a thread that does not hold has no effect
  bool any_key = false;     // a key may be any number, else only one below those that make() got
  bool strong_try = false;  // try_lock() succeeds whenever no thread holds or requests the lock

  // Whether holders of a key have numbers. Without them, only their count can be checked.
  bool numbers_holders() const { return capacity == 1 || leases; }
  bool last_may_destroy = false;  // whoever acquires it last may destroy it at once
};

// A try_lock() that may fail spuriously does not fail so often in a row while no thread uses the
// key.
inline constexpr int kTriesOfFreeKey = 100;

inline bool acquire_free(LockHandle& handle, bool strong_try) {
  for (int tries = strong_try ? 1 : kTriesOfFreeKey; tries > 0; --tries) {
    if (handle.try_lock()) return true;
  }
  return false;
}

// How often the key, which no thread uses, can be acquired at once by try_lock(), and at most as
// often as its capacity says. Releases it again, unless that was less often.
inline std::uint32_t free_holds(LockUnderTest& lock, std::uint64_t key, bool strong_try) {
  std::vector<std::unique_ptr<LockHandle>> handles;
  const std::uint32_t capacity = lock.capacity();
  for (std::uint32_t i = 0; i < capacity; ++i) {
    handles.push_back(lock.handle(key));
    if (!acquire_free(*handles.back(), strong_try)) return i;
  }
  for (const auto& handle : handles) handle->unlock();
  return capacity;
}

}  // namespace lockbench::stress
