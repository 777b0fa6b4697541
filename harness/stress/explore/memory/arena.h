// SPDX-License-Identifier: Apache-2.0

// Arena: the memory of a simulation: the stacks of its fibres and everything that they allocate.
//
// Guarantees   The same program gets the same addresses each time, in every process in which the
//              usual address range of the region is free. Freed memory is not reused before
//              reset(), except while reuse(true) says so. reset() releases everything at once,
//              including objects that were not destroyed.
// Not offered  Destructors: objects that reset() releases are not destroyed.
// Requires     One thread uses the arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/stress/explore/memory/zero_pages.h"

namespace lockbench::stress::explore {

struct AddressRange {
  std::uintptr_t begin;
  std::uintptr_t end;
};

class Arena {
 public:
  static constexpr std::size_t kStackBytes = 128 << 10;
  static constexpr std::size_t kStacks = 16;
  static constexpr std::size_t kHeapBytes = 8 << 20;
  static constexpr std::size_t kBytes = kStacks * kStackBytes + kHeapBytes;

  // Ends the process with a message if the system has no memory for the region.
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::byte* stack(std::size_t number) { return base_ + number * kStackBytes; }
  bool in_stack(std::size_t number, const void* address) const {
    return contains(address) && offset(address) / kStackBytes == number;
  }

  // Returns null if the heap is used up.
  void* allocate(std::size_t bytes, std::size_t alignment);

  // While true: an allocation lies where one of the same size was released since, if there is one.
  void reuse(bool reuses);
  bool reuses() const { return reuses_; }

  // Returns false if `location` was not returned by allocate() or was released before.
  bool release(const void* location);
  // True if the address lies in memory that was released. Requires contains().
  bool freed(const void* address) const {
    const std::size_t granule = offset(address) / kGranule;
    return granule < states_.size() && states_[granule] == State::kFreed;
  }
  // Number of bytes at `location`, which allocate() returned.
  std::size_t size_at(const void* location) const;
  // True if any memory was released since reset().
  bool any_freed() const { return any_freed_; }
  // Number of allocations that were not released.
  std::uint64_t live() const { return live_; }

  // Allocations that were not released, though no address within them is in a word of `roots`, or
  // of what these lead to. A word may have marks beside the address, in its lowest 4 bits or its
  // highest 16. Takes time in proportion to the bytes of roots and heap.
  struct Lost {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
  };
  Lost lost(const std::vector<AddressRange>& roots) const;

  const std::byte* begin() const { return base_; }

  bool contains(const void* address) const {
    return static_cast<const std::byte*>(address) - base_ < static_cast<std::ptrdiff_t>(kBytes) &&
           static_cast<const std::byte*>(address) >= base_;
  }

  // Offset from the beginning of the region in bytes. Requires contains().
  std::size_t offset(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - base_);
  }

  // Releases and zeroes the heap. So even a program that reads heap memory before it writes it
  // behaves in the same way each time.
  void reset();

 private:
  // Allocations begin and end at multiples of this many bytes.
  static constexpr std::size_t kGranule = 16;
  // Marks the allocation that begins at this offset, and returns its address.
  void* begin_block(std::size_t begin, std::size_t end);
  // The offset of a released block of this size and alignment, which is then taken out; absent if
  // there is none.
  std::optional<std::size_t> take_released(std::size_t bytes, std::size_t alignment);

  enum class State : std::uint8_t { kNone, kBegins, kGoesOn, kFreed };

  std::byte* base_ = nullptr;
  std::size_t used_ = kStacks * kStackBytes;
  ZeroPages<State> states_{kBytes / kGranule};
  std::uint64_t live_ = 0;
  bool reuses_ = false;
  struct Released {
    std::size_t begin;
    std::size_t bytes;
  };
  std::vector<Released> released_;  // while reuses_
  bool any_freed_ = false;
};

}  // namespace lockbench::stress::explore
