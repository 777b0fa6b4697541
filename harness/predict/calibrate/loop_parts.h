// SPDX-License-Identifier: Apache-2.0

// The parts of the loops: words, a common start, and statistics of times.
//
// The order of accesses is relaxed wherever a word guards no other memory. Where two threads take
// turns by a word, acquire and release hand over what was written before.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/spin.h"

namespace lockbench::calibration {

using platform::Time;

// Runs the loops.
class Runner {
 public:
  struct Side {
    int processor;
    std::function<void()> body;
  };

  virtual ~Runner() = default;
  // Runs each body on a thread of its own on that processor. Returns when all have ended.
  virtual void run(const std::vector<Side>& sides) = 0;
};

inline constexpr auto kRelaxed = std::memory_order_relaxed;
inline constexpr auto kAcquire = std::memory_order_acquire;
inline constexpr auto kRelease = std::memory_order_release;

// A word with a cache line of its own.
template <class T>
struct alignas(platform::kCacheLine) Word {
  platform::Atomic<T> value{0};

  T load() const { return value.load(kRelaxed); }
  void store(T to) { value.store(to, kRelaxed); }
};

using Number = Word<std::uint64_t>;

inline double ns_between(Time from, Time to) {
  return static_cast<double>(std::chrono::nanoseconds(to - from).count());
}

// The value below which that share of the values lies; 0 if there are none.
inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto index = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index),
                   values.end());
  return values[index];
}

// The undisturbed value of times that other processes make longer by whole slices, and never
// shorter.
inline double undisturbed(std::vector<double> values) {
  return quantile(std::move(values), 0.25);
}

// Lets all threads of a loop begin together. They may share a processor.
class Start {
 public:
  explicit Start(std::uint32_t threads) : missing_{threads} {}

  void arrive() {
    missing_.value.fetch_sub(1, std::memory_order_acq_rel);
    while (missing_.value.load(kAcquire) != 0) platform::yield();
  }

 private:
  Word<std::uint32_t> missing_;
};

}  // namespace lockbench::calibration
