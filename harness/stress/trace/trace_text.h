// SPDX-License-Identifier: Apache-2.0

// Story: what threads or processes said last that they did, for people. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockbench::stress {

enum class Doing : std::uint8_t {
  kNothing,
  kWants,
  kHas,
  kIsRefused,
  kGives,
  kGave,
  kForeign,  // unlocks what it does not hold
  kEnded,
};

struct Said {
  std::uint64_t ns = 0;
  std::string who;  // "thread 2"
  Doing what = Doing::kNothing;
  std::string of;  // "key 0"; empty where it is about no key
};

// "24.3 us, thread 2 has key 0", a line each, in the order of time, the last 60; times are counted
// from `began_ns`.
std::vector<std::string> trace_text(std::vector<Said> said, std::uint64_t began_ns);

}  // namespace lockbench::stress
