// SPDX-License-Identifier: Apache-2.0

// Fairness: of a lock that promises to be fair, no thread may be served before its turn, or be
// passed over for too long. A lock that does not promise it may let a thread starve, and a correct
// one does: a thread that releases the lock and requests it at once has the word in its own cache,
// so another one on a second processor may lose every race for as long as both run. No limit on the
// wait tells this from a fault, so the engines pass such waits to no oracle; they report them.
#pragma once

#include <string>
#include <utility>

#include "harness/stress/litmus/generate.h"
#include "harness/stress/oracles/seen.h"

namespace lockbench::stress::oracles {

struct Fairness {
  static constexpr std::string_view kName = "fairness";
  static constexpr std::string_view kDescription =
      "Of a lock that promises to be fair: a thread gets the key before its turn, or a thread is "
      "passed over for too long. Of one with a `bypass_limit`: a thread is passed more often.";

  enum Fault : std::uint8_t {
    kOutOfTurn,     // `thread` got `key` before `other`, which already waited for it
    kOvertook,      // arrival number `thread` at `key` was served before `other`
    kReaderPassed,  // `thread` got the lock to read before `other`, which waited to write; x: order
    kWriterPassed,  // `thread` got it to write before `other`, which waited; x: order, y: it reads
    kPassedTooOften,  // `thread` got `key` as number `x` since `other` waits; allowed are `y`
    kStarved,         // `thread` waited `x` ns for `key`; others got it `y` times
  };

  static bool needed(const EngineTraits& engine, const Abilities& abilities) {
    return engine.simulates && abilities.serves_in_order() && shows_order_of_arrival(abilities);
  }

  static CheckResult check(const Turn& turn) {
    if (turn.passed_over == kNoThread) return passed();
    if (turn.bypass_limit != 0) {
      if (turn.passes <= turn.bypass_limit) return passed();
      return failed({.fault = kPassedTooOften,
                     .thread = turn.thread,
                     .other = turn.passed_over,
                     .key = turn.key,
                     .x = turn.passes,
                     .y = turn.bypass_limit});
    }
    FailureFacts facts{
        .fault = kOutOfTurn, .thread = turn.thread, .other = turn.passed_over, .key = turn.key};
    if (turn.order != ReadersOrder::kNone) {
      facts.fault = turn.writes ? kWriterPassed : kReaderPassed;
      facts.x = static_cast<std::uint64_t>(turn.order);
      facts.y = turn.passed_over_reads;
    }
    return failed(facts);
  }

  static CheckResult check(const Arrivals& seen) {
    if (!seen.overtook) return passed();
    return failed(
        {.fault = kOvertook, .thread = seen.later, .other = seen.earlier, .key = seen.key});
  }

  // Both limits are needed: a limit on grants alone would fail every lock on one processor, a limit
  // on the wait alone every slow machine.
  static CheckResult check(const LongestWait& wait) {
    constexpr std::uint64_t kMostNs = 100'000'000;
    constexpr std::uint64_t kMostGrants = 5'000;
    // A slow lock makes fewer grants. There, a thread is starved if it got nothing for most of an
    // epoch of contention, which lasts 400 ms.
    constexpr std::uint64_t kMostNsOfAnEpoch = 300'000'000;
    constexpr std::uint64_t kMostGrantsOfAnEpoch = 300;
    const bool often = wait.waited_ns >= kMostNs && wait.grants >= kMostGrants;
    const bool all_the_time =
        wait.waited_ns >= kMostNsOfAnEpoch && wait.grants >= kMostGrantsOfAnEpoch;
    if (!often && !all_the_time) return passed();
    return failed({.fault = kStarved,
                   .thread = wait.thread,
                   .key = wait.key,
                   .x = wait.waited_ns,
                   .y = wait.grants});
  }

  static std::string text_of(ReadersOrder order) {
    switch (order) {
      case ReadersOrder::kPhaseFair:
        return "the lock promises to be phase-fair: a reader waits for one writer at most, and no "
               "reader joins others while a writer waits";
      case ReadersOrder::kWritersFirst:
        return "the lock promises that no reader passes a waiting writer";
      default:
        return "the lock promises first come, first served";
    }
  }

  // Which of two waits to keep: a wait that fails the check, else the longer one.
  static bool worse(const LongestWait& a, const LongestWait& b) {
    const auto rank = [](const LongestWait& wait) {
      return std::pair(check(wait).failure.has_value(), wait.waited_ns);
    };
    return rank(a) > rank(b);
  }

  static std::string text(const FailureFacts& f, const std::string& actor) {
    const std::string thread = name_of_actor(f.thread, actor);
    if (f.fault == kStarved) {
      return absl::StrCat(thread, " waited ", f.x / 1'000'000, " ms for key ", f.key,
                          ", which others got ", f.y, " times meanwhile");
    }
    if (f.fault == kPassedTooOften) {
      return absl::StrCat(thread, " acquires key ", f.key, " before ",
                          name_of_actor(f.other, actor), ", which waited for it already when ",
                          thread, " requested it; it was passed ", f.x,
                          " times, and the lock promises a bypass_limit of ", f.y);
    }
    if (f.fault == kReaderPassed || f.fault == kWriterPassed) {
      const bool writes = f.fault == kWriterPassed;
      return absl::StrCat(thread, " gets the lock to ", writes ? "write" : "read", " before ",
                          name_of_actor(f.other, actor), ", which was waiting to ",
                          f.y != 0 ? "read" : "write", " already; ",
                          text_of(static_cast<ReadersOrder>(f.x)));
    }
    if (f.fault == kOvertook) {
      return absl::StrCat("of ", plural_of(actor), " that came one after the other for key ", f.key,
                          ", number ", f.thread, " was served before number ", f.other,
                          ", which waited already; the lock promises first come, first served");
    }
    return absl::StrCat(thread, " acquires key ", f.key, " before ", name_of_actor(f.other, actor),
                        ", which was waiting for it already when ", thread,
                        " requested it; the lock promises first come, first served");
  }
};

}  // namespace lockbench::stress::oracles
