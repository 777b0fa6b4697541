// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/conformance/key_trial.h"

#include <cstdint>

#include <absl/status/status.h>

#include "harness/stress/supervision/watched_child.h"
#include "primitives/platform/shared_array.h"

namespace lockbench::stress {

void KeyTrial::store(const TriedKey& tried) {
  std::uint64_t bits = 0;
  for (std::uint32_t key = 0; key < kKeysTried; ++key) {
    bits |= std::uint64_t{tried.kept_out[key]} << key;
  }
  put(capacity, tried.capacity);
  put(kept_out, bits);
}

absl::StatusOr<TriedKey> tried_in_child(const std::function<void(KeyTrial&)>& attempt) {
  const platform::SharedObject<KeyTrial> trial;
  const ChildEnd end = watch_child([&] { attempt(*trial); }, [] { return std::uint64_t{0}; });
  if (end.stalled || !end.says.empty()) {
    return absl::AbortedError(end.stalled ? "a call of try_lock() did not return" : end.says);
  }
  TriedKey tried{.capacity = static_cast<std::uint32_t>(get(trial->capacity))};
  for (std::uint32_t key = 0; key < kKeysTried; ++key) {
    tried.kept_out[key] = (get(trial->kept_out) >> key & 1) != 0;
  }
  return tried;
}

}  // namespace lockbench::stress
