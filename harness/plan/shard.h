// SPDX-License-Identifier: Apache-2.0

// Shard: one of n parts of a plan, each measured by a process of its own, usually on a machine of
// its own.
//
// Guarantees   which trials a shard has follows from the plan, n and the expected times alone; the
//              n shards together have each trial once; their expected times differ by at most
//              kShardTolerance.
//              Primitives that are compared are measured in one shard: a shard has whole blocks,
//              and of the blocks that are left over (all of them if n exceeds their number) whole
//              comparison groups, the cells of a block that differ by their primitive alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/plan/cell.h"

namespace lockbench {

struct Shard {
  std::uint32_t index = 1;  // 1 to `of`
  std::uint32_t of = 1;

  static constexpr std::uint32_t kMost = 10'000;

  bool operator==(const Shard&) const = default;
};

// By what share the longest shard may exceed the shortest.
inline constexpr double kShardTolerance = 0.05;

// `3/8`.
std::string to_text(const Shard& shard);
absl::StatusOr<Shard> parse_shard(std::string_view text);

// What one trial is expected to take.
using TrialSeconds = std::function<double(const Trial&)>;

// The numbers of the shard's trials, ascending. InvalidArgument if the plan cannot be divided into
// so many equal parts; it names the greatest number below that can be had. O(trials), and
// O(n × comparison groups) for the error.
absl::StatusOr<std::vector<std::uint32_t>> trials_of_shard(const Plan& plan, const Shard& shard,
                                                           const TrialSeconds& seconds);

// For each trial of the plan a number that it shares with the trials that it is compared with:
// those of its block whose cells differ by the primitive alone. Ascending in order of first trials.
std::vector<std::uint32_t> comparison_groups(const Plan& plan);

}  // namespace lockbench
