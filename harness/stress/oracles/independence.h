// SPDX-License-Identifier: Apache-2.0

// Independence: if each key has its own lock, no key may wait for another key.
#pragma once

#include "harness/stress/oracles/seen.h"

namespace lockbench::stress::oracles {

struct Independence {
  static constexpr std::string_view kName = "independence";
  static constexpr std::string_view kDescription =
      "A key waits for another key, though each key has its own lock.";

  enum Fault : std::uint8_t {
    kOfProgram,  // `key` cannot be acquired while `second_key` is held
    kByNumber,   // key `y` cannot be acquired while key `x` is held (by value)
    kOfMany,     // `key` cannot be acquired while `x` other keys are held
  };

  static bool needed(const EngineTraits& engine, const Abilities& abilities) {
    return abilities.lock_per_key && engine.several_keys;
  }

  static CheckResult check(const OtherKey& seen) {
    if (seen.acquired) return passed();
    return failed({.key = seen.asked, .second_key = seen.held});
  }

  static CheckResult check(const Ended& ended) {
    return ended.shows_independence ? passed() : not_evaluated();
  }

  static CheckResult check(const ManyKeys& seen) {
    if (!seen.held) return passed();
    return failed({.fault = kByNumber, .x = *seen.held, .y = seen.refused});
  }

  static CheckResult check(const OneOfManyKeys& seen) {
    return failed({.fault = kOfMany, .key = seen.key, .x = seen.held});
  }

  static std::string text(const FailureFacts& f, const std::string& actor) {
    if (f.fault == kOfMany) {
      return absl::StrCat("a ", actor, " waits forever for key ", f.key, ", which no ", actor,
                          " holds, while ", f.x,
                          f.x == 1 ? " other key is held" : " other keys are held",
                          ", though each key has its own lock");
    }
    if (f.fault == kByNumber) {
      return absl::StrCat("while the key ", f.x, " is held, the key ", f.y,
                          " cannot be acquired, though each key has its own lock");
    }
    return absl::StrCat("while key ", f.second_key, " is held, key ", f.key,
                        " cannot be acquired, though each key has its own lock");
  }
};

}  // namespace lockbench::stress::oracles
