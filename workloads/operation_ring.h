// SPDX-License-Identifier: Apache-2.0

// OperationRings: the key of each operation of each thread, and whether the operation writes.
//
// They are drawn in advance, as KeySequences are, and for the same reasons: the measured loop draws
// nothing and counts nothing for each key. Every thread walks through its ring and starts again at
// its end.
//
// Guarantees   The rings are the same for the same settings on every machine. In each ring the
//              number of writes is the share of its length, rounded; at least one operation writes
//              if the share is above 0. The writes are spread evenly over the ring, at random
//              positions. Their keys have the distribution of all keys.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/settings.h"

namespace lockbench {

struct Operation {
  std::uint32_t key;
  bool writes;
};

class OperationRings {
 public:
  // O(keys + all rings).
  static OperationRings draw(const WorkloadSettings& settings);

  std::span<const std::uint32_t> of(std::uint32_t thread) const {
    return std::span(entries_).subspan(thread * ring_, ring_);
  }

  static Operation decode(std::uint32_t entry) {
    return {.key = entry & ~kWrites, .writes = (entry & kWrites) != 0};
  }

 private:
  // Marks an entry; the other bits are the key, which Cell::kMaxKeys limits to 30 bits.
  static constexpr std::uint32_t kWrites = 1U << 31;

  OperationRings(std::size_t ring, std::vector<std::uint32_t> entries)
      : ring_(ring), entries_(std::move(entries)) {}

  std::size_t ring_;
  std::vector<std::uint32_t> entries_;
};

}  // namespace lockbench
