// SPDX-License-Identifier: Apache-2.0

// FutexUse: whether threads that wait for a futex wait for a lock. The kernel does not know it.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lockbench {

enum class FutexUse {
  kLock,
  kEvent,    // a condition, a semaphore, an idle thread: it costs nothing that a lock could save
  kUnknown,  // one or the other
};

// The waits at one place, and the wakes.
struct FutexWaits {
  std::uint64_t own_wakes = 0;    // by threads that waited there themselves
  std::uint64_t other_wakes = 0;  // by others
  std::uint64_t ended = 0;
  std::uint64_t unended = 0;  // that nobody had ended when the observation did
};

// `functions`: those that wait, innermost first, as far as they have names. The name of a known
// class decides. Else, a single wait that nobody ends is an idle thread; threads that wake each
// other in turn have a lock between them; and that only others wake is no proof of an event: the
// holder of a lock may never have waited for it.
FutexUse use_of_futex(const std::vector<std::string>& functions, const FutexWaits& waits);

// The position of the first function that is no part of a lock, by its name, or has no name; else
// of the last one.
std::size_t user_of_futex(const std::vector<std::string>& functions);

}  // namespace lockbench
