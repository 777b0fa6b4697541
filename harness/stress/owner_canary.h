// SPDX-License-Identifier: Apache-2.0

// OwnerCanary: what the holders of a key leave for each other to see, one for each lease of each
// key.
//
// A holder writes its name when it enters and erases it when it leaves. A thread that enters and
// reads a name, or leaves and does not read its own, has met another holder.
//
// It adds no ordering. Every access is one relaxed load or one relaxed store, plain moves on x86
// and ARM alike: no fence, no read-modify-write, no acquire, no release. So the accesses of one
// hold are ordered against those of the next by the lock or by nothing, as the data of any program
// would be; and if the lock orders holds (the release of one happens before the acquisition of the
// next), each reads what the one before it wrote, so a correct lock never fails.
#pragma once

#include <cstdint>

#include "harness/stress/oracles/registry.h"
#include "harness/stress/trace/shared_words.h"
#include "primitives/platform/layout.h"

namespace lockbench::stress {

// A thread, or a life of a process: its number, and which of the lives with that number it is, from
// 1. As a word never 0, which stands for nobody.
//   bit 0 a part of the nest is released | 1-15 number | 16-63 life
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

// The number in a name; kNoThread for nobody.
constexpr std::uint32_t number_in(std::uint64_t word) {
  return word == kNobody ? kNoThread : name_from(word).number;
}

struct alignas(platform::kCacheLine) OwnerCanary {
  Word owner{kNobody};
  Word grants{0};  // may be read by those who do not hold
  KeyStates states;
};

}  // namespace lockbench::stress
