// SPDX-License-Identifier: Apache-2.0

// Lease: each holder has its own lease, with a number below the capacity.
#pragma once

#include "harness/stress/oracles/seen.h"

namespace lockbench::stress::oracles {

struct Lease {
  static constexpr std::string_view kName = "lease";
  static constexpr std::string_view kDescription =
      "Two holders have one lease, or a lease has a number that does not exist.";

  enum Fault : std::uint8_t {
    kNoSuchLease,  // `thread` has `lease` of `key`, but there are only `x`
    kTwoHolders,   // `thread` and `other` both have `lease` of `key`
  };

  static bool needed(const EngineTraits& engine, const Abilities& abilities) {
    return abilities.leases && engine.one_process;
  }

  static CheckResult check(const LeaseNumber& seen) {
    if (seen.lease < seen.capacity) return passed();
    return failed({.fault = kNoSuchLease,
                   .thread = seen.thread,
                   .key = seen.key,
                   .lease = seen.lease,
                   .x = seen.capacity});
  }

  static CheckResult check(const Holders& seen) {
    if (!seen.same_lease || seen.same_lease->circumstance > OtherHolder::kStopped) {
      return not_evaluated();  // the check of LeaseNumber counts the evaluation
    }
    return failed({.fault = kTwoHolders,
                   .thread = seen.thread,
                   .other = seen.same_lease->thread,
                   .key = seen.key,
                   .lease = seen.lease});
  }

  static std::string text(const FailureFacts& f, const std::string& actor) {
    const std::string thread = name_of_actor(f.thread, actor);
    if (f.fault == kNoSuchLease) {
      return absl::StrCat(thread, " has lease ", f.lease, " of key ", f.key, ", which has ", f.x,
                          " leases, from 0");
    }
    return absl::StrCat(thread, " and ", name_of_actor(f.other, actor), " both have lease ",
                        f.lease, " of key ", f.key);
  }
};

}  // namespace lockbench::stress::oracles
