// SPDX-License-Identifier: Apache-2.0

// MarkingSet: markings of W words each, numbered in the order in which they came.
//
// Not a class for general use: numbers are 32 bits wide, and nothing is ever removed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lockbench::internal {

template <std::size_t W>
using Words = std::array<std::uint64_t, W>;

template <std::size_t W>
std::uint64_t hash_of(const Words<W>& words) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash * 0xc4ceb9fe1a85ec53;
}

template <std::size_t W>
class MarkingSet {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  MarkingSet() : slots_(kFirstSlots, kNone) {}

  std::uint32_t size() const { return size_; }
  const Words<W>& operator[](std::uint32_t i) const { return chunks_[i / kChunk][i % kChunk]; }
  std::uint32_t parent(std::uint32_t i) const { return parents_[i / kChunk][i % kChunk]; }

  void prefetch_slot(std::uint64_t hash) const { __builtin_prefetch(&slots_[slot_of(hash)]); }
  void prefetch_marking(std::uint64_t hash) const {
    const std::uint32_t known = slots_[slot_of(hash)];
    if (known != kNone) __builtin_prefetch(&(*this)[known]);
  }

  // Number of the marking, or kNone.
  std::uint32_t find(const Words<W>& words, std::uint64_t hash) const {
    for (std::size_t slot = slot_of(hash);; slot = (slot + 1) & (slots_.size() - 1)) {
      const std::uint32_t known = slots_[slot];
      if (known == kNone || (*this)[known] == words) return known;
    }
  }

  // Whether it was new.
  bool add(const Words<W>& words, std::uint64_t hash, std::uint32_t parent) {
    std::size_t slot = slot_of(hash);
    for (; slots_[slot] != kNone; slot = (slot + 1) & (slots_.size() - 1)) {
      if ((*this)[slots_[slot]] == words) return false;
    }
    slots_[slot] = size_;
    if (size_ % kChunk == 0) {
      chunks_.emplace_back(new Words<W>[kChunk]);
      parents_.emplace_back(new std::uint32_t[kChunk]);
    }
    chunks_.back()[size_ % kChunk] = words;
    parents_.back()[size_ % kChunk] = parent;
    ++size_;
    if (size_ > slots_.size() / 4 * 3) grow();
    return true;
  }

  std::uint64_t bytes() const {
    return slots_.size() * sizeof(std::uint32_t) +
           chunks_.size() * kChunk * (sizeof(Words<W>) + sizeof(std::uint32_t));
  }

 private:
  static constexpr std::size_t kChunk = 16384;
  static constexpr std::size_t kFirstSlots = 4096;

  // The upper bits are the better mixed ones.
  std::size_t slot_of(std::uint64_t hash) const { return (hash >> 24) & (slots_.size() - 1); }

  void grow() {
    std::vector<std::uint32_t>(slots_.size() * 2, kNone).swap(slots_);
    for (std::uint32_t i = 0; i < size_; ++i) {
      std::size_t slot = slot_of(hash_of<W>((*this)[i]));
      while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = i;
    }
  }

  std::vector<std::unique_ptr<Words<W>[]>> chunks_;
  std::vector<std::unique_ptr<std::uint32_t[]>> parents_;
  std::vector<std::uint32_t> slots_;  // a power of two of them, at most three quarters used
  std::uint32_t size_ = 0;
};

}  // namespace lockbench::internal
