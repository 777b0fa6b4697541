// SPDX-License-Identifier: Apache-2.0

// HashedTable: a mutex for every key in use, found by the key. The faults find it
// by a hash of the key alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <type_traits>

#include "primitives/concepts.h"
#include "primitives/platform/mutex.h"

namespace lockbench::mutants {

// kBits of the hash are looked at. 64: all, of a hash that is different for different numbers.
template <int kBits>
class HashedTable {
 public:
  static constexpr Promises kPromises{.lock_per_key = true};

  class Handle {
   public:
    Handle(HashedTable& table, std::uint64_t key) : mutex_(table.mutex_of(key)) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() { mutex_.lock(); }
    bool try_lock() { return mutex_.try_lock(); }
    void unlock() { mutex_.unlock(); }

   private:
    platform::Mutex& mutex_;
  };

  Handle handle(std::uint64_t key) { return Handle(*this, key); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  // An odd factor: no two numbers have one product.
  static std::uint64_t hash_of(std::uint64_t key) {
    return key * 0x9e3779b97f4a7c15ULL >> (64 - kBits);
  }

  platform::Mutex& mutex_of(std::uint64_t key) {
    const std::scoped_lock guard(mutex_);
    std::unique_ptr<platform::Mutex>& mutex = mutexes_[hash_of(key)];
    if (mutex == nullptr) mutex = std::make_unique<platform::Mutex>();
    return *mutex;
  }

  platform::Mutex mutex_;
  std::map<std::uint64_t, std::unique_ptr<platform::Mutex>> mutexes_;
};

}  // namespace lockbench::mutants
