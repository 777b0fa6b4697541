// SPDX-License-Identifier: Apache-2.0

// Proof: the result of the check that a workload makes after the threads have left.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace lockbench {

struct Proof {
  std::uint64_t lost_updates = 0;  // updates that were made and are missing
  std::uint64_t violations =
      0;  // too many holders at once; a lease that two threads had, or that is lost
  // Absent unless the primitive may take a key from a late holder.
  std::optional<std::uint64_t> expired_holds;   // holds that the hold limit ended
  std::optional<std::uint64_t> refused_writes;  // updates of late holders that were refused
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
