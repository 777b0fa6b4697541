// SPDX-License-Identifier: Apache-2.0

// Progress: a waiting thread must make progress if no other thread is in its way, and each call of
// a lock that no thread uses must return.
#pragma once

#include "harness/stress/oracles/seen.h"

namespace lockbench::stress::oracles {

struct Progress {
  static constexpr std::string_view kName = "progress";
  static constexpr std::string_view kDescription =
      "A thread waits forever, and no other thread is in its way: a wake-up is lost.";

  enum Fault : std::uint8_t {
    kStall,         // of threads; stall.cc determines the reason
    kProcessStall,  // process `thread` waits for `key`; `other` held last; x: was it killed
    kCallOfUnusedLock,
    kForkedChild,
    kWholeProcess,
    kLateRecovery,     // half of the keys whose holder was killed took `x` ns or more
    kLateAfterFaults,  // `thread` has not acquired `key` within `x` ms after the last fault
    kPassedOver,       // `thread` got `key` in none of `x` pauses of `y` ms
    kSleepOn,          // `x` of `y` threads that slept until `key` was released
  };

  static bool needed(const EngineTraits&, const Abilities&) { return true; }

  static CheckResult check(const Ended&) { return passed(); }

  static CheckResult check(const Hang& hang) {
    if (hang.where == Hang::kTryOfHeldKey) return not_evaluated();
    switch (hang.where) {
      case Hang::kCallOfUnusedLock:
        return failed({.fault = kCallOfUnusedLock});
      case Hang::kForkedChild:
        return failed({.fault = kForkedChild});
      default:
        return failed({.fault = kWholeProcess});
    }
  }

  static CheckResult check(const ProcessStall& stall) {
    return failed({.fault = kProcessStall,
                   .thread = stall.process,
                   .other = stall.last_holder,
                   .key = stall.key,
                   .x = stall.last_holder_was_killed});
  }

  // Uses the median of several recoveries, because the machine may have delayed a single one.
  static CheckResult check(const Recovery& recovery) {
    constexpr std::uint64_t kEnough = 5;
    constexpr std::int64_t kMostNs = 100'000'000;
    if (recovery.recoveries < kEnough) return not_evaluated();
    if (recovery.median_ns <= kMostNs) return passed();
    return failed({.fault = kLateRecovery, .x = static_cast<std::uint64_t>(recovery.median_ns)});
  }

  static CheckResult check(const FreeKeyNotGranted& seen) {
    return failed({.fault = kPassedOver,
                   .thread = seen.thread,
                   .key = seen.key,
                   .x = seen.pauses,
                   .y = seen.pause_ms});
  }

  static CheckResult check(const ServedSleepers& seen) {
    if (seen.left == 0) return passed();
    return failed({.fault = kSleepOn, .key = seen.key, .x = seen.left, .y = seen.all});
  }

  static CheckResult check(const LateAfterFaults& seen) {
    return failed(
        {.fault = kLateAfterFaults, .thread = seen.thread, .key = seen.key, .x = seen.waited_ms});
  }

  static std::string text(const FailureFacts& f, const std::string& actor) {
    switch (f.fault) {
      case kProcessStall: {
        const std::string waits =
            absl::StrCat(name_of_actor(f.thread, actor), " waits forever for key ", f.key);
        if (f.other == kNoThread) return absl::StrCat(waits, ", which no ", actor, " holds");
        return absl::StrCat(waits, "; the last to hold it was ", name_of_actor(f.other, actor),
                            f.x != 0 ? ", which was killed" : ", which lives");
      }
      case kCallOfUnusedLock:
        return absl::StrCat("a call of a lock that no ", actor, " uses any more does not return");
      case kForkedChild:
        return absl::StrCat(
            "a ", actor,
            " forked while it held key 0; in the child, unlock() or the lock() after "
            "it does not return");
      case kLateRecovery:
        return absl::StrCat("half of the keys whose holder was killed were acquired again after ",
                            f.x / 1'000'000, " ms or later");
      case kPassedOver:
        return absl::StrCat(name_of_actor(f.thread, actor), " requested key ", f.key,
                            " and got it in none of ", f.x, " pauses of ", f.y,
                            " ms, in which it ran and no ", actor,
                            " held the key; others got it between the pauses");
      case kSleepOn:
        return absl::StrCat(f.x, " of ", f.y, " threads that slept for key ", f.key,
                            " sleep on, though it is free: who released it woke none of them");
      case kLateAfterFaults:
        return absl::StrCat(name_of_actor(f.thread, actor), " has not acquired key ", f.key, " in ",
                            f.x, " ms since the last fault ended");
      default:
        return "the whole process has stalled";
    }
  }
};

}  // namespace lockbench::stress::oracles
