// SPDX-License-Identifier: Apache-2.0

// OwnerCanary: words that the holders of a key write and check, one set for each lease of each key.
//
// A holder writes its name when it enters and erases it when it leaves. If a thread reads a name
// when it enters, or does not read its own name when it leaves, another holder was inside at the
// same time.
//
// The canary adds no ordering. Every access is one relaxed load or one relaxed store, which are
// plain moves on x86 and ARM: there is no fence, read-modify-write, acquire or release. Only the
// lock can order the accesses of one hold against those of the next, as for the data of any
// program. If the lock does that (the release of one hold happens before the acquisition of the
// next), each holder reads what the previous one wrote, so a correct lock never fails.
#pragma once

#include <cstdint>

#include "harness/stress/oracles/registry.h"
#include "harness/stress/trace/shared_words.h"
#include "primitives/platform/layout.h"

namespace lockbench::stress {

// A thread, or one incarnation of a process: its number, and how many threads or processes have had
// that number so far, counted from 1. The packed word is never 0, because 0 means that nobody
// holds.
//   bit 0 some nested holds are released | 1-15 number | 16-63 life
struct OwnerName {
  std::uint32_t number = 0;
  std::uint64_t life = 1;

  bool operator==(const OwnerName&) const = default;
};

inline constexpr std::uint64_t kNobody = 0;
inline constexpr std::uint64_t kPartReleased = 1;

constexpr std::uint64_t pack(const OwnerName& name) {
  return name.life << 16 | std::uint64_t{name.number} << 1;
}
constexpr OwnerName name_from(std::uint64_t word) {
  return {static_cast<std::uint32_t>(word >> 1 & 0x7fff), word >> 16};
}

// The number in a packed name; kNoThread if nobody holds.
constexpr std::uint32_t number_in(std::uint64_t word) {
  return word == kNobody ? kNoThread : name_from(word).number;
}

struct alignas(platform::kCacheLine) OwnerCanary {
  Word owner{kNobody};
  Word grants{0};  // threads that do not hold may read it
  KeyStates states;
};

}  // namespace lockbench::stress
