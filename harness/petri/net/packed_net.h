// SPDX-License-Identifier: Apache-2.0

// PackedNet: a net whose markings are a few machine words.
//
// Each place has a field with as many bits as its bound needs: one bit if the invariants allow one
// token. Firing adds one number to each word. The components of a symmetry (net.h) are equally
// wide, and each lies within one word, so finding the representative of a marking is sorting
// numbers.
//
// A place that no invariant bounds has a field of kUnboundedBits. The search detects an overflow
// before it happens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/petri/net/invariants.h"
#include "harness/petri/net/net.h"

namespace lockbench::internal {

inline constexpr std::uint32_t kUnboundedBits = 8;
inline constexpr std::uint32_t kNoComponent = 64;

struct Field {
  std::uint32_t word = 0;
  std::uint32_t shift = 0;
  std::uint64_t mask = 1;  // before shifting
  bool unbounded = false;

  std::uint64_t read(const std::uint64_t* words) const { return (words[word] >> shift) & mask; }
};

struct FieldTest {
  Field field;
  std::uint64_t least = 0;
};

struct PackedComponent {
  std::uint32_t word = 0;
  std::uint32_t shift = 0;
};

struct PackedSymmetry {
  std::vector<PackedComponent> components;
  std::uint64_t mask = 0;      // of a component, before shifting
  std::uint32_t first_id = 0;  // number of the first component among those of all symmetries
};

struct PackedTransition {
  std::vector<std::uint64_t> need;   // per word: bits that must be set
  std::vector<std::uint64_t> delta;  // per word: what firing adds
  std::vector<FieldTest> tests;      // arcs that `need` does not cover
  std::vector<FieldTest> overflows;  // unbounded fields: firing overflows from `least` tokens on
  std::uint32_t component = kNoComponent;  // the only component that it touches
};

struct PackedSum {
  std::vector<std::uint64_t> bits;  // per word: fields of one bit
  std::vector<Field> wide;          // a place that counts twice is listed twice
  std::uint64_t most = 0;
};

struct PackedNet {
  std::size_t words = 0;
  std::vector<Field> fields;  // per place
  std::vector<std::uint64_t> initial;
  std::vector<PackedTransition> transitions;
  std::vector<PackedSymmetry> symmetries;
  std::vector<PackedSum> properties;
  std::vector<FieldTest> final_tests;
  // Transitions by a bit that each needs, so that the search skips transitions of unmarked places.
  std::vector<std::uint64_t> key_bits;             // per word
  std::vector<std::vector<std::uint32_t>> by_key;  // per bit of the marking
  std::vector<std::uint32_t> without_key;
  bool has_unbounded = false;
};

// A net that needs more words than this gets only its layout; its transitions are not packed.
inline constexpr std::size_t kWidestWords = 64;

// Keeps no symmetry if `reduce` is false, and none whose components are wider than a word or too
// many.
PackedNet pack(const Net& net, const Invariants& invariants, bool reduce);

// The same fields, with the pre-set and post-set of each transition exchanged.
PackedNet reversed(const Net& net, const PackedNet& packed);

}  // namespace lockbench::internal
