// SPDX-License-Identifier: Apache-2.0

// What the limits of the machine have in common.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "harness/micro/suite.h"
#include "primitives/platform/layout.h"

namespace lockbench {

// A word that shares its cache line with nothing.
struct alignas(platform::kCacheLine) LimitWord {
  std::atomic<std::uint64_t> value{0};
};

// In the tables a limit stands where the primitives stand: it is what they are measured against.
inline Cell limit_cell(const std::string& name) {
  return micro_cell({.name = name, .parameters = {}}, {.name = "limit", .scenario = {}});
}

// A limit guards nothing, but what it did can be looked at: `failure` is said unless `as_expected`.
inline BenchmarkResult finding_if(bool as_expected, const char* failure) {
  return {.failure = as_expected ? "" : failure};
}

}  // namespace lockbench
