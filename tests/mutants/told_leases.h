// SPDX-License-Identifier: Apache-2.0

// ToldLeases: a lease that comes back wakes one waiter, which wakes the next one. With the fault it
// does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "primitives/concepts.h"
#include "primitives/platform/mutex.h"
#include "tests/mutants/by_key.h"

namespace lockbench::mutants {

enum class ToldFault {
  kNone,
  kTellsNoOther,  // a waiter that was woken takes one lease and wakes no other waiter
};

template <ToldFault kFault>
class ToldLeases : public ByLease<ToldLeases<kFault>> {
 public:
  static constexpr Promises kPromises{};
  static constexpr std::uint32_t kLeases = 2;

  ToldLeases() {
    for (std::uint32_t i = 0; i < kLeases; ++i) free_.push_back(i);
  }

  std::uint32_t take() {
    std::unique_lock guard(mutex_);
    const bool waits = free_.empty();
    if (waits) wait(guard);
    const std::uint32_t lease = free_.back();
    free_.pop_back();
    // Leases that came back since this thread was woken have woken no other waiter.
    if (waits && kFault != ToldFault::kTellsNoOther) tell_one();
    return lease;
  }

  bool try_take(std::uint32_t& lease) {
    const std::scoped_lock guard(mutex_);
    if (free_.empty()) return false;
    lease = free_.back();
    free_.pop_back();
    return true;
  }

  void give(std::uint32_t lease) {
    const std::scoped_lock guard(mutex_);
    free_.push_back(lease);
    tell_one();
  }

 private:
  void wait(std::unique_lock<platform::Mutex>& guard) {
    ++waiting_;
    while (free_.empty()) {
      returned_.wait(guard);
      told_ = false;
    }
    --waiting_;
  }

  // Under the mutex.
  void tell_one() {
    if (free_.empty() || waiting_ == 0 || told_) return;
    told_ = true;
    returned_.notify_one();
  }

  platform::Mutex mutex_;
  platform::ConditionVariable returned_;
  std::vector<std::uint32_t> free_;
  std::uint32_t waiting_ = 0;
  bool told_ = false;  // somebody was, and has not looked yet
};

}  // namespace lockbench::mutants
