// SPDX-License-Identifier: Apache-2.0

// Shard: one of n parts of a plan. A process of its own measures each shard, usually on a machine
// of its own.
//
// Guarantees   Which trials a shard has depends only on the plan, n and the expected times. The n
//              shards together contain each trial once. Their expected times differ by at most
//              kShardTolerance.
//              Compared primitives are measured in one shard: a shard has whole blocks. The
//              remaining blocks (all blocks if n exceeds their number) are divided into whole
//              comparison groups, the cells of a block that differ by their primitive alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/plan/cell.h"

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

// The expected duration of one trial.
using TrialSeconds = std::function<double(const Trial&)>;

// The numbers of the shard's trials, ascending. InvalidArgument if the plan cannot be divided into
// this number of equal parts; the error names the greatest smaller number that is possible.
// O(trials), and O(n × comparison groups) for the error.
absl::StatusOr<std::vector<std::uint32_t>> trials_of_shard(const Plan& plan, const Shard& shard,
                                                           const TrialSeconds& seconds);

// The comparison group of each trial of the plan: trials of one block whose cells differ by the
// primitive alone have the same number. Groups are numbered in the order of their first trials.
std::vector<std::uint32_t> comparison_groups(const Plan& plan);

}  // namespace lockbench
