// SPDX-License-Identifier: Apache-2.0

// FirstFailure: the failure that was noted first, in memory that outlives the one that noted it.
//
// Guarantees   a writer may be killed at any moment: a failure is noted completely or not at all.
//              Async-signal-safe.
// Requires     each writer has a number of its own.
//
// Invariants
//   I1  records_[i] is written by writer i alone, and no more once `first_` is not 0.
//   I2  first_ is 0, or a writer's number and 1; it changes once.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "harness/stress/oracles/registry.h"

namespace lockbench::stress {

template <std::size_t kWriters>
class FirstFailure {
 public:
  // False if another failure was noted before.
  bool note(std::uint32_t writer, const FailureRecord& failure) {
    std::uint32_t none = 0;
    // relaxed: I1; nothing else is read.
    if (first_.load(std::memory_order_relaxed) != 0) return false;
    records_[writer] = failure;
    // (1) release: publishes the record to (2). relaxed: nothing is read if another was first.
    return first_.compare_exchange_strong(none, writer + 1, std::memory_order_release,
                                          std::memory_order_relaxed);
  }

  std::optional<FailureRecord> noted() const {
    // (2) acquire: synchronizes with (1).
    const std::uint32_t first = first_.load(std::memory_order_acquire);
    if (first == 0) return std::nullopt;
    return records_[first - 1];
  }

 private:
  std::atomic<std::uint32_t> first_{0};
  std::array<FailureRecord, kWriters> records_{};
};

}  // namespace lockbench::stress
