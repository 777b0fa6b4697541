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

// `functions`: those that wait, innermost first, as far as they have names. `own_wakes`: by threads
// that waited there themselves; `other_wakes`: by others. The name of a known class decides. Else,
// threads that wake each other in turn have a lock between them; and that only others wake is no
// proof of an event: the holder of a lock may never have waited for it.
FutexUse use_of_futex(const std::vector<std::string>& functions, std::uint64_t own_wakes,
                      std::uint64_t other_wakes);

// The position of the first function that is no part of a lock, by its name, or has no name; else
// of the last one.
std::size_t user_of_futex(const std::vector<std::string>& functions);

}  // namespace lockbench
