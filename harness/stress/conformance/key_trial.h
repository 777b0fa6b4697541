// SPDX-License-Identifier: Apache-2.0

// KeyTrial: keys of a lock tried in a process of its own, since even that may be too much for a
// broken lock.
#pragma once

#include <functional>

#include <absl/status/statusor.h>

#include "harness/stress/conformance/key_map.h"
#include "harness/stress/trace/shared_words.h"

namespace lockbench::stress {

// What the process finds out, in memory that its children share.
struct KeyTrial {
  Word capacity{0};
  Word kept_out{0};  // a bit for each key

  void tell(const TriedKey& tried);
};

// Fails with Aborted when the process did not come to its end. Must be called while this process
// has one thread.
absl::StatusOr<TriedKey> tried_in_child(const std::function<void(KeyTrial&)>& attempt);

}  // namespace lockbench::stress
