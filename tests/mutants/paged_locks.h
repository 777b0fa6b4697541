// SPDX-License-Identifier: Apache-2.0

// PagedLocks: a mutex for each key; of two keys, the one on the lower page first, which is not
// always the lower key.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "primitives/concepts.h"
#include "primitives/platform/mutex.h"
#include "tests/mutants/by_key.h"

namespace lockbench::mutants {

// In the order of the pages, or as they are named.
template <bool kOrdered>
class PagedLocks : public ByKey<PagedLocks<kOrdered>> {
 public:
  static constexpr Promises kPromises{.lock_per_key = true};

  void lock(std::uint64_t key) { mutex_of(key).lock(); }
  bool try_lock(std::uint64_t key) { return mutex_of(key).try_lock(); }
  void unlock(std::uint64_t key) { mutex_of(key).unlock(); }

  MutexPair<> handle_both(std::uint64_t a, std::uint64_t b) {
    if (kOrdered && position_of(b) < position_of(a)) std::swap(a, b);
    return {&mutex_of(a), a == b ? nullptr : &mutex_of(b)};
  }

 private:
  static std::pair<std::uint64_t, std::uint64_t> position_of(std::uint64_t key) {
    return {key % 2, key};
  }

  platform::Mutex& mutex_of(std::uint64_t key) {
    table_.lock();
    platform::Mutex& mutex = mutexes_[key];
    table_.unlock();
    return mutex;
  }

  platform::Mutex table_;
  std::map<std::uint64_t, platform::Mutex> mutexes_;
};

}  // namespace lockbench::mutants
