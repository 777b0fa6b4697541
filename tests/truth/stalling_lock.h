// SPDX-License-Identifier: Apache-2.0

// StallingLock: a global lock whose holder stands still for a known time, again and again.
//
// Guarantees   the first to have the lock when `every` has passed since the last stall was due
//              keeps it for `stall` more, before it works; all others wait.
//
// Invariants
//   I1  next_stall_ is read and written only by the holder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <thread>

#include "primitives/global_lock.h"
#include "primitives/platform/clock.h"

namespace lockbench {

class StallingLock {
 public:
  static constexpr Promises kPromises{};

  class Handle {
   public:
    explicit Handle(StallingLock& owner) : owner_(owner), claim_(owner.lock_.handle(0ull)) {}

    void lock() {
      claim_.lock();
      owner_.stall_when_due();
    }
    bool try_lock() {
      if (!claim_.try_lock()) return false;
      owner_.stall_when_due();
      return true;
    }
    void unlock() { claim_.unlock(); }

   private:
    StallingLock& owner_;
    GlobalLock<>::Handle claim_;
  };

  StallingLock(platform::Duration every, platform::Duration stall)
      : every_(every), stall_(stall), next_stall_(platform::now() + every) {}

  Handle handle(std::uint64_t) { return Handle(*this); }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  void stall_when_due() {
    if (platform::now() < next_stall_) [[likely]]
      return;
    next_stall_ += every_;
    std::this_thread::sleep_for(stall_);
  }

  const platform::Duration every_;
  const platform::Duration stall_;
  platform::Time next_stall_;  // I1
  GlobalLock<> lock_;
};

}  // namespace lockbench
