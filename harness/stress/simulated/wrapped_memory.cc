// SPDX-License-Identifier: Apache-2.0

// malloc() and similar functions in a lock that is built for simulation. They allocate from the
// program's memory, like operator new.

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "harness/stress/simulated/program_memory.h"
#include "harness/stress/simulated/simulated_program.h"

namespace {

using lockbench::stress::in_program;
namespace explore = lockbench::stress::explore;

constexpr std::size_t kUsualAlignment = 16;

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC visibility push(default)
extern "C" {

void* __wrap_malloc(std::size_t bytes) {
  return in_program() ? explore::allocate_for_program(bytes, kUsualAlignment) : std::malloc(bytes);
}

void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  if (!in_program()) return std::calloc(count, bytes);
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return nullptr;
  void* const location = explore::allocate_for_program(all, kUsualAlignment);
  return std::memset(location, 0, all);
}

void __wrap_free(void* location) {
  explore::is_of_program(location) ? explore::release_of_program(location) : std::free(location);
}

void* __wrap_realloc(void* location, std::size_t bytes) {
  const bool ours = explore::is_of_program(location);
  if (!ours && (location != nullptr || !in_program())) return std::realloc(location, bytes);
  void* const moved = __wrap_malloc(bytes);
  if (location == nullptr || moved == nullptr) return moved;
  std::memcpy(moved, location, std::min(bytes, explore::size_in_program(location)));
  __wrap_free(location);
  return moved;
}

void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return in_program() ? explore::allocate_for_program(bytes, alignment)
                      : std::aligned_alloc(alignment, bytes);
}

int __wrap_posix_memalign(void** location, std::size_t alignment, std::size_t bytes) {
  if (!in_program()) return posix_memalign(location, alignment, bytes);
  *location = explore::allocate_for_program(bytes, alignment);
  return *location == nullptr ? ENOMEM : 0;
}

}  // extern "C"
#pragma GCC visibility pop
#pragma GCC diagnostic pop
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
