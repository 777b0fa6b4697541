// SPDX-License-Identifier: Apache-2.0

// A shared object that uses the headers: compiled several times, with hidden visibility.
#include "tests/primitives/two_copies/locks.h"

#include <chrono>
#include <cstdint>
#include <exception>

#include "primitives/adaptive_mutex.h"
#include "primitives/file_lock.h"
#include "primitives/reentrant_lock.h"

namespace {

using Recursive = lockbench::BiasedRecursiveMutex<lockbench::AdaptiveMutex>;

bool try_recursive(void* lock) {
  return static_cast<Recursive*>(lock)->try_lock();
}
void unlock_recursive(void* lock) {
  static_cast<Recursive*>(lock)->unlock();
}
bool lock_adaptive(void* lock) {
  return static_cast<lockbench::AdaptiveMutex*>(lock)->try_lock_for(std::chrono::seconds(10));
}
void unlock_adaptive(void* lock) {
  static_cast<lockbench::AdaptiveMutex*>(lock)->unlock();
}

bool use_file_lock(const char* folder) {
  try {
    lockbench::FileLock<> lock(folder);
    auto handle = lock.handle(std::uint64_t{1});
    handle.lock();
    return handle.unlock() == lockbench::Unlocked::kYes;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

extern "C" [[gnu::visibility("default")]] Locks lockbench_test_locks() {
  return {
      .make_recursive = []() -> void* { return new Recursive(); },
      .try_recursive = try_recursive,
      .unlock_recursive = unlock_recursive,
      .make_adaptive = []() -> void* { return new lockbench::AdaptiveMutex(); },
      .lock_adaptive = lock_adaptive,
      .unlock_adaptive = unlock_adaptive,
      .use_file_lock = use_file_lock,
  };
}
