// SPDX-License-Identifier: Apache-2.0

// Locks whose fault shows only after many holds or polls, in a table that grows, or with two of
// many keys.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <utility>

#include "primitives/concepts.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/spin.h"
#include "tests/mutants/bases.h"
#include "tests/mutants/by_key.h"

namespace lockbench::mutants {

// A flag. A thread that has polled it `kMostPolls` times enters; 0: it never gives up.
template <std::uint32_t kMostPolls>
class PolledLock {
 public:
  void lock() {
    for (std::uint32_t polls = 0; !try_lock(); ++polls) {
      if (kMostPolls != 0 && polls == kMostPolls) return held_.store(true);
      platform::pause();
    }
  }
  bool try_lock() {
    return !held_.load(std::memory_order_relaxed) &&
           !held_.exchange(true, std::memory_order_acquire);
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  platform::Atomic<bool> held_{false};
};

enum class WornFault {
  kNone,
  kEnters,         // each `kPeriod`th request enters at once
  kForgetsToWake,  // each `kPeriod`th release wakes nobody
};

// A mutex over a futex, with a count.
template <WornFault kFault, std::uint32_t kPeriod = 100>
class WornLock : public SleepersWord {
 public:
  void lock() {
    if (kFault == WornFault::kEnters &&
        requests_.fetch_add(1, std::memory_order_relaxed) % kPeriod == kPeriod - 1) {
      return word_.store(kWaiters, std::memory_order_relaxed);
    }
    if (try_lock()) return;
    while (word_.exchange(kWaiters, std::memory_order_acquire) != kFree) {
      platform::futex_wait(word_, kWaiters);
    }
  }
  void unlock() {
    const bool wakes = kFault != WornFault::kForgetsToWake || ++releases_ % kPeriod != 0;
    if (word_.exchange(kFree, std::memory_order_release) == kWaiters && wakes) {
      platform::futex_wake(word_, 1);
    }
  }

 private:
  platform::Atomic<std::uint32_t> requests_{0};
  std::uint32_t releases_ = 0;  // by the holder
};

// An array of mutexes; two keys at once, in the order of the mutexes, or of the keys.
template <bool kByKey>
class OrderedStripes : public ByKey<OrderedStripes<kByKey>> {
 public:
  static constexpr Promises kPromises{};

  void lock(std::uint64_t key) { stripe(key).lock(); }
  bool try_lock(std::uint64_t key) { return stripe(key).try_lock(); }
  void unlock(std::uint64_t key) { stripe(key).unlock(); }

  MutexPair<> handle_both(std::uint64_t a, std::uint64_t b) {
    platform::Mutex* first = &stripe(std::min(a, b));
    platform::Mutex* second = &stripe(std::max(a, b));
    if (!kByKey && second < first) std::swap(first, second);
    return {first, second == first ? nullptr : second};
  }

 private:
  static constexpr std::size_t kStripes = 16;

  platform::Mutex& stripe(std::uint64_t key) {
    return stripes_[(key * 0x9e3779b97f4a7c15ULL) >> 60];
  }

  std::array<platform::Mutex, kStripes> stripes_;
};

// An array of mutexes, of which more are used when 100 keys have been seen. Whoever changes that
// takes all mutexes first, so that nobody holds one by the old number; with the fault it does not.
template <bool kWaitsForHolders>
class GrowingStripes : public ByKey<GrowingStripes<kWaitsForHolders>> {
 public:
  static constexpr Promises kPromises{};

  void lock(std::uint64_t key) {
    if (is_the_100th(key)) grow();
    for (;;) {
      const std::size_t used = used_.load(std::memory_order_acquire);
      stripe(key, used).lock();
      if (used_.load(std::memory_order_acquire) == used) return;
      stripe(key, used).unlock();
    }
  }

  bool try_lock(std::uint64_t key) {
    const std::size_t used = used_.load(std::memory_order_acquire);
    if (!stripe(key, used).try_lock()) return false;
    if (used_.load(std::memory_order_acquire) == used) return true;
    stripe(key, used).unlock();
    return false;
  }

  void unlock(std::uint64_t key) { stripe(key, used_.load(std::memory_order_relaxed)).unlock(); }

 private:
  static constexpr std::size_t kFew = 8;
  static constexpr std::size_t kMany = 32;
  static constexpr std::size_t kGrowsAt = 100;

  platform::Mutex& stripe(std::uint64_t key, std::size_t used) { return stripes_[key % used]; }

  bool is_the_100th(std::uint64_t key) {
    const std::scoped_lock guard(counting_);
    return keys_.insert(key).second && keys_.size() == kGrowsAt;
  }

  void grow() {
    for (std::size_t i = 0; kWaitsForHolders && i < kFew; ++i) stripes_[i].lock();
    used_.store(kMany, std::memory_order_release);
    for (std::size_t i = 0; kWaitsForHolders && i < kFew; ++i) stripes_[i].unlock();
  }

  platform::Atomic<std::size_t> used_{kFew};
  std::array<platform::Mutex, kMany> stripes_;
  platform::Mutex counting_;
  std::set<std::uint64_t> keys_;  // under counting_
};

}  // namespace lockbench::mutants
