// SPDX-License-Identifier: Apache-2.0

// Reads the table that a plug-in of the C interface exports, even if the plug-in was built with an
// older or newer header.
#pragma once

#include <algorithm>
#include <cstring>

#include "harness/plugin/public/lockbench/c_lock.h"

namespace lockbench {

// Its lock number `number`. Fields that did not exist in the header of the plug-in's author are
// null.
inline lockbench_c_lock c_lock_at(const lockbench_c_plugin& plugin, std::uint64_t number) {
  lockbench_c_lock lock{};
  const char* const entry = reinterpret_cast<const char*>(plugin.locks) + number * plugin.stride;
  std::memcpy(&lock, entry, std::min<std::size_t>(plugin.stride, sizeof lock));
  return lock;
}

// The lock's promises. Fields that did not exist in the header of the plug-in's author are not
// promised.
inline lockbench_c_promises c_promises_of(const lockbench_c_lock& lock) {
  lockbench_c_promises promises{};
  if (lock.promises != nullptr) {
    std::memcpy(&promises, lock.promises, std::min(lock.promises->size, sizeof promises));
  }
  if (promises.capacity == 0) promises.capacity = 1;
  return promises;
}

inline bool knows_keys(const lockbench_c_lock& lock) {
  return lock.lock_key != nullptr && lock.try_lock_key != nullptr && lock.unlock_key != nullptr;
}

// True if the lock has all functions that are needed to call it.
inline bool is_whole(const lockbench_c_lock& lock) {
  const bool plain = lock.lock != nullptr && lock.try_lock != nullptr && lock.unlock != nullptr;
  return lock.name != nullptr && lock.summary != nullptr && lock.create != nullptr &&
         lock.destroy != nullptr && (plain || knows_keys(lock));
}

}  // namespace lockbench
