// SPDX-License-Identifier: Apache-2.0

// Crash: the calls of a lock must not end the process and must not throw.
#pragma once

#include <cstring>

#include "harness/stress/oracles/seen.h"

namespace lockbench::stress::oracles {

struct Crash {
  static constexpr std::string_view kName = "crash";
  static constexpr std::string_view kDescription = "The process dies, or a call throws.";

  enum Fault : std::uint8_t {
    kThrew,   // lock() or unlock() of `key` threw in `thread`
    kDied,    // by signal `x`, in `thread` if that is known
    kExited,  // with code `x`
  };

  static bool needed(const EngineTraits&, const Abilities&) { return false; }

  static CheckResult check(const EscapedException& seen) {
    if (seen.beside) return not_evaluated();  // the oracle `exclusion` reports it
    return failed({.fault = kThrew, .thread = seen.thread, .key = seen.key});
  }

  static CheckResult check(const ProcessEnd& end) {
    if (end.used_destroyed_lock) return not_evaluated();  // the oracle `lifetime` reports it
    FailureFacts failure{.fault = kExited, .thread = end.thread};
    failure.x = static_cast<std::uint64_t>(end.exit_code);
    if (end.signal) {
      failure.fault = kDied;
      failure.x = static_cast<std::uint64_t>(*end.signal);
    } else if (end.detector != ProcessEnd::kNone) {
      return not_evaluated();  // this end is the report of a sanitizer
    }
    return failed(failure);
  }

  static std::string text(const FailureFacts& f, const std::string& actor) {
    if (f.fault == kThrew) {
      return absl::StrCat("an exception escaped from a call for key ", f.key, " in ", actor, " ",
                          f.thread);
    }
    const bool is_process = actor == "process";
    const std::string where =
        f.thread == kNoThread || is_process ? "" : absl::StrCat(" in ", actor, " ", f.thread);
    const std::string who =
        f.thread != kNoThread && is_process ? name_of_actor(f.thread, actor) : "the process";
    if (f.fault == kExited) {
      return absl::StrCat(who, " ended itself with code ", f.x,
                          "; the standard error says what it met");
    }
    const char* const name = sigabbrev_np(static_cast<int>(f.x));
    return absl::StrCat(who, " died of SIG", name == nullptr ? "?" : name, where);
  }
};

}  // namespace lockbench::stress::oracles
