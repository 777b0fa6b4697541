// SPDX-License-Identifier: Apache-2.0

// Arena: the memory of a simulation: the stacks of its fibres and everything that they allocate.
//
// Guarantees   the same program gets the same addresses each time, in every process where the
//              region's usual place is free; nothing freed is given out again before reset();
//              reset() forgets all of it at once, objects that nobody destroyed included.
// Not offered  destructors: what is forgotten is not destroyed.
// Requires     one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockbench::stress::explore {

class Arena {
 public:
  static constexpr std::size_t kStackBytes = 128 << 10;
  static constexpr std::size_t kStacks = 16;
  static constexpr std::size_t kHeapBytes = 8 << 20;
  static constexpr std::size_t kBytes = kStacks * kStackBytes + kHeapBytes;

  // Ends the process with a message when the system has no memory for it.
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::byte* stack(std::size_t number) { return base_ + number * kStackBytes; }

  // Null when the heap is used up.
  void* allocate(std::size_t bytes, std::size_t alignment);

  // False when `place` is not what allocate() returned, or was released before.
  bool release(const void* place);
  // Whether the address, which is in the region, lies in something that was released.
  bool freed(const void* address) const {
    const std::size_t granule = offset(address) / kGranule;
    return granule < states_.size() && states_[granule] == State::kFreed;
  }
  // The bytes from `place`, which allocate() returned, that belong to it.
  std::size_t size_at(const void* place) const;
  // Whether anything has been released at all.
  bool any_freed() const { return any_freed_; }
  // How much of what was allocated has not been released.
  std::uint64_t live() const { return live_; }

  const std::byte* begin() const { return base_; }

  bool contains(const void* address) const {
    return static_cast<const std::byte*>(address) - base_ < static_cast<std::ptrdiff_t>(kBytes) &&
           static_cast<const std::byte*>(address) >= base_;
  }

  // Bytes from the beginning of the region. Requires contains().
  std::size_t offset(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - base_);
  }

  // Zeroes what was allocated, so that even a program that reads what it never wrote does the same
  // thing each time.
  void reset();

 private:
  // What is allocated begins and ends between granules of so many bytes.
  static constexpr std::size_t kGranule = 16;
  enum class State : std::uint8_t { kNone, kBegins, kGoesOn, kFreed };

  std::byte* base_ = nullptr;
  std::size_t used_ = kStacks * kStackBytes;
  std::vector<State> states_ = std::vector<State>(kBytes / kGranule);
  std::uint64_t live_ = 0;
  bool any_freed_ = false;
};

}  // namespace lockbench::stress::explore
