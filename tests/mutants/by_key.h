// SPDX-License-Identifier: Apache-2.0

// ByKey: handles for a lock that has lock(key), try_lock(key) and unlock(key).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockbench::mutants {

template <class Lock>
class ByKey {
 public:
  class Handle {
   public:
    Handle(Lock& lock, std::uint64_t key) : lock_(lock), key_(key) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() { lock_.lock(key_); }
    bool try_lock() { return lock_.try_lock(key_); }
    void unlock() { lock_.unlock(key_); }

   private:
    Lock& lock_;
    const std::uint64_t key_;
  };

  Handle handle(std::uint64_t key) { return Handle(static_cast<Lock&>(*this), key); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof(Lock); }
};

}  // namespace lockbench::mutants
