// SPDX-License-Identifier: Apache-2.0

// Conservation: each holder of a key counts one update, and no update may be lost.
#pragma once

#include "harness/stress/oracles/history.h"
#include "harness/stress/oracles/seen.h"

namespace lockbench::stress::oracles {

struct Conservation {
  static constexpr std::string_view kName = "conservation";
  static constexpr std::string_view kDescription = "An update that a holder made is lost.";

  enum Fault : std::uint8_t {
    kAtGrant,     // `thread` reads a count of `x` after `y` updates of `key`
    kAtRelease,   // the same at the end of its hold; at the beginning it read `y`
    kTorn,        // the count of the updates of `key` that `thread` reads is torn
    kTooFew,      // `key` counts `x` updates, but `y` were made
    kTooMany,     // `key` counts `x` updates, but at most `y` were begun
    kSameUpdate,  // `thread` and `other` both made update `x` of `key`
  };

  // The clients of a service count only where a key has one holder.
  static bool needed(const EngineTraits& engine, const Abilities& abilities) {
    return engine.counts_permits ? abilities.numbers_holders() : abilities.capacity == 1;
  }

  static CheckResult check(const Updates& updates) {
    FailureFacts failure{.thread = updates.thread, .key = updates.key, .lease = updates.lease};
    if (!updates.seen) {
      failure.fault = kTorn;
      return failed(failure);
    }
    const std::uint64_t seen = *updates.seen;
    if (seen >= updates.least && seen <= updates.most) return passed();
    const bool few = seen < updates.least;
    failure.x = seen;
    failure.y = few ? updates.least : updates.most;
    if (updates.when == Updates::kAtGrant) failure.fault = kAtGrant;
    if (updates.when == Updates::kAtRelease) failure.fault = kAtRelease;
    if (updates.when == Updates::kAtEnd) failure.fault = few ? kTooFew : kTooMany;
    return failed(failure);
  }

  static CheckResult check(const History& history) {
    CheckResult result;
    for (const auto& [before, after] : history.holds()) {
      ++result.evaluations;
      if (before->update != after->update) continue;
      result.failure = {.fault = kSameUpdate,
                        .thread = after->thread,
                        .other = before->thread,
                        .key = after->key,
                        .lease = after->lease,
                        .x = after->update + 1};
      return result;
    }
    return result;
  }

  static std::string text(const FailureFacts& f, const std::string& actor) {
    const std::string thread = name_of_actor(f.thread, actor);
    switch (f.fault) {
      case kAtGrant:
        return absl::StrCat(thread, " sees ", f.x, " of the ", f.y, " updates made under key ",
                            f.key);
      case kAtRelease:
        return absl::StrCat(thread, " finds ", f.x, " updates of key ", f.key,
                            " at the end of its hold, and found ", f.y, " at the beginning");
      case kTorn:
        return absl::StrCat(thread, " finds half of a number where the updates of key ", f.key,
                            " are counted");
      case kSameUpdate:
        return absl::StrCat(thread, " and ", name_of_actor(f.other, actor), " both made update ",
                            f.x, " of key ", f.key);
      case kTooMany:
        return absl::StrCat("key ", f.key, " counts ", f.x, " updates, and at most ", f.y,
                            " were begun");
      default:
        return absl::StrCat("key ", f.key, " counts ", f.x, " of the ", f.y,
                            " updates that were made");
    }
  }
};

}  // namespace lockbench::stress::oracles
