// SPDX-License-Identifier: Apache-2.0

// Usage: the resources that the kernel charged to this process.
#pragma once

#include <cstdint>
#include <optional>

namespace lockbench {

// CPU time, context switches and page faults of all threads so far.
struct Usage {
  double user_s = 0;
  double system_s = 0;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t page_faults = 0;

  static Usage now();

  Usage operator+(const Usage& other) const;
  Usage operator-(const Usage& other) const;
};

// The peak resident memory of this process; absent if /proc does not report it.
std::optional<std::uint64_t> peak_rss_bytes();

}  // namespace lockbench
