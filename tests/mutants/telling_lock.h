// SPDX-License-Identifier: Apache-2.0

// TellingLock: one lock for all keys that reports its owner; the faults report a wrong one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "primitives/concepts.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/spin.h"
#include "primitives/platform/thread.h"

namespace lockbench::mutants {

enum class TellingFault {
  kNone,
  kOwnerStays,     // the last thread that released it is still reported as its owner
  kTryIsNoOwner,   // try_lock() records no owner
  kAnybodysOwner,  // each thread that asks is reported as the owner while it is held
  kStaysLocked,    // counts a try_lock() that failed as a hold
};

template <TellingFault kFault>
class TellingLock {
 public:
  static constexpr Promises kPromises{.one_lock = true};

  class Handle {
   public:
    explicit Handle(TellingLock& lock) : lock_(lock) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() { lock_.lock(); }
    bool try_lock() { return lock_.try_lock(); }
    void unlock() { lock_.unlock(); }
    bool is_locked() const { return lock_.holders_.load(std::memory_order_relaxed) != 0; }
    bool is_held_by_this_thread() const { return lock_.is_mine(); }

   private:
    TellingLock& lock_;
  };

  Handle handle(std::uint64_t) { return Handle(*this); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  void lock() {
    while (held_.exchange(true, std::memory_order_acquire)) platform::pause();
    holders_.fetch_add(1, std::memory_order_relaxed);
    owner_.store(platform::this_thread(), std::memory_order_relaxed);
  }

  bool try_lock() {
    if (held_.exchange(true, std::memory_order_acquire)) {
      if (kFault == TellingFault::kStaysLocked) holders_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    holders_.fetch_add(1, std::memory_order_relaxed);
    if (kFault == TellingFault::kTryIsNoOwner) return true;
    owner_.store(platform::this_thread(), std::memory_order_relaxed);
    return true;
  }

  void unlock() {
    if (kFault != TellingFault::kOwnerStays) {
      owner_.store(platform::kNoThread, std::memory_order_relaxed);
    }
    holders_.fetch_sub(1, std::memory_order_relaxed);
    held_.store(false, std::memory_order_release);
  }

  bool is_mine() const {
    if (kFault == TellingFault::kAnybodysOwner) return held_.load(std::memory_order_relaxed);
    return owner_.load(std::memory_order_relaxed) == platform::this_thread();
  }

  platform::Atomic<bool> held_{false};
  platform::Atomic<std::uint32_t> holders_{0};
  platform::Atomic<platform::ThreadToken> owner_{platform::kNoThread};
};

}  // namespace lockbench::mutants
