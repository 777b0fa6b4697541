// SPDX-License-Identifier: Apache-2.0

// Proof: what a workload finds when it checks, after the threads have left, that nothing went
// wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace lockbench {

struct Proof {
  std::uint64_t lost_updates = 0;  // updates that were made and are not there
  std::uint64_t violations = 0;    // more holders than capacity seen inside, a lease twice or lost
  // Where a primitive may take a key from a late holder; absent elsewhere.
  std::optional<std::uint64_t> expired_holds;   // holds that were ended so
  std::optional<std::uint64_t> refused_writes;  // updates of late holders, refused and told so
  std::string counts;  // final value of each key's counter; empty above kMaxListed keys

  static constexpr std::size_t kMaxListed = 32;
};

inline std::string list_counts(std::span<const std::uint64_t> counts) {
  std::string text;
  if (counts.size() > Proof::kMaxListed) return text;
  for (const std::uint64_t count : counts) {
    if (!text.empty()) text += ' ';
    text += std::to_string(count);
  }
  return text;
}

}  // namespace lockbench
