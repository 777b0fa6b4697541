// SPDX-License-Identifier: Apache-2.0

// KeysOfPass: which keys the acts of a program name when a thread performs them again.
//
// A program that is repeated over two or three keys shows what a count does. Over many keys, it
// also shows what a table does when it grows, and which locks two keys have in common. Pure, so
// that a replay names the same keys.
#pragma once

#include <cstdint>

#include "harness/stress/litmus/program.h"
#include "workloads/random.h"

namespace lockbench::stress {

class KeysOfPass {
 public:
  KeysOfPass() = default;  // every pass names the same keys
  explicit KeysOfPass(const LitmusProgram& program)
      : spread_(program.spread), room_(program.keys() - program.named_keys() + 1) {}

  // The act as the thread performs it in this pass. All single keys of a pass grow by one number,
  // so that nested keys keep their order. The keys of a pair are drawn independently, because no
  // order of them can deadlock.
  Act act(Act act, std::uint32_t thread, std::uint32_t pass) const {
    if (spread_ == 0 || !names_keys(act.kind)) return act;
    const std::uint64_t drawn = derive_seed(thread, pass);
    if (!names_two_keys(act.kind)) {
      act.key += static_cast<std::uint32_t>(drawn % room_);
      return act;
    }
    act.key = static_cast<std::uint32_t>(derive_seed(drawn, act.key) % spread_);
    act.other = static_cast<std::uint32_t>(derive_seed(drawn, act.other) % spread_);
    return act;
  }

 private:
  static bool names_keys(Act::Kind kind) {
    return acquires(kind) || kind == Act::kUnlockByNonOwner;
  }

  std::uint32_t spread_ = 0;
  std::uint32_t room_ = 1;
};

}  // namespace lockbench::stress
