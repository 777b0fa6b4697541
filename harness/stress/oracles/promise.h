// SPDX-License-Identifier: Apache-2.0

// Promise: what a lock may promise beyond exclusion, and what checks it. One oracle
// checks several promises, so the evaluations of an oracle do not say that each was checked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/stress/oracles/history.h"
#include "harness/stress/oracles/seen.h"

namespace lockbench::stress {

enum class Promise : std::uint8_t {
  kFair,
  kReadersOrder,
  kStrongTry,
  kTimed,
  kLockPerKey,
  kBypassLimit,
  kCount  // none: how many there are
};

// As in LockPromises.
inline constexpr std::array<std::string_view, 6> kPromiseNames = {
    "fair", "readers_order", "strong_try", "timed", "lock_per_key", "bypass_limit"};
inline constexpr std::size_t kPromises = kPromiseNames.size();
static_assert(kPromises == static_cast<std::size_t>(Promise::kCount), "each promise has a name");

constexpr std::string_view name_of(Promise promise) {
  return kPromiseNames[static_cast<std::size_t>(promise)];
}

// Calls count(promise, times) for each promise that it checks. The waits of threads
// (LongestWait) are known of each lock, whether it promises to be fair or not, so they do not
// count.
template <class Seen, class Count>
void count_promises(const Seen&, const Count&) {}

template <class Count>
void count_promises(const Turn& turn, const Count& count) {
  if (turn.bypass_limit != 0) return count(Promise::kBypassLimit, 1);
  count(turn.order == ReadersOrder::kNone ? Promise::kFair : Promise::kReadersOrder, 1);
}

template <class Count>
void count_promises(const Arrivals&, const Count& count) {
  count(Promise::kFair, 1);
}

template <class Count>
void count_promises(const Refusal& refusal, const Count& count) {
  if (refusal.timeout_ns) count(Promise::kTimed, 1);
  if (refusal.in_the_way) count(Promise::kStrongTry, 1);
}

template <class Count>
void count_promises(const History& history, const Count& count) {
  count(Promise::kStrongTry, history.refusals_to_explain().size());
}

template <class Count>
void count_promises(const Ended& end, const Count& count) {
  if (end.shows_independence) count(Promise::kLockPerKey, 1);
}

template <class Count>
void count_promises(const OtherKey&, const Count& count) {
  count(Promise::kLockPerKey, 1);
}

}  // namespace lockbench::stress
