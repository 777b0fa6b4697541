// SPDX-License-Identifier: Apache-2.0

// KeySet: the keys that are held, as bits of one word; two are taken in one step. A release wakes
// one waiter, which wakes the next one. With the fault it does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <mutex>

#include "primitives/concepts.h"
#include "primitives/platform/mutex.h"
#include "tests/mutants/by_key.h"
#include "tests/mutants/told_leases.h"

namespace lockbench::mutants {

// Keys below 64.
template <ToldFault kFault>
class KeySet : public ByKey<KeySet<kFault>> {
 public:
  static constexpr Promises kPromises{.lock_per_key = true};

  // By the bits of the keys.
  using Handle = typename ByKey<KeySet>::Handle;
  Handle handle(std::uint64_t key) { return Handle(*this, bit(key)); }
  Handle handle_both(std::uint64_t a, std::uint64_t b) { return Handle(*this, bit(a) | bit(b)); }

  void lock(std::uint64_t wanted) {
    std::unique_lock guard(mutex_);
    if ((held_ & wanted) != 0) wait(guard, wanted);
    held_ |= wanted;
    if constexpr (kFault != ToldFault::kTellsNoOther) tell_one();
  }
  bool try_lock(std::uint64_t wanted) {
    const std::scoped_lock guard(mutex_);
    if ((held_ & wanted) != 0) return false;
    held_ |= wanted;
    return true;
  }
  void unlock(std::uint64_t wanted) {
    const std::scoped_lock guard(mutex_);
    held_ &= ~wanted;
    tell_one();
  }

 private:
  struct Waiter {
    explicit Waiter(std::uint64_t keys) : wanted(keys) {}

    const std::uint64_t wanted;
    bool told = false;  // woken, and it has not checked its keys yet
    platform::ConditionVariable signal;
  };

  static std::uint64_t bit(std::uint64_t key) { return std::uint64_t{1} << key; }

  void wait(std::unique_lock<platform::Mutex>& guard, std::uint64_t wanted) {
    waiters_.emplace_back(wanted);
    const auto self = std::prev(waiters_.end());
    while ((held_ & wanted) != 0) {
      if constexpr (kFault != ToldFault::kTellsNoOther) tell_one();
      while (!self->told) self->signal.wait(guard);
      self->told = false;
    }
    waiters_.erase(self);
  }

  // The caller holds the mutex. Wakes the first waiter whose keys are free.
  void tell_one() {
    std::uint64_t taken = held_;
    for (Waiter& waiter : waiters_) {
      if ((taken & waiter.wanted) != 0) continue;
      if (!waiter.told) {
        waiter.told = true;
        waiter.signal.notify_one();
        return;
      }
      taken |= waiter.wanted;  // this waiter was woken and will take them
    }
  }

  platform::Mutex mutex_;
  std::list<Waiter> waiters_;
  std::uint64_t held_ = 0;
};

}  // namespace lockbench::mutants
