// SPDX-License-Identifier: Apache-2.0

// Lifetime: shared words and memory may be used only while they exist, and are freed once. In `sim`
// the simulated memory detects violations (explore/memory/{memory,arena}.h); in `real` pages that
// become inaccessible when the lock is destroyed (threads/guarded_memory.h).
#pragma once

#include "harness/stress/oracles/seen.h"

namespace lockbench::stress::oracles {

struct Lifetime {
  static constexpr std::string_view kName = "lifetime";
  static constexpr std::string_view kDescription =
      "A shared word is used before or after its life, or memory is freed twice.";

  static bool needed(const EngineTraits& engine, const Abilities&) { return engine.simulates; }

  enum Fault : std::uint8_t {
    kSanitizerReport,  // exit code `x`
    kUsedDestroyedLock,
  };

  static CheckResult check(const Destructions& seen) {
    return {.evaluations = seen.locks, .failure = {}};
  }

  static CheckResult check(const ProcessEnd& end) {
    if (end.used_destroyed_lock) {
      return failed({.fault = kUsedDestroyedLock, .thread = end.thread});
    }
    if (end.signal || end.detector != ProcessEnd::kAddressSanitizer) return not_evaluated();
    return failed({.x = static_cast<std::uint64_t>(end.exit_code)});
  }

  static std::string text(const FailureFacts& f, const std::string&) {
    if (f.fault == kUsedDestroyedLock) {
      return "unlock() accessed the lock after the thread that it had let in, the last one, had "
             "destroyed it";
    }
    return absl::StrCat("AddressSanitizer ended the process with code ", f.x,
                        "; the standard error says what it found");
  }
};

}  // namespace lockbench::stress::oracles
