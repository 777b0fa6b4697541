// ThreadToken: who is running, as one word that a lock can store.
//
// Guarantees   never 0; different for any two threads that are alive at once; read in under 1 ns,
//              without a system call.
// Not offered  uniqueness over time: a token comes back after its thread has ended.
#pragma once

#include <cstdint>

namespace lockbench::platform {

using ThreadToken = std::uintptr_t;

inline constexpr ThreadToken kNoThread = 0;

// The address of a thread's own variable is as unique as the thread.
inline ThreadToken this_thread() noexcept {
  static thread_local char self;
  return reinterpret_cast<ThreadToken>(&self);
}

}  // namespace lockbench::platform
