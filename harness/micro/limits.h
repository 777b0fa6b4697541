// SPDX-License-Identifier: Apache-2.0

// The parts that the benchmarks of the machine's limits share.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "harness/micro/suite.h"
#include "primitives/platform/layout.h"

namespace lockbench {

// A word with a cache line of its own.
struct alignas(platform::kCacheLine) LimitWord {
  std::atomic<std::uint64_t> value{0};
};

// In the tables, a limit has the place of a primitive, because primitives are compared with it.
inline Cell limit_cell(const std::string& name) {
  return micro_cell({.name = name, .parameters = {}}, {.name = "limit", .scenario = {}});
}

// A limit guards nothing, but its effect can be checked: `failure` is reported unless
// `as_expected`.
inline BenchmarkResult finding_if(bool as_expected, const char* failure) {
  return {.failure = as_expected ? "" : failure};
}

}  // namespace lockbench
