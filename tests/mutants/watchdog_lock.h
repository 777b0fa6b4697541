// SPDX-License-Identifier: Apache-2.0

// WatchdogLock: a watchdog ends a hold of this lock when its time is up; and variants with one
// fault each. A hold has a token, which grows with every grant.
//
// The form without a fault does not end a hold under the feet of its holder: its watchdog only
// marks the hold as late.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "primitives/concepts.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/thread.h"

namespace lockbench::mutants {

enum class WatchdogFault {
  kNone,
  kForces,      // gives the lock to the next while the holder is still inside
  kForcesBoth,  // the same, and the late holder's unlock then releases the next one's hold
  kSameToken,   // counts grants, but hands out the count from before
};

template <WatchdogFault kFault>
class WatchdogLock {
 public:
  static constexpr LockPromises kPromises{.programs = "L0 R3000000 U | L0 U"};
  static constexpr auto kLimit = std::chrono::milliseconds(1);

  class Handle {
   public:
    explicit Handle(WatchdogLock& owner) : owner_(owner) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() {
      {
        std::unique_lock guard(owner_.state_->mutex);
        while (owner_.state_->holder != 0) owner_.state_->released.wait(guard);
        enter();
      }
      watch();
    }

    bool try_lock() {
      {
        const std::scoped_lock guard(owner_.state_->mutex);
        if (owner_.state_->holder != 0) return false;
        enter();
      }
      watch();
      return true;
    }

    void unlock() {
      if constexpr (kFault == WatchdogFault::kForcesBoth) {
        const std::scoped_lock guard(owner_.state_->mutex);
        owner_.state_->release(owner_.state_->holder);
      } else {
        const std::scoped_lock guard(owner_.state_->mutex);
        owner_.state_->release(grant_);
      }
    }

    std::uint64_t token() const { return token_; }

   private:
    void enter() {
      State& state = *owner_.state_;
      token_ = state.grants;
      grant_ = ++state.grants;
      if constexpr (kFault != WatchdogFault::kSameToken) token_ = grant_;
      if (kFault == WatchdogFault::kSameToken && grant_ % 2 == 1) token_ = grant_;
      state.holder = grant_;
    }

    void watch() {
      platform::Thread([state = owner_.state_, grant = grant_] {
        platform::sleep_until(platform::now() + kLimit);
        const std::scoped_lock guard(state->mutex);
        if constexpr (kFault == WatchdogFault::kForces || kFault == WatchdogFault::kForcesBoth) {
          state->release(grant);
        } else if (state->holder == grant) {
          state->late = grant;
        }
      }).detach();
    }

    WatchdogLock& owner_;
    std::uint64_t grant_ = 0;
    std::uint64_t token_ = 0;
  };

  Handle handle(std::uint64_t) { return Handle(*this); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  // Watchdogs outlive the lock.
  struct State {
    // Requires the mutex. Ends the hold of `grant`, if that is the one under way.
    void release(std::uint64_t grant) {
      if (holder != grant) return;
      holder = 0;
      released.notify_one();
    }

    platform::Mutex mutex;
    platform::ConditionVariable released;
    std::uint64_t grants = 0;
    std::uint64_t holder = 0;  // 0: nobody
    std::uint64_t late = 0;
  };

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace lockbench::mutants
