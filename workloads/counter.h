// SPDX-License-Identifier: Apache-2.0

// Counter: read the key's counter, hold, and write back the value plus one. This is the work of the
// first seed.
#pragma once

#include "workloads/per_key.h"

namespace lockbench {

struct CounterRecord {
  static constexpr std::string_view kKeyPrefix = "counter-";
  static constexpr std::string_view kKeySuffix = "";

  std::uint64_t look() const { return count.read(); }
  static bool sound(std::uint64_t) { return true; }
  void update(std::uint64_t seen) { count.write(seen + 1); }
  std::uint64_t updates() const { return count.read(); }

  Guarded count;
};

template <class P, Key K>
class Counter : public PerKey<P, K, CounterRecord> {
 public:
  static constexpr std::string_view kName = "counter";
  static constexpr std::string_view kSummary =
      "reads the key's counter, holds, and writes back one more";

  using PerKey<P, K, CounterRecord>::PerKey;
};

}  // namespace lockbench
