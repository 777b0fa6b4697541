// SPDX-License-Identifier: Apache-2.0

// FewPlaces and LowKeys: locks that have room for a few keys and promise that room. The faults
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

// A mutex for each key in use, in one of kPlaces places. A key that finds none gets the last one,
// whose key it is from then on.
template <std::size_t kPlaces, std::uint32_t kPromised>
class FewPlaces : public ByKey<FewPlaces<kPlaces, kPromised>> {
 public:
  static constexpr LockPromises kPromises{.lock_per_key = true, .limits = {.keys = kPromised}};

  void lock(std::uint64_t key) { use(key).mutex.lock(); }
  bool try_lock(std::uint64_t key) {
    Place& place = use(key);
    if (place.mutex.try_lock()) return true;
    const std::scoped_lock guard(mutex_);
    --place.users;
    return false;
  }
  void unlock(std::uint64_t key) {
    const std::scoped_lock guard(mutex_);
    Place& place = place_of(key);
    --place.users;
    place.mutex.unlock();
  }

 private:
  struct Place {
    std::uint64_t key = 0;
    std::uint32_t users = 0;  // threads that hold or request the key
    platform::Mutex mutex;
  };

  Place& use(std::uint64_t key) {
    const std::scoped_lock guard(mutex_);
    Place& place = place_of(key);
    place.key = key;
    ++place.users;
    return place;
  }

  // The key's place, or else one that is free.
  Place& place_of(std::uint64_t key) {
    Place* free = &places_.back();
    for (Place& place : places_) {
      if (place.users != 0 && place.key == key) return place;
      if (place.users == 0) free = &place;
    }
    return *free;
  }

  platform::Mutex mutex_;
  std::array<Place, kPlaces> places_{};
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
