// SPDX-License-Identifier: Apache-2.0

// holds_of_unused_key(): how many times a key that no thread uses can be acquired at once, for the
// checks after all threads have ended.
//
// try_lock() alone does not decide that, because the standard lets it fail spuriously. A lock may
// have one that always fails, as some queue locks do, or release a key some time after unlock() has
// returned. lock() decides: it returns if the key is free, and never returns otherwise. A
// try_lock() that fails from then on, although it succeeds on a new lock of the same kind, is left
// over from the threads that have ended.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/stress/litmus/lock_under_test.h"

namespace lockbench::stress {

// Acquires the key by lock(), as many times as its capacity allows, and then releases it.
inline void hold_all(LockUnderTest& lock, std::uint64_t key) {
  std::vector<std::unique_ptr<LockHandle>> handles;
  for (std::uint32_t i = 0; i < lock.capacity(); ++i) {
    handles.push_back(lock.handle(key));
    handles.back()->lock();
  }
  for (const auto& handle : handles) handle->unlock();
}

// Environment: what the engine does around the calls.
//
//   int kTriesOfFreeKey     how often a try may fail spuriously, one after the other
//   void refused()          a try failed
//   bool hold_all()         calls hold_all() for the key; false: it does not
//   new_lock()              std::unique_ptr<LockUnderTest>, of this kind; null: none can be made
//   void let_time_pass()    about a millisecond
template <class Environment>
std::uint32_t holds_of_unused_key(LockUnderTest& lock, std::uint64_t key, bool strong_try,
                                  Environment& environment) {
  const auto refused = [&] { environment.refused(); };
  const int tries = strong_try ? 1 : Environment::kTriesOfFreeKey;
  std::uint32_t free = free_holds(lock, key, tries, refused);
  const std::uint32_t capacity = lock.capacity();
  if (free == capacity || strong_try || !environment.hold_all()) return free;
  const std::unique_ptr<LockUnderTest> fresh = environment.new_lock();
  if (fresh == nullptr || free_holds(*fresh, key, tries) != capacity) return capacity;
  for (int i = 0; i < stress::kTriesOfFreeKey && free != capacity; ++i) {
    environment.let_time_pass();
    free = free_holds(lock, key, 1, refused);
  }
  return free;
}

}  // namespace lockbench::stress
