// SPDX-License-Identifier: Apache-2.0

// FewSlots and LowKeys: locks that have room for a few keys and promise that room. The faults
// promise more than they have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "harness/stress/lock_promises.h"
#include "primitives/platform/mutex.h"
#include "tests/mutants/by_key.h"

namespace lockbench::mutants {

// A mutex for each key in use, in one of kSlots slots. A key that finds none gets the last one,
// whose key it is from then on.
template <std::size_t kSlots, std::uint32_t kPromised>
class FewSlots : public ByKey<FewSlots<kSlots, kPromised>> {
 public:
  static constexpr LockPromises kPromises{.lock_per_key = true, .limits = {.keys = kPromised}};

  void lock(std::uint64_t key) { use(key).mutex.lock(); }
  bool try_lock(std::uint64_t key) {
    Slot& slot = use(key);
    if (slot.mutex.try_lock()) return true;
    const std::scoped_lock guard(mutex_);
    --slot.users;
    return false;
  }
  void unlock(std::uint64_t key) {
    const std::scoped_lock guard(mutex_);
    Slot& slot = slot_of(key);
    --slot.users;
    slot.mutex.unlock();
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t users = 0;  // threads that hold or request the key
    platform::Mutex mutex;
  };

  Slot& use(std::uint64_t key) {
    const std::scoped_lock guard(mutex_);
    Slot& slot = slot_of(key);
    slot.key = key;
    ++slot.users;
    return slot;
  }

  // The key's slot, or else one that is free.
  Slot& slot_of(std::uint64_t key) {
    Slot* free = &slots_.back();
    for (Slot& slot : slots_) {
      if (slot.users != 0 && slot.key == key) return slot;
      if (slot.users == 0) free = &slot;
    }
    return *free;
  }

  platform::Mutex mutex_;
  std::array<Slot, kSlots> slots_{};
};

// A mutex for each number below kMutexes. A key is the position of its mutex.
template <std::size_t kMutexes, std::uint64_t kPromised>
class LowKeys : public ByKey<LowKeys<kMutexes, kPromised>> {
 public:
  static constexpr LockPromises kPromises{.lock_per_key = true,
                                          .limits = {.keys_below = kPromised}};

  void lock(std::uint64_t key) { mutexes_[key % kMutexes].lock(); }
  bool try_lock(std::uint64_t key) { return mutexes_[key % kMutexes].try_lock(); }
  void unlock(std::uint64_t key) { mutexes_[key % kMutexes].unlock(); }

 private:
  std::array<platform::Mutex, kMutexes> mutexes_{};
};

}  // namespace lockbench::mutants
