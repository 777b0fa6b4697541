// SPDX-License-Identifier: Apache-2.0

// KeyMap: how the keys of a lock belong to the locks of its net, found by trying them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/stress/conformance/trace_checker.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/registered_lock.h"

namespace lockbench::stress {

// As many as a lock whose keys are strings has names for.
inline constexpr std::uint32_t kKeysTried = 8;

// What becomes of all keys while one is held as often as it can be.
struct TriedKey {
  std::uint32_t capacity = 1;
  std::vector<bool> kept_out = std::vector<bool>(kKeysTried);  // not to be had meanwhile
};

// Tries with key number `first` held, on threads as the engine has them.
using TryKey = std::function<absl::StatusOr<TriedKey>(std::uint32_t first)>;

// Fails with InvalidArgument when the net cannot be one of this lock: other locks, other
// numbers, more than `most_threads`; and with what `try_key` fails with.
absl::StatusOr<KeyMap> map_keys(const RegisteredLock& entry, const WatchedNet& net,
                                std::uint32_t most_threads, const TryKey& try_key);

// What such a trial does. `elsewhere` is given what is to be done where no key is held: it fills in
// a TriedKey.
template <class Elsewhere>
void try_keys(const RegisteredLock& entry, std::uint32_t first, const Elsewhere& elsewhere) {
  const std::unique_ptr<LockUnderTest> lock = entry.make(kKeysTried);
  std::vector<std::unique_ptr<LockHandle>> held;
  for (std::uint32_t i = 0; i < lock->capacity(); ++i) {
    held.push_back(lock->handle(first));
    if (!held.back()->try_lock()) held.pop_back();
  }
  elsewhere([&](TriedKey& tried) {
    tried.capacity = lock->capacity();
    for (std::uint32_t key = 0; key < kKeysTried; ++key) {
      const std::unique_ptr<LockHandle> handle = lock->handle(key);
      tried.kept_out[key] = !handle->try_lock();
      if (!tried.kept_out[key]) handle->unlock();
    }
  });
  for (const auto& handle : held) handle->unlock();
}

}  // namespace lockbench::stress
