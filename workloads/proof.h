// SPDX-License-Identifier: Apache-2.0

// Proof: the result of the check that a workload makes after the threads have left.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

// Adds to `proof` what is wrong with the record of each key, which was updated `expected[key]`
// times. A record has the functions that per_key.h lists. Without a lock, a stale write can lose an
// update or restore one; the numbers differ in both cases.
template <class Record>
void compare_records(std::span<const Record> records, std::span<const std::uint64_t> expected,
                     Proof& proof) {
  std::vector<std::uint64_t> found;
  found.reserve(records.size());
  for (const Record& record : records) {
    const std::uint64_t updates = record.updates();
    const std::uint64_t wanted = expected[found.size()];
    proof.lost_updates += wanted > updates ? wanted - updates : updates - wanted;
    if (!record.sound(record.look())) ++proof.violations;
    found.push_back(updates);
  }
  proof.counts = list_counts(found);
}

}  // namespace lockbench
