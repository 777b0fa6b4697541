// SPDX-License-Identifier: Apache-2.0

// Stripes: an array of mutexes; two keys at once; and variants with one fault each.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "primitives/concepts.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/mutex.h"
#include "tests/mutants/by_key.h"

namespace lockbench::mutants {

enum class StripeFault {
  kNone,
  kAsAsked,       // takes two keys in the order in which they were named
  kOneTwice,      // takes a stripe twice when both keys fall on it
  kTryLeaks,      // a try of two keys that is refused the second keeps the first
  kLeastInteger,  // index by remainder of an absolute value that may be negative
};

template <StripeFault kFault>
class Stripes : public ByKey<Stripes<kFault>> {
 public:
  static constexpr Promises kPromises{};
  static constexpr std::size_t kStripes = 2;

  void lock(std::uint64_t key) { stripe(key).lock(); }
  bool try_lock(std::uint64_t key) { return stripe(key).try_lock(); }
  void unlock(std::uint64_t key) { stripe(key).unlock(); }

  MutexPair<kFault == StripeFault::kTryLeaks> handle_both(std::uint64_t a, std::uint64_t b) {
    platform::Mutex* first = &stripe(a);
    platform::Mutex* second = &stripe(b);
    if (kFault != StripeFault::kAsAsked && second < first) std::swap(first, second);
    if (kFault != StripeFault::kOneTwice && second == first) second = nullptr;
    return {first, second};
  }

 private:
  // The hash of a key, of which key 0 has the one at the boundary.
  static std::int64_t hash_of(std::uint64_t key) {
    return key == 0 ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(key);
  }

  platform::Mutex& stripe(std::uint64_t key) {
    if constexpr (kFault == StripeFault::kLeastInteger) {
      // The least integer is its own absolute value, so that the remainder is negative. What lies
      // before an array is anything; here it is never the same twice.
      const std::int64_t hash = hash_of(key);
      const auto bits = static_cast<std::uint64_t>(hash);
      const auto absolute = static_cast<std::int64_t>(hash < 0 ? ~bits + 1 : bits);
      const std::int64_t index = absolute % static_cast<std::int64_t>(kStripes + 1);
      if (index < 0 || index >= static_cast<std::int64_t>(kStripes)) {
        return before_[turns_.fetch_add(1, std::memory_order_relaxed) % before_.size()];
      }
      return stripes_[static_cast<std::size_t>(index)];
    }
    return stripes_[key % kStripes];
  }

  std::array<platform::Mutex, kStripes> stripes_;
  std::array<platform::Mutex, 16> before_;
  platform::Atomic<std::uint32_t> turns_{0};
};

}  // namespace lockbench::mutants
