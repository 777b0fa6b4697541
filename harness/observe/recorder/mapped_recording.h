// SPDX-License-Identifier: Apache-2.0

// MappedRecording: the parts of a recording that this process has mapped.
//
// Guarantees   A part is mapped when it is used first, without a lock: threads that map the same
//              part at once agree on one. A part is no part of a core dump. After the process
//              restricted its system calls, and in its copies, no system call is made.
//              The child of a fork, also of one that the C library does not know, has no process
//              until it claims its own slot.
// Not offered  Giving parts back before the process ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "harness/observe/recorder/recording.h"

namespace lockbench::observe {

// All zero in the child of a fork. It fills whole pages, because the kernel clears whole pages.
struct alignas(Layout::kPage) MappedArea {
  std::atomic<Process*> process;
  std::atomic<std::uint32_t> refused;  // 1: this process gets no slot
  std::uint32_t slot;
  std::atomic<std::byte*> levels[LockLevels::kLevels];
  std::atomic<Place*> chunks[Layout::kPlaceChunks];
};

class MappedRecording {
 public:
  // nullptr if there is no recording.
  static Header* header() { return header_; }
  static MappedArea& area() { return area_; }

  // Maps the header. False: `path` cannot be opened or mapped, or is of another version.
  static bool open(const char* path);

  // Claims a slot and maps its Process, whose members but the modules are zero. nullptr: there is
  // no room; the header says so.
  static Process* claim(std::uint32_t pid);

  // The process ended and has acquired no lock: its slot is free again.
  static void give_back();

  // nullptr: there is no memory, or no system call may be made.
  static std::byte* level(std::size_t number);
  static Place* place(std::uint32_t number) {
    const std::uint32_t index = number - 1;
    // acquire: with the thread that mapped it.
    Place* const first =
        area_.chunks[index / Layout::kPlacesInChunk].load(std::memory_order_acquire);
    if (first == nullptr) [[unlikely]]
      return place_of_new_chunk(index);
    return first + index % Layout::kPlacesInChunk;
  }

  // Before the process restricts its system calls: maps what it will probably need.
  static void prepare_for_filter();
  static bool is_filtered() { return filtered_.load(std::memory_order_relaxed); }

 private:
  static Place* place_of_new_chunk(std::uint32_t index);
  static void* map(std::uint64_t offset, std::uint64_t bytes);
  template <class Part>
  static Part* map_once(std::atomic<Part*>& part, std::uint64_t offset, std::uint64_t bytes);

  static Header* header_;
  static MappedArea area_;
  static std::atomic<bool> filtered_;
};

}  // namespace lockbench::observe
