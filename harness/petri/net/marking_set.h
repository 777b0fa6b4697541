// SPDX-License-Identifier: Apache-2.0

// MarkingSet: a hash set of markings of W words each, numbered in the order of their insertion.
//
// Not a class for general use: numbers are 32 bits wide, and nothing is ever removed.
//
// A look-up touches two addresses, a slot and the marking that it refers to. Both can be prefetched
// (prefetch_slot(), then prefetch_marking()). A slot keeps half of its marking's hash, so that a
// look-up rarely reads other markings of the probe sequence.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "primitives/platform/huge_memory.h"

namespace lockbench::internal {

template <std::size_t W>
using Words = std::array<std::uint64_t, W>;

template <std::size_t W>
bool same(const Words<W>& a, const Words<W>& b) {
  std::uint64_t difference = 0;
  for (std::size_t w = 0; w < W; ++w) difference |= a[w] ^ b[w];
  return difference == 0;
}

template <std::size_t W>
std::uint64_t hash_of(const Words<W>& words) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  hash *= 0xc4ceb9fe1a85ec53;
  return hash ^ hash >> 29;
}

template <std::size_t W>
class MarkingSet {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::uint32_t size() const { return size_; }
  const Words<W>& operator[](std::uint32_t i) const { return markings_[i / kChunk][i % kChunk]; }
  std::uint32_t parent(std::uint32_t i) const { return parents_[i / kChunk][i % kChunk]; }

  void prefetch_slot(std::uint64_t hash) const { __builtin_prefetch(&slots_[slot_of(hash)]); }
  void prefetch_marking(std::uint64_t hash) const {
    const Slot& slot = slots_[slot_of(hash)];
    if (slot.number != 0) __builtin_prefetch(&(*this)[slot.number - 1]);
  }

  // Number of the marking, or kNone.
  std::uint32_t find(const Words<W>& words, std::uint64_t hash) const {
    return slots_[place_of(words, hash)].number - 1;
  }

  // Adds the marking unless it is in the set. Returns whether it was new.
  bool add(const Words<W>& words, std::uint64_t hash, std::uint32_t parent) {
    Slot& slot = slots_[place_of(words, hash)];
    if (slot.number != 0) return false;
    if (size_ % kChunk == 0) {
      markings_.emplace_back(kChunk);
      parents_.emplace_back(kChunk);
    }
    markings_.back()[size_ % kChunk] = words;
    parents_.back()[size_ % kChunk] = parent;
    slot = {.number = ++size_, .half = half_of(hash)};
    if (size_ > most_of(count_)) grow();
    return true;
  }

  std::uint64_t bytes() const { return bytes_of(size_, count_); }
  // The value of bytes() after one more marking, for which the table may grow.
  std::uint64_t bytes_with_one_more() const {
    return bytes_of(size_ + 1, size_ + 1 > most_of(count_) ? grown(count_) : count_);
  }

 private:
  struct Slot {
    std::uint32_t number = 0;  // 1 + the number of its marking; 0: free
    std::uint32_t half = 0;    // the half of its hash that does not choose the slot
  };

  static constexpr std::size_t kChunk = 1U << 18;
  static constexpr std::size_t kFirstSlots = 4096;
  static constexpr std::size_t kAhead = 32;  // slots that are prefetched while the table is rebuilt
  // The growth of the table, in quarters. Wide markings leave less memory for free slots.
  static constexpr std::size_t kGrowth = W > 4 ? 5 : 6;

  static std::uint32_t half_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash); }
  // The upper bits choose the slot.
  std::size_t slot_of(std::uint64_t hash) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>(Wide{hash} * count_ >> 64);
  }
  std::size_t after(std::size_t slot) const { return slot + 1 == count_ ? 0 : slot + 1; }

  // The slot of the marking, or the free slot that it would get.
  std::size_t place_of(const Words<W>& words, std::uint64_t hash) const {
    std::size_t slot = slot_of(hash);
    for (; slots_[slot].number != 0; slot = after(slot)) {
      if (slots_[slot].half != half_of(hash)) continue;
      if (same<W>((*this)[slots_[slot].number - 1], words)) break;
    }
    return slot;
  }

  static std::uint64_t bytes_of(std::uint64_t markings, std::uint64_t slots) {
    return slots * sizeof(Slot) + markings * (sizeof(Words<W>) + sizeof(std::uint32_t));
  }
  static std::size_t most_of(std::size_t slots) { return slots / 8 * 7; }
  static std::size_t grown(std::size_t slots) { return slots / 4 * kGrowth; }

  void grow() {
    count_ = grown(count_);
    slots_ = platform::HugeMemory<Slot>();  // frees the old table before the new one is allocated
    slots_ = platform::HugeMemory<Slot>(count_);
    std::array<std::uint64_t, kAhead> hashes;
    for (std::uint32_t first = 0; first < size_; first += kAhead) {
      const std::size_t some = std::min<std::size_t>(kAhead, size_ - first);
      for (std::size_t i = 0; i < some; ++i) {
        hashes[i] = hash_of<W>((*this)[first + static_cast<std::uint32_t>(i)]);
        prefetch_slot(hashes[i]);
      }
      for (std::size_t i = 0; i < some; ++i) {
        std::size_t slot = slot_of(hashes[i]);
        while (slots_[slot].number != 0) slot = after(slot);
        slots_[slot] = {.number = first + static_cast<std::uint32_t>(i) + 1,
                        .half = half_of(hashes[i])};
      }
    }
  }

  std::vector<platform::HugeMemory<Words<W>>> markings_;
  std::vector<platform::HugeMemory<std::uint32_t>> parents_;
  std::size_t count_ = kFirstSlots;  // of slots; at most seven eighths are used
  platform::HugeMemory<Slot> slots_{kFirstSlots};
  std::uint32_t size_ = 0;
};

}  // namespace lockbench::internal
