// SPDX-License-Identifier: Apache-2.0

// NestingLock: owner, depth and a mutex; and variants with one fault each.
#pragma once

#include <cstdint>

#include "primitives/concepts.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/thread.h"
#include "tests/mutants/by_key.h"

namespace lockbench::mutants {

enum class NestingFault {
  kNone,
  kCountLost,        // `depth -= 0`: a nest is never left
  kFirstFreesAll,    // the first unlock of a nest frees the lock
  kAnybodyUnlocks,   // does not check which thread unlocks
  kLoadsOwnerTwice,  // reads the owner twice and decides on both values
  kAsksDepth,        // checks that it is held, and not by which thread
  kOwnerTooSoon,     // try_lock() stores the owner before it has succeeded
};

// A depth has kBits bits.
template <NestingFault kFault, int kBits = 32>
class NestingLock : public ByKey<NestingLock<kFault, kBits>> {
 public:
  static constexpr LockPromises kPromises{.reentrant = true, .refuses_non_owners = true};

  void lock(std::uint64_t) {
    if (nests()) {
      ++depth_;
      return;
    }
    mutex_.lock();
    own();
  }

  bool try_lock(std::uint64_t) {
    if (nests()) {
      ++depth_;
      return true;
    }
    if constexpr (kFault == NestingFault::kOwnerTooSoon) {
      owner_.store(platform::this_thread(), std::memory_order_relaxed);
    }
    if (!mutex_.try_lock()) return false;
    own();
    return true;
  }

  // By a thread that does not own it: does nothing.
  void unlock(std::uint64_t) {
    if (!may_unlock()) return;
    if constexpr (kFault == NestingFault::kFirstFreesAll) {
      depth_ = 0;
    } else if constexpr (kFault == NestingFault::kCountLost) {
      depth_ -= depth_ > 1 ? 0 : 1;
    } else {
      --depth_;
    }
    if (depth_ != 0) return;
    owner_.store(platform::kNoThread, std::memory_order_relaxed);
    mutex_.unlock();
  }

 private:
  bool may_unlock() const {
    if (kFault == NestingFault::kAnybodyUnlocks) return true;
    if (kFault == NestingFault::kAsksDepth) return depth_ != 0;
    return owned();
  }

  bool owned() const { return owner_.load(std::memory_order_relaxed) == platform::this_thread(); }

  bool nests() const {
    if constexpr (kFault == NestingFault::kLoadsOwnerTwice) {
      // A thread that reads an owner, and then none, concludes that it is the owner itself.
      const bool was_held = owner_.load(std::memory_order_relaxed) != platform::kNoThread;
      const platform::ThreadToken owner = owner_.load(std::memory_order_relaxed);
      return was_held && (owner == platform::this_thread() || owner == platform::kNoThread);
    }
    return owned();
  }

  void own() {
    owner_.store(platform::this_thread(), std::memory_order_relaxed);
    depth_ = 1;
  }

  class Depth {
   public:
    Depth& operator=(std::uint32_t depth) {
      depth_ = depth & ~0U >> (32 - kBits);
      return *this;
    }
    Depth& operator++() { return *this = depth_ + 1; }
    Depth& operator--() { return *this = depth_ - 1; }
    Depth& operator-=(std::uint32_t fewer) { return *this = depth_ - fewer; }
    operator std::uint32_t() const { return depth_; }  // NOLINT: it is a number

   private:
    std::uint32_t depth_ = 0;
  };

  platform::Mutex mutex_;
  platform::Atomic<platform::ThreadToken> owner_{platform::kNoThread};
  Depth depth_;
};

}  // namespace lockbench::mutants
