// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/oracles/unvaried.h"

#include <absl/strings/str_cat.h>

#include "harness/stress/litmus/generate.h"

namespace lockbench::stress {
namespace {

struct Dimension {
  const char* what;
  bool sim;   // not varied by it
  bool real;  // the same
  bool (*has)(const Abilities&);
};

bool each_lock(const Abilities&) {
  return true;
}

constexpr Dimension kUnvaried[] = {
    {"holds of more than 30 ms", false, true, each_lock},
    {"memory orders that this processor does not use", false, true, each_lock},
    {"nodes that end with their thread", true, false, each_lock},
    {"256 wake-ups within one window", true, true, each_lock},
    {"more than 11 threads that request a lock at once", true, false,
     [](const Abilities& can) { return can.limits.threads == 0 || can.limits.threads > 11; }},
    {"try_lock_until(), and clocks of the user", true, true,
     [](const Abilities& can) { return can.timed; }},
    {"a wait with a timeout for two keys that two holders release one after the other", true, true,
     [](const Abilities& can) { return can.timed && can.pairs; }},
    {"threads that wait without sleeping, behind the first one", true, false,
     [](const Abilities& can) { return can.fair; }},
    {"two locks that one thread reads at once, and a lock that is destroyed after a reader's "
     "release",
     true, true, [](const Abilities& can) { return can.keys_read; }},
    {"a wall clock that is set", true, true, [](const Abilities& can) { return can.timed; }},
    {"more than 8 readers at once", true, false,
     [](const Abilities& can) { return can.keys_read; }},
    {"more than 260 readers at once", false, true,
     [](const Abilities& can) { return can.keys_read; }},
    {"the order of readers and writers", false, true,
     [](const Abilities& can) { return can.readers_order != ReadersOrder::kNone; }},
    {"the order of arrival, for which programs have too few threads", true, false,
     [](const Abilities& can) { return can.fair && !shows_order_of_arrival(can); }},
    {"the order of arrival at a key of more than 65 holders", false, true,
     [](const Abilities& can) { return can.fair && can.capacity > 65; }},
    {"how often a thread that waits is passed, by more than one thread", false, true,
     [](const Abilities& can) { return can.bypass_limit != 0; }},
    {"more than 60 threads that pass one", true, false,
     [](const Abilities& can) { return can.bypass_limit > kMostPassesShown; }},
    {"as many threads as may pass one, at a key of several holders", true, true,
     [](const Abilities& can) { return can.bypass_limit != 0 && can.capacity > 1; }},
    {"a reader's try beside a reader", false, true,
     [](const Abilities& can) { return can.keys_read && can.strong_try; }},
    {"keys that differ in a few bits of a good hash", true, false,
     [](const Abilities& can) { return can.lock_per_key && can.any_key; }},
    {"nests of more than 1,024 holds", true, false,
     [](const Abilities& can) { return can.reentrant; }},
    // A lock may have been meant to do what it does not promise.
    {"nested holds (reentrant is not promised)", true, true,
     [](const Abilities& can) { return !can.reentrant && can.capacity == 1; }},
    {"the order of arrival (fair is not promised)", true, true,
     [](const Abilities& can) { return !can.fair; }},
    {"tries that fail though the lock is free (strong_try is not promised)", true, true,
     [](const Abilities& can) { return !can.strong_try; }},
};

}  // namespace

std::string unvaried_remark(const EngineTraits& engine, const Abilities& abilities) {
  std::string text;
  for (const Dimension& one : kUnvaried) {
    const bool is_unvaried = engine.simulates ? one.sim : one.real;
    if (!is_unvaried || !one.has(abilities)) continue;
    absl::StrAppend(&text, text.empty() ? "not varied: " : "; ", one.what);
  }
  return text + " (docs/stress-engines.md#what-programs-vary)";
}

}  // namespace lockbench::stress
