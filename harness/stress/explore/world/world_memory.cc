// SPDX-License-Identifier: Apache-2.0

// The memory of the program in its world: what it allocates and frees, and what it must not use.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/stress/explore/world/world.h"

namespace lockbench::stress::explore {

void* World::allocate(std::size_t bytes, std::size_t alignment) {
  void* const location = arena_.allocate(bytes, alignment);
  if (location == nullptr) leave(End::kTooLong);
  if (log_.on() && current() == this) {
    const UntrackedScope untracked(*this);
    log_.add_block(
        {.begin = static_cast<const std::byte*>(location), .bytes = bytes, .thread = running_});
  }
  return location;
}

void World::release(void* location) {
  if (log_.on() && of_program() == this) {
    const UntrackedScope untracked(*this);
    note_access(Access::kFree, location, 0, 0, 0);
  }
  if (of_program() == nullptr) return void(arena_.release(location));
  const std::size_t bytes = arena_.size_at(location);
  const bool released = [&] {
    const UntrackedScope untracked(*this);
    return arena_.release(location);
  }();
  if (!released) {
    fail_memory("memory is freed that was freed before, or was never allocated", nullptr);
  }
  check_stores_to(location, bytes);
  if (looks_for_races(location) &&
      plain_accesses_.race_with_free(memory_, running_, location, bytes)) {
    fail_memory("memory is freed that another thread uses, and nothing orders the two", location);
  }
  const void* const end = static_cast<const std::byte*>(location) + bytes;
  if (orders_ends() && memory_.any_end_is_unordered(running_, location, end)) {
    fail_memory("memory is freed that another thread uses, and nothing orders the two", location);
  }
  if (!arena_.reuses()) return;
  memory_.flush(running_);  // or its stores would arrive in what lies there next
  memory_.forget(location, end);
}

void World::check_null(const void* location) {
  constexpr std::uintptr_t kFirstPage = 4096;
  if (reinterpret_cast<std::uintptr_t>(location) < kFirstPage) {
    fail_memory("a null pointer is dereferenced", location);
  }
}

void World::check_freed(const void* location) {
  if (arena_.any_freed() && arena_.contains(location) && arena_.freed(location)) {
    fail_memory("memory is used after it was freed", location);
  }
}

// Only of another thread's stack it is known where it ends.
void World::check_frame(const void* location) {
  if (!arena_.contains(location)) return;
  const std::size_t owner = arena_.offset(location) / Arena::kStackBytes;
  if (owner == running_ || owner >= threads_.size()) return;
  if (location < threads_[owner].fibre.stack_pointer()) {
    fail_memory("a local variable is used after its function returned", location);
  }
}

// A store that another thread has made, and that still lies in its buffer when this memory is
// freed, arrives afterwards: nothing can have told this thread of it. A store of the thread that
// frees is none of these: it leaves the buffer before whatever tells others that the memory is
// free.
void World::check_stores_to(const void* freed, std::size_t bytes) {
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    if (i == running_ || !memory_.buffers_within(i, freed, bytes)) continue;
    fail_memory("memory is freed while a store to it lies in another thread's store buffer",
                nullptr);
  }
}

// The argument is not a std::string: a string that is made while the program runs lies in the
// arena, which releases it.
void World::fail_memory(const char* what, const void* location) {
  untracked_ = true;
  if (location != nullptr) note_access(Access::kPlain, location, 0, 0, 0);
  memory_failure_ = what;
  leave(End::kFailed);
}

void World::add_unannounced_word(const void* word, unsigned bytes) {
  const UntrackedScope untracked(*this);
  check_freed(word);
  check_frame(word);
  instrumented_ = true;
  memory_.add_unannounced(word, bytes);
}

void World::end_frame(const void* frame) {
  if (!arena_.in_stack(running_, frame)) return;
  const UntrackedScope untracked(*this);
  if (orders_ends() && memory_.any_end_is_unordered(running_, arena_.stack(running_), frame)) {
    fail_memory(
        "a function returns while another thread uses a local variable of it, and nothing orders "
        "the two",
        frame);
  }
  memory_.end_frame(running_, arena_.stack(running_), frame);
}

Arena::Lost World::lost_allocations(const void* kept) {
  memory_.flush(running_);
  std::vector<AddressRange> roots = memory_.static_storage();
  const auto add = [&](const void* begin, std::size_t bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    roots.push_back({at, at + bytes});
  };
  const std::byte* const frame = static_cast<const std::byte*>(__builtin_frame_address(0));
  add(&kept, sizeof kept);
  add(frame, static_cast<std::size_t>(arena_.stack(running_) + Arena::kStackBytes - frame));
  thread_objects_.add_roots(roots);
  return arena_.lost(roots);
}

std::byte* World::add_thread_block(std::size_t module, std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  auto* const location = static_cast<std::byte*>(allocate(bytes, kAlignment));
  const UntrackedScope untracked(*this);
  thread_objects_.add_block(running_, module, location);
  return location;
}

}  // namespace lockbench::stress::explore
