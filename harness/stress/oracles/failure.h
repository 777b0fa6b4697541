// SPDX-License-Identifier: Apache-2.0

// Failure: what an oracle found wrong, as text. Evaluations: how often each oracle was evaluated,
// and how often each promise was checked.
//
// FirstFailure: the failure that was recorded first, in memory that remains after its writer has
// ended.
//
// Guarantees   A writer may be killed at any moment: a failure is recorded completely or not at
//              all. The calls are async-signal-safe.
// Requires     Each writer has its own number.
//
// Invariants
//   I1  Only writer i writes records_[i], and only while `first_` is 0.
//   I2  `first_` is 0, or a writer's number plus 1. It changes at most once.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "harness/stress/oracles/promise.h"
#include "harness/stress/oracles/registry.h"

namespace lockbench::stress {

struct Failure {
  Oracle oracle = Oracle::kExclusion;
  std::string what;  // one sentence: which thread, which key, what was expected
};

struct Evaluations {
  std::array<std::uint64_t, kOracles> times{};
  std::array<std::uint64_t, kPromises> of_promises{};

  void count(Oracle oracle, std::uint64_t more = 1) {
    times[static_cast<std::size_t>(oracle)] += more;
  }
  void count(Promise promise, std::uint64_t more = 1) {
    of_promises[static_cast<std::size_t>(promise)] += more;
  }
  std::uint64_t operator[](Oracle oracle) const { return times[static_cast<std::size_t>(oracle)]; }
  void add(const Evaluations& other) {
    for (std::size_t i = 0; i < kOracles; ++i) times[i] += other.times[i];
    for (std::size_t i = 0; i < kPromises; ++i) of_promises[i] += other.of_promises[i];
  }
};

template <std::size_t kWriters>
class FirstFailure {
 public:
  // Returns false if another failure was recorded before.
  bool note(std::uint32_t writer, const FailureRecord& failure) {
    std::uint32_t none = 0;
    // relaxed: only the writer itself reads its record here (I1), and nothing else is read.
    if (first_.load(std::memory_order_relaxed) != 0) return false;
    records_[writer] = failure;
    // (1) release: publishes the record to (2). relaxed on failure: nothing is read in that case.
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
