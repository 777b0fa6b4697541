// SPDX-License-Identifier: Apache-2.0

// Residue: a lock that no thread uses must be free and must keep nothing that it should not keep.
#pragma once

#include "harness/stress/oracles/observations.h"

namespace lockbench::stress::oracles {

struct Residue {
  static constexpr std::string_view kName = "residue";
  static constexpr std::string_view kDescription =
      "Something is left, or is not free, after all threads have ended; or memory grows with each "
      "hold.";

  enum Fault : std::uint8_t {
    kNotFree,  // `key` could be acquired only `x` times of `y`
    kKept,     // the lock keeps something for `x` keys
    kGrows,    // `x` holds left `y` allocations behind
    kHeap,     // `x` holds left `y` bytes behind
  };

  static bool needed(EngineId, const Abilities&) { return true; }

  static CheckResult check(const FreeKey& seen) {
    if (seen.free == seen.capacity) return passed();
    return failed({.fault = kNotFree, .key = seen.key, .x = seen.free, .y = seen.capacity});
  }

  static CheckResult check(const KeysKept& kept) {
    if (kept.keys == 0) return passed();
    return failed({.fault = kKept, .x = kept.keys});
  }

  static CheckResult check(const Allocations& seen) {
    if (seen.left < seen.holds - seen.holds / 10) return passed();
    return failed({.fault = kGrows, .x = seen.holds, .y = seen.left});
  }

  static CheckResult check(const HeapGrowth& seen) {
    // Each allocation takes more bytes than this, including the overhead of the heap. The limit is
    // lower because another thread may free something meanwhile.
    constexpr std::uint64_t kLeastBytesOfAHold = 12;
    if (seen.bytes < seen.holds * kLeastBytesOfAHold) return passed();
    return failed({.fault = kHeap, .x = seen.holds, .y = seen.bytes});
  }

  static std::string text(const FailureFacts& f, const std::string& actor) {
    switch (f.fault) {
      case kKept:
        return absl::StrCat("the lock keeps something for ", f.x, " keys that no ", actor, " uses");
      case kHeap:
        return absl::StrCat(f.x, " holds by one ", actor, " left ", f.y,
                            " more bytes behind that were not freed");
      case kGrows:
        return absl::StrCat(f.x, " holds of one key by one ", actor, " left ", f.y,
                            " more allocations behind that were not freed");
      default:
        return absl::StrCat("key ", f.key, " is not free after all ", plural_of(actor), " ended (",
                            f.x, " of ", f.y, " could be acquired)");
    }
  }
};

}  // namespace lockbench::stress::oracles
