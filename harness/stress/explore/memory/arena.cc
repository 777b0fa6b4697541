// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/memory/arena.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace lockbench::stress::explore {
namespace {

// Far from the addresses of programs, libraries, heaps and sanitizers.
void* const kUsualAddress = reinterpret_cast<void*>(0x5'1000'0000'00);

}  // namespace

Arena::Arena() {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* region =
      mmap(kUsualAddress, kBytes, PROT_READ | PROT_WRITE, kFlags | MAP_FIXED_NOREPLACE, -1, 0);
  if (region == MAP_FAILED) {
    region = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  }
  if (region == MAP_FAILED) {
    std::fprintf(stderr, "lockbench: no %zu MB of memory for a simulation: free some\n",
                 kBytes >> 20);
    std::exit(3);
  }
  base_ = static_cast<std::byte*>(region);
}

Arena::~Arena() {
  munmap(base_, kBytes);
}

void Arena::reset() {
  constexpr std::size_t kHeap = kStacks * kStackBytes;
  std::memset(base_ + kHeap, 0, used_ - kHeap);
  std::fill(states_.begin() + kHeap / kGranule, states_.begin() + (used_ + kGranule - 1) / kGranule,
            State::kNone);
  used_ = kHeap;
  live_ = 0;
  any_freed_ = false;
  reuse(false);
}

void* Arena::allocate(std::size_t bytes, std::size_t alignment) {
  alignment = std::max(alignment, kGranule);
  const std::size_t whole = (std::max<std::size_t>(bytes, 1) + kGranule - 1) & ~(kGranule - 1);
  if (const auto released = take_released(whole, alignment)) {
    return begin_block(*released, *released + whole);
  }
  const std::size_t begin = (used_ + alignment - 1) & ~(alignment - 1);
  if (begin + whole > kBytes) return nullptr;
  used_ = begin + whole;
  return begin_block(begin, used_);
}

void* Arena::begin_block(std::size_t begin, std::size_t end) {
  State* const first = states_.begin() + begin / kGranule;
  *first = State::kBegins;
  std::fill(first + 1, states_.begin() + end / kGranule, State::kGoesOn);
  ++live_;
  return base_ + begin;
}

std::optional<std::size_t> Arena::take_released(std::size_t bytes, std::size_t alignment) {
  const auto fits = [=](const Released& block) {
    return block.bytes == bytes && block.begin % alignment == 0;
  };
  const auto found = std::find_if(released_.begin(), released_.end(), fits);
  if (found == released_.end()) return std::nullopt;
  const std::size_t begin = found->begin;
  released_.erase(found);
  return begin;
}

void Arena::reuse(bool reuses) {
  reuses_ = reuses;
  released_.clear();
}

bool Arena::release(const void* location) {
  std::size_t granule = offset(location) / kGranule;
  if (states_[granule] != State::kBegins) return false;
  if (reuses_) released_.push_back({offset(location), size_at(location)});
  do {
    states_[granule++] = State::kFreed;
  } while (granule < states_.size() && states_[granule] == State::kGoesOn);
  --live_;
  any_freed_ = true;
  return true;
}

Arena::Lost Arena::lost(const std::vector<AddressRange>& roots) const {
  constexpr std::uintptr_t kAddressBits = (std::uintptr_t{1} << 48) - 1;
  std::vector<bool> reached(used_ / kGranule + 1);
  std::vector<AddressRange> ranges = roots;
  while (!ranges.empty()) {
    const AddressRange range = ranges.back();
    ranges.pop_back();
    for (std::uintptr_t at = (range.begin + 7) & ~std::uintptr_t{7}; at + 8 <= range.end; at += 8) {
      std::uintptr_t word;
      std::memcpy(&word, reinterpret_cast<const void*>(at), sizeof word);
      const auto* const location = reinterpret_cast<const std::byte*>(word & kAddressBits);
      if (!contains(location) || offset(location) < kStacks * kStackBytes ||
          offset(location) >= used_) {
        continue;
      }
      std::size_t granule = offset(location) / kGranule;
      while (states_[granule] == State::kGoesOn) --granule;
      if (states_[granule] != State::kBegins || reached[granule]) continue;
      reached[granule] = true;
      const std::byte* const block = base_ + granule * kGranule;
      const auto begin = reinterpret_cast<std::uintptr_t>(block);
      ranges.push_back({begin, begin + size_at(block)});
    }
  }
  Lost lost;
  for (std::size_t granule = kStacks * kStackBytes / kGranule; granule < used_ / kGranule;
       ++granule) {
    if (states_[granule] != State::kBegins || reached[granule]) continue;
    ++lost.blocks;
    lost.bytes += size_at(base_ + granule * kGranule);
  }
  return lost;
}

std::size_t Arena::size_at(const void* location) const {
  const std::size_t first = offset(location) / kGranule;
  std::size_t end = first + 1;
  while (end < states_.size() && states_[end] == State::kGoesOn) ++end;
  return (end - first) * kGranule;
}

}  // namespace lockbench::stress::explore
