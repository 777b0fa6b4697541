// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/oracles/unchecked.h"

#include <absl/strings/str_cat.h>

#include "harness/stress/oracles/promise.h"

namespace lockbench::stress {
namespace {

bool is_made(Promise promise, const Abilities& can) {
  switch (promise) {
    case Promise::kFair:
      return can.fair && !can.keys_read;
    case Promise::kReadersOrder:
      return can.readers_order != ReadersOrder::kNone;
    case Promise::kStrongTry:
      return can.strong_try;
    case Promise::kTimed:
      return can.timed;
    case Promise::kLockPerKey:
      return can.lock_per_key && can.limits.keys != 1;
    case Promise::kBypassLimit:
      return can.bypass_limit != 0;
    case Promise::kCount:
      break;
  }
  return false;
}

}  // namespace

std::string unchecked_remark(const Abilities& abilities, const Evaluations& evaluations) {
  std::string names;
  for (std::size_t i = 0; i < kPromises; ++i) {
    if (evaluations.of_promises[i] != 0 || !is_made(static_cast<Promise>(i), abilities)) continue;
    absl::StrAppend(&names, names.empty() ? "" : ", ", std::string(kPromiseNames[i]));
  }
  return names.empty() ? "" : absl::StrCat("promised, but never checked in this run: ", names);
}

std::string unevaluated_remark(const std::vector<Oracle>& needed, const Evaluations& evaluations) {
  std::string names;
  for (const Oracle oracle : needed) {
    if (evaluations[oracle] != 0) continue;
    absl::StrAppend(&names, names.empty() ? "" : ", ", std::string(name_of(oracle)));
  }
  return names.empty() ? ""
                       : absl::StrCat(
                             "inconclusive, since these oracles had nothing to check, and "
                             "a clean verdict needs them: ",
                             names);
}

}  // namespace lockbench::stress
