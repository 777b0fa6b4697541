// SPDX-License-Identifier: Apache-2.0

// KeyMap: which keys of a lock belong to which locks of its net. Found by trying the keys.
//
// KeyTrial: tries the keys of a lock in a child process, because a broken lock may crash or hang
// even in this simple test.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/petri/conformance/trace_checker.h"
#include "harness/petri/conformance/watched_net.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/trace/shared_words.h"

namespace lockbench::stress {

// The number of names that a lock with string keys has.
inline constexpr std::uint32_t kKeysTried = 8;

// The state of all keys while one key is held as many times as its capacity permits.
struct TriedKey {
  std::uint32_t capacity = 1;
  std::vector<bool> kept_out = std::vector<bool>(kKeysTried);  // could not be acquired meanwhile
};

// Holds the key `first` and tries all keys, on the kind of threads that the engine has.
using TryKey = std::function<absl::StatusOr<TriedKey>(std::uint32_t first)>;

// Fails with InvalidArgument if the net cannot describe this lock: it has other locks, other
// capacities, or more than `most_threads` threads. Returns the error of `try_key` if that fails.
absl::StatusOr<KeyMap> map_keys(const RegisteredLock& entry, const WatchedNet& net,
                                std::uint32_t most_threads, const TryKey& try_key);

// One trial. `elsewhere` runs its argument on a thread or process that holds no key; the argument
// fills in a TriedKey.
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

// The result of the process, in memory that it shares with its children.
struct KeyTrial {
  Word capacity{0};
  Word kept_out{0};  // a bit for each key

  void store(const TriedKey& tried);
};

// Fails with Aborted if the process did not end normally. Requires: this process has one thread.
absl::StatusOr<TriedKey> tried_in_child(const std::function<void(KeyTrial&)>& attempt);

}  // namespace lockbench::stress
