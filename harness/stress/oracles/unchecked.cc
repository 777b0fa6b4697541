// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/oracles/unchecked.h"

#include <absl/strings/str_cat.h>

#include "harness/stress/oracles/promise.h"

namespace lockbench::stress {
namespace {

// Whether the lock makes the promise, and the engine checks it.
bool is_to_be_checked(Promise promise, const EngineTraits& engine, const Abilities& can) {
  switch (promise) {
    case Promise::kFair:
      return can.fair && !can.keys_read;
    case Promise::kReadersOrder:
      return engine.simulates && can.readers_order != ReadersOrder::kNone;
    case Promise::kStrongTry:
      return can.strong_try;
    case Promise::kTimed:
      return can.timed;
    case Promise::kLockPerKey:
      return can.lock_per_key && can.limits.keys != 1;
    case Promise::kBypassLimit:
      return can.bypass_limit != 0 && (engine.simulates || can.capacity == 1);
  }
  return false;
}

}  // namespace

std::string unchecked_remark(const EngineTraits& engine, const Abilities& abilities,
                             const Evaluations& evaluations) {
  std::string names;
  for (std::size_t i = 0; i < kPromises; ++i) {
    const bool was_checked = evaluations.of_promises[i] != 0;
    if (was_checked || !is_to_be_checked(static_cast<Promise>(i), engine, abilities)) continue;
    absl::StrAppend(&names, names.empty() ? "" : ", ", std::string(kPromiseNames[i]));
  }
  if (names.empty()) return {};
  return absl::StrCat("promised, but never checked in this run: ", names,
                      " (more time, or a machine with less to do, may show more)");
}

}  // namespace lockbench::stress
