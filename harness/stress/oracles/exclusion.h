// SPDX-License-Identifier: Apache-2.0

// Exclusion: the number of holders of a key at one time must not exceed its capacity.
#pragma once

#include "harness/stress/oracles/history.h"
#include "harness/stress/oracles/seen.h"

namespace lockbench::stress::oracles {

struct Exclusion {
  static constexpr std::string_view kName = "exclusion";
  static constexpr std::string_view kDescription =
      "More threads hold a key at once than its capacity.";

  enum Fault : std::uint8_t {
    kTwoHolders,          // `thread` has `key` while `other` holds it
    kStoppedHolder,       // the same, while the process `other` is stopped
    kEnteredDuringHold,   // `other` acquired `key` during the hold of `thread`
    kOverwrote,           // `thread` read `x`, and wrote over `y`, which `other` wrote meanwhile
    kTriedBefore,         // before the program began, a try acquired `key` while it was held
    kBeside,              // `thread` has `key` while a reader and a writer are inside
    kTriedHeld,           // a try that was made as a check acquired `key` while it was held
    kTriedBesideReaders,  // the same, to write, while `x` threads read
  };

  static bool needed(const EngineTraits&, const Abilities&) { return true; }

  static CheckResult check(const Holders& seen) {
    if (!seen.excess) return passed();
    FailureFacts failure{.fault = seen.at_release ? kEnteredDuringHold : kTwoHolders,
                         .thread = seen.thread,
                         .other = seen.excess->thread,
                         .key = seen.key,
                         .lease = seen.lease};
    switch (seen.excess->circumstance) {
      case OtherHolder::kHolds:
        return failed(failure);
      case OtherHolder::kStopped:
        if (!seen.at_release) failure.fault = kStoppedHolder;
        return failed(failure);
      default:
        return passed();  // the oracle `model` reports it
    }
  }

  static CheckResult check(const ResourceWrite& seen) {
    if (seen.found == seen.read) return passed();
    return failed({.fault = kOverwrote,
                   .thread = seen.thread,
                   .other = seen.last_writer,
                   .key = seen.key,
                   .x = seen.read,
                   .y = seen.found});
  }

  static CheckResult check(const TryOfHeldKey& seen) {
    if (!seen.acquired) return passed();
    if (seen.readers != 0) return failed({.fault = kTriedBesideReaders, .x = seen.readers});
    return failed({.fault = seen.before_program ? kTriedBefore : kTriedHeld, .key = seen.key});
  }

  static CheckResult check(const EscapedException& seen) {
    if (!seen.beside) return not_evaluated();
    return failed({.fault = kBeside, .thread = seen.thread, .key = seen.key});
  }

  // If holds can expire: the parts of two holds within the hold limit must not overlap.
  static CheckResult check(const History& history) {
    CheckResult result;
    for (const auto& [before, after] : history.limited_holds()) {
      ++result.evaluations;
      if (after->answered >= history.sure_until(*before)) continue;
      result.failure = {.fault = kTwoHolders,
                        .thread = after->thread,
                        .other = before->thread,
                        .key = after->key,
                        .lease = after->lease};
      return result;
    }
    return result;
  }

  static std::string text(const FailureFacts& f, const std::string& actor) {
    const std::string thread = name_of_actor(f.thread, actor);
    const std::string other = name_of_actor(f.other, actor);
    switch (f.fault) {
      case kStoppedHolder:
        return absl::StrCat(thread, " has key ", f.key, " while ", other,
                            ", which was stopped and lives, holds it");
      case kEnteredDuringHold:
        return absl::StrCat(other, " acquired key ", f.key, " while ", thread, " held it");
      case kOverwrote:
        return absl::StrCat(thread, " read ", f.x, " under key ", f.key, " and wrote ", f.x + 1,
                            " over ", f.y, ", which ", other,
                            " had written meanwhile: the resource lost an update");
      case kTriedBefore:
        return absl::StrCat("a try_lock() acquired key ", f.key, ", which another ", actor,
                            " held, before the ", plural_of(actor), " of the program began");
      case kBeside:
        return f.key == 0
                   ? absl::StrCat(thread, " writes while a reader or another writer is inside")
                   : absl::StrCat(thread, " reads while a writer is inside");
      case kTriedHeld:
        return absl::StrCat("a try_lock() acquired key ", f.key, ", which another ", actor,
                            " held");
      case kTriedBesideReaders:
        return absl::StrCat("a try_lock() acquired the lock to write while ", f.x, " ",
                            plural_of(actor), " read");
      default:
        return absl::StrCat(thread, " has key ", f.key, " while ", other, " holds it");
    }
  }
};

}  // namespace lockbench::stress::oracles
