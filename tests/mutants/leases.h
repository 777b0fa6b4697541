// SPDX-License-Identifier: Apache-2.0

// Leases: a list of free numbers under a mutex; and variants with one fault each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "primitives/concepts.h"
#include "primitives/platform/mutex.h"
#include "tests/mutants/by_key.h"

namespace lockbench::mutants {

enum class LeaseFault {
  kNone,
  kTwice,        // reads the front and takes it off in two steps
  kLostOnThrow,  // does not come back when the work throws
};

template <LeaseFault kFault>
class Leases : public ByLease<Leases<kFault>> {
 public:
  static constexpr Promises kPromises{};
  static constexpr std::uint32_t kLeases = 2;

  Leases() {
    for (std::uint32_t i = 0; i < kLeases; ++i) free_.push_back(i);
  }

  std::uint32_t take() {
    std::unique_lock guard(mutex_);
    while (free_.empty()) returned_.wait(guard);
    return take_last(guard);
  }
  bool try_take(std::uint32_t& lease) {
    std::unique_lock guard(mutex_);
    if (free_.empty()) return false;
    lease = take_last(guard);
    return true;
  }
  void give(std::uint32_t lease) {
    if (kFault == LeaseFault::kLostOnThrow && std::uncaught_exceptions() != 0) return;
    {
      const std::scoped_lock guard(mutex_);
      free_.push_back(lease);
    }
    returned_.notify_one();
  }

 private:
  std::uint32_t take_last(std::unique_lock<platform::Mutex>& guard) {
    const std::uint32_t lease = free_.back();
    if constexpr (kFault == LeaseFault::kTwice) {
      guard.unlock();
      guard.lock();
      if (free_.empty()) return lease;
    }
    free_.pop_back();
    return lease;
  }

  platform::Mutex mutex_;
  platform::ConditionVariable returned_;
  std::vector<std::uint32_t> free_;
};

}  // namespace lockbench::mutants
