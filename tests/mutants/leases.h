// SPDX-License-Identifier: Apache-2.0

// Leases: a list of free numbers under a mutex; and variants with one fault each. One shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "primitives/concepts.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/mutex.h"

namespace lockbench::mutants {

enum class LeaseFault {
  kNone,
  kTwice,        // reads the front and takes it off in two steps
  kLostOnThrow,  // does not come back when the work throws
  kRandomMutex,  // no queue: an array of mutexes, of which one is picked blindly
};

template <LeaseFault kFault>
class Leases {
 public:
  static constexpr Promises kPromises{};
  static constexpr std::uint32_t kLeases = 2;

  Leases() {
    for (std::uint32_t i = 0; i < kLeases; ++i) free_.push_back(i);
  }

  class Handle {
   public:
    explicit Handle(Leases& owner) : owner_(owner) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() {
      if constexpr (kFault == LeaseFault::kRandomMutex) {
        lease_ = owner_.pick();
        owner_.mutexes_[lease_].lock();
      } else {
        std::unique_lock guard(owner_.mutex_);
        while (owner_.free_.empty()) owner_.returned_.wait(guard);
        take(guard);
      }
    }

    bool try_lock() {
      if constexpr (kFault == LeaseFault::kRandomMutex) {
        for (lease_ = 0; lease_ < kLeases; ++lease_) {
          if (owner_.mutexes_[lease_].try_lock()) return true;
        }
        return false;
      } else {
        std::unique_lock guard(owner_.mutex_);
        if (owner_.free_.empty()) return false;
        take(guard);
        return true;
      }
    }

    void unlock() {
      if (kFault == LeaseFault::kLostOnThrow && std::uncaught_exceptions() != 0) return;
      if constexpr (kFault == LeaseFault::kRandomMutex) {
        owner_.mutexes_[lease_].unlock();
      } else {
        {
          const std::scoped_lock guard(owner_.mutex_);
          owner_.free_.push_back(lease_);
        }
        owner_.returned_.notify_one();
      }
    }

    std::uint32_t lease() const { return lease_; }

   private:
    void take(std::unique_lock<platform::Mutex>& guard) {
      lease_ = owner_.free_.back();
      if constexpr (kFault == LeaseFault::kTwice) {
        guard.unlock();
        guard.lock();
        if (owner_.free_.empty()) return;
      }
      owner_.free_.pop_back();
    }

    Leases& owner_;
    std::uint32_t lease_ = 0;
  };

  Handle handle(std::uint64_t) { return Handle(*this); }
  static constexpr std::uint32_t capacity() { return kLeases; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  std::uint32_t pick() { return turns_.fetch_add(1, std::memory_order_relaxed) % kLeases; }

  platform::Mutex mutex_;
  platform::ConditionVariable returned_;
  std::vector<std::uint32_t> free_;
  platform::Mutex mutexes_[kLeases];
  platform::Atomic<std::uint32_t> turns_{0};
};

}  // namespace lockbench::mutants
