// SPDX-License-Identifier: Apache-2.0

// PackedNet: a net whose markings are a few machine words.
//
// Each place has a field of as many bits as its bound needs: one where the invariants allow one
// token. Firing adds one number to each word. The columns of a symmetry (net.h) are equally wide
// and lie within a word each, so that folding is sorting numbers.
//
// A place that no invariant bounds has a loose field of kLooseBits: before it overflows the search
// is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/petri/invariants.h"
#include "harness/petri/net.h"

namespace lockbench::internal {

inline constexpr std::uint32_t kLooseBits = 8;
inline constexpr std::uint32_t kNoColumn = 64;

struct Field {
  std::uint32_t word = 0;
  std::uint32_t shift = 0;
  std::uint64_t mask = 1;  // before shifting
  bool loose = false;

  std::uint64_t read(const std::uint64_t* words) const { return (words[word] >> shift) & mask; }
};

struct FieldTest {
  Field field;
  std::uint64_t least = 0;
};

struct PackedColumn {
  std::uint32_t word = 0;
  std::uint32_t shift = 0;
};

struct PackedSymmetry {
  std::vector<PackedColumn> columns;
  std::uint64_t mask = 0;      // of a column, before shifting
  std::uint32_t first_id = 0;  // number of the first column among those of all symmetries
};

struct PackedTransition {
  std::vector<std::uint64_t> need;   // per word: bits that must be set
  std::vector<std::uint64_t> delta;  // per word: what firing adds
  std::vector<FieldTest> tests;      // beyond `need`
  std::vector<FieldTest> overflows;  // loose fields: firing is safe while less than `least`
  std::uint32_t column = kNoColumn;  // the only column it touches
};

struct PackedSum {
  std::vector<std::uint64_t> bits;  // per word: fields of one bit
  std::vector<Field> wide;          // a place that counts twice comes twice
  std::uint64_t most = 0;
};

struct PackedNet {
  std::size_t words = 0;
  std::vector<Field> fields;  // per place
  std::vector<std::uint64_t> initial;
  std::vector<PackedTransition> transitions;
  std::vector<PackedSymmetry> symmetries;
  std::vector<PackedSum> claims;
  std::vector<FieldTest> final_tests;
  // Transitions by a bit that each needs, so that those of unmarked places are not even looked at.
  std::vector<std::uint64_t> key_bits;             // per word
  std::vector<std::vector<std::uint32_t>> by_key;  // per bit of the marking
  std::vector<std::uint32_t> without_key;
  bool has_loose = false;
};

// With `fold` false no symmetry is kept; nor is one whose columns are wider than a word or too
// many.
PackedNet pack(const Net& net, const Invariants& invariants, bool fold);

// The same fields with every transition turned round.
PackedNet reversed(const Net& net, const PackedNet& packed);

Marking unpacked(const PackedNet& packed, const std::uint64_t* words);

}  // namespace lockbench::internal
