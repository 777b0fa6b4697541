// SPDX-License-Identifier: Apache-2.0

// KeyTrial: tries the keys of a lock in a child process, because a broken lock may crash or hang
// even in this simple test.
#pragma once

#include <functional>

#include <absl/status/statusor.h>

#include "harness/stress/conformance/key_map.h"
#include "harness/stress/trace/shared_words.h"

namespace lockbench::stress {

// The result of the process, in memory that it shares with its children.
struct KeyTrial {
  Word capacity{0};
  Word kept_out{0};  // a bit for each key

  void store(const TriedKey& tried);
};

// Fails with Aborted if the process did not end normally. Requires: this process has one thread.
absl::StatusOr<TriedKey> tried_in_child(const std::function<void(KeyTrial&)>& attempt);

}  // namespace lockbench::stress
