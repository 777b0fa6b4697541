// SPDX-License-Identifier: Apache-2.0

// operator new and delete. The allocations of a simulated program lie in its world's arena. So an
// execution that is left in the middle leaves nothing behind, and addresses repeat.

#include "harness/stress/simulated/program_memory.h"

#include <cstddef>
#include <cstdlib>
#include <new>

#include "harness/stress/explore/world/world.h"

namespace {

using lockbench::stress::explore::Arena;
using lockbench::stress::explore::World;

// Arena memory is not reused after it is freed, so only the newest world has to decide whether
// memory belongs to a program. If that world does not exist any more, there is nothing to free.
World* last_world = nullptr;
const std::byte* last_region = nullptr;

bool in_last_region(const void* location) {
  const auto* const at = static_cast<const std::byte*>(location);
  return last_region != nullptr && at >= last_region && at < last_region + Arena::kBytes;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (World* const world = World::of_program()) {
    last_world = world;
    last_region = world->region();
    return world->allocate(bytes, alignment);
  }
  void* const location =
      alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__
          ? std::aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1))
          : std::malloc(bytes == 0 ? 1 : bytes);
  if (location == nullptr) throw std::bad_alloc();
  return location;
}

void release(void* location) {
  if (!in_last_region(location)) return std::free(location);
  if (World::exists(last_world)) last_world->release(location);
}

}  // namespace

namespace lockbench::stress::explore {

bool is_of_program(const void* location) {
  return in_last_region(location);
}

void* allocate_for_program(std::size_t bytes, std::size_t alignment) {
  return ::allocate(bytes, alignment);
}

void release_of_program(void* location) {
  ::release(location);
}

std::size_t size_in_program(const void* allocated) {
  return last_world->size_of(allocated);
}

}  // namespace lockbench::stress::explore

void* operator new(std::size_t bytes) {
  return allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* location) noexcept {
  release(location);
}
void operator delete(void* location, std::size_t) noexcept {
  release(location);
}
void operator delete(void* location, std::align_val_t) noexcept {
  release(location);
}
void operator delete(void* location, std::size_t, std::align_val_t) noexcept {
  release(location);
}
