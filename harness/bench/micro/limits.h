// SPDX-License-Identifier: Apache-2.0

// The parts that the benchmarks of the machine's limits share.
//
// membarrier: makes every processor that runs this process execute a full memory barrier.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <linux/membarrier.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/bench/micro/suite.h"
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

inline bool membarrier() {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

// Call it before membarrier(). It may be called more than once. Returns why membarrier() is not
// available here, or an empty text.
inline std::string register_membarrier() {
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0) return {};
  return std::string("membarrier: ") + std::strerror(errno);
}

}  // namespace lockbench
