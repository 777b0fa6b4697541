// SPDX-License-Identifier: Apache-2.0

// Ordering: the release of a hold must happen before the next hold of the same lease begins.
#pragma once

#include "harness/stress/oracles/seen.h"

namespace lockbench::stress::oracles {

struct Ordering {
  static constexpr std::string_view kName = "ordering";
  static constexpr std::string_view kDescription =
      "A holder is not sure to see what the holder before it wrote: a release or an acquire is "
      "missing.";

  enum Fault : std::uint8_t {
    kUnordered,  // nothing orders the hold of `key` by `thread` after the previous one
    kReported,   // ThreadSanitizer ended the process with code `x`
  };

  static bool needed(const EngineTraits& engine, const Abilities& abilities) {
    return engine.simulates && abilities.numbers_holders();
  }

  static CheckResult check(const Grant& grant) {
    if (!grant.ordered) return not_evaluated();
    if (*grant.ordered) return passed();
    return failed({.fault = kUnordered, .thread = grant.thread, .key = grant.key});
  }

  static CheckResult check(const ProcessEnd& end) {
    if (end.signal || end.detector != ProcessEnd::kThreadSanitizer) return not_evaluated();
    return failed({.fault = kReported, .x = static_cast<std::uint64_t>(end.exit_code)});
  }

  static std::string text(const FailureFacts& f, const std::string& actor) {
    if (f.fault == kReported) {
      return absl::StrCat("ThreadSanitizer ended the process with code ", f.x,
                          "; the standard error says what it found");
    }
    return absl::StrCat("nothing orders what ", name_of_actor(f.thread, actor), " does with key ",
                        f.key, " after what the holder before it did");
  }
};

}  // namespace lockbench::stress::oracles
