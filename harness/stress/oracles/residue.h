// SPDX-License-Identifier: Apache-2.0

// Residue: a lock that no thread uses must be free and must keep nothing that it should not keep.
#pragma once

#include "harness/stress/oracles/seen.h"

namespace lockbench::stress::oracles {

struct Residue {
  static constexpr std::string_view kName = "residue";
  static constexpr std::string_view kDescription =
      "Something is left, or is not free, after all threads have ended; or memory grows with each "
      "hold, refusal or timeout, or is lost.";

  enum Fault : std::uint8_t {
    kNotFree,             // `key` could be acquired only `x` times of `y`
    kInherited,           // the same, after a process died that held key 0
    kOnlyTriesFail,       // try_lock() acquires `key` no more, and lock() still does
    kNoCallAcquires,      // both do not
    kKept,                // the lock keeps something for `x` keys
    kLost,                // `x` allocations of `y` bytes in all were lost
    kGrows,               // `x` calls left `y` allocations behind; plus the Calls
    kHeap = kGrows + 16,  // `x` calls left `y` bytes behind; plus the Calls
  };

  static bool needed(const EngineTraits&, const Abilities&) { return true; }

  static CheckResult check(const FreeKey& seen) {
    if (seen.free == seen.capacity) return passed();
    Fault fault = seen.inherited ? kInherited : kNotFree;
    if (seen.lock_returns) fault = *seen.lock_returns ? kOnlyTriesFail : kNoCallAcquires;
    return failed({.fault = fault,
                   .thread = seen.refused,
                   .key = seen.key,
                   .x = seen.free,
                   .y = seen.capacity});
  }

  static CheckResult check(const KeysKept& kept) {
    if (kept.keys == 0) return passed();
    return failed({.fault = kKept, .x = kept.keys});
  }

  static CheckResult check(const LostMemory& seen) {
    if (seen.blocks <= seen.spared) return passed();
    return failed({.fault = kLost, .x = seen.blocks, .y = seen.bytes});
  }

  static CheckResult check(const Allocations& seen) {
    if (seen.left < seen.number - seen.number / 10) return passed();
    return failed({.fault = fault_of(kGrows, seen.calls), .x = seen.number, .y = seen.left});
  }

  static CheckResult check(const HeapGrowth& seen) {
    // Each allocation takes more bytes than this, including the overhead of the heap. The limit is
    // lower because another thread may free something meanwhile.
    constexpr std::uint64_t kLeastBytesOfACall = 12;
    if (seen.bytes < seen.number * kLeastBytesOfACall) return passed();
    return failed({.fault = fault_of(kHeap, seen.calls), .x = seen.number, .y = seen.bytes});
  }

  static std::string text(const FailureFacts& f, const std::string& actor) {
    if (f.fault == kKept) {
      return absl::StrCat("the lock keeps something for ", f.x, " keys that no ", actor, " uses");
    }
    if (f.fault == kLost) {
      return absl::StrCat(f.x, " allocations of ", f.y,
                          " bytes in all were not freed, and no pointer leads to them any more");
    }
    const std::string since =
        f.thread == kNoThread
            ? ""
            : absl::StrCat("; ", actor, " ", f.thread,
                           " was refused it before, though no other thread used it then");
    if (f.fault == kNotFree) {
      return absl::StrCat("key ", f.key, " is not free after all ", plural_of(actor), " ended (",
                          f.x, " of ", f.y, " could be acquired)", since);
    }
    if (f.fault == kOnlyTriesFail || f.fault == kNoCallAcquires) {
      return absl::StrCat("key ", f.key, " is not free after all ", plural_of(actor),
                          " ended: try_lock() fails each time, and lock() ",
                          f.fault == kOnlyTriesFail ? "still acquires it" : "does not return",
                          since);
    }
    if (f.fault == kInherited) {
      return absl::StrCat("key ", f.key, " is not free after a ", actor,
                          " died that held key 0 and another one requested it");
    }
    const bool heap = f.fault >= kHeap;
    const auto calls = static_cast<Calls>(f.fault - (heap ? kHeap : kGrows));
    return absl::StrCat(f.x, " ", noun_of(calls), heap ? "" : " of one key", " by one ", actor,
                        " left ", f.y, " more ", heap ? "bytes" : "allocations",
                        " behind that were not freed");
  }

 private:
  static std::uint8_t fault_of(Fault fault, Calls calls) {
    return static_cast<std::uint8_t>(fault + static_cast<std::uint8_t>(calls));
  }

  static const char* noun_of(Calls calls) {
    switch (calls) {
      case Calls::kRefusals:
        return "failed tries";
      case Calls::kTimeouts:
        return "timeouts";
      default:
        return "holds";
    }
  }
};

}  // namespace lockbench::stress::oracles
